"""`%%loon` in a real kernel: what a person at the notebook relies on."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from tests.integration.kernel import Kernel

WIDGET = "application/vnd.jupyter.widget-view+json"


def plain(ansi: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", ansi)


def test_a_cell_shows_its_part_in_three_tiers(kernel: Kernel) -> None:
    done = kernel.run("%%loon block\n[cube 50 30 5]")
    assert done.status == "ok", done.traceback
    (bundle,) = done.data
    assert bundle["text/plain"] == (
        "block: 50 × 30 × 5 mm · volume 7500 mm³ · area 3800 mm² · center (25, 15, 2.5)"
    )
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert bundle[WIDGET]["model_id"]


def test_the_part_is_bound_in_python_with_its_figures(kernel: Kernel) -> None:
    kernel.run("%%loon box\n[cube 10 20 30]")
    assert kernel.value("box.volume") == "6000.0"
    assert kernel.value("box.area") == "2200.0"
    assert kernel.value("box.bounds") == "((0.0, 0.0, 0.0), (10.0, 20.0, 30.0))"
    assert kernel.value("box.center_of_mass") == "(5.0, 10.0, 15.0)"
    assert kernel.value("box.exact, box.tolerance, box.genus") == "(True, None, 0)"
    assert kernel.value("box.mesh.positions.shape, str(box.mesh.positions.dtype)") == "((8, 3), 'float64')"
    assert kernel.value("box.mesh.indices.shape, str(box.mesh.indices.dtype)") == "((12, 3), 'uint32')"
    assert kernel.value("round(float(box.to_trimesh().volume), 6)") == "6000.0"


def test_a_curved_part_has_exact_figures(kernel: Kernel) -> None:
    done = kernel.run("%%loon rod\n[cylinder 5 12]")
    assert done.plain == "rod: 10 × 10 × 12 mm · volume 942.478 mm³ · area 534.071 mm² · center (0, 0, 6)"
    assert kernel.value("rod.exact, rod.tolerance") == "(True, None)"
    assert abs(float(kernel.value("rod.volume")) / 942.477796 - 1) < 1e-8


def test_a_large_curved_part_says_that_its_figures_are_approximate(kernel: Kernel) -> None:
    row = "[linear-pattern 1 0 0 65 12 [cylinder 5 12]]"
    done = kernel.run(f"%%loon row\n{row}")
    assert "volume ≈ " in done.plain
    assert re.search(r"· curves within 0\.0\d+ mm$", done.plain)
    assert kernel.value("row.exact") == "False"
    assert abs(float(kernel.value("row.volume")) / (65 * 942.477796) - 1) < 0.01
    exact = kernel.run(f"%%loon row -x\n{row}")
    assert "≈" not in exact.plain
    assert abs(float(kernel.value("row.volume")) / (65 * 942.477796) - 1) < 1e-7


def test_cells_share_one_environment(kernel: Kernel) -> None:
    assert kernel.run("%%loon\n[fn slab [t] [cube 10 10 t]]").data == []
    assert kernel.run("%%loon thick\n[slab 4]").status == "ok"
    assert kernel.value("thick.volume") == "400.0"


def test_a_named_part_can_be_used_in_later_cells(kernel: Kernel) -> None:
    kernel.run("%%loon base\n[cube 10 10 10]")
    kernel.run("%%loon pierced\n[difference [translate 2 2 -1 [cube 2 2 20]] base]")
    assert kernel.value("pierced.volume") == "960.0"


def test_a_cell_run_again_replaces_its_definitions(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let side 3] [let gone 1]", cell_id="definitions")
    kernel.run("%%loon\n[fn sized [] [cube side side side]]", cell_id="function")
    kernel.run("%%loon\n[let side 4]", cell_id="definitions")
    kernel.run("%%loon sized\n[sized]", cell_id="use")
    assert kernel.value("sized.volume") == "64.0"
    missing = kernel.run("%loon gone")
    assert missing.status == "error"
    assert "[E0201]" in plain(missing.traceback)


def test_values_cross_from_python(kernel: Kernel) -> None:
    kernel.run("import numpy as np\nwidth, heights = np.float64(12.5), [2, 3]\nsizes = {'deep': 4}")
    done = kernel.run("%%loon taken -i width,heights -i sizes\n[cube width [get sizes :deep] [sum heights]]")
    assert done.status == "ok", done.traceback
    assert kernel.value("taken.volume") == "250.0"


def test_a_python_value_that_is_no_data_is_refused_by_name(kernel: Kernel) -> None:
    kernel.run("thing = object()")
    done = kernel.run("%%loon -i thing\n[cube 1 1 1]")
    assert done.status == "error"
    assert "`thing` is a Python object" in plain(done.traceback)


def test_a_mistake_fails_the_cell_with_a_caret_and_no_python_traceback(kernel: Kernel) -> None:
    done = kernel.run("%%loon\n[cube 10 10 10]\n[cube 10 heigth 10]")
    shown = plain(done.traceback)
    assert done.status == "error"
    assert "[E0201]" in shown
    assert "3 | [cube 10 heigth 10]" in shown  # the line as the editor counts it, magic line included
    assert "  |          ^^^^^^" in shown
    assert "Traceback" not in shown
    assert ".py" not in shown


def test_a_bad_size_names_function_argument_and_place(kernel: Kernel) -> None:
    shown = plain(kernel.run("%%loon\n[translate 1 2 3\n  [cylinder -4 10]]").traceback)
    assert "INVALID_PARAMETER" in shown
    assert "cylinder" in shown
    assert "3 |   [cylinder -4 10]]" in shown


def test_what_a_failing_cell_printed_and_defined_stays(kernel: Kernel) -> None:
    done = kernel.run('%%loon\n[println "so far"]\n[let kept 5]\n[nth #[1] 9]')
    assert done.text == "so far\n"
    assert done.status == "error"
    assert kernel.run("%loon kept").plain == "5"


def test_a_failing_cell_keeps_the_last_good_part(kernel: Kernel) -> None:
    kernel.run("%%loon steady\n[cube 1 2 3]", cell_id="steady")
    kernel.run("%%loon steady\n[cube 1 2 0]", cell_id="steady")
    assert kernel.value("steady.volume") == "6.0"


def test_a_line_evaluates_an_expression_and_shows_loons_form(kernel: Kernel) -> None:
    assert kernel.run("%loon [map [fn [x] [* x 1.5]] #[1 2]]").plain == "#[1.5 3]"
    assert kernel.run('%loon {:name "plate" :holes 4}').plain == '{:name "plate" :holes 4}'
    assert kernel.run("%loon [println 1]").data == []


def test_a_scene_has_parts_with_names_and_materials(kernel: Kernel) -> None:
    done = kernel.run(
        "%%loon pair\n[let pin [cube 1 1 9]]\n[let block [cube 5 5 5]]\n"
        '#[[material "steel" 0.6 0.6 0.65 1.0 0.3] [root pin "steel"] [translate 9 0 0 block]]'
    )
    assert done.status == "ok", done.traceback
    assert done.plain.startswith("pair: 2 parts · pin [steel] 9 mm³; ")
    assert kernel.value("len(pair), pair['pin'].volume, pair.volume") == "(2, 9.0, 134.0)"


def test_export_writes_each_format(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run("%%loon solid\n[cube 10 20 30]")
    for suffix in ("stl", "obj", "dae", "glb", "3mf"):
        target = tmp_path / f"solid.{suffix}"
        assert kernel.run(f"solid.export({str(target)!r})").status == "ok"
        assert target.stat().st_size > 200
    refused = kernel.run(f"solid.export({str(tmp_path / 'solid.xyz')!r})")
    assert refused.status == "error"
    assert ".stl" in refused.traceback


def test_export_option_writes_beside_showing(kernel: Kernel, tmp_path: Path) -> None:
    target = tmp_path / "out.stl"
    assert kernel.run(f"%%loon -e {target}\n[cube 1 1 1]").status == "ok"
    assert target.stat().st_size == 84 + 12 * 50


def test_help_is_shown_for_cell_and_line(kernel: Kernel) -> None:
    done = kernel.run("%%loon --help")
    assert done.status == "ok", done.traceback
    assert "%%loon" in done.text
    assert "--input" in done.text
    assert kernel.run("%loon_view --help").text.count("%loon_view") >= 1


def test_help_names_the_magics_as_they_are_written(kernel: Kernel) -> None:
    assert kernel.run("%%loon --help").text.startswith("usage: %%loon [-i")
    assert kernel.run("%loon --help").text.startswith("usage: %%loon [-i")
    assert kernel.run("%loon_view --help").text.startswith("usage: %loon_view [-h]")


def test_quotes_hold_a_file_name_together(kernel: Kernel, tmp_path: Path) -> None:
    for name, quote in (("my part.stl", '"'), ("other part.stl", "'")):
        done = kernel.run(f"%%loon -q -e {quote}{tmp_path / name}{quote}\n[cube 1 1 1]")
        assert done.status == "ok", done.traceback
        assert (tmp_path / name).exists()


def test_inputs_may_be_listed_with_spaces(kernel: Kernel) -> None:
    kernel.run("wide, deep = 3, 4")
    for listed in ("wide, deep", '"wide, deep"', "wide,deep"):
        done = kernel.run(f"%%loon spaced -i {listed} -q\n[cube wide deep 1]")
        assert done.status == "ok", done.text + done.traceback
        assert kernel.value("spaced.volume") == "12.0"


def test_a_part_named_like_a_function_does_not_hide_it(kernel: Kernel) -> None:
    assert kernel.run("%%loon sphere\n[sphere 5]").status == "ok"
    assert kernel.value("sphere.name") == "'sphere'"
    assert kernel.run("%loon [sphere 6]").status == "ok"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("%%loon wall-plate", "write %%loon wall_plate"),
        ("%%loon 3d", "write %%loon _3d"),
        ("%%loon part;", "write %%loon part\n"),
        ("%%loon class", "write %%loon class_"),
        ("%%loon -i nowhere", "no such Python variable"),
        ("%%loon --tolerance -1", "above 0"),
        ("%%loon --nonsense", "--nonsense"),
    ],
)
def test_a_wrong_option_is_a_usage_error(kernel: Kernel, line: str, said: str) -> None:
    done = kernel.run(f"{line}\n[cube 1 1 1]")
    assert done.status == "error"
    assert said in done.traceback + done.text


def test_a_long_value_is_shown_in_part_and_kept_whole(kernel: Kernel) -> None:
    shown = kernel.run("%%loon many\n[range 0 100000]").plain
    assert shown.startswith("#[0 1 2 3")
    assert shown.endswith("… (588892 characters in all)")
    assert len(shown) < 11_000
    assert kernel.value("len(many)") == "100000"


def test_a_named_value_reaches_python_as_plain_data(kernel: Kernel) -> None:
    assert (
        kernel.run('%%loon sizes\n{:deep #[1 2.5] :name "plate"}').plain == '{:deep #[1 2.5] :name "plate"}'
    )
    assert kernel.value("sizes") == "{'deep': [1, 2.5], 'name': 'plate'}"


def test_a_file_follows_curves_more_closely_than_the_picture(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run("%%loon ball\n[sphere 40]")
    kernel.run(f"ball.export({str(tmp_path / 'fine.stl')!r})")
    kernel.run(f"ball.export({str(tmp_path / 'coarse.stl')!r}, tolerance=0.5)")
    shown = int(kernel.value("ball.mesh.triangle_count"))
    triangles = [((tmp_path / f"{name}.stl").stat().st_size - 84) // 50 for name in ("coarse", "fine")]
    assert triangles[0] == shown < triangles[1]


def test_a_semicolon_and_quiet_show_nothing(kernel: Kernel) -> None:
    assert kernel.run("%%loon hushed -q\n[cube 1 1 2]").data == []
    assert kernel.value("hushed.volume") == "2.0"
    assert kernel.run("%%loon silent\n[extrude 0 0 1 #[1]]").status == "error"
    assert kernel.run("%%loon silent\n[cube 1 1 3];").data == []
    assert kernel.value("silent.volume") == "3.0"
    assert kernel.run("%loon #[1 2];").data == []


def test_an_interrupt_ends_the_cell_and_the_next_one_works(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let kept 5]")
    done = kernel.interrupt_when(
        "begun", '%%loon\n[let before 7] [print "begun"] [fn turn [n] [turn [+ n 1]]] [turn 0]'
    )
    assert done.status == "error"
    assert "interrupted" in plain(done.traceback)
    assert ".py" not in plain(done.traceback)
    # it has left nothing behind: where it was stopped is a matter of chance
    assert "before is not bound" in plain(kernel.run("%loon [+ before 1]").traceback)
    assert kernel.run("%loon [+ kept 1]").plain == "6"


def test_running_a_cell_again_leaks_no_widgets(kernel: Kernel) -> None:
    kernel.run("import ipywidgets")
    count = "len(ipywidgets.widgets.widget._instances)"
    kernel.run("%%loon turning\n[cube 1 1 1]", cell_id="turning")
    before = kernel.value(count)
    models = set()
    for size in range(2, 8):
        done = kernel.run(f"%%loon turning\n[cube 1 1 {size}]", cell_id="turning")
        models.add(json.dumps(done.data[-1][WIDGET], sort_keys=True))
    assert kernel.value(count) == before
    assert len(models) == 1
    kernel.run("%%loon\n[let nothing-shown 1]", cell_id="turning")
    assert int(kernel.value(count)) < int(before)


def test_python_cells_may_evaluate_more_than_once(kernel: Kernel) -> None:
    """Each evaluation is a cell of its own; run again, each takes the place of its earlier self."""
    twice = "session.evaluate('[let first 2]'); session.evaluate('[let second [* first {}]]')"
    for factor in (3, 4):
        done = kernel.run(twice.format(factor), cell_id="python")
        assert done.status == "ok", plain(done.traceback)
        assert kernel.run("%loon second").plain == str(2 * factor)


def test_a_view_outlives_a_failing_run_and_keeps_its_camera(kernel: Kernel) -> None:
    first = kernel.run("%%loon kept\n[cube 1 2 3]", cell_id="kept").data[0][WIDGET]["model_id"]
    assert kernel.run("%%loon kept\n[cube 1 2", cell_id="kept").status == "error"
    again = kernel.run("%%loon kept\n[cube 1 2 4]", cell_id="kept").data[0][WIDGET]["model_id"]
    assert again == first


def test_views_that_a_cell_no_longer_shows_are_closed(kernel: Kernel) -> None:
    count = "len(__import__('ipywidgets').widgets.widget._instances)"
    kernel.run("from IPython.display import display\nimport gc")
    kernel.run("%%loon shown -q\n#[[cube 1 1 1] Empty]")
    before = kernel.value(count)
    kernel.run("display(shown); display(shown); shown.view()", cell_id="many")
    assert kernel.value(count) != before
    kernel.run("shown.volume", cell_id="many")
    assert kernel.value(count) == before


def test_the_live_view_drops_names_that_are_parts_no_more(kernel: Kernel) -> None:
    kernel.run("session.view()")
    kernel.run("%%loon old_name\n[cube 1 1 1]", cell_id="renamed")
    kernel.run("%%loon new_name\n[cube 1 1 1]", cell_id="renamed")
    assert kernel.value("'old_name' in session.nodes(), 'new_name' in session.nodes()") == "(False, True)"
    assert "old_name" not in kernel.value("session.view().names")
    kernel.run("%%loon new_name\n[+ 1 1]", cell_id="renamed")
    assert "new_name" not in kernel.value("session.nodes() + session.view().names")
    kernel.run("%%loon taken_over\n[cube 1 1 1]", cell_id="first owner")
    kernel.run("%%loon taken_over\n[cube 1 1 2]", cell_id="second owner")
    kernel.run("%%loon elsewhere\n[cube 1 1 1]", cell_id="first owner")
    assert kernel.value("session['taken_over'].volume") == "2.0"


def test_an_unknown_part_is_answered_with_the_known_ones(kernel: Kernel) -> None:
    kernel.run("%%loon known_part\n[cube 1 1 1]")
    done = kernel.run("session['unknown']")
    assert "no part 'unknown'" in plain(done.traceback)
    assert "known_part" in plain(done.traceback)


def test_the_live_view_follows_named_parts(kernel: Kernel) -> None:
    kernel.run("%%loon follower\n[cube 1 1 1]", cell_id="follower")
    shown = kernel.run("%loon_view")
    docked = kernel.run("%loon_view --dock")
    assert "shown below the cell" in docked.text  # no page of ours shows this notebook
    assert WIDGET in docked.data[-1]
    assert WIDGET in shown.data[-1]
    before = kernel.value("session.view().state.triangles")
    assert "'follower'" in kernel.value("session.view().state.parts")
    kernel.run(
        "%%loon follower\n[difference [translate 1 1 -1 [cube 1 1 9]] [cube 3 3 3]]", cell_id="follower"
    )
    assert int(kernel.value("session.view().state.triangles")) > int(before)


def test_lines_are_counted_as_the_editor_counts_them(kernel: Kernel) -> None:
    assert "placed:2:2" in kernel.run("%%loon placed\n[nowhere]").traceback
    assert "placed:5:2" in kernel.run("\n\n%%loon placed\n\n[nowhere]").traceback
    assert ":1:2" in kernel.run("session.evaluate('[nowhere]')").traceback


def test_a_cell_without_a_name_is_called_by_its_number(kernel: Kernel) -> None:
    failed = kernel.run("%%loon\n[nowhere]")
    assert f"cell [{failed.number}]:2:2" in failed.traceback


def test_cells_of_a_subshell_wait_for_their_turn(kernel: Kernel) -> None:
    """JupyterLab opens such a console beside a notebook; it shares the notebook's session."""
    kernel.run("%%loon\n[let base 7]\n[fn spin [] [spin]]")
    kernel.run("import sys, threading\nended = threading.Event()")
    console, other = kernel.subshell(), kernel.subshell()
    with kernel.running("computing", '%%loon\n[println "computing"] [spin]'):
        asked = kernel.begin("shown = session.evaluate('[+ base 1]')\nended.set()", subshell=console)
        assert kernel.next_state(asked) == "busy"
        look = {"code": "", "silent": True, "user_expressions": {"ended": "ended.wait(0.2)"}}
        looked = kernel.ask("execute_request", look, other).content["user_expressions"]["ended"]
        assert looked["data"]["text/plain"] == "False"
    assert kernel.value("ended.wait(20), shown, sys.getswitchinterval()") == "(True, 8, 0.005)"


