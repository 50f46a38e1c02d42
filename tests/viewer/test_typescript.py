"""The viewer's own tests, which are written beside it in TypeScript."""

from __future__ import annotations

import subprocess

import pytest

from tools.build_front_ends import VIEWER, find_node


def test_the_viewer_passes_its_own_tests() -> None:
    node = find_node()
    if node is None or not VIEWER.modules.is_dir():
        pytest.fail(
            "what the viewer is built with is not there: run `python -m tools.build_front_ends`, "
            "or leave this test out with `pytest --ignore=tests/viewer`",
            pytrace=False,
        )
    done = subprocess.run(
        # The reporter by default does not come to the end of a failure on Node 20.
        [*node.node, "node_modules/vitest/vitest.mjs", "run", "--reporter=tap-flat"],
        cwd=VIEWER.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = done.stdout.split("not ok ")[1:]
    assert done.returncode == 0, failed or done.stderr
