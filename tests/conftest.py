"""What all tests share: how hard they search (set by importing `tests.tiers`), and what starts processes."""

from __future__ import annotations

import gc
import importlib
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling

import tests.tiers

# A shell starts what runs in its background with interrupts ignored; tests and their children are about them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# jsonschema would build the grammars of 38 formats with it, for more than a second of each worker; our
# schemas name none of them.
sys.modules.setdefault("rfc3987_syntax", ModuleType("rfc3987_syntax"))

_TESTS = Path(__file__).parent
_PROCESSES = (
    "browser",
    "cli",
    "docs",
    "integration",
    "labextension",
    "lsp",
    "notebook_ext/agents/hooks",
    "notebook_ext/agents/proxy",
    "notebook_ext/cli",
    "notebook_ext/gateway",
    "service/client",
    "service/faults",
    "service/front",
    "service/security",
    "service/worker",
    "sketchup",
    "tools",
    "viewer",
)
"""Folders whose tests start processes."""
collect_ignore = [str(_TESTS / name) for name in _PROCESSES] if tests.tiers.TIER == "check" else []
"""Not even read by `make check`: importing what they use takes seconds."""
_SLOW = frozenset((_TESTS / "slow.txt").read_text(encoding="utf-8").splitlines())
"""Test functions that take too long for `make check`; `make slow-tests` lists them after a `make test`."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Collect without looking for garbage: what is made here, a million objects and more, stays to the end.

    Nor is it looked through again with each collection while tests run.
    """
    gc.disable()
    try:
        for name in first_read(session.config):
            with suppress(Exception, pytest.skip.Exception):  # it is said when the file is collected
                importlib.import_module(name)
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        # by itself Python would look once for each 700 objects; tests make and drop millions
        gc.set_threshold(20_000, 20, 20)


def first_read(config: pytest.Config) -> list[str]:
    """The modules of tests that a worker begins with: its share of them, so that each is compiled once.

    pytest compiles them so that what was compared can be shown, a quarter of a minute of processor in all,
    and keeps that beside them. Workers that went through them side by side would each do it again.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return []
    ignored = {Path(name).resolve() for name in (*(config.getoption("ignore") or ()), *collect_ignore)}
    files = sorted(
        file.relative_to(config.rootpath)
        for name in config.args
        for file in Path(name).resolve().rglob("test_*.py")
        if not ignored.intersection(file.parents)
    )
    mine = files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]
    return [".".join(file.with_suffix("").parts) for file in mine]


def pytest_unconfigure() -> None:
    """What is freed at the end of the process must be seen to be garbage."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of those folders; the hook is given every test of the run."""
    processes = tuple(f"{_TESTS.name}/{name}" for name in _PROCESSES)
    for item in items:
        if item.nodeid.startswith(processes):
            item.add_marker(pytest.mark.process)
        if item.nodeid.partition("[")[0] in _SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def kept_port() -> Iterator[int]:
    """A port that nobody else gets: of a peer that ends and comes back, or of one that never comes.

    It is bound, without listening: Linux then gives it to nobody who asks for any free one, refuses who
    connects, and lets who names it listen there. Other systems do not share a port that is bound; there it is
    one that was free a moment ago.
    """
    with socket.socket() as keeping:
        keeping.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeping.bind(("127.0.0.1", 0))
        port: int = keeping.getsockname()[1]
        if sys.platform != "linux":
            keeping.close()
        yield port


class ByFile(LoadGroupScheduling):
    """Hands out files and groups rather than single tests.

    What the tests of a file share is made once; and pytest-xdist looks at all that a worker has had each
    time it hands out more, which took a fifth of the time of ten thousand quick tests.
    """

    def _split_scope(self, nodeid: str) -> str:
        return super()._split_scope(nodeid).partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """See there."""
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """A test that goes on handling interrupts would have later ones wait for theirs in vain."""
    try:
        return (yield)
    finally:
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            pytest.fail("it has left a handler of interrupts", pytrace=False)