def test_an_error_in_a_python_cell_is_a_diagnostic_and_the_line_that_led_to_it(kernel: Kernel) -> None:
    kernel.run("%%loon block\n[cube 50 30 5]")
    done = kernel.run("where = 'block.foo'\nblock.export(where)")
    assert done.status == "error"
    assert plain(done.traceback).split("\n") == [
        "[EXPORT_FAILED] the format '.foo' is not known;"
        " files can be written as .3mf, .dae, .glb, .obj, .ops, .step, .stl, .stp",
        "  fix: end the file name in one of these",
        "  line 2: block.export(where)",
    ]
    kernel.run("def shrink():\n    return block.section('a.svg', origin=(0, 0, 99))")
    done = kernel.run("shrink()")
    assert plain(done.traceback).split("\n") == [
        "[EXPORT_FAILED] there is nothing to draw: the plane cuts no part",
        "  line 1: shrink()",
        "  line 2: return block.section('a.svg', origin=(0, 0, 99))",
    ]


def test_errors_of_ours_can_be_caught_and_others_keep_their_traceback(kernel: Kernel) -> None:
    kernel.run("%%loon block\n[cube 50 30 5]")
    caught = kernel.run(
        "from vcad_kernel.errors import ExportError\n"
        "try:\n    block.export('a.foo')\nexcept ExportError as wrong:\n    print(wrong.fix)"
    )
    assert caught.text == "end the file name in one of these\n"
    assert "Traceback" in plain(kernel.run("1 / 0").traceback)
    assert kernel.value("get_ipython().custom_exceptions[0].__name__") == "'VcadError'"
