"""A real JupyterLab in a real Chromium, offline: the fixtures of the browser tests."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect, sync_playwright

from tests.browser.lab import Lab, running_lab
from tests.browser.notebook import Notebook

OpenNotebook = Callable[..., Notebook]
Cell = dict[str, Any]
"""As a notebook's file holds it."""

FLAGS = (
    # WebGL without a graphics card.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Pages are painted and put together without it: half of all time of the browser tests went there.
    "--disable-gpu-rasterization",
    "--disable-gpu-compositing",
    "--no-sandbox",
    # Nothing leaves the machine.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_numbers = itertools.count(1)

_OF_LAB = "Could not restore the debugger state"
"""What JupyterLab's debugger says on the console when a kernel ends soon after its start."""

_OF_A_CLOSED_BOX = re.compile(
    r"Could not add child view to box"
    r"|Cannot read properties of (null|undefined) "
    r"\(reading '(widgets|processLuminoMessage|luminoWidget|isAttached|isDisposed|node|el)'\)"
    r"|THREE\.Raycaster: Unsupported camera type|\bonPick\b"
)
"""What ipywidgets says when a view is taken off the page while its children or a message are on their way to
it, as that of a shown cell which somebody changes at that moment, and what pythreejs says when the pointer
rests there: its picker has no camera any more. The tests assert what is then seen."""

_STARTED = "() => window.jupyterapp?.restored.then(() => true)"


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands beside this file; the hook is given every test of the run.

    One group for pytest-xdist: a second Chromium with a second JupyterLab costs more than it saves.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's path."""
    found = chromium_path(os.environ)
    if found is None:
        pytest.fail(
            "the browser tests need Chromium: run `apt install chromium`, or set VCAD_CHROMIUM to a "
            "Chromium or Chrome executable, or leave them out with `pytest -m 'not browser'`",
            pytrace=False,
        )
    return found


def chromium_path(environment: Mapping[str, str]) -> str | None:
    """VCAD_CHROMIUM, or Chromium as Debian and Ubuntu install it; None where there is neither."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return environment.get("VCAD_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all browser tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for all browser tests."""
    with running_lab(tmp_path_factory.mktemp("jupyter")) as lab:
        yield lab


@pytest.fixture(scope="session")
def workbench(browser: Browser, jupyter: Lab) -> Iterator[Workbench]:
    """One page with JupyterLab for all browser tests: to load it takes longer than most of them."""
    workbench = Workbench(browser, jupyter)
    yield workbench
    workbench.close()


@pytest.fixture
def open_notebook(workbench: Workbench) -> Iterator[OpenNotebook]:
    """Open a notebook in Lab: `open_notebook(path)` or `open_notebook(cells=["…"])`.

    It is closed after the test, which fails if the page had an error or asked for anything outside
    this machine.
    """
    with contextlib.ExitStack() as opened:
        yield lambda path=None, *, cells=None: opened.enter_context(workbench.notebook(path, cells=cells))


class Workbench:
    """A page of a browser with JupyterLab; another page after one on which something went wrong."""

    def __init__(self, browser: Browser, jupyter: Lab) -> None:
        self._browser = browser
        self._jupyter = jupyter
        self._page: Page | None = None
        self._problems: list[str] = []

    @contextlib.contextmanager
    def notebook(
        self, path: Path | None = None, *, cells: Sequence[str | Cell] | None = None
    ) -> Iterator[Notebook]:
        """A notebook in a folder and with a kernel of its own.

        A path is copied first, so the original is never written to.
        """
        folder = self._jupyter.root / f"test-{next(_numbers)}"
        folder.mkdir()
        name = f"{folder.name}/{path.name if path is not None else 'cells.ipynb'}"
        if path is not None:
            shutil.copy(path, self._jupyter.root / name)
        else:
            (self._jupyter.root / name).write_text(notebook_text(cells or []), encoding="utf-8")
        notebook = Notebook(self._loaded(), self._problems)
        try:
            notebook.open(name)
            yield notebook
            notebook.close()
            assert self._problems == []
        except BaseException:
            self.close()
            raise

    def _loaded(self) -> Page:
        """The page, loaded when there is none."""
        if self._page is None:
            self._problems = []
            self._page = watched_page(self._browser, self._jupyter, self._problems)
            self._page.goto(self._jupyter.workspace_url(f"page-{next(_numbers)}"))
            self._page.wait_for_function(_STARTED)
        return self._page

    def close(self) -> None:
        """Give up the page."""
        if self._page is not None:
            self._page.context.close()
            self._page = None


def notebook_text(sources: Sequence[str | Cell]) -> str:
    """The file of a notebook of code cells, given by their text, or as they were saved."""
    cells: list[Cell] = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            **({"source": source} if isinstance(source, str) else source),
        }
        for number, source in enumerate(sources)
    ]
    # Without a kernel's name Lab asks which one to take.
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}
    )


def watched_page(browser: Browser, jupyter: Lab, problems: list[str]) -> Page:
    """A page in a context of its own, which reaches our server alone; its errors are noted."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    page = context.new_page()

    def route(route: Route) -> None:
        if route.request.url.startswith(jupyter.url):
            route.continue_()
        else:
            problems.append(f"asked for {route.request.url}")
            route.abort()

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_OF_LAB):
            note_problem(f"console: {message.text}")

    def note_problem(text: str) -> None:
        if not _OF_A_CLOSED_BOX.search(text):
            problems.append(text)

    page.route("**/*", route)
    page.on("pageerror", lambda error: note_problem(f"page error: {error.stack or error}"))
    page.on("console", note)
    return page
