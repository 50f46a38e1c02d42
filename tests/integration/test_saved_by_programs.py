"""A notebook that a program runs and saves, as nbconvert does: pictures, no state of widgets, not large."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

CONFIG = Path(__file__).parents[2] / "notebook_ext" / "jupyter_nbconvert_config.json"
PARTS = 10
CELLS = [
    "%load_ext notebook_ext",
    *(
        f"%%loon p{number}\n; the {number}th\n[difference [cylinder 3 20] [cube {20 + number} 20 5]]"
        for number in range(PARTS)
    ),
    "p1.view()",
    "%loon_view",
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS])  # type: ignore[no-untyped-call]
    folder = str(tmp_path_factory.mktemp("saved"))
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return notebook


def test_it_holds_pictures_and_no_state_of_widgets(saved: nbformat.NotebookNode) -> None:
    assert "widgets" not in saved.metadata
    for cell in saved.cells[1:]:
        (output,) = cell.outputs
        assert set(output.data) == {"text/plain", "image/png", "application/vnd.vcad.view+json"}
    assert len(json.dumps(saved)) < 800_000


def test_its_page_shows_the_pictures_without_a_network_and_loon_in_colours(
    saved: nbformat.NotebookNode,
) -> None:
    exporter = HTMLExporter(config=Config(json.loads(CONFIG.read_text(encoding="utf-8"))))
    page, _ = exporter.from_notebook_node(saved)
    assert page.count('src="data:image/png;base64,') == PARTS + 2
    assert "application/vnd.jupyter.widget" not in page
    assert '<span class="c1">; the 3th</span>' in page
    assert '<span class="mi">23</span>' in page or '<span class="m">23</span>' in page
