"""What IPython remembers of runs goes with their results."""

from __future__ import annotations

import gc
import warnings
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from notebook_ext.attachment import OldOutputs


class Shell:
    """As much of a shell as remembers runs."""

    def __init__(self, cache_size: int) -> None:
        self.cache_size = cache_size
        self.execution_count = 1
        self.hooks: list[Any] = []
        self.events = SimpleNamespace(
            register=lambda _, hook: self.hooks.append(hook),
            unregister=lambda _, hook: self.hooks.remove(hook),
        )
        self.user_ns: dict[str, Any] = {}
        self.user_ns_hidden: dict[str, Any] = {}
        self.history_manager = SimpleNamespace(outputs=defaultdict(list), exceptions={})

    def run(self) -> None:
        self.history_manager.outputs[self.execution_count].append("a picture")
        if self.execution_count % 2:
            self.history_manager.exceptions[self.execution_count] = "a traceback"
        self.execution_count += 1
        for hook in self.hooks:
            hook(None)


@pytest.mark.parametrize(("cache_size", "kept"), [(20, 20), (0, 1000)])
def test_as_many_runs_are_remembered_as_ipython_keeps_results(cache_size: int, kept: int) -> None:
    shell: Any = Shell(cache_size)
    OldOutputs(shell).open()
    for _ in range(kept + 50):
        shell.run()
    assert len(shell.history_manager.outputs) == kept
    assert max(shell.history_manager.outputs) == kept + 50
    assert len(shell.history_manager.exceptions) == kept // 2


def test_a_shell_that_remembers_nothing_and_one_that_was_left_are_left_alone() -> None:
    shell: Any = Shell(5)
    old = OldOutputs(shell)
    old.open()
    shell.history_manager = None
    shell.execution_count = 100
    shell.hooks[0](None)
    old.close()
    assert shell.hooks == []


class Result:
    """What a cell of its own gives."""


def test_a_result_that_ipython_has_forgotten_is_gone() -> None:
    config = Config({"InteractiveShell": {"cache_size": 10}, "HistoryManager": {"enabled": False}})
    shell = InteractiveShell(config=config, user_ns={"Result": Result})
    OldOutputs(shell).open()
    with warnings.catch_warnings(action="ignore"):  # that the cache is full
        for _ in range(40):
            assert shell.run_cell("Result()", store_history=True).success
    gc.collect()
    assert sum(isinstance(one, Result) for one in gc.get_objects()) <= 10
