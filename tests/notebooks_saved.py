"""Run notebooks from top to bottom and save them with their outputs: ``make notebooks``.

The saved file keeps what every reader can show (text, PNG) and drops the live widget's id, which is
dead as soon as the kernel ends: opened without a kernel, the notebook shows its pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

_WIDGET = "application/vnd.jupyter.widget-view+json"


def save(path: Path) -> None:
    """Execute one notebook in its own folder and write it back."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    notebook.metadata.pop("widgets", None)
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    client.store_widget_state = False
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(_WIDGET, None)
            output.get("metadata", {}).pop(_WIDGET, None)
        if "outputs" in cell:
            # what is left empty was the progress of a slow cell
            cell["outputs"] = [one for one in cell["outputs"] if one.get("data") != {}]
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        save(Path(name))
        print(f"saved {name}")
