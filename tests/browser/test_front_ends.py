"""What a person sees of Loon and its parts in each front end that runs in a browser."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import notebook_text, watched_page
from tests.browser.lab import Lab, running_lab
from tests.browser.notebook import Notebook, View
from tests.browser.test_saved_notebooks import SLOW
from tests.browser.test_view_in_lab import share

CELLS = [
    "%load_ext notebook_ext",
    """%%loon bar
; a red bar
[defparam width 40.0 {:min 10 :max 80}]
#[[material "red" 0.9 0.1 0.1 0.0 0.6] [root [translate 0 0 1 [cube width 20 5]] "red"]]""",
]
PART = 1

OLD_LAB = Path(sys.prefix) / "jupyterlab-4.4"
PREFIX = "/user/somebody/"
OWN_HOST_ALONE = "default-src 'self' data: blob: ws: 'unsafe-inline' 'unsafe-eval'"


@pytest.fixture(scope="module")
def old_lab_behind_a_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The oldest JupyterLab, under a path as JupyterHub has it, with a policy that allows no foreign host."""
    if not (OLD_LAB / "jupyterlab").is_dir():
        pytest.fail("JupyterLab 4.4 is not there: `make browser-tests` fetches it", pytrace=False)
    headers = {"headers": {"Content-Security-Policy": OWN_HOST_ALONE}}
    options = [f"--ServerApp.base_url={PREFIX}", f"--ServerApp.tornado_settings={headers!r}"]
    with running_lab(tmp_path_factory.mktemp("hub"), overlay=OLD_LAB, options=options) as lab:
        yield lab


@contextlib.contextmanager
def page_at(browser: Browser, lab: Lab, path: str, problems: list[str]) -> Iterator[Page]:
    """A page of a server, closed at the end."""
    page = watched_page(browser, lab, problems)
    try:
        page.goto(lab.page_url(path))
        yield page
    finally:
        page.context.close()


def ours(problems: list[str]) -> list[str]:
    """Errors of our extension, and addresses elsewhere: these front ends have errors of their own."""
    return [told for told in problems if "vcad-workbench" in told or told.startswith("asked for")]


def sees_loon(cell: Locator) -> None:
    """The text has Loon's colours: a form, a comment that ends with its line, and no comment at a `#`."""
    form = cell.locator(".cm-loon-special", has_text="defparam")
    expect(form).to_be_visible()
    color = "element => getComputedStyle(element.querySelector('span') ?? element).color"
    plain = cell.locator(".cm-content").evaluate("element => getComputedStyle(element).color")
    assert form.evaluate(color) != plain
    assert "".join(cell.locator(".cm-loon-comment").all_inner_texts()) == "; a red bar"


def sees_the_part(view: View, below: Locator) -> None:
    """The part in its colour, its figures, and its slider."""
    view.picture(lambda pixels: share(pixels, 0) > 0.05)
    expect(view.element.locator(".vcad-caption")).to_contain_text("bar: 40 × 20 × 5 mm")
    expect(below.locator(".vcad-parameter .noUi-handle")).to_be_visible()


def sees_the_picture(notebook: Notebook) -> None:
    """Once the kernel has ended, the picture that was saved."""
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    image = notebook.output(PART).locator(".vcad-saved img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 640


def test_notebook_7(browser: Browser, jupyter: Lab) -> None:
    (jupyter.root / "seven.ipynb").write_text(notebook_text(CELLS), encoding="utf-8")
    problems: list[str] = []
    with page_at(browser, jupyter, "notebooks/seven.ipynb", problems) as page:
        notebook = Notebook(page)
        notebook.wait_until_ready()
        sees_loon(notebook.cell(PART))
        notebook.run_all()
        sees_the_part(notebook.view(cell=PART), notebook.output(PART))
        sees_the_picture(notebook)
    assert ours(problems) == []


def test_the_oldest_jupyterlab_behind_a_hub(browser: Browser, old_lab_behind_a_hub: Lab) -> None:
    lab = old_lab_behind_a_hub
    (lab.root / "hub.ipynb").write_text(notebook_text([*CELLS, SLOW]), encoding="utf-8")
    problems: list[str] = []
    with page_at(browser, lab, "lab/tree/hub.ipynb", problems) as page:
        assert PREFIX in page.url
        notebook = Notebook(page)
        notebook.wait_until_ready()
        assert page.evaluate("() => window.jupyterapp.version").startswith("4.4.")
        sees_loon(notebook.cell(PART))
        notebook.run_all()
        sees_the_part(notebook.view(cell=PART), notebook.output(PART))
        saved = json.loads((lab.root / notebook.save()).read_text(encoding="utf-8"))
        assert [output["output_type"] for output in saved["cells"][2]["outputs"]] == [
            "stream",
            "execute_result",
        ]
        expect(notebook.output(2).locator(".jp-OutputArea-child")).to_have_count(2)
        sees_the_picture(notebook)
    assert ours(problems) == []


def test_voila(browser: Browser, jupyter: Lab) -> None:
    (jupyter.root / "dashboard.ipynb").write_text(notebook_text(CELLS), encoding="utf-8")
    with page_at(browser, jupyter, "voila/render/dashboard.ipynb", []) as page:
        view = View(page, page.locator(".vcad-view"))
        sees_the_part(view, page.locator("body"))
        before = view.state
        handle = page.locator(".vcad-parameter .noUi-handle")
        handle.focus()
        handle.press("PageUp")
        view.wait_for(lambda state: state["revision"] > before["revision"])
