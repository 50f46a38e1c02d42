"""Changes that a notebook follows, in a real kernel: `%loon_watch`, and a pause that outlives the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kernel import Kernel


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def notebook(kernel_process: Kernel, project: Path) -> Iterator[Kernel]:
    """A kernel whose notebook lies in the project."""
    kernel_process.begin_anew(project)
    assert kernel_process.run("%load_ext notebook_ext").status == "ok"
    yield kernel_process
    kernel_process.begin_anew()


def test_a_pause_outlives_the_kernel(notebook: Kernel, project: Path) -> None:
    assert notebook.run("%loon_watch pause").text == "paused · 0 changes so far\n"
    later = Kernel(project)
    try:
        later.run("%load_ext notebook_ext")
        assert later.run("%loon_watch").plain.startswith("paused")
        assert later.run("%loon_watch resume").text == "resumed\n"
        assert "paused" not in later.run("%loon_watch").plain
    finally:
        later.stop()


def test_what_is_watched_is_said(notebook: Kernel, project: Path) -> None:
    assert "nothing is made from one" in notebook.run("%loon_watch").plain
    assert f"files: {project}" in notebook.run("%loon_watch on").plain
    assert "not watched" in notebook.run("%loon_watch off").plain
    wrong = notebook.run("%loon_watch sometimes")
    assert wrong.status == "error"
    assert "UsageError" in wrong.traceback + wrong.text
