"""Room for deep recursion is the process's, asked for by each run, and given back in the end."""

from __future__ import annotations

import sys
import threading

from vcad_kernel.loon.runtime.limits.limits import deep_stack


def test_the_innermost_run_of_a_thread_says_how_deep_it_may_go() -> None:
    before = sys.getrecursionlimit()
    with deep_stack(50_000):
        outer = sys.getrecursionlimit()
        assert outer > before
        with deep_stack(5_000):
            assert before < sys.getrecursionlimit() < outer
        assert sys.getrecursionlimit() == outer
    assert sys.getrecursionlimit() == before


def test_a_run_on_another_thread_takes_no_room_away() -> None:
    before = sys.getrecursionlimit()
    limits: list[int] = []

    def small_run() -> None:
        with deep_stack(2_000):
            limits.append(sys.getrecursionlimit())
        limits.append(sys.getrecursionlimit())

    with deep_stack(50_000):
        here = sys.getrecursionlimit()
        other = threading.Thread(target=small_run)
        other.start()
        other.join()
        assert limits == [here, here]
    assert sys.getrecursionlimit() == before
