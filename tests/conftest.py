"""What all tests share: how hard they search (set by importing `tests.tiers`), and what starts processes."""

from __future__ import annotations

import signal
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of those folders; the hook is given every test of the run."""
    folders = [_TESTS / name for name in _PROCESSES]
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in folders):
            item.add_marker(pytest.mark.process)
