"""A real JupyterLab in a real Chromium, offline: the fixtures of the browser tests."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

from tests.browser.lab import Lab, running_lab
from tests.browser.notebook import Notebook

OpenNotebook = Callable[..., Notebook]

_FLAGS = (
    # WebGL without a graphics card.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-sandbox",
    # Nothing leaves the machine.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands beside this file; the hook is given every test of the run."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's path: VCAD_CHROMIUM, or Chromium as Debian and Ubuntu install it."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("VCAD_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.fail(
            "the browser tests need Chromium: run `apt install chromium`, or set VCAD_CHROMIUM to a "
            "Chromium or Chrome executable, or leave them out with `pytest -m 'not browser'`",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all browser tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for all browser tests."""
    with running_lab(tmp_path_factory.mktemp("jupyter")) as lab:
        yield lab


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page, without cookies or cache of another test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
    page = context.new_page()
    yield page
    context.close()


@pytest.fixture
def open_notebook(jupyter: Lab, page: Page) -> Iterator[OpenNotebook]:
    """Open a notebook in Lab: `open_notebook(path)` or `open_notebook(cells=["…"])`.

    A path is copied first, so the original is never written to. The test fails afterwards if the
    page had an error or asked for anything outside this machine.
    """
    opened: list[Notebook] = []

    def open_(path: Path | None = None, *, cells: list[str] | None = None) -> Notebook:
        number = next(_numbers)
        folder = jupyter.root / f"test-{number}"
        folder.mkdir()
        name = f"{folder.name}/{path.name if path is not None else 'cells.ipynb'}"
        if path is not None:
            shutil.copy(path, jupyter.root / name)
        else:
            (jupyter.root / name).write_text(json.dumps(_notebook(cells or [])), encoding="utf-8")
        notebook = Notebook(page)
        opened.append(notebook)
        _watch(page, jupyter, notebook.problems)
        page.goto(jupyter.notebook_url(name, f"test-{number}"))
        notebook.wait_until_ready()
        return notebook

    yield open_
    for notebook in opened:
        notebook.shut_down()
    assert [problem for notebook in opened for problem in notebook.problems] == []


def _notebook(sources: list[str]) -> dict[str, object]:
    """A notebook of code cells, as a file holds it."""
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    # Without a kernel's name Lab asks which one to take.
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def _watch(page: Page, jupyter: Lab, problems: list[str]) -> None:
    """Let the page reach our server alone, and note its errors."""

    def route(route: Route) -> None:
        if route.request.url.startswith(jupyter.url):
            route.continue_()
        else:
            problems.append(f"asked for {route.request.url}")
            route.abort()

    page.route("**/*", route)
    page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
    page.on(
        "console",
        lambda message: problems.append(f"console: {message.text}") if message.type == "error" else None,
    )
