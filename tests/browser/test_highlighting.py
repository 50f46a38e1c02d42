"""Loon in a real JupyterLab: colours, brackets, findings under the text, formatting on a key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import OpenNotebook
from tests.browser.lab import Lab
from tests.browser.notebook import Notebook

_LOAD = "%load_ext notebook_ext"
_BRACKET = """%%loon bracket
; a plate with a hole
[let width 50]
"{width} mm"
[difference [cylinder 3 12] [cube width 30 5]]"""
_WRONG = '%%loon\n[fillet "2" [cube 1 1 1]]'

_PLACE_CURSOR = """([index, line, column]) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = index;
  content.mode = 'edit';
  content.widgets[index].editor.setCursorPosition({ line, column });
  content.widgets[index].editor.focus();
}"""
_REST_OF_LINE = """index => {
  const { editor } = window.jupyterapp.shell.currentWidget.content.widgets[index];
  return editor.getLine(editor.getCursorPosition().line).slice(editor.getCursorPosition().column);
}"""
_SOURCE = (
    "index => window.jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.getSource()"
)
_START = """index => {
  window.jupyterapp.shell.currentWidget.content.activeCellIndex = index;
  void window.jupyterapp.commands.execute('notebook:run-cell');
}"""
_INTERRUPT = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()"
_RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"
_SELECTED = """index => {
  const { editor } = window.jupyterapp.shell.currentWidget.content.widgets[index].editor;
  const { from, to } = editor.state.selection.main;
  return editor.state.sliceDoc(from, to);
}"""
_FILE_TYPE = "name => window.jupyterapp.docRegistry.getFileTypesForPath(name)[0].name"
_OPEN = "path => { void window.jupyterapp.commands.execute('docmanager:open', { path }) }"


@pytest.fixture(autouse=True, scope="module")
def _installed() -> None:
    """These tests look at the extension as it is installed beside JupyterLab."""
    from tools.build_front_ends import is_installed

    if not is_installed():
        pytest.fail(
            "the extension as it is now is not installed: run `python -m tools.build_front_ends --install`",
            pytrace=False,
        )


def test_a_loon_cell_is_coloured_as_loon_and_a_python_cell_as_ever(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[_BRACKET, "def f(x): return x"])
    loon, python = notebook.cell(0), notebook.cell(1)
    for role, text in {
        "magic": "%%loon bracket",
        "comment": "; a plate with a hole",
        "special": "let",
        "definition": "width",
        "number": "50",
        "interpolation": "{",
        "library": "difference",
    }.items():
        expect(_tokens(loon, role).first).to_have_text(text)
    expect(_language(loon)).to_have_attribute("data-language", "loon")
    expect(_language(python)).to_have_attribute("data-language", "python")
    expect(python.locator("[class*=cm-loon]")).to_have_count(0)


# When a cell counts as Loon is tested in the extension's own tests, in TypeScript.
@pytest.mark.soak
def test_writing_the_magic_makes_a_cell_loon_and_removing_it_makes_it_python(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook(cells=["", ""])
    cell = notebook.cell(0)
    _place_cursor(notebook, 0, 0, 0)
    notebook.page.keyboard.type("%%loo")
    expect(_language(cell)).to_have_attribute("data-language", "python")
    notebook.page.keyboard.type("n\n[fn f [x]\n")
    expect(_language(cell)).to_have_attribute("data-language", "loon")
    notebook.page.keyboard.type("x]")
    assert notebook.page.evaluate(_SOURCE, 0) == "%%loon\n[fn f [x]\n  x]"
    expect(cell.locator(".cm-matchingBracket")).to_have_text(["[", "]"])
    _place_cursor(notebook, 0, 0, 6)
    notebook.page.keyboard.press("Backspace")
    expect(_language(cell)).to_have_attribute("data-language", "python")
    expect(cell.locator("[class*=cm-loon]")).to_have_count(0)


# The same language and tokens as in a cell, which stays in `make test`.
@pytest.mark.soak
def test_a_loon_file_opens_coloured_and_is_edited_as_loon(open_notebook: OpenNotebook, jupyter: Lab) -> None:
    notebook = open_notebook(cells=[_LOAD])
    notebook.run_cell(0)
    page = notebook.page
    for name in ("plate.oo", "plate.loon", "plate.cmp.oo"):
        assert page.evaluate(_FILE_TYPE, name) == "loon"
    (jupyter.root / "plate.cmp.oo").write_text("#[1   [cube 1 1 1]]\n", "utf-8")
    page.evaluate(_OPEN, "plate.cmp.oo")
    editor = page.locator(".jp-FileEditor")
    expect(_tokens(editor, "library")).to_have_text("cube")
    expect(_language(editor)).to_have_attribute("data-language", "loon")
    editor.locator(".cm-line").first.click()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(editor.locator(".cm-matchingBracket")).to_have_text(["[", "]"])
    page.keyboard.press("Alt+Shift+F")
    expect(editor.locator(".cm-line")).to_have_text(["#[1 [cube 1 1 1]]", ""])
    page.keyboard.press("ControlOrMeta+/")
    expect(editor.locator(".cm-line").first).to_have_text("; #[1 [cube 1 1 1]]")


def test_what_a_check_finds_is_underlined_and_told_on_hover(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[_LOAD, _WRONG])
    underlined = notebook.cell(1).locator(".cm-loon-finding")
    expect(underlined).to_have_count(0)
    notebook.run_cell(0)
    expect(underlined).to_have_text('"2"')
    underlined.hover()
    told = notebook.page.locator(".cm-tooltip-lint")
    expect(told).to_contain_text("E0200")
    expect(told).to_contain_text("fillet")
    told.get_by_role("button", name="Fix").click()
    expect(underlined).to_have_count(0)
    expect(notebook.cell(1).locator(".cm-line").nth(1)).to_have_text("[fillet 2 [cube 1 1 1]]")


# The key is the editor's own; that findings reach the editor stays in `make test`.
@pytest.mark.soak
def test_a_key_goes_from_one_finding_to_the_next(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[_LOAD, _WRONG])
    notebook.run_cell(0)
    expect(notebook.cell(1).locator(".cm-loon-finding")).to_have_count(1)
    _place_cursor(notebook, 1, 0, 0)
    notebook.page.keyboard.press("F8")
    assert notebook.page.evaluate(_SELECTED, 1) == '"2"'


# What a check knows is asked over the same comm in tests/integration/test_language_comm.py.
@pytest.mark.soak
def test_a_cell_does_not_count_on_what_only_its_own_earlier_text_defined(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(
        cells=[_LOAD, "%%loon\n[let wide 5]\n[cube wide 1 1]", "%%loon\n[cube wide 1 1]"]
    )
    notebook.run_cell(0)
    notebook.run_cell(1)
    notebook.rewrite(1, "%%loon\n[cube wide 1 1]")
    expect(notebook.cell(1).locator(".cm-loon-finding")).to_have_text("wide")
    expect(notebook.cell(2).locator(".cm-loon-finding")).to_have_count(0)


# A restart and four checks: every exchange of it is played in tests/integration/test_language_comm.py.
@pytest.mark.soak
def test_findings_follow_other_cells_and_a_restart_of_the_kernel(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[_LOAD, "%%loon\n[let hight 5]", "%%loon\n[cube 1 1 hight]"])
    underlined = notebook.cell(2).locator(".cm-loon-finding")
    notebook.run_cell(0)
    expect(underlined).to_have_text("hight")
    underlined.hover()
    expect(notebook.page.locator(".cm-loon-fix")).to_contain_text("let hight")
    notebook.run_cell(1)
    expect(underlined).to_have_count(0)
    notebook.page.evaluate(_RESTART)
    notebook.wait_until_ready()
    notebook.run_cell(0)
    expect(underlined).to_have_text("hight")


# An answer while a cell computes is played in tests/integration/test_language_comm.py.
@pytest.mark.soak
def test_a_cell_is_checked_while_another_one_computes(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[_LOAD, "while True: pass", "%%loon\n[cube 1 1 1]"])
    notebook.run_cell(0)
    notebook.page.evaluate(_START, 1)
    expect(notebook.cell(1).locator(".jp-InputPrompt")).to_have_text("[*]:")
    notebook.rewrite(2, _WRONG)
    expect(notebook.cell(2).locator(".cm-loon-finding")).to_have_text('"2"')
    expect(notebook.cell(1).locator(".jp-InputPrompt")).to_have_text("[*]:")
    notebook.page.evaluate(_INTERRUPT)
    notebook.wait_until_ready()


# The edits and the cursor are tested in the extension's own tests, in TypeScript.
@pytest.mark.soak
def test_a_key_formats_a_cell_and_the_cursor_stays_with_its_word(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=[_LOAD, "%%loon  plate\n[cube   50\n\n  30   5]", "%%loon\n[cube  1 1"])
    notebook.run_cell(0)
    _place_cursor(notebook, 1, 3, 7)
    notebook.page.keyboard.press("Alt+Shift+F")
    expect(notebook.cell(1).locator(".cm-line")).to_have_text(["%%loon  plate", "[cube 50 30 5]"])
    assert notebook.page.evaluate(_REST_OF_LINE, 1) == "5]"
    _place_cursor(notebook, 2, 1, 0)
    notebook.page.keyboard.press("Alt+Shift+F")
    expect(notebook.page.locator(".Toastify__toast", has_text="E0102")).to_be_visible()
    assert notebook.page.evaluate(_SOURCE, 2) == "%%loon\n[cube  1 1"


# Watches for what does not happen; that the page asks before it opens a comm is tested in TypeScript.
@pytest.mark.soak
def test_a_kernel_without_the_extension_is_left_in_peace(open_notebook: OpenNotebook, jupyter: Lab) -> None:
    notebook = open_notebook(cells=["1", _WRONG])
    notebook.run_cell(0)
    _place_cursor(notebook, 1, 1, 0)
    notebook.page.keyboard.press("Alt+Shift+F")
    expect(notebook.page.locator(".Toastify__toast", has_text="%load_ext notebook_ext")).to_be_visible()
    expect(notebook.cell(1).locator(".cm-loon-finding")).to_have_count(0)
    assert not [line for line in jupyter.log if "No such comm" in line]


def _tokens(scope: Locator, role: str) -> Locator:
    return scope.locator(f".cm-loon-{role}")


def _language(scope: Locator) -> Locator:
    return scope.locator(".cm-content")


def _place_cursor(notebook: Notebook, index: int, line: int, column: int) -> None:
    """Begin to write in a cell; both counted from 0."""
    notebook.page.evaluate(_PLACE_CURSOR, [index, line, column])
