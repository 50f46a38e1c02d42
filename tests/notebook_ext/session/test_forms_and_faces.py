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
from tests.notebook_ext.front_end.notebook_page import Page
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


def test_forms_around_an_offset_come_from_the_inside() -> None:
    text = "[a]\n[b [c\n d]]"
    found = [(form.start, form.end) for form in forms_around(text, text.index("d"))]
    assert found == [((2, 4), (3, 4)), ((2, 1), (3, 5))]
    assert forms_around(text, len(text)) == []
