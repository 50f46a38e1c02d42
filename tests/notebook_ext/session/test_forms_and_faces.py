"""The form under the cursor and the faces in the viewers, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.session.forms_and_faces import forms_around
from notebook_ext.session.panels import PagePanels
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from tests.notebook_ext.front_end.notebook_page import Page, cell
from tests.notebook_ext.viewer.relay.conftest import Viewer
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.service.direct import DirectService

BODY = "[difference\n  [translate 20 15 -1 [cylinder [/ 10 2] 99]]\n  [cube 40 30 10]] ; ü 𝕏\n"
CELL = f"%%loon plate\n{BODY}"


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    made = Session(plain_shell(), DirectService(), folder=workspace)
    close = PagePanels(made).open()
    made._cells.run(CellSource("c1", f"\n{BODY}", "plate", bind="plate"), "plate")
    yield made
    close()
    made.close()


@pytest.fixture
def page(session: Session, workspace: Path) -> Page:
    return Page(session.front_ends, workspace)


@pytest.fixture
def viewer(session: Session) -> Iterator[Viewer]:
    shown = Viewer(session.viewers)
    shown.ready(features=["highlight"])
    yield shown
    shown.connection.close()


@pytest.mark.parametrize(
    ("at", "lit"),
    [
        ("cylinder", ["cylinder"]),
        ("/ 10", ["cylinder"]),
        ("15", ["cylinder"]),
        ("cube", ["plane"] * 6),
        ("difference", ["cylinder", *["plane"] * 6]),
        ("loon", []),
        (" 𝕏", []),
    ],
)
def test_the_faces_of_the_form_around_the_cursor_glow(
    page: Page, viewer: Viewer, at: str, lit: list[str]
) -> None:
    told = viewer.awaited("mesh.rows")
    page.ask("cursor", cell="c1", text=CELL, offset=CELL.index("99"))
    assert viewer.awaited("highlight")["tone"] == "form"
    units = len(CELL[: CELL.index(at) + 1].encode("utf-16-le")) // 2
    page.ask("cursor", cell="c1", text=CELL, offset=units)
    if lit != ["cylinder"]:  # which glow already
        assert sorted(told["faces"][face]["kind"] for face in viewer.awaited("highlight")["faces"]) == lit
    else:
        assert viewer.read() == []


@pytest.mark.parametrize(
    ("cell", "text"),
    [("c1", CELL.replace("40", "44")), ("c9", CELL), ("c1", "x = 1"), ("c1", "")],
    ids=["changed since it ran", "another cell", "Python", "nothing"],
)
def test_where_the_text_is_not_what_ran_nothing_glows(
    page: Page, viewer: Viewer, cell: str, text: str
) -> None:
    viewer.awaited("mesh.rows")
    page.ask("cursor", cell="c1", text=CELL, offset=CELL.index("99"))
    assert viewer.awaited("highlight")["faces"]
    page.ask("cursor", cell=cell, text=text, offset=30)
    assert viewer.awaited("highlight").get("faces", []) == []


def test_a_cursor_where_nobody_looks_costs_nothing(page: Page, session: Session) -> None:
    assert page.ask("cursor", cell="c1", text=CELL, offset=20)["result"] == {}
    assert session._cells.parts._relay is None


def told_last(page: Page) -> list[dict[str, Any]]:
    """The forms that the page was told of last."""
    forms: list[dict[str, Any]] = [value for event, value in page.told if event == "forms"][-1]
    return forms


def test_the_page_is_told_which_forms_made_what_is_picked(
    page: Page, viewer: Viewer, session: Session
) -> None:
    told = viewer.awaited("mesh.rows")
    (hole,) = [number for number, row in enumerate(told["faces"]) if row["kind"] == "cylinder"]
    pick = {"node_id": "plate", "digest": told["digest"], "kind": "face", "index": hole}
    viewer.say("viewer.state", selection=[pick, pick])
    session.submit(lambda: None).result()
    (form,) = told_last(page)
    assert form["text"] == "[cylinder [/ 10 2] 99]"
    assert (form["cell_id"], form["line"], form["column"]) == ("c1", 3, 23)
    viewer.say("viewer.state", selection=[])
    session.submit(lambda: None).result()
    assert told_last(page) == []


@pytest.fixture
def notebook(session: Session, workspace: Path) -> Page:
    """The page that shows the session's own notebook."""
    return Page(session.front_ends, workspace, {"a.ipynb": [cell("c1", CELL)]}, own="a.ipynb")


