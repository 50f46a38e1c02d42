"""Sessions of these tests have services that begin warm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.warm import launch_service
from vcad_kernel.service.client.launcher import Launcher


@pytest.fixture(scope="module", autouse=True)
def _services_begin_warm() -> Iterator[None]:
    defaults = Launcher.__init__.__kwdefaults__
    assert defaults is not None
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(defaults, "launch", launch_service)
        yield
