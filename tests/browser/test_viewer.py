"""The viewer on a page of its own, and in a file that needs no server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from notebook_ext.entry_points import session_of
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from tests.browser.notebook import Pixels, Viewer

RED = '[material "red" 0.9 0.1 0.1 0.0 0.5]'
BLUE = '[material "blue" 0.1 0.2 0.9 0.0 0.5]'
BLOCK = f'#[{RED} [root [cube 40 30 20] "red"]]'
PIN = f'#[{BLUE} [root [translate 60 15 0 [cylinder 6 40]] "blue"]]'


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    (tmp_path / ".git").mkdir()
    made = session_of(plain_shell(), folder=tmp_path)
    made.evaluate(BLOCK, name="block")
    yield made
    made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that may have no fault."""
    context = browser.new_context(viewport={"width": 900, "height": 600}, color_scheme="light")
    shown = context.new_page()
    problems: list[str] = []
    shown.on("pageerror", lambda error: problems.append(str(error)))
    shown.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    yield shown
    assert problems == []
    context.close()


def viewer(page: Page) -> Viewer:
    return Viewer(page, page.locator(".vcad-viewer"))


def share(pixels: Pixels, channel: int) -> float:
    """How much of the picture is clearly of one channel: 0 red, 2 blue."""
    rgb = pixels.astype(int)
    return float((rgb[..., channel] > np.delete(rgb, channel, axis=2).max(axis=2) + 50).mean())


def test_a_page_shows_every_named_part_and_follows_the_session(session: Session, page: Page) -> None:
    page.goto(session.viewer_url)
    shown = viewer(page)
    shown.wait_for(lambda state: state["parts"] == ["block"] and state["nodes"][0]["pickable"])
    without = share(shown.picture(lambda pixels: share(pixels, 0) > 0.05), 2)
    session.evaluate(PIN, name="pin")
    shown.wait_for(lambda state: state["parts"] == ["block", "pin"])
    shown.picture(lambda pixels: share(pixels, 0) > 0.03 and share(pixels, 2) > without + 0.005)
    session.forget(["pin"])
    shown.wait_for(lambda state: state["parts"] == ["block"])
    shown.picture(lambda pixels: share(pixels, 2) < without + 0.001)
    page.reload()
    shown.wait_for(lambda state: state["parts"] == ["block"] and state["link"] == "session")


def test_a_file_opens_in_a_browser_without_a_network(session: Session, page: Page, tmp_path: Path) -> None:
    session.evaluate(PIN, name="pin")
    file = session.export(tmp_path / "assembly.html")
    page.context.set_offline(True)
    page.goto(file.as_uri())
    shown = viewer(page)
    state = shown.wait_for(lambda state: len(state["nodes"]) == 2)
    assert (state["parts"], state["link"]) == (["block", "pin"], "none")
    shown.picture(lambda pixels: share(pixels, 0) > 0.03 and share(pixels, 2) > 0.005)
    assert page.title() == "assembly"
