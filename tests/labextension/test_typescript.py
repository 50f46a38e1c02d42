"""The extension's own tests, which are written beside it in TypeScript."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.build_front_ends import Node


def test_the_extension_passes_its_own_tests(node: Node, compiled_tests: Path) -> None:
    files = sorted(str(file) for file in compiled_tests.glob("*.test.js"))
    done = subprocess.run([*node.node, "--test", *files], capture_output=True, text=True, check=False)
    assert files
    assert done.returncode == 0, done.stdout
