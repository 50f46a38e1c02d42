"""What a session does in the notebook on the page: values, pictures, cells that go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.notebook_ext.front_end.notebook_page import Page, cell
from tests.notebook_ext.session.reactive.reacting import ReactingNotebook
from vcad_kernel.errors import VcadError

BAR = "[defparam w 75 {:min 10 :max 100}] ; mm\n[cube w 20 5]\n"
LID = "[translate 0 0 5 bar]\n"


class View:
    """An inline view of which only its widget's id counts."""

    has_comms = True
    closed = False

    def __init__(self) -> None:
        self.displayed = SimpleNamespace(model_id="w-1")
        self.has_wheel = False

    def update(self, *_: object, **__: object) -> None:
        pass

    mark = close = update

    def take_wheel(self) -> None:
        self.has_wheel = True


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReactingNotebook]:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    notebook = ReactingNotebook(tmp_path)
    yield notebook
    notebook.close()


@pytest.fixture
def page(notebook: ReactingNotebook) -> Page:
    cells = [cell("c1", f"%%loon bar\n{BAR}"), cell("c2", f"%%loon lid\n{LID}")]
    page = Page(notebook.session.front_ends, notebook.folder, {"plan.ipynb": cells}, own="plan.ipynb")
    notebook.run("c1", BAR, name="bar")
    notebook.run("c2", LID, name="lid")
    page.tell_cells()
    return page


def text(page: Page, index: int = 0) -> str:
    return str(page.notebooks["plan.ipynb"][index]["source"])


def write(notebook: ReactingNotebook) -> Callable[[], object]:
    """What the button below the sliders does."""
    parameters = notebook.cells.parameters
    moved = {each.name: each.value for each in parameters.all() if each.value != each.default}
    return lambda: notebook.session.page.write_values(parameters.ran("c1"), moved)


def test_a_moved_value_is_written_as_the_default_and_nothing_else_of_the_text_changes(
    notebook: ReactingNotebook, page: Page
) -> None:
    notebook.slide("c1", w=95)
    write(notebook)()
    assert text(page) == "%%loon bar\n[defparam w 95 {:min 10 :max 100}] ; mm\n[cube w 20 5]\n"
    (width,) = notebook.session.parameters()
    assert (width.value, width.default) == (95, 95)
    assert notebook.follow() == [], "the values are what they were: nothing is evaluated again"
    assert notebook.session["lid"].bounds[1][0] == 95.0


def test_views_that_were_there_before_the_page_leave_the_wheel_to_it(
    notebook: ReactingNotebook, page: Page
) -> None:
    view: Any = View()
    notebook.cells.parts._shows[view] = ("c2", None)
    page.tell_cells()
    notebook.session.evaluate("1")  # what the page has told is taken in before
    assert view.has_wheel


def test_a_text_that_the_person_has_changed_is_left_alone(notebook: ReactingNotebook, page: Page) -> None:
    notebook.slide("c1", w=95)
    page.notebooks["plan.ipynb"][0]["source"] = "%%loon bar\n[cube 1 2 3]"
    with pytest.raises(VcadError, match="another than the one that ran") as refused:
        write(notebook)()
    assert refused.value.error_code == "REVISION_CONFLICT"
    assert text(page) == "%%loon bar\n[cube 1 2 3]"


def test_without_a_page_it_says_where_the_button_works(notebook: ReactingNotebook, page: Page) -> None:
    notebook.slide("c1", w=95)
    page.leave()
    with pytest.raises(VcadError, match="no page shows") as refused:
        write(notebook)()
    assert refused.value.error_code == "CAPABILITY_UNAVAILABLE"


def test_the_picture_that_is_saved_follows_the_view_once_it_is_at_rest(
    notebook: ReactingNotebook, page: Page
) -> None:
    view: Any = View()
    notebook.cells.parts._shows[view] = ("c2", None)
    before = notebook.session["lid"].saved_picture
    notebook.slide("c1", w=95)
    notebook.session.page.settle()
    said, model_id, picture = page.notebooks["plan.ipynb"][1]["kept"]
    assert (said, model_id) == (repr(notebook.session["lid"]), "w-1")
    assert "95 × 20 × 5 mm" in said
    assert picture == notebook.session["lid"].saved_picture != before
    del page.notebooks["plan.ipynb"][1]["kept"]
    notebook.slide("c1", w=96)
    notebook.cells.parts._unsaved.pop(view)  # its cell has run meanwhile, and its output is what it shows
    notebook.session.page.settle()
    assert "kept" not in page.notebooks["plan.ipynb"][1]


def test_a_cell_that_was_deleted_is_not_run_again_until_it_is_put_back(
    notebook: ReactingNotebook, page: Page
) -> None:
    gone = page.notebooks["plan.ipynb"].pop(1)
    page.tell_cells()
    assert notebook.slide("c1", w=95) == ["c1"]
    assert notebook.session["lid"].bounds[1][0] == 75.0, "what it has made stays"
    page.notebooks["plan.ipynb"].insert(0, gone)
    page.tell_cells()
    notebook.session.submit(lambda: None).result()
    assert notebook.follow() == ["c2"]
    assert notebook.session["lid"].bounds[1][0] == 95.0


def states(notebook: ReactingNotebook, page: Page) -> dict[str, tuple[str, str]]:
    """What the page knows by now of how cells stand."""
    notebook.session.page.settle()
    rows = [value for event, value in page.told if event == "cell_states"][-1]
    return {row["cell_id"]: (row["state"], row["said"]) for row in rows}


