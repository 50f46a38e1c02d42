"""Run notebooks from top to bottom in JupyterLab and save them there, as a person does: ``make notebooks``.

So the tests see what people see: the ids of widgets that are long gone, and beside them the pictures.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import FLAGS, Workbench, chromium_path
from tests.browser.lab import Lab, running_lab


def save(path: Path, browser: Browser, jupyter: Lab) -> None:
    """Run one notebook and write it back."""
    cells = nbformat.read(path, as_version=4).cells  # type: ignore[no-untyped-call]
    failures = sum("raises-exception" in cell.metadata.get("tags", ()) for cell in cells)
    workbench = Workbench(browser, jupyter)
    try:
        with workbench.notebook(path) as notebook:
            notebook.run_all(failures=failures)
            shutil.copy(jupyter.root / notebook.save(), path)
    finally:
        workbench.close()


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory(prefix="vcad-notebooks-") as folder,
        running_lab(Path(folder)) as jupyter,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium_path(os.environ), args=list(FLAGS))
        for name in sys.argv[1:]:
            save(Path(name), browser, jupyter)
            print(f"saved {name}")
        browser.close()
