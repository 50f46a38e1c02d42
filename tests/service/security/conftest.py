"""One service for all tests of this folder that leave it as they found it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.security.real_service import RealService, Wire, real_service


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    with real_service(tmp_path_factory.mktemp("service")) as running:
        yield running
        assert running.is_alive


@pytest.fixture
def peer(service: RealService) -> Iterator[Wire]:
    """A connection that has said hello."""
    with service.session() as wire:
        yield wire
