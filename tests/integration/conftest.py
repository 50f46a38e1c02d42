"""Kernels for integration tests: one for all modules that need no other, one fresh for beginnings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kernel import Kernel


@pytest.fixture(scope="session")
def jupyter_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jupyter")


@pytest.fixture(scope="module", autouse=True)
def _sealed_off(jupyter_folders: Path) -> Iterator[None]:
    """Kernels share no folder with the person's own Jupyter or with tests beside these, and no SketchUp."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            environment.setenv(name, str(jupyter_folders / name.lower()))
        environment.setenv("SUPEX_PORT", "1")  # nothing listens there
        yield


@pytest.fixture(scope="module")
def bare_kernel() -> Iterator[Kernel]:
    """A kernel in which nothing has ever been loaded."""
    kernel = Kernel()
    yield kernel
    kernel.stop()


@pytest.fixture(scope="session")
def kernel_process(jupyter_folders: Path) -> Iterator[Kernel]:
    """The process that modules share, one after the other."""
    kernel = Kernel()
    yield kernel
    kernel.stop()


@pytest.fixture(scope="module")
def kernel(kernel_process: Kernel) -> Kernel:
    """A kernel with the extension loaded and nothing defined."""
    kernel_process.begin_anew()
    loaded = kernel_process.run("%load_ext notebook_ext")
    assert loaded.status == "ok", loaded.traceback
    return kernel_process
