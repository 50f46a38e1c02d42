"""Sliders and `session.set_parameter` in a real kernel."""

from __future__ import annotations

from tests.integration.kernel import Kernel

WIDGET = "application/vnd.jupyter.widget-view+json"

SOURCE = """%%loon bar
[defparam width 40.0 {:unit "mm" :min 10 :max 80 :step 0.5 :doc "outer width"}]
[defparam count 2 {:min 1 :max 4}]
[linear-pattern 0 1 0 count 20 [cube width 10 5]]"""


def begin(kernel: Kernel) -> str:
    """Run the cell; the model id of what it displays."""
    done = kernel.run(SOURCE, "cell-of-bar")
    assert done.status == "ok", done.traceback
    assert done.plain.startswith("bar: 40 × 30 × 5 mm")
    kernel.run(
        "session = get_ipython().magics_manager.registry['LoonMagics'].session\n"
        "view = session._cells.parameters._views['cell-of-bar'][-1]\n"
        "sliders = {one.description: one for one in view.panel.widget.children[:-1]}\n"
        "def settle():\n"
        "    session._cells.parameters._thread.submit(lambda: None).result(60)"
    )
    return str(done.data[-1][WIDGET]["model_id"])


def move(kernel: Kernel, slider: str, *values: float) -> None:
    """What a front end sends while a slider is dragged; then waits until the kernel has done all."""
    model = kernel.value(f"sliders[{slider!r}].model_id").strip("'")
    for value in values:
        data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
        kernel.ask("comm_msg", {"comm_id": model, "data": data}, replied=False)
    kernel.run("settle()")


def test_a_part_knows_its_parameters(kernel: Kernel) -> None:
    begin(kernel)
    assert kernel.value("list(bar.parameters)") == "['width', 'count']"
    assert kernel.value("bar.parameters['width'].value, bar.parameters['width'].max") == "(40.0, 80)"
    assert kernel.value("bar.result.document.parameters == bar.result.parameters") == "True"


def test_a_slider_changes_the_view_and_the_python_name_in_place(kernel: Kernel) -> None:
    shown = begin(kernel)
    assert kernel.value("view.displayed.model_id").strip("'") == shown
    assert kernel.value("list(sliders)") == "['width (mm)', 'count']"
    before = kernel.value("view.state.revision")
    camera = kernel.value("view.state.position")
    move(kernel, "width (mm)", 50.0, 60.0)
    assert kernel.value("bar.bounds[1][0]") == "60.0"
    assert kernel.value("bar.parameters['width'].value") == "60.0"
    assert int(kernel.value("view.state.revision")) > int(before)
    assert kernel.value("view.state.position") == camera
    assert kernel.value("view.displayed.model_id").strip("'") == shown
    assert kernel.run("%loon width").plain == "60"


def test_a_model_that_cannot_be_built_leaves_the_last_good_view(kernel: Kernel) -> None:
    begin(kernel)
    kernel.run("%%loon cut\n[defparam wall 1.0 {:max 9}]\n[scale 1 1 wall [cube 4 4 4]]", "cell-of-cut")
    kernel.run("view, = session._cells.parameters._views['cell-of-cut']")
    kernel.run("sliders = {one.description: one for one in view.panel.widget.children[:-1]}")
    move(kernel, "wall", 3.0)
    assert kernel.value("cut.volume") == "192.0"
    move(kernel, "wall", 0.0)
    assert "must" in kernel.value("view.panel.error")
    assert kernel.value("cut.volume") == "192.0"
    assert kernel.run("%loon wall").plain == "3"
    move(kernel, "wall", 2.0)
    assert kernel.value("view.panel.error") == "''"
    assert kernel.value("cut.volume") == "128.0"


def test_python_sets_a_parameter_and_the_slider_follows(kernel: Kernel) -> None:
    begin(kernel)
    assert kernel.run("session.set_parameter('width', 70)").status == "ok"
    assert kernel.value("bar.bounds[1][0]") == "70.0"
    assert kernel.value("sliders['width (mm)'].value") == "70.0"
    refused = kernel.run("session.set_parameter('width', 900)")
    assert refused.status == "error"
    assert "must be from 10 to 80 mm" in refused.traceback
    assert kernel.value("bar.bounds[1][0]") == "70.0"
    unknown = kernel.run("session.set_parameter('widht', 3)")
    assert "did you mean width?" in unknown.traceback


def test_the_cells_first_line_sets_parameters(kernel: Kernel) -> None:
    done = kernel.run(SOURCE.replace("%%loon bar", "%%loon bar --param width=55 -p count=1"), "cell-of-bar")
    assert done.plain.startswith("bar: 55 × 10 × 5 mm")
    wrong = kernel.run(SOURCE.replace("%%loon bar", "%%loon bar --param width"), "cell-of-bar")
    assert "sets no parameter" in wrong.traceback + wrong.text


def test_running_the_cell_again_takes_the_defaults(kernel: Kernel) -> None:
    begin(kernel)
    kernel.run("session.set_parameter('width', 70)")
    begin(kernel)
    assert kernel.value("bar.bounds[1][0]") == "40.0"
    assert kernel.value("sliders['width (mm)'].value") == "40.0"
