"""Completion and Shift-Tab for Loon text in a real kernel, idle and computing."""

from __future__ import annotations

from tests.integration.kernel import Kernel

COMPUTING = '%%loon\n[println "computing"] [fn spin [n] [if [= n 0] 0 [spin [- n 1]]]] [spin 5000000000]'


def test_names_that_cells_have_defined_are_completed(kernel: Kernel) -> None:
    kernel.run("%%loon\n; Thickness of a wall.\n[fn wall-thickness [load] [* load 2]]")
    answer = kernel.complete("%%loon\n[wall-|")
    assert answer.content["matches"][0] == "wall-thickness"
    assert (answer.content["cursor_start"], answer.content["cursor_end"]) == (8, 13)
    assert answer.states == ["busy", "idle"]


def test_help_comes_while_a_cell_computes(kernel: Kernel) -> None:
    kernel.run("%%loon\n[fn wall-thickness [load] [* load 2]]")
    kernel.run("%%loon plate\n[cube 4 4 1]")
    with kernel.running("computing", COMPUTING):
        assert "wall-thickness" in kernel.complete("%%loon\n[wall|").content["matches"]
        assert "[wall-thickness load]" in str(kernel.inspect("%%loon\n[wall|-thickness 3]").content)
        figures = kernel.inspect("%%loon\npla|te").content["data"]["text/plain"]
        assert "plate: 4 × 4 × 1 mm" in figures


def test_a_function_of_the_library_is_described(kernel: Kernel) -> None:
    assert "[cube " in kernel.inspect("%%loon\n[cu|be 1 1 1]").content["data"]["text/plain"]


def test_python_keeps_its_own_help(kernel: Kernel) -> None:
    kernel.run("def of_python(x):\n    'Says what it is.'")
    assert "of_python" in kernel.complete("of_py|").content["matches"]
    assert "Says what it is." in kernel.inspect("of_pyth|on(1)").content["data"]["text/plain"]
    assert kernel.inspect("nobody_kno|ws").content["found"] is False


def test_python_variables_are_offered_as_inputs(kernel: Kernel) -> None:
    kernel.run("inner_width = 12")
    assert kernel.complete("%%loon -i inner|\n[cube 1 1 1]").content["matches"] == ["inner_width"]


def test_kernels_that_answer_on_the_main_shell_give_the_same_help(kernel: Kernel) -> None:
    kernel.run("%%loon\n[fn wall-thickness [load] [* load 2]]")
    ask = "(lambda k: (k.do_complete('%%loon\\n[wall-', 13), k.do_inspect('%%loon\\n[wall-thickness', 12)))"
    kernel.run(f"completed, described = {ask}(get_ipython().kernel)")
    assert kernel.value("completed['matches'][0], completed['cursor_start']") == "('wall-thickness', 8)"
    assert kernel.value("'[wall-thickness load]' in described['data']['text/plain']") == "True"


def test_unloading_leaves_all_help_to_ipython(kernel: Kernel) -> None:
    kernel.run("%unload_ext notebook_ext")
    assert kernel.inspect("%%loon\n[cu|be 1 1 1]").content["found"] is False
    assert kernel.value("get_ipython().Completer.custom_matchers") == "[]"
    assert kernel.value("'do_inspect' in vars(get_ipython().kernel)") == "False"
    kernel.run("%load_ext notebook_ext")
