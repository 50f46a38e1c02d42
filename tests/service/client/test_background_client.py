"""The client on its own thread: waiting, listening, interrupting, closing, forking."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.client.fake_server import FakeCall, FakeServer
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, VcadError
from vcad_kernel.service.client.async_client import AsyncServiceClient
from vcad_kernel.service.client.background_client import BackgroundClient


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@pytest.fixture
def client(server: FakeServer) -> Iterator[BackgroundClient]:
    background = BackgroundClient(lambda: AsyncServiceClient(server.address, Path.cwd()))
    yield background
    background.close()


def evaluate(client: BackgroundClient, **heard: Any) -> Any:
    return client.do(
        lambda inner, request_id, listener: inner.tool(
            "vcad.eval_code", {}, request_id=request_id, listener=listener
        ),
        **heard,
    )


def test_a_call_waits_for_its_answer(server: FakeServer, client: BackgroundClient) -> None:
    server.on("vcad.eval_code", lambda call: call.answer({"display": "3"}))
    assert evaluate(client) == {"display": "3"}


def test_what_is_heard_is_passed_on_in_the_callers_thread_before_the_answer(
    server: FakeServer, client: BackgroundClient
) -> None:
    def talk(call: FakeCall) -> None:
        for number in range(50):
            call.notify("vcad.output", offset=number, text="x")
        call.answer(None)

    server.on("vcad.eval_code", talk)
    heard: list[tuple[int, str, int]] = []
    evaluate(client, output=lambda offset, text: heard.append((offset, text, threading.get_ident())))
    assert heard == [(number, "x", threading.get_ident()) for number in range(50)]


def test_errors_come_through(server: FakeServer, client: BackgroundClient) -> None:
    server.on("vcad.eval_code", lambda call: call.refuse("VCAD_QUEUE_FULL", limit=64))
    with pytest.raises(VcadError) as failed:
        evaluate(client)
    assert failed.value.error_code == ErrorCode.VCAD_QUEUE_FULL


def interrupt(_: FakeCall) -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def test_an_interrupt_cancels_the_call_and_waits_a_moment_for_that(
    server: FakeServer, client: BackgroundClient
) -> None:
    server.on("vcad.eval_code", interrupt)
    server.on("vcad.cancel", lambda call: call.answer({"cancelled": True}))
    with pytest.raises(KeyboardInterrupt):
        evaluate(client)
    assert server.await_call("vcad.cancel").arguments == {
        "request_id": server.await_call("vcad.eval_code").request_id
    }


def test_an_interrupt_ends_within_a_moment_though_the_service_says_nothing(
    server: FakeServer, client: BackgroundClient
) -> None:
    server.on("vcad.eval_code", interrupt)
    server.on("vcad.cancel", lambda call: None)
    with pytest.raises(KeyboardInterrupt):
        evaluate(client)
    server.await_call("vcad.cancel")


def test_a_failure_of_who_listens_stops_the_call(server: FakeServer, client: BackgroundClient) -> None:
    server.on("vcad.eval_code", lambda call: call.notify("vcad.output", offset=0, text="x"))

    def broken(offset: int, text: str) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        evaluate(client, output=broken)
    server.await_call("vcad.cancel")


def test_calls_of_several_threads_are_under_way_at_once(server: FakeServer, client: BackgroundClient) -> None:
    waiting: list[FakeCall] = []

    def collect(call: FakeCall) -> None:
        waiting.append(call)
        if len(waiting) == 8:
            for one in waiting:
                one.answer(1)

    server.on("vcad.eval_code", collect)
    threads = [threading.Thread(target=evaluate, args=(client,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(waiting) == 8
    assert server.connections == 1


def test_closing_ends_the_connection_and_the_thread(server: FakeServer, client: BackgroundClient) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))
    before = threading.active_count()
    evaluate(client)
    client.close()
    server.await_idle()
    assert threading.active_count() == before
    with pytest.raises(VcadError) as failed:
        evaluate(client)
    assert failed.value.error_code == ErrorCode.CONNECTION_FAILED
    client.close()


def test_a_client_that_nobody_has_any_more_closes_itself(server: FakeServer) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))
    evaluate(BackgroundClient(lambda: AsyncServiceClient(server.address, Path.cwd())))
    gc.collect()
    server.await_idle()


def test_beginning_connects_without_waiting(server: FakeServer, client: BackgroundClient) -> None:
    client.begin()
    server.await_call("hello")


def test_a_failed_beginning_is_told_to_the_first_call() -> None:
    with FakeServer() as gone:
        address = gone.address
    client = BackgroundClient(lambda: AsyncServiceClient(address, Path.cwd()))
    client.begin()
    with pytest.raises(VcadError):
        evaluate(client)
    client.close()
    gc.collect()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_connection_of_its_own(server: FakeServer, client: BackgroundClient) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(call.params["request_id"]))
    evaluate(client)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if evaluate(client) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert server.connections == 2
    assert evaluate(client)
    assert server.connections == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_keep_the_parents_connection_open(
    server: FakeServer, client: BackgroundClient
) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))
    evaluate(client)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)  # until the parent is done
        os._exit(0)
    os.close(reading)
    client.close()
    server.await_idle()
    os.close(writing)
    os.waitpid(child, 0)


def test_a_process_that_ends_without_closing_says_nothing_of_it(server: FakeServer) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))
    program = textwrap.dedent(
        f"""
        from pathlib import Path
        from tests.service.client.test_background_client import evaluate
        from vcad_kernel.service.client.async_client import AsyncServiceClient
        from vcad_kernel.service.client.background_client import BackgroundClient
        from vcad_kernel.service.client.failures import Address
        client = BackgroundClient(
            lambda: AsyncServiceClient(Address("127.0.0.1", {server.address.port}), Path.cwd())
        )
        print(evaluate(client))
        """
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=30
    )
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)


def test_a_call_that_a_service_killed_just_before_never_took_up_is_made_once_more(
    server: FakeServer, client: BackgroundClient
) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))
    assert evaluate(client) == 1
    server.on("vcad.eval_code", lambda call: call.hang_up() if server.connections == 1 else call.answer(2))
    assert evaluate(client) == 2
    assert server.connections == 2


def test_a_call_that_the_service_had_taken_up_is_not_made_again(
    server: FakeServer, client: BackgroundClient
) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))
    evaluate(client)

    def die(call: FakeCall) -> None:
        call.notify("vcad.progress", phase="queued", queue_place=1)
        call.hang_up()

    server.on("vcad.eval_code", die)
    with pytest.raises(VcadError) as failed:
        evaluate(client)
    assert failed.value.error_code == ErrorCode.CONNECTION_FAILED
    assert len([call for call in server.heard if call.name == "vcad.eval_code"]) == 2


def test_a_machine_without_room_for_a_thread_is_told_with_a_way_out(
    server: FakeServer, client: BackgroundClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("vcad.eval_code", lambda call: call.answer(1))

    def full(_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as memory:
        memory.setattr(threading.Thread, "start", full)
        with pytest.raises(CapabilityUnavailable, match="no thread can be started") as refused:
            evaluate(client)
    assert "close other" in (refused.value.fix or "")
    assert evaluate(client) == 1
