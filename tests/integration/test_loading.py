"""`%load_ext notebook_ext`: quick, light, and taken back completely."""

from __future__ import annotations

from notebook_ext.viewer.mime import WIDGET_VIEW
from tests.integration.kernel import Kernel

HEAVY = ("OCP", "mcp", "trimesh", "pandas", "networkx", "pythreejs", "manifold3d", "lark", "numpy", "pygls")

LANGUAGE = ("compile", "checking", "analysis", "reference_entries", "lessons", "formatter", "concrete")
"""Parts of the language that a kernel needs only when there is a cell, or a question about one."""


def test_loading_imports_nothing_heavy(bare_kernel: Kernel) -> None:
    assert bare_kernel.run("%load_ext notebook_ext").status == "ok"
    assert bare_kernel.value(f"[m for m in {HEAVY!r} if m in __import__('sys').modules]") == "[]"


def test_loading_imports_nothing_of_the_language(bare_kernel: Kernel) -> None:
    bare_kernel.run("%load_ext notebook_ext")
    loaded = f"[m for m in {LANGUAGE!r} if 'vcad_kernel.loon.' + m in __import__('sys').modules]"
    assert bare_kernel.value(loaded) == "[]"
    assert (
        bare_kernel.value("[m for m in __import__('sys').modules if m.startswith('vcad_kernel.cad')]") == "[]"
    )


def test_loading_twice_is_loading_once(bare_kernel: Kernel) -> None:
    bare_kernel.run("%load_ext notebook_ext")
    bare_kernel.run("first = session")
    assert bare_kernel.run("%reload_ext notebook_ext").status == "ok"
    assert bare_kernel.run("%load_ext notebook_ext").status == "ok"
    assert bare_kernel.run("%%loon\n[cube 1 1 1]").status == "ok"
    hooks = "[t.__name__ for t in get_ipython().input_transformers_cleanup if hasattr(t, '__name__')]"
    assert bare_kernel.value(f"{hooks}.count('_give_empty_cells_a_body')") == "1"
    hooks = "[hook.__qualname__ for hook in get_ipython().events.callbacks['post_run_cell']]"
    assert sorted(eval(bare_kernel.value(hooks))) == [
        "ExecutionTurns._end_of_cell",
        "OldOutputs._forget",
        "Parts._end_of_cell",
    ]


def test_a_cell_of_options_alone_is_complete_when_blank_lines_end_it(bare_kernel: Kernel) -> None:
    """In a terminal Enter runs what is complete."""
    bare_kernel.run("%load_ext notebook_ext")
    complete = "[get_ipython().check_complete('%%loon --help' + end)[0] for end in ('', '\\n', '\\n\\n\\n')]"
    assert bare_kernel.value(complete) == "['incomplete', 'incomplete', 'complete']"
    assert bare_kernel.run("%%loon --help\n\n").text.startswith("usage: %%loon")


def test_a_first_part_imports_no_library_it_does_not_use(bare_kernel: Kernel) -> None:
    bare_kernel.run("%load_ext notebook_ext")
    bare_kernel.run("%%loon\n[cube 1 1 1]")
    unused = ("OCP", "mcp", "trimesh", "pandas", "networkx", "jsonschema")
    assert bare_kernel.value(f"[m for m in {unused!r} if m in __import__('sys').modules]") == "[]"


def test_after_the_first_call_a_magic_stands_in_the_table_itself(bare_kernel: Kernel) -> None:
    magic = "get_ipython().magics_manager.magics['cell']['loon']"
    bare_kernel.run("%load_ext notebook_ext")
    bare_kernel.run("%unload_ext notebook_ext")
    bare_kernel.run("%load_ext notebook_ext")
    assert bare_kernel.value(f"type({magic}).__name__, session.gateway.is_open") == "('function', False)"
    bare_kernel.run("%%loon\n[cube 1 1 1]")
    assert bare_kernel.value(f"type({magic}).__name__, session.gateway.is_open") == "('method', True)"


def test_unloading_takes_everything_back(bare_kernel: Kernel) -> None:
    bare_kernel.run("%load_ext notebook_ext")
    bare_kernel.run("%%loon held\n#[[cube 1 1 1] Empty]")
    bare_kernel.run("session.view()")
    bare_kernel.run("gone = session")
    assert bare_kernel.run("%unload_ext notebook_ext").status == "ok"
    assert bare_kernel.value("'session' in globals()") == "False"
    assert bare_kernel.run("%%loon\n[cube 1 1 1]").status == "error"
    assert bare_kernel.value("len(__import__('ipywidgets').widgets.widget._instances)") == "0"
    shown = bare_kernel.run("held").data[0]
    assert "image/png" in shown
    assert WIDGET_VIEW not in shown
    assert "closed" in bare_kernel.run("held.view()").traceback
    assert "closed" in bare_kernel.run("gone.view()").traceback
    assert bare_kernel.value("len(__import__('ipywidgets').widgets.widget._instances)") == "0"
    assert bare_kernel.value("get_ipython().events.callbacks['post_run_cell']") == "[]"
    magics = "[m for k in get_ipython().magics_manager.magics.values() for m in k if 'loon' in m]"
    assert bare_kernel.value(magics) == "[]"
    assert bare_kernel.value("'vcad.language' in __import__('comm').get_comm_manager().targets") == "False"
    bare_kernel.run("%load_ext notebook_ext")
