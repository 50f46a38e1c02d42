"""What a page's panels and commands get from a session."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.session.panels import PagePanels
from notebook_ext.session.session import Session
from tests.notebook_ext.front_end.notebook_page import Page
from tests.notebook_ext.viewer.relay.conftest import Viewer
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    (tmp_path / ".git").mkdir()
    session = Session(InteractiveShell.instance(), DirectService(), folder=tmp_path)
    close = PagePanels(session).open()
    yield session
    close()
    session.close()


@pytest.fixture
def page(session: Session, tmp_path: Path) -> Page:
    return Page(session.front_ends, tmp_path)


def test_a_page_is_told_of_the_parts_and_of_what_is_out_of_date(session: Session, page: Page) -> None:
    assert page.told[-1] == ("parts", [])
    session.evaluate("[defparam w 10] [cube w 2 3]", "box")
    session.submit(lambda: None).result()
    event, parts = page.told[-1]
    assert event == "parts"
    assert [(part["name"], part["stale"]) for part in parts] == [("box", "")]
    assert "10 × 2 × 3 mm" in parts[0]["figures"]
    assert page.ask("parts")["result"] == {"parts": parts}


def test_a_page_is_told_of_the_figures_once_they_are_found(session: Session, page: Page) -> None:
    ball = session.run_cell("[sphere 10]", name="ball")
    session.submit(lambda: None).result()
    assert page.told[-1][1][0]["figures"].startswith("ball: ≈ 20 × 20 × 20 mm")
    session.measure(ball)
    session.submit(lambda: None).result()
    session.submit(lambda: None).result()
    assert page.told[-1][1][0]["figures"].startswith("ball: 20 × 20 × 20 mm · volume 4188.79 mm³")
    told = len(page.told)
    session.measure(ball)
    session.submit(lambda: None).result()
    session.submit(lambda: None).result()
    assert len(page.told) == told, "nothing new"


def test_a_page_is_told_of_a_part_that_is_out_of_date_though_no_part_has_changed(
    session: Session, page: Page
) -> None:
    session.reactions.set_auto(False)
    session.evaluate("[let w 10]", "w")
    session.evaluate("[cube w 2 3]", "box")
    session.evaluate("[let w 12]")
    session.submit(lambda: None).result()
    (box,) = [value for event, value in page.told if event == "parts"][-1]
    assert "`w`" in box["stale"]


def test_the_page_hides_and_shows_parts_in_every_viewer(session: Session, page: Page) -> None:
    session.evaluate("#[[cube 1 1 1] [sphere 1]]", "pair")
    session.evaluate("[cube 2 2 2]", "box")
    viewer = Viewer(session.viewers)
    viewer.ready()
    (pair, box) = page.ask("show_part", part="pair", seen=False)["result"]["parts"]
    assert (pair["seen"], box["seen"]) == (False, True)
    assert viewer.awaited("viewer.state")["shown"] == {"pair/1": False, "pair/2": False}
    viewer.say("viewer.state", visible=["pair/2"])
    session.submit(lambda: None).result()
    told = page.told[-1][1]
    assert [(part["name"], part["seen"]) for part in told] == [("pair", True), ("box", False)]
    late = Viewer(session.viewers, "late")
    late.ready()
    assert late.awaited("viewer.state")["shown"] == {"pair/1": False, "pair/2": True}


def test_a_viewer_that_opens_later_sees_how_the_session_does_by_then(session: Session) -> None:
    session.watch_pause()
    paused = session.viewers.status.text
    session.watch_resume()
    assert ("paused" in paused, "paused" in session.viewers.status.text) == (True, False)


def test_what_others_are_made_of_is_hidden_before_anybody_looks(session: Session, page: Page) -> None:
    session.evaluate("[cube 2 2 2]", "box")
    session.evaluate("[translate 9 0 0 box]", "moved")
    assert [part["seen"] for part in page.ask("parts")["result"]["parts"]] == [False, True]


def test_many_changes_in_one_go_are_one_message(session: Session, page: Page) -> None:
    before = len(page.told)
    session.submit(lambda: [session.evaluate(f"[cube {n} 1 1]", f"part{n}") for n in range(1, 6)]).result()
    session.submit(lambda: None).result()
    (told,) = page.told[before:]
    assert [part["name"] for part in told[1]] == [f"part{n}" for n in range(1, 6)]


def test_a_part_is_written_beside_the_notebook_and_nowhere_else(
    session: Session, page: Page, tmp_path: Path
) -> None:
    session.evaluate("[cube 1 2 3]", "box")
    written = page.ask("export", part="box", path="box.stl")["result"]
    assert written == {"path": "box.stl", "bytes": (tmp_path / "box.stl").stat().st_size}
    for path, code in (
        ("../box.stl", "PATH_NOT_ALLOWED"),
        ("box.docx", "EXPORT_FAILED"),
        ("", "INVALID_PARAMS"),
    ):
        assert page.ask("export", part="box", path=path)["error"]["code"] == code, path


def test_a_corner_that_is_dragged_is_told_to_its_view(
    session: Session, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int | None, int | None]] = []
    monkeypatch.setattr(session.page, "resize_view", lambda *size: told.append(size))
    page.ask("resize_view", view=7, height=600, width=None)
    page.ask("resize_view", view="8", height=None)
    page.ask("resize_view", view=7, height=None, width=300)
    assert told == [(7, 600, None), (7, None, 300)]


def test_the_reference_is_searched_read_and_drawn(session: Session, page: Page) -> None:
    session.evaluate("[let thick 3.0]")
    entries = {entry["name"]: entry for entry in page.ask("reference")["result"]["entries"]}
    assert entries["cube"]["is_model"]
    assert not entries["if"]["is_model"]
    assert "thick" in entries, "what cells define is in it, too"
    cube = page.ask("entry", name="cube")["result"]
    assert "[cube" in cube["text"]
    assert "picture" not in cube
    picture = page.ask("entry", name="cube", picture=True)["result"]["picture"]
    assert b64decode(picture).startswith(b"\x89PNG")
    assert page.ask("entry", name="tesseract")["error"]["code"] == "NODE_NOT_FOUND"


def test_what_nobody_answers_is_refused(page: Page) -> None:
    assert page.ask("erase")["error"]["code"] == "METHOD_NOT_FOUND"
