"""What a profile of a warm cell says."""

from __future__ import annotations

from tools.cell_profile import Profile, table

_SHARED = ("vcad_kernel/ir/digest.py", "digest")


def test_a_function_of_two_processes_counts_once_in_all_of_them() -> None:
    notebook = Profile("notebook", {_SHARED: 2, ("notebook_ext/magics/loon.py", "loon"): 1}, (_SHARED,))
    worker = Profile("worker", {_SHARED: 5}, ())
    assert table([notebook, worker]).splitlines()[2:] == [
        "| notebook | 2 | 2 | 3 | 1 |",
        "| worker | 1 | 1 | 5 | 0 |",
        "| all | 2 | 2 | 8 | 1 |",
    ]
