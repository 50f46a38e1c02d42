"""Kernels for integration tests: one shared by a module, one fresh for tests about beginnings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.kernel import Kernel


@pytest.fixture(scope="module")
def bare_kernel() -> Iterator[Kernel]:
    """A kernel with nothing loaded."""
    kernel = Kernel()
    yield kernel
    kernel.stop()


@pytest.fixture(scope="module")
def kernel(bare_kernel: Kernel) -> Kernel:
    """A kernel with the extension loaded."""
    loaded = bare_kernel.run("%load_ext notebook_ext")
    assert loaded.status == "ok", loaded.traceback
    return bare_kernel