def hole(viewer: Viewer) -> dict[str, Any]:
    """The face of the hole, as a viewer names it."""
    rows = viewer.awaited("mesh.rows")
    (face,) = [number for number, row in enumerate(rows["faces"]) if row["kind"] == "cylinder"]
    return {"node_id": "plate", "digest": rows["digest"], "face": face}


def test_each_step_from_a_face_leads_somewhere(notebook: Page, viewer: Viewer) -> None:
    face = hole(viewer)
    about = {"node_id": "plate", "digest": face["digest"], "faces": [face["face"]]}
    viewer.say("selection.explain", request_id="q1", **about)
    chain = viewer.awaited("selection.explain.result")["chain"]
    assert [(step["kind"], step["face"]) for step in chain] == [
        ("form", face["face"]),
        ("cell", face["face"]),
    ]
    for step in ("form", "cell"):
        viewer.say("open_form", step=step, **face)
        viewer.say("measure", request_id=step, a={**face, "kind": "face", "index": face["face"]})
        assert viewer.awaited("measure.result")["request_id"] == step, "nothing was refused"
    opened = [asked for asked in notebook.asked if asked["method"] == "open_form"]
    assert [(asked["cell_id"], asked["line"]) for asked in opened] == [("c1", 3), ("c1", 1)]


def test_every_selector_that_is_offered_can_be_inserted(notebook: Page, viewer: Viewer) -> None:
    rows = viewer.awaited("mesh.rows")
    about = {"node_id": "plate", "digest": rows["digest"]}
    offered = []
    for index in range(len(rows["faces"])):
        viewer.say("selector", request_id="q", **about, target="face", indexes=[index])
        offered.append(viewer.awaited("selector.propose")["text"])
    assert {text[0] for text in offered} == {":", "{"}
    for text in offered:
        viewer.say("insert", text=text)
    viewer.say("measure", request_id="last", a={**about, "kind": "part"})
    assert viewer.awaited("measure.result")["request_id"] == "last"
    assert "error" not in [told["type"] for told in viewer.heard]
    assert [asked["text"] for asked in notebook.asked if asked["method"] == "insert_text"] == offered


def test_where_the_text_has_changed_since_the_view_says_so(notebook: Page, viewer: Viewer) -> None:
    face = hole(viewer)
    notebook.notebooks["a.ipynb"][0]["source"] = CELL.replace("cylinder", "cylinder-n 8")
    viewer.say("open_form", **face)
    said = viewer.awaited("error")
    assert (said["error_code"], "text has changed" in said["message"]) == ("STALE_REVISION", True)
    assert any(asked["method"] == "open_form" for asked in notebook.asked), "it is shown all the same"


@pytest.mark.parametrize("cell_id", ["c2", "c2:2"], ids=["the first of its cell", "the second"])
def test_a_form_in_the_text_of_a_python_cell_is_opened_where_it_stands(
    session: Session, workspace: Path, cell_id: str
) -> None:
    python = f'wall = 3\npeg = session.evaluate("""{BODY}""", "peg")'
    session._cells.run(CellSource(cell_id, BODY, "peg", bind="peg"), "peg")
    session._cells.forget(["plate"])
    notebook = Page(session.front_ends, workspace, {"a.ipynb": [cell("c2", python)]}, own="a.ipynb")
    viewer = Viewer(session.viewers)
    viewer.ready()
    face = {**hole(viewer), "node_id": "peg"}
    viewer.say("open_form", **face)
    viewer.say("measure", request_id="q", a={**face, "kind": "face", "index": face["face"]})
    viewer.awaited("measure.result")
    assert "error" not in [said["type"] for said in viewer.heard]
    (opened,) = [asked for asked in notebook.asked if asked["method"] == "open_form"]
    lines = python.split("\n")
    assert (opened["cell_id"], opened["line"]) == ("c2", 1 + lines.index(BODY.split("\n")[1]))
    viewer.connection.close()


def test_forms_around_an_offset_come_from_the_inside() -> None:
    text = "[a]\n[b [c\n d]]"
    found = [(form.start, form.end) for form in forms_around(text, text.index("d"))]
    assert found == [((2, 4), (3, 4)), ((2, 1), (3, 5))]
    assert forms_around(text, len(text)) == []
