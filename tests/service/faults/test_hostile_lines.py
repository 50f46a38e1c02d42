"""Clients that are many, slow, broken off or boundless: the others are served, each call has one answer."""

from __future__ import annotations

import json
import socket
from collections import Counter

import pytest

from tests.service.faults.checkpoints import until
from tests.service.faults.service import FRAME, Service, goes_on, running

pytestmark = pytest.mark.usefixtures("leaves_nothing")

CROWD = 200
MEBIBYTE = 2**20


def test_two_hundred_clients_at_once(service: Service) -> None:
    first = service.peer()
    held = first.eval('[hold "crowd"] [cube 1 2 3]')
    until(lambda: service.held("crowd"))
    crowd = [service.peer() for _ in range(CROWD)]
    asked = [
        (peer, peer.eval(f"[cube 1 1 {at + 1}]", artifact=at % 50 == 0), at) for at, peer in enumerate(crowd)
    ]
    # everybody is answered at once what needs no worker
    assert [peer.result(peer.ask("ping")) for peer in crowd] == [{}] * CROWD
    service.let_go("crowd")
    assert first.result(held)["volume"] == 6
    outcomes: Counter[str] = Counter()
    for peer, number, at in asked:
        answer = peer.answer(number)
        if "result" in answer:
            assert answer["result"]["volume"] == pytest.approx(at + 1)
            outcomes["result"] += 1
        else:
            assert answer["error"]["data"]["details"]["limit"] == 64
            outcomes[answer["error"]["data"]["error_code"]] += 1
    assert outcomes == {"result": 64, "VCAD_QUEUE_FULL": CROWD - 64}


def test_two_hundred_clients_that_all_go(service: Service) -> None:
    worker = service.worker()
    first = service.peer()
    first.eval('[hold "leaving"]')
    until(lambda: service.held("leaving"))
    for at in range(CROWD):
        service.peer("mesh.shm").eval(f"[cube 1 1 {at + 1}]", artifact=True)
    service.close_peers()
    goes_on(service)
    assert service.worker() == worker


def test_a_line_that_comes_byte_by_byte(service: Service) -> None:
    peer, other = service.peer(), service.peer()
    number, line = peer.line_of(
        "tools/call", {"name": "vcad.eval_code", "arguments": {"code": "[cube 1 2 3] ; größer €"}}
    )
    for at in range(len(line)):
        peer.say(line[at : at + 1])
        if at % 20 == 0:
            assert other.result(other.ask("ping")) == {}
    assert peer.result(number)["volume"] == 6


def test_half_a_line(service: Service) -> None:
    before = len(service.events("eval_enqueued"))
    for part in (1, 2, 3):
        peer = service.peer()
        _, line = peer.line_of(
            "tools/call", {"name": "vcad.eval_code", "arguments": {"code": "[crash-segv]"}}
        )
        peer.say(line[: len(line) * part // 3 - 1])
        if part == 1:
            peer.close()  # in good order
        else:
            # with a reset, as from a machine that is gone
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            peer.close()
    goes_on(service)
    # the log is written by a thread of its own
    until(lambda: len(service.events("eval_enqueued")) > before)
    assert len(service.events("eval_enqueued")) == before + 1


def test_a_line_of_64_mebibytes(service: Service) -> None:
    before = service.front.memory_info().rss
    peer = service.peer()
    piece = b"x" * MEBIBYTE
    for _ in range(64):
        peer.say(piece)
    answer = peer.line()
    assert answer is not None
    assert answer["error"]["code"] == -32700
    assert answer["error"]["data"]["error_code"] == "PAYLOAD_TOO_LARGE"
    assert answer["error"]["data"]["details"]["limit"] == 16 * MEBIBYTE
    peer.until_closed()
    goes_on(service)
    # some copies of what is taken at most, and not of what was sent
    assert service.front.memory_info().rss - before < 64 * MEBIBYTE


@pytest.mark.parametrize("text", [b'{"a":' * 100_000, b"[" * 500_000, b'"' + b"\\ud800" * 100_000 + b'"'])
def test_lines_that_are_deep_or_no_text(service: Service, text: bytes) -> None:
    peer = service.peer()
    peer.say(text + b"\n")
    answer = peer.line()
    assert answer is not None
    assert answer["error"]["code"] in {-32700, -32600}
    assert peer.result(peer.ask("ping")) == {}


# two processes read and write them: seconds for a setting that nobody needs; what is too long is tested above
@pytest.mark.soak
def test_a_service_that_takes_64_mebibytes(service: Service) -> None:
    with running(service.folder / "large", wrapped=False, VCAD_LINE_MAX=str(80 * MEBIBYTE)) as large:
        peer = large.peer()
        code = json.dumps("[cube 1 2 3] ; " + "x" * 64 * MEBIBYTE)
        peer.say(
            b'{"jsonrpc":"2.0","id":"large","method":"tools/call","params":'
            b'{"name":"vcad.eval_code","arguments":{"code":' + code.encode() + b"}}}\n"
        )
        answer = peer.line()
        assert answer is not None
        assert answer["id"] == "large"
        assert answer["result"]["volume"] == 6
        assert peer.result(peer.eval(FRAME))["volume"] == 6000
        large.close_peers()
        assert large.end() == 0