def test_how_cells_stand_is_told_beside_each(notebook: ReactingNotebook, page: Page) -> None:
    assert states(notebook, page) == {}
    notebook.run("c1", BAR.replace("75", "80"), name="bar")
    assert states(notebook, page) == {"c2": ("pending", "`bar` has changed in bar")}
    seen = []
    notebook.service.meanwhile = lambda cell: seen.append(states(notebook, page)[cell])
    assert notebook.follow() == ["c2"]
    assert seen == [("running", "is evaluated again")]
    (state, said) = states(notebook, page)["c2"]
    assert (state, said.startswith("followed a change in ")) == ("followed", True)
    number = len(page.told)
    notebook.session.page.changed()
    notebook.session.page.settle()
    assert len(page.told) == number, "what the page knows is not told again"
    notebook.service.meanwhile = lambda _: None
    notebook.run("c3", "[let d [* w 2]]")
    notebook.slide("c1", w=40)
    assert states(notebook, page)["c1"] == ("moved", "w = 40; the source says 80")
    values = {row["cell_id"]: row["value"] for row in page.told[-1][1]}
    assert values == {"c1": "", "c2": "", "c3": "80"}, "the output of the last says what it gave"
    notebook.run("c1", BAR.replace("75", "40").replace("w 20", "w 30"), name="bar")
    assert notebook.follow() == ["c2"]
    assert "c3" in states(notebook, page), "it stays said until the cell is run"
    notebook.run("c3", "[let d [* w 2]]")
    assert "c3" not in states(notebook, page)
    notebook.session.reactions.set_auto(False)
    notebook.run("c1", BAR, name="bar")
    assert states(notebook, page)["c2"] == ("out of date", "`bar` has changed in bar")
    notebook.run("c2", LID, name="lid")
    notebook.fails("c2", "[cube 0 1 1]", name="lid")
    assert states(notebook, page)["c2"][0] == "failed"
    page.leave()
    notebook.run("c2", LID, name="lid")
    late = Page(notebook.session.front_ends, notebook.folder)
    late.tell_cells()
    assert "c2" not in states(notebook, late)
    notebook.session.reactions.set_auto(True)
    notebook.run("c4", "[defparam k 2 {:min 1 :max 9}]\n[cube w k 1]", name="bolt")
    notebook.run("c1", BAR.replace("75", "60"), name="bar")
    assert "c4" in notebook.follow()
    assert states(notebook, late)["c4"][0] == "followed"
    notebook.slide("c4", k=3)
    assert states(notebook, late)["c4"] == ("moved", "k = 3; the source says 2"), "what it followed is past"


def test_a_mark_says_at_once_that_nobody_will_run_the_cell_by_itself(
    notebook: ReactingNotebook, page: Page
) -> None:
    notebook.run("c1", BAR.replace("75", "80"), name="bar")
    assert states(notebook, page)["c2"][0] == "pending"
    notebook.session.reactions.set_auto(False)
    assert states(notebook, page)["c2"][0] == "out of date"
    notebook.session.reactions.set_auto(True)
    assert states(notebook, page)["c2"][0] == "followed"


def test_of_several_that_a_python_cell_makes_the_page_is_told_the_worst_at_the_end(
    notebook: ReactingNotebook, page: Page
) -> None:
    texts = ("[cube [- 90 w] 1 1]", "[cube w 1 1]", "[translate 0 0 1 short]")
    with notebook.execution("c9"):
        for name, text in zip(("short", "long", "moved"), texts, strict=True):
            notebook.session.run_cell(text, name=name)
    notebook.slide("c1", w=95)
    notebook.session.page.settle()
    rows = [value for event, value in page.told if event == "cell_states"][-1]
    said = [row["state"] for row in rows if row["cell_id"] == "c9"]
    assert said == ["followed", "out of date", "failed"], "a row replaces those before it"


def test_a_graph_in_which_nothing_was_follows_too(notebook: ReactingNotebook, page: Page) -> None:
    notebook.session.reset()
    empty = notebook.session.show_graph().html()
    assert 'class="vcad-graph"' in empty
    notebook.run("c1", BAR, name="bar")
    notebook.session.page.settle()
    notebook.session.submit(lambda: None).result()
    graphs = [value for event, value in page.told if event == "graph"]
    assert graphs[-2:] == [empty, notebook.session.show_graph().html()]


def test_the_graph_on_the_page_is_the_one_there_is_after_each_evaluation(
    notebook: ReactingNotebook, page: Page
) -> None:
    def graphs() -> list[str]:
        notebook.session.page.settle()
        notebook.session.submit(lambda: None).result()
        return [value for event, value in page.told if event == "graph" and value]

    assert graphs() == []
    shown = notebook.session.show_graph()
    assert graphs() == [shown.html()], "else the page would put an older one in its place"
    assert "revision 2" not in shown.html()
    notebook.session.show_graph()
    assert graphs() == [shown.html()]
    notebook.slide("c1", w=95)
    assert graphs()[-1].count("revision 2") == 2
    notebook.run("c3", "[cube 1 1 1]", name="foot")
    assert ">foot</text>" in graphs()[-1]
    late = Page(notebook.session.front_ends, notebook.folder)
    assert ("graph", graphs()[-1]) in late.told
