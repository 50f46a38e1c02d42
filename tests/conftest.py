"""What all tests share: how hard they search (set by importing `tests.tiers`), and what starts processes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.tiers  # noqa: F401

# A shell starts what runs in its background with interrupts ignored; tests and their children are about them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_TESTS = Path(__file__).parent
_PROCESSES = (
    "browser",
    "cli",
    "docs",
    "integration",
    "labextension",
    "lsp",
    "notebook_ext/agents/proxy",
    "notebook_ext/gateway",
    "service/client",
    "service/faults",
    "service/security",
    "service/worker",
    "sketchup",
    "tools",
)
"""Folders whose tests start processes."""
_SLOW = (
    "conformance/test_geometry_cases.py",
    "geometry/occt",
    "geometry/test_disk_cache.py",
    "geometry/test_reevaluation.py",
    "loon/test_limits.py",
    "notebook_ext/agents/packs/test_notebook.py",
    "notebook_ext/agents/packs/test_picture.py",
    "notebook_ext/workspace/test_shell.py",
    "service/front/test_lifetime.py",
    "service/front/test_stops.py",
    "service/test_both_forms.py",
)
"""Folders and files of which a test takes most of a second; single ones carry the marker themselves."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of those folders; the hook is given every test of the run."""
    for places, marker in ((_PROCESSES, pytest.mark.process), (_SLOW, pytest.mark.slow)):
        paths = [_TESTS / name for name in places]
        for item in items:
            if any(item.path.is_relative_to(path) for path in paths):
                item.add_marker(marker)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """A test that goes on handling interrupts would have later ones wait for theirs in vain."""
    try:
        return (yield)
    finally:
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            pytest.fail("it has left a handler of interrupts", pytrace=False)
