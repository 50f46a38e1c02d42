"""What follows from changes waits for cells, and goes on as soon as none runs any more."""

from __future__ import annotations

from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

from notebook_ext.session.cells.running_cell import ExecutionTurns


class Kernel:
    """A kernel that is busy as long as it is told to be."""

    def __init__(self) -> None:
        self._main_asyncio_lock = SimpleNamespace(locked=lambda: self.busy)
        self.busy = False


def _turns(kernel: Kernel | None, released: SimpleQueue[str]) -> tuple[ExecutionTurns, list[Any]]:
    hooks: list[Any] = []
    events = SimpleNamespace(register=lambda _, hook: hooks.append(hook), unregister=lambda *_: None)
    shell: Any = SimpleNamespace(kernel=kernel, events=events)
    return ExecutionTurns(shell, lambda: released.put("released")), hooks


def test_a_kernel_that_is_still_busy_when_its_cell_has_ended_is_looked_at_again() -> None:
    released: SimpleQueue[str] = SimpleQueue()
    kernel = Kernel()
    turns, (ended,) = _turns(kernel, released)
    kernel.busy = True
    looks = 0
    real = turns.is_held

    def counted() -> bool:
        nonlocal looks
        looks += 1
        kernel.busy = looks < 3
        return real()

    turns.is_held = counted  # type: ignore[method-assign]
    ended(None)
    assert released.get(timeout=20) == "released"
    assert looks >= 3
    assert not real()


def test_nothing_is_held_without_a_kernel() -> None:
    turns, hooks = _turns(None, SimpleQueue())
    assert hooks == []
    assert not turns.is_held()
