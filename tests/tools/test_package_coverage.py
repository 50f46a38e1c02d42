"""Coverage by package, out of coverage.py's report."""

from __future__ import annotations

from typing import Any

import pytest


def found(statements: int, run: int, branches: int, taken: int) -> dict[str, Any]:
    return {
        "summary": {
            "num_statements": statements,
            "covered_lines": run,
            "num_branches": branches,
            "covered_branches": taken,
        }
    }


# What measures coverage is installed by `make soak` alone.
@pytest.mark.soak
def test_files_are_added_up_by_package_and_in_all() -> None:
    from tools.package_coverage import by_package

    table = by_package(
        {
            "vcad_kernel/loon/reading/reader.py": found(10, 9, 4, 2),
            "vcad_kernel/loon/checking/inference/infer.py": found(10, 6, 4, 4),
            "vcad_kernel/units.py": found(5, 5, 0, 0),
        }
    )
    assert table.splitlines()[2:] == [
        "| vcad_kernel | 5 | 100.0 % | 0 | – |",
        "| vcad_kernel/loon | 20 | 75.0 % | 8 | 75.0 % |",
        "| all | 25 | 80.0 % | 8 | 75.0 % |",
    ]
