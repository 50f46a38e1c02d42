"""One server for the tests that need no folder of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lsp.editor import Editor, editor


@pytest.fixture(scope="session")
def loose() -> Iterator[Editor]:
    """An editor with no folder open."""
    with editor() as one:
        yield one
