"""What the workers of pytest-xdist are handed: files, and groups of files that share a process."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import ByFile, first_read


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


def test_each_file_is_read_first_by_one_worker_and_none_that_is_left_out(tmp_path: Path) -> None:
    for name in ("a/test_one.py", "a/test_two.py", "b/test_three.py", "left_out/test_four.py", "a/other.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def share(worker: dict[str, Any] | None) -> list[str]:
        options = {"ignore": [str(tmp_path / "left_out")]}
        config: Any = SimpleNamespace(args=[str(tmp_path)], rootpath=tmp_path, getoption=options.get)
        if worker is not None:
            config.workerinput = worker
        return first_read(config)

    shares = [share({"workerid": f"gw{number}", "workercount": 2}) for number in range(2)]
    assert shares == [["a.test_one", "b.test_three"], ["a.test_two"]]
    assert share(None) == []  # without workers all are read in their order
