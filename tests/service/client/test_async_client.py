"""The asyncio client before a service that does as it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.service.client.fake_server import PATIENCE, FakeCall, FakeServer, welcome
from vcad_kernel.errors import ErrorCode, LoonNameError, VcadError
from vcad_kernel.service.client.async_client import AsyncServiceClient, Backoff, Listener
from vcad_kernel.service.client.failures import Address

T = TypeVar("T")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def run(
    server: FakeServer | Address, work: Callable[[AsyncServiceClient], Awaitable[T]], **options: Any
) -> T:
    """What some work with a client of a service gives."""
    address = server if isinstance(server, Address) else server.address

    async def whole() -> T:
        client = AsyncServiceClient(address, Path.cwd(), **options)
        try:
            async with asyncio.timeout(PATIENCE):
                return await work(client)
        finally:
            await client.close()

    return asyncio.run(whole())


def failure(server: FakeServer | Address, tool: str = "vcad.eval_code", **options: Any) -> VcadError:
    """How a call of a tool fails."""

    async def work(client: AsyncServiceClient) -> VcadError:
        with pytest.raises(VcadError) as failed:
            await client.tool(tool, {})
        return failed.value

    return run(server, work, **options)


def test_the_first_call_says_hello_with_token_and_workspace(server: FakeServer) -> None:
    run(server, lambda client: client.ping())
    said = server.await_call("hello").params
    assert said["token"] == "secret"
    assert said["workspace"] == str(Path.cwd())
    assert said["protocol_version"] == 1
    assert "mesh.shm" in said["requested_capabilities"]


def test_answers_find_their_call_in_whatever_order_they_come(server: FakeServer) -> None:
    waiting: list[FakeCall] = []

    def collect(call: FakeCall) -> None:
        waiting.append(call)
        if len(waiting) == 20:
            for one in reversed(waiting):
                one.answer(one.arguments)

    server.on("vcad.eval_code", collect)

    async def work(client: AsyncServiceClient) -> list[Any]:
        return await asyncio.gather(*(client.tool("vcad.eval_code", {"n": n}) for n in range(20)))

    assert run(server, work) == [{"n": n} for n in range(20)]
    assert server.connections == 1


def test_a_refusal_is_the_error_that_the_service_had(server: FakeServer) -> None:
    server.on(
        "vcad.eval_code",
        lambda call: call.refuse(
            "LOON_RUNTIME",
            "x is not bound",
            code="E0201",
            file="cell",
            line=1,
            column=2,
            end_line=1,
            end_column=3,
            text="[x]",
            error_class="LoonNameError",
        ),
    )
    error = failure(server)
    assert isinstance(error, LoonNameError)
    assert error.render() == "[E0201] x is not bound\n  --> cell:1:2\n  1 | [x]\n    |  ^"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"code": -32601, "message": "no such method"}, ErrorCode.METHOD_NOT_FOUND),
        ({"code": -32603, "message": "oh"}, ErrorCode.INTERNAL_ERROR),
        ("nonsense", ErrorCode.INTERNAL_ERROR),
        ({"data": {"error_code": "LOON_TYPE"}}, ErrorCode.SCHEMA_VALIDATION_FAILED),
        ({"data": {"error_code": "OF_TOMORROW", "message": "?", "details": {}}}, "OF_TOMORROW"),
    ],
)
def test_every_refusal_is_some_error(server: FakeServer, answer: Any, code: str) -> None:
    server.on("vcad.eval_code", lambda call: call.say({"id": call.message["id"], "error": answer}))
    assert failure(server).error_code == code


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (lambda call: call.hang_up(), "it closed the connection"),
        (lambda call: call.break_off(), "not there"),
        (lambda call: (call.raw(b'{"jsonrpc": "2.0", "id"'), call.hang_up()), "in the middle of an answer"),
        (lambda call: call.raw(b"no json\n"), "a line that is no JSON"),
        (lambda call: call.raw(b"\xff\xfe\n"), "a line that is no JSON"),
        (lambda call: call.raw(b"[1]\n"), "a line that is no message"),
        (lambda call: call.raw(b"[" * 100_000 + b"\n"), "a line that is no JSON"),
        (lambda call: call.raw(b" " * 300_000 + b"\n"), "longer than is read"),
        (
            lambda call: (
                call.say({"id": None, "error": {"code": -32700, "message": "the line was too long"}}),
                call.hang_up(),
            ),
            "the line was too long",
        ),
    ],
)
def test_whoever_waits_when_the_connection_ends_is_told_why(
    server: FakeServer, last: Callable[[FakeCall], object], said: str
) -> None:
    server.on("vcad.eval_code", last)
    error = failure(server, line_max=200_000)
    assert error.error_code == ErrorCode.CONNECTION_FAILED
    assert said in error.message
    assert error.details["operation"] == "vcad.eval_code"
    assert (error.details["host"], error.details["port"]) == (server.address.host, server.address.port)


def test_the_call_after_the_connection_has_ended_makes_another(server: FakeServer) -> None:
    server.on("vcad.eval_code", lambda call: call.hang_up())

    async def work(client: AsyncServiceClient) -> object:
        with pytest.raises(VcadError):
            await client.tool("vcad.eval_code", {})
        server.on("vcad.eval_code", lambda call: call.answer(5))
        return await client.tool("vcad.eval_code", {})

    assert run(server, work) == 5
    assert server.connections == 2


def test_a_service_that_is_not_there_is_tried_again_with_longer_and_longer_pauses() -> None:
    with FakeServer() as gone:
        address = gone.address
    pauses: list[float] = []

    async def note(seconds: float) -> None:
        pauses.append(seconds)

    error = failure(address, pause=note)
    assert error.error_code == ErrorCode.CONNECTION_FAILED
    assert pauses == [0.05, 0.1, 0.2, 0.4]


def test_a_host_may_have_a_name_and_need_not_exist(server: FakeServer) -> None:
    run(Address("localhost", server.address.port), lambda client: client.ping())
    error = failure(Address("no.such.host.invalid", 1), backoff=Backoff(tries=1))
    assert error.error_code == ErrorCode.CONNECTION_FAILED


def test_pauses_have_a_longest() -> None:
    assert list(Backoff(1.0, 2.0, 4).pauses()) == [1.0, 2.0, 2.0, None]


def test_a_service_that_comes_back_meanwhile_is_found(server: FakeServer) -> None:
    server.stop_listening()

    async def note(_: float) -> None:
        server.listen_again()

    run(server, lambda client: client.ping(), pause=note)
    assert server.connections == 1


@pytest.mark.parametrize("code", ["AUTH_INVALID", "PROTOCOL_MISMATCH", "CAPABILITY_UNAVAILABLE"])
def test_a_service_that_refuses_the_client_is_not_asked_twice(server: FakeServer, code: str) -> None:
    details = {
        "PROTOCOL_MISMATCH": {"expected_protocol": 2, "actual_protocol": 1},
        "CAPABILITY_UNAVAILABLE": {"required_capability": "eval", "negotiated_capabilities": []},
    }
    server.on("hello", lambda call: call.refuse(code, **details.get(code, {})))
    assert failure(server).error_code == code
    assert server.connections == 1


def test_a_service_of_another_version_is_refused(server: FakeServer) -> None:
    server.on("hello", lambda call: call.answer(welcome(protocol_version=2)))
    error = failure(server)
    assert error.error_code == ErrorCode.PROTOCOL_MISMATCH
    assert error.details["actual_protocol"] == 2


def test_a_hello_that_says_nothing_is_refused(server: FakeServer) -> None:
    server.on("hello", lambda call: call.answer({"protocol_version": 1}))
    assert failure(server).error_code == ErrorCode.SCHEMA_VALIDATION_FAILED


def test_what_does_not_answer_in_time_is_left(server: FakeServer) -> None:
    server.on("vcad.modules", lambda call: None)

    async def work(client: AsyncServiceClient) -> VcadError:
        await client.ping()
        client.seconds = 0.05
        with pytest.raises(VcadError) as failed:
            await client.tool("vcad.modules", {})
        client.seconds = PATIENCE
        await client.ping()
        return failed.value

    error = run(server, work)
    assert error.error_code == ErrorCode.CONNECTION_TIMEOUT
    assert error.details["operation"] == "vcad.modules"
    assert server.connections == 2


def test_an_evaluation_is_waited_for_as_long_as_the_service_says(server: FakeServer) -> None:
    server.on("vcad.eval_code", lambda call: server.later(0.02, lambda: call.answer(1)))

    async def work(client: AsyncServiceClient) -> object:
        await client.ping()
        client.seconds = 0.001
        return await client.tool("vcad.eval_code", {})

    assert run(server, work) == 1


def test_giving_up_a_call_cancels_it_and_gives_back_its_mesh(server: FakeServer) -> None:
    server.on("vcad.eval_code", lambda call: None)

    async def work(client: AsyncServiceClient) -> None:
        task = asyncio.ensure_future(client.tool("vcad.eval_code", {}, request_id="mine"))
        call = await asyncio.to_thread(server.await_call, "vcad.eval_code")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await asyncio.to_thread(server.await_call, "vcad.cancel")).arguments == {"request_id": "mine"}
        server.do(lambda: call.answer({"mesh": {"block": "b7"}}))
        released = await asyncio.to_thread(server.await_call, "vcad.release")
        assert released.arguments == {"block": "b7"}
        assert "id" not in released.message

    run(server, work)


def test_what_is_heard_of_a_call_goes_to_who_made_it(server: FakeServer) -> None:
    def talk(call: FakeCall) -> None:
        call.notify("vcad.output", offset=0, text="hello")
        call.notify("vcad.progress", phase="running", done=1, total=2)
        call.say({"method": "vcad.output", "params": {"request_id": "another", "offset": 0, "text": "no"}})
        call.say({"method": "vcad.output"})
        call.say({"method": "of tomorrow", "params": []})
        call.answer(1)

    server.on("vcad.eval_code", talk)
    heard: list[object] = []
    listener = Listener(
        lambda offset, text: heard.append((offset, text)), lambda said: heard.append(said["phase"])
    )
    run(server, lambda client: client.tool("vcad.eval_code", {}, listener=listener))
    assert heard == [(0, "hello"), "running"]


def test_a_call_that_the_service_would_not_read_is_not_sent(server: FakeServer) -> None:
    server.on("hello", lambda call: call.answer(welcome(line_max=1000)))

    async def work(client: AsyncServiceClient) -> VcadError:
        with pytest.raises(VcadError) as failed:
            await client.tool("vcad.eval_code", {"code": "1" * 2000})
        await client.ping()
        return failed.value

    error = run(server, work)
    assert error.error_code == ErrorCode.PAYLOAD_TOO_LARGE
    assert error.details["limit"] == 1000
    assert server.connections == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "itself"])
def test_what_json_has_no_words_for_is_not_sent(server: FakeServer, value: Any) -> None:
    arguments: dict[str, Any] = {"value": value}
    if value == "itself":
        arguments["value"] = arguments

    async def work(client: AsyncServiceClient) -> VcadError:
        with pytest.raises(VcadError) as failed:
            await client.tool("vcad.eval_code", arguments)
        await client.ping()
        return failed.value

    assert run(server, work).error_code == ErrorCode.INVALID_PARAMS


def test_text_of_any_kind_travels(server: FakeServer) -> None:
    text = "µ \ud800 \U0001f600 \u2028 \0"
    server.on("vcad.eval_code", lambda call: call.answer(call.arguments["code"]))
    assert run(server, lambda client: client.tool("vcad.eval_code", {"code": text})) == text


def test_one_who_stops_waiting_for_the_connection_leaves_it_to_the_others(server: FakeServer) -> None:
    session: list[FakeCall] = []
    server.on("hello", session.append)

    async def work(client: AsyncServiceClient) -> None:
        impatient = asyncio.ensure_future(client.ping())
        patient = asyncio.ensure_future(client.ping())
        await asyncio.to_thread(server.await_call, "hello")
        impatient.cancel()
        server.do(lambda: session[0].answer(welcome()))
        await patient

    run(server, work)
    assert server.connections == 1


def test_a_closed_client_stays_closed(server: FakeServer) -> None:
    async def work(client: AsyncServiceClient) -> VcadError:
        await client.ping()
        await client.close()
        with pytest.raises(VcadError) as failed:
            await client.ping()
        return failed.value

    assert run(server, work).error_code == ErrorCode.CONNECTION_FAILED
    server.await_idle()


def test_the_token_is_never_shown(server: FakeServer) -> None:
    assert "secret" not in repr(server.address)
    server.on("hello", lambda call: call.hang_up())
    error = failure(server, backoff=Backoff(tries=1))
    assert "secret" not in error.render()
    assert "secret" not in json.dumps(error.details)
