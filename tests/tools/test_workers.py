"""What the workers of pytest-xdist are handed: files, and groups of files that share a process."""

from __future__ import annotations

import pytest

from tests.conftest import ByFile


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        ("tests/cad/test_slot.py::test_area", "tests/cad/test_slot.py"),
        ("tests/cad/test_slot.py::test_text[a::b@c]", "tests/cad/test_slot.py"),
        ("tests/service/security/test_paths.py::test_above[x]@security", "security"),
    ],
)
def test_a_worker_is_handed_a_file_or_a_group(test: str, unit: str) -> None:
    # without the workers that one is made for
    assert ByFile.__new__(ByFile)._split_scope(test) == unit
