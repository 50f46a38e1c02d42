"""What a profile of a warm cell says."""

from __future__ import annotations

from tools.cell_profile import Profile, profiled, table

_SHARED = ("vcad_kernel/ir/digest.py", "digest")

_PASSED_ON = ("notebook_ext/", "vcad_kernel/contracts/", "vcad_kernel/service/")
"""What a cell and its result pass through; all else is work of its own, which may become more."""
_HOPS = 25
_FUNCTIONS = 660
"""A tenth more than were counted, 22 and 600: on a busy machine timers go off in a cell, which makes six
more, and what a cell can do takes a function now and then. It is not to double without anybody's notice."""


def test_a_function_of_two_processes_counts_once_in_all_of_them() -> None:
    notebook = Profile("notebook", {_SHARED: 2, ("notebook_ext/magics/loon.py", "loon"): 1}, (_SHARED,))
    worker = Profile("worker", {_SHARED: 5}, ())
    assert table([notebook, worker]).splitlines()[2:] == [
        "| notebook | 2 | 2 | 3 | 1 |",
        "| worker | 1 | 1 | 5 | 0 |",
        "| all | 2 | 2 | 8 | 1 |",
    ]


def test_the_way_of_a_warm_cell_stays_as_short_as_it_is() -> None:
    profiles = profiled()
    assert [profile.process for profile in profiles] == ["notebook", "front", "worker"]
    hops = [hop for profile in profiles for hop in profile.hops]
    assert len(hops) <= _HOPS, hops
    called = set().union(*(profile.calls for profile in profiles))
    passing = [
        (file, name)
        for file, name in called
        if file.startswith(_PASSED_ON) and not file.startswith("notebook_ext/viewer/")
    ]
    assert len(passing) <= _FUNCTIONS, "`python -m tools.cell_profile --functions` lists them"
