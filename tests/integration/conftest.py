"""Kernels for integration tests: one for all modules that need no other, one fresh for beginnings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.kernel import Kernel


@pytest.fixture(scope="session")
def jupyter_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jupyter")


@contextmanager
def sealed_off(jupyter_folders: Path) -> Iterator[None]:
    """What is started meanwhile shares no folder with the person's own Jupyter, and finds no SketchUp."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            environment.setenv(name, str(jupyter_folders / name.lower()))
        environment.setenv("SUPEX_PORT", "1")  # nothing listens there
        yield


@pytest.fixture(scope="module", autouse=True)
def _sealed_off(jupyter_folders: Path) -> Iterator[None]:
    with sealed_off(jupyter_folders):
        yield


@pytest.fixture(scope="module")
def bare_kernel() -> Iterator[Kernel]:
    """A kernel in which nothing has ever been loaded."""
    kernel = Kernel(cold=True)
    yield kernel
    kernel.stop()


@pytest.fixture(scope="session")
def kernel_process(jupyter_folders: Path) -> Iterator[Kernel]:
    """The process that modules share, one after the other."""
    with sealed_off(jupyter_folders):  # the module's own sealing comes after what lasts for the session
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
