"""What follows from changes waits for cells, and goes on as soon as none runs any more."""

from __future__ import annotations

from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

from notebook_ext.session.cells.running_cell import ExecutionTurns


class Kernel:
    """A kernel that is busy for some looks, and then no more."""

    def __init__(self) -> None:
        self._main_asyncio_lock = self
        self.busy_looks = 0

    def locked(self) -> bool:
        self.busy_looks -= 1
        return self.busy_looks >= 0


def _turns(kernel: Kernel | None, released: SimpleQueue[str]) -> tuple[ExecutionTurns, list[Any]]:
    hooks: list[Any] = []
    events = SimpleNamespace(register=lambda _, hook: hooks.append(hook), unregister=lambda *_: None)
    shell: Any = SimpleNamespace(kernel=kernel, events=events)
    return ExecutionTurns(shell, lambda: released.put("released")), hooks


def test_a_kernel_that_is_still_busy_when_its_cell_has_ended_is_looked_at_again() -> None:
    released: SimpleQueue[str] = SimpleQueue()
    kernel = Kernel()
    turns, (ended,) = _turns(kernel, released)
    kernel.busy_looks = 2
    ended(None)
    assert released.get(timeout=20) == "released"
    assert kernel.busy_looks < 0
    assert not turns.is_held()


def test_who_is_held_up_by_a_message_that_is_no_cell_is_told_of_its_end() -> None:
    released: SimpleQueue[str] = SimpleQueue()
    kernel = Kernel()
    turns, _ = _turns(kernel, released)
    for _ in range(2):
        kernel.busy_looks = 2
        assert turns.is_held()
        assert released.get(timeout=20) == "released"
        assert not turns.is_held()
    assert released.empty()


def test_nothing_is_held_without_a_kernel() -> None:
    turns, hooks = _turns(None, SimpleQueue())
    assert hooks == []
    assert not turns.is_held()
