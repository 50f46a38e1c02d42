"""The same session where no notebook is: in a script, in IPython's terminal, under papermill."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(*words: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A program of this Python, with an IPython of nobody's."""
    variables = os.environ | {"IPYTHONDIR": str(folder / "ipython"), "PYTHONWARNINGS": "default"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=variables,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120.0,
    )


SCRIPT = """
from notebook_ext import Session

with Session() as session:
    plate = session.evaluate("[defparam w 40 {:min 20 :max 60}] [fillet 1 [cube w 20 5]]", "plate")
    print(plate)
    assert plate.png().startswith(b"\\x89PNG")
    shown = plate._repr_mimebundle_()  # what marimo asks for
    assert {"text/plain", "image/png"} <= set(shown), set(shown)
    assert "application/vnd.jupyter.widget-view+json" not in shown
    assert plate.export("plate.step").stat().st_size > 1000
    assert session.evaluate("[union plate [cube 9 9 9]]").volume > plate.volume
    assert session.set_parameter("w", 50).bounds[1][0] == 50
    for view in (plate.view, session.view):
        try:
            view()
        except Exception as refused:
            print(refused.error_code, refused)
session = Session()
session.evaluate("[cub 1 2 3]", "wrong")
"""


def test_a_script_has_parts_pictures_and_files_and_is_told_what_to_use(tmp_path: Path) -> None:
    done = run("-c", SCRIPT, folder=tmp_path)
    figures, *refused = done.stdout.strip().split("\n")
    assert figures.startswith("plate: 40 × 20 × 5 mm · volume 39"), done.stderr
    assert [line.split()[0] for line in refused] == ["CAPABILITY_UNAVAILABLE"] * 2
    assert all("part.png()" in line for line in refused)
    # an error that nobody catches ends the script below the place, the caret and the fix
    assert done.returncode == 1
    said = done.stderr.strip().split("\n")
    assert said[-5:] == [
        "notebook_ext.display.failure.LoonCellFailed: [E0201] cub is not bound",
        "  --> wrong:1:2",
        "  1 | [cub 1 2 3]",
        "    |  ^^^",
        "  fix: did you mean cube?",
    ]


CELLS = """
%load_ext notebook_ext
%loon [cube 1 2 3]
%%loon box
[cube 1 2 4]


%loon box
box.view()
[part for part in (box,)]
"""


def test_a_terminal_shows_figures_under_names_that_are_names(tmp_path: Path) -> None:
    words = ("-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit")
    done = run(*words, folder=tmp_path, stdin=CELLS)
    shown = _COLOUR.sub("", done.stdout)
    assert "part: 1 × 2 × 3 mm · volume 6 mm³" in shown, done.stderr
    assert "box: 1 × 2 × 4 mm · volume 8 mm³" in shown
    assert "part: 1 × 2 × 4 mm" in shown
    assert "%loon: " not in shown
    assert (
        "a view needs a notebook, and a session that has not been closed; part.png() needs neither" in shown
    )
    assert "Traceback" not in shown


def test_papermill_fills_parameters_in_and_leaves_pictures(tmp_path: Path) -> None:
    cells = [
        nbformat.v4.new_code_cell("width = 10", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell("%load_ext notebook_ext"),
        nbformat.v4.new_code_cell("%%loon block -i width\n[cube width 20 30]"),
        nbformat.v4.new_code_cell("round(block.volume, 3)"),
    ]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=about), tmp_path / "given.ipynb")
    words = (
        "-m",
        "papermill",
        "given.ipynb",
        "done.ipynb",
        "-p",
        "width",
        "15",
        "-k",
        "python3",
        "--no-progress-bar",
    )
    done = run(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    ran = json.loads((tmp_path / "done.ipynb").read_text())["cells"]
    assert [cell["source"] for cell in ran[1:2]] == [["# Parameters\n", "width = 15\n"]]
    [result] = [one for one in ran[3]["outputs"] if one["output_type"] == "execute_result"]
    assert "".join(result["data"]["text/plain"]).startswith("block: 15 × 20 × 30 mm · volume 9000 mm³")
    assert result["data"]["image/png"]
    assert "".join(ran[4]["outputs"][0]["data"]["text/plain"]) == "9000.0"


@pytest.mark.parametrize("name", ["Session", "load_ipython_extension"])
def test_the_package_names_what_it_offers(name: str) -> None:
    import notebook_ext

    assert name in notebook_ext.__all__
    assert getattr(notebook_ext, name)
    with pytest.raises(AttributeError, match="no attribute 'Sessions'"):
        notebook_ext.Sessions  # noqa: B018
