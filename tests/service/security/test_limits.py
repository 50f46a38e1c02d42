"""Whoever asks for too much of something is told so, and everybody else goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.service.security.real_service import Closed, RealService, Wire, real_service, until

pytestmark = pytest.mark.xdist_group("security")  # they share one service

LINE_MAX = 200_000
ENDLESS = "[fn spin [n] [spin [+ n 1]]]\n[spin 0]"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    """A service that allows little."""
    with real_service(
        tmp_path_factory.mktemp("small"),
        cold=True,  # in 256 MiB it has no room for what begins warm
        variables={
            "VCAD_MAX_QUEUE": "2",
            "VCAD_LINE_MAX": str(LINE_MAX),
            "VCAD_WORKER_MEMORY_MB": "256",
            "VCAD_EVAL_TIMEOUT_MS": "1500",
        },
    ) as running:
        with running.session() as wire:
            until(lambda: "result" in wire.tool("vcad.eval_code", {"code": "[cube 1 1 1]"}))
        yield running
        assert running.is_alive
        with running.session() as wire:
            until(lambda: "result" in wire.tool("vcad.eval_code", {"code": "[cube 1 1 1]"}))


def test_more_than_may_wait_are_refused_at_once(small: RealService) -> None:
    with small.session() as wire:
        numbers = [
            wire.begin("vcad.eval_code", {"code": ENDLESS}, request_id=f"r{count}") for count in range(20)
        ]
        # what needs no worker is answered meanwhile, to everybody
        with small.session() as other:
            assert other.is_usable()
        refused = [wire.answer(number)["error"]["data"] for number in numbers]
        full = [one for one in refused if one["error_code"] == "VCAD_QUEUE_FULL"]
        # one ran and two waited; which those are depends on when the first began
        assert len(full) >= 17
        assert all(one["details"]["limit"] == 2 for one in full)
        assert {one["error_code"] for one in refused} == {"VCAD_QUEUE_FULL", "VCAD_EVAL_TIMEOUT"}


def test_time_has_an_end(small: RealService) -> None:
    with small.session() as wire:
        refusal = wire.refusal("vcad.eval_code", {"code": ENDLESS})
        assert refusal["error_code"] == "VCAD_EVAL_TIMEOUT"
        assert wire.is_usable()


@pytest.mark.parametrize(
    "code",
    [
        '[fn grow [s] [grow [str s s]]]\n[grow "0123456789"]',
        "[fn grow [v] [grow [append v v]]]\n[grow #[1 2 3 4]]",
        "[range 0 100000000000]",
        "[fn grow [n] [+ 1 [grow n]]]\n[grow 1]",
        "[pow 10 100000000]",
    ],
)
def test_memory_has_an_end(small: RealService, code: str) -> None:
    with small.session() as wire:
        refusal = wire.refusal("vcad.eval_code", {"code": code})
        assert refusal["error_code"] in (
            "WORKER_OUT_OF_MEMORY",
            "LOON_RUNTIME",
            "LOON_TYPE",
            "VCAD_EVAL_TIMEOUT",
            "GEOMETRY_INVALID",
        ), refusal
        until(lambda: "result" in wire.tool("vcad.eval_code", {"code": "[cube 1 1 1]"}))


def test_what_is_printed_has_an_end(small: RealService) -> None:
    code = f'[fn talk [n] [do [println "{"x" * 1000}"] [if [= n 0] 0 [talk [- n 1]]]]]\n[talk 5000]'
    with small.session(None, "output") as wire:
        refusal = wire.refusal("vcad.eval_code", {"code": code}, request_id="talk")
        assert refusal["error_code"] in ("PAYLOAD_TOO_LARGE", "GEOMETRY_INVALID"), refusal
        assert len(json.dumps(refusal)) < LINE_MAX
        assert wire.is_usable()


def _ping(size: int) -> bytes:
    """A ping whose line, with its end, has so many bytes."""
    frame = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}\n'
    return frame[:-4] + b"x" * (size - len(frame)) + frame[-4:]


def test_the_longest_line_is_read_and_one_byte_more_is_not(small: RealService) -> None:
    with small.session() as wire:
        wire.say(_ping(LINE_MAX))
        assert "result" in wire.line()
        wire.say(_ping(LINE_MAX + 1))
        refusal = wire.line()["error"]["data"]
        assert refusal["error_code"] == "PAYLOAD_TOO_LARGE"
        assert refusal["details"]["limit"] == LINE_MAX
        with pytest.raises(Closed):
            wire.line()


def test_a_line_without_end_is_not_kept(small: RealService) -> None:
    front = psutil.Process(small.process.pid)
    before = front.memory_info().rss
    with small.connect() as wire:
        for _ in range(100):
            wire.say(b"x" * 2**20)
        assert wire.line()["error"]["data"]["error_code"] == "PAYLOAD_TOO_LARGE"
        with pytest.raises(Closed):
            wire.line()
    assert front.memory_info().rss < before + 50 * 2**20


def test_a_client_that_reads_nothing_does_not_fill_the_memory(small: RealService) -> None:
    front = psutil.Process(small.process.pid)
    before = front.memory_info().rss
    with small.session() as wire:
        wire.socket.settimeout(0.3)

        def ask_on() -> None:
            for _ in range(100_000):
                wire.say(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 100)

        # the service stops to read when its answers are not
        with pytest.raises(TimeoutError):
            ask_on()
        assert front.memory_info().rss < before + 50 * 2**20
        with small.session() as other:
            assert other.is_usable()


def test_a_crowd_that_does_not_say_hello_keeps_nobody_out(small: RealService) -> None:
    front = psutil.Process(small.process.pid)
    crowd: list[Wire] = []
    try:
        with small.session() as first:
            for _ in range(400):
                crowd.append(small.connect())
            assert first.is_usable()
        until(lambda: len(front.net_connections("tcp")) < 270)
        with small.session() as wire:
            assert wire.is_usable()
            assert "result" in wire.tool("vcad.eval_code", {"code": "[cube 1 1 1]"})
    finally:
        for one in crowd:
            one.close()


def test_connections_that_come_and_go_leave_nothing(small: RealService) -> None:
    front = psutil.Process(small.process.pid)
    until(lambda: len(front.net_connections("tcp")) == 1)
    before = front.num_fds()
    for count in range(100):
        wire = small.connect()
        if count % 3 == 0:
            wire.ask("ping")
        if count % 3 == 1:
            wire.say(b'{"jsonrpc":')
        if count % 2:
            # a reset, rather than an orderly end
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        wire.close()
    until(lambda: front.num_fds() <= before)


@pytest.mark.parametrize("depth", [10, 90, 99, 100, 150, 240, 330, 500, 990, 1100, 3000, 100_000])
@pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a":', b"}")])
def test_json_of_any_depth_is_answered(
    service: RealService, depth: int, brackets: tuple[bytes, bytes]
) -> None:
    opening, closing = brackets
    nested = opening * depth + b"1" + closing * depth
    places = [
        b'{"name":"vcad.eval_code","arguments":{"code":"[cube 1 1 1]","bindings":{"a":%s}}}',
        b'{"name":"vcad.eval_code","arguments":{"code":"[cube 1 1 1]","unknown":%s}}',
        b'{"name":"vcad.eval_cell","arguments":{"code":"[cube 1 1 1]","prelude":%s}}',
        b'{"name":"vcad.ask","arguments":{"question":"figures","document_hash":"x","document":%s}}',
        b'{"name":"vcad.eval_code","arguments":%s}',
        b'{"name":%s}',
    ]
    with service.session() as wire:
        for place in places:
            wire.say(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + place % nested + b"}\n")
            answer = wire.line()
            if "error" in answer:
                code = answer["error"]["data"]["error_code"]
                assert code not in ("INTERNAL_ERROR", "WORKER_CRASHED"), (depth, place[:60], answer)
        wire.say(nested + b"\n")
        assert "error" in wire.line()
        assert wire.is_usable()


@pytest.mark.parametrize(
    "number",
    [
        "1e999",
        "-1e999",
        "1" + "0" * 400,
        "1" + "0" * 5000,
        "-0.0",
        "1e-400",
        "NaN",
        "Infinity",
        "18446744073709551616",
        "1e308",
        "0.1e1",
        "9" * 30,
    ],
)
def test_numbers_of_any_size_are_answered(service: RealService, number: str) -> None:
    calls = [
        '{"jsonrpc":"2.0","id":%s,"method":"ping"}',
        '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":%s}}',
        '{"jsonrpc":%s,"id":7,"method":"ping"}',
        *(
            '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + params + "}"
            for params in (
                '{"name":"vcad.eval_code","arguments":{"code":"[cube 1 1 1]"},"revision":%s}',
                '{"name":"vcad.eval_code","arguments":{"code":"[cube 1 1 1]","tolerance":%s}}',
                '{"name":"vcad.eval_code","arguments":{"code":"[cube 1 1 n]","bindings":{"n":%s}}}',
                '{"name":"vcad.eval_code","arguments":{"code":"[cube 1 1 1]","parameters":{"n":%s}}}',
                '{"name":"vcad.watch_poll","arguments":{"wait_ms":%s}}',
                '{"name":"vcad.ask","arguments":{"question":"figures","document_hash":"x","node":%s}}',
            )
        ),
    ]
    with service.session(None, "mesh.shm") as wire:
        for call in calls:
            if "wait_ms" in call:
                wire.result("vcad.watch_stop", {})
            wire.say((call % number).encode() + b"\n")
            answer: dict[str, Any] = wire.line()
            if "error" in answer:
                code = answer["error"]["data"]["error_code"]
                assert code not in ("INTERNAL_ERROR", "WORKER_CRASHED"), (call, answer)
        assert wire.is_usable()


def test_polls_that_wait_keep_nobody_else_waiting(service: RealService, peer: Wire) -> None:
    with service.session() as waiting:
        waiting.result("vcad.watch_start", {"dir": "."})
        numbers = [waiting.begin("vcad.watch_poll", {"wait_ms": 60_000}) for _ in range(40)]
        assert waiting.is_usable()
        peer.result("vcad.watch_start", {"dir": "."})
        assert peer.result("vcad.eval_code", {"code": "[cube 1 1 1]", "artifact": True})["obj_path"]
        assert peer.result("vcad.watch_poll", {"wait_ms": 1}) == {"changes": []}
        waiting.result("vcad.watch_stop", {})
        assert [waiting.answer(number)["result"] for number in numbers] == [{"changes": []}] * 40


def test_a_file_that_is_too_large_is_not_read(service: RealService, peer: Wire) -> None:
    for name in ("huge.loon", "huge.stl"):
        with Path(service.workspace / name).open("wb") as file:
            file.truncate(2**33)
    refusal = peer.refusal("vcad.eval_file", {"path": "huge.loon"})
    assert refusal["error_code"] == "PAYLOAD_TOO_LARGE"
    refusal = peer.refusal("vcad.eval_code", {"code": '[import-mesh "huge.stl"]'})
    assert refusal["error_code"] == "PAYLOAD_TOO_LARGE"
    for name in ("huge.loon", "huge.stl"):
        (service.workspace / name).unlink()
