"""A short search with atheris, which `make soak` installs where there is one for the machine."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import harness
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]


# searches at random and by the clock; `test_fuzzing.py` feeds the same readers the same bytes each time
@pytest.mark.soak
@pytest.mark.parametrize("target", TARGETS)
def test_a_short_search_finds_nothing(target: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("there is no atheris for this machine; tests/fuzz/test_fuzzing.py searches without it")
    done = subprocess.run(
        [sys.executable, "-m", harness.__name__, target, "-runs=1000", "-max_total_time=2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
