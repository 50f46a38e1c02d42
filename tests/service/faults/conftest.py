"""One service that most of these tests maltreat, and what must be true of it after each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.faults.service import Service, goes_on, running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Lives through all of it and ends in good order."""
    with running(tmp_path_factory.mktemp("service"), VCAD_WORKER_MEMORY_MB="512") as started:
        goes_on(started)
        # what it makes once, when somebody needs it first: a folder for files that clients fetch
        peer = started.peer()
        question = {"question": "figures", "document_hash": "0" * 64, "parts": []}
        peer.answer(peer.tool("vcad.ask", question))
        yield started
        started.close_peers()
        started.worker()
        assert started.end() == 0


@pytest.fixture
def leaves_nothing(service: Service) -> Iterator[None]:
    """Nothing is left of a test: no process, descriptor, file in memory, half artifact or client."""
    before = service.at_rest()
    yield
    service.until_at_rest(before)
    goes_on(service)
    service.close_peers()
