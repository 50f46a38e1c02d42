"""The headless SketchUp, one process for all tests, as new for each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.sketchup.headless import RunningSketchUp, headless_sketchup


@pytest.fixture(scope="session")
def sketchup_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSketchUp]:
    """One Ruby process, as it was left by the test before."""
    if shutil.which("ruby") is None:
        pytest.skip("there is no Ruby here")
    with headless_sketchup(workspace=tmp_path_factory.mktemp("sketchup").resolve()) as running:
        yield running


@pytest.fixture
def sketchup(
    sketchup_process: RunningSketchUp, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSketchUp]:
    """A SketchUp with an empty model and a workspace that no other test has.

    Afterwards nothing may be left open or unexplained in it.
    """
    sketchup_process.move_to(tmp_path_factory.mktemp("workspace").resolve())
    sketchup_process.control("_test.reset")
    yield sketchup_process
    sketchup_process.assert_clean()
