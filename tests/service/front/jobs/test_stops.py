"""How evaluations end that do not end by themselves: cancelled, too late, crashed, too large."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.service.front.service import Peer, Service, fake_command, in_loop, service, steps
from tests.steady_clock import SteadyClock
from vcad_kernel.service.front.jobs.job import Clock


async def started(running: Service, peer: Peer, *program: list[Any], **beside: Any) -> int:
    """A job that the worker has begun; its first step says so."""
    note = running.folder / f"begun-{peer.number}-{id(peer)}"
    number = peer.run(["touch", str(note)], *program, **beside)
    await running.until(note.exists)
    return number


async def pid(peer: Peer) -> int:
    return int((await peer.result(peer.run(["pid"])))["pid"])


async def cancel(peer: Peer, request_id: str) -> bool:
    return bool((await peer.result(peer.tool("vcad.cancel", {"request_id": request_id})))["cancelled"])


# ---- cancel ------------------------------------------------------------------------------------


def test_a_running_job_is_cancelled_at_once_and_the_worker_goes_on(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            before = await pid(peer)
            number = await started(running, peer, ["sleep", 60], request_id="r")
            assert await cancel(peer, "r")
            found = await peer.refusal(number)
            assert found["error_code"] == "EVAL_CANCELLED"
            assert found["details"]["operation"] == "vcad.eval_code"
            assert await pid(peer) == before

    in_loop(test())


def test_a_worker_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, fake_command(grace_seconds=0.1)) as running:
            peer = await running.peer()
            before = await pid(peer)
            number = await started(running, peer, ["ignore"], ["sleep", 60], request_id="r")
            assert await cancel(peer, "r")
            assert (await peer.refusal(number))["error_code"] == "EVAL_CANCELLED"
            assert await pid(peer) != before

    in_loop(test())


def test_a_waiting_job_is_cancelled_and_never_starts(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            gate, note = tmp_path / "gate", tmp_path / "note"
            first = await started(running, peer, ["hold", str(gate)])
            second = peer.run(["touch", str(note)], request_id="r")
            assert await cancel(peer, "r")
            assert (await peer.refusal(second))["error_code"] == "EVAL_CANCELLED"
            gate.touch()
            await peer.result(first)
            await pid(peer)
            assert not note.exists()

    in_loop(test())


def test_what_is_done_or_unknown_cannot_be_cancelled(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            await peer.result(peer.run(request_id="r"))
            assert not await cancel(peer, "r")
            assert not await cancel(peer, "no such")

    in_loop(test())


def test_a_job_may_be_cancelled_over_another_connection_of_the_workspace(tmp_path: Path) -> None:
    async def test() -> None:
        (tmp_path / "other").mkdir()
        async with service(tmp_path) as running:
            one, two, stranger = await running.peer(), await running.peer(), await running.connect()
            assert "result" in await stranger.hello(workspace=str(tmp_path / "other"))
            number = await started(running, one, ["sleep", 60], request_id="r")
            assert not await cancel(stranger, "r")
            assert await cancel(two, "r")
            assert (await one.refusal(number))["error_code"] == "EVAL_CANCELLED"

    in_loop(test())


def test_cancelling_does_not_touch_the_job_that_follows(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            for _ in range(10):
                number = await started(running, peer, ["sleep", 60], request_id="r")
                following = peer.run(["sleep", 0.01])
                cancelled = peer.tool("vcad.cancel", {"request_id": "r"})
                assert (await peer.refusal(number))["error_code"] == "EVAL_CANCELLED"
                assert (await peer.result(cancelled))["cancelled"]
                assert (await peer.result(following))["status"] == "evaluated"

    in_loop(test())


def test_the_jobs_of_a_client_that_goes_are_given_up(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, fake_command(grace_seconds=0.1)) as running:
            gone, stays = await running.peer(), await running.peer()
            note = tmp_path / "note"
            await started(running, gone, ["ignore"], ["sleep", 60])
            gone.run(["touch", str(note)])
            await running.until(lambda: len(running.events.named("eval_enqueued")) == 2)
            mine = stays.run()
            await gone.close()
            assert (await stays.result(mine))["status"] == "evaluated"
            assert not note.exists()

    in_loop(test())


# ---- too late ----------------------------------------------------------------------------------


def test_a_job_that_runs_too_long_is_ended_with_its_worker(tmp_path: Path) -> None:
    async def test() -> None:
        steady = SteadyClock()
        async with service(tmp_path, fake_command(grace_seconds=0.1), Clock(steady)) as running:
            peer = await running.peer()
            before = await pid(peer)
            number = await started(running, peer, ["ignore"], ["sleep", 60])
            steady.advance(60)
            found = await peer.refusal(number)
            assert found["error_code"] == "VCAD_EVAL_TIMEOUT"
            assert found["details"]["limit"] == 60_000
            assert found["details"]["operation"] == "vcad.eval_code"
            await running.until(lambda: len(running.events.named("worker_started")) == 2)
            assert await pid(peer) != before
            assert running.events.named("eval_timeout")

    in_loop(test())


def test_a_job_that_waits_too_long_never_starts_and_leaves_the_running_one_alone(tmp_path: Path) -> None:
    async def test() -> None:
        steady = SteadyClock()
        async with service(tmp_path, fake_command(grace_seconds=0.1), Clock(steady)) as running:
            peer = await running.peer()
            note = tmp_path / "note"
            first = await started(running, peer, ["ignore"], ["sleep", 60])
            waiting = peer.run(["touch", str(note)])
            await running.until(lambda: len(running.events.named("eval_enqueued")) == 2)
            steady.advance(60)
            assert not await cancel(peer, "nobody's")  # whatever is asked of the queue has it looked through
            assert (await peer.refusal(first))["error_code"] == "VCAD_EVAL_TIMEOUT"
            found = await peer.refusal(waiting)
            assert found["error_code"] == "VCAD_EVAL_TIMEOUT"
            assert found["details"]["was_running"] is False
            assert not note.exists()

    in_loop(test())


def test_a_worker_that_says_itself_that_time_is_up_says_where(tmp_path: Path) -> None:
    async def test() -> None:
        details = {"limit": 60_000, "code": "time-limit", "line": 3, "file": "cell"}
        async with service(tmp_path) as running:
            peer = await running.peer()
            found = await peer.refusal(peer.run(["fail", "VCAD_EVAL_TIMEOUT", details]))
            assert found["details"] == {**details, "operation": "vcad.eval_code"}
            assert len(running.events.named("worker_started")) == 1

    in_loop(test())


def test_any_time_may_be_allowed(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, eval_timeout_ms=0) as running:
            peer = await running.peer()
            result = await peer.result(peer.run(["echo"]))
            assert result["options"]["deadline_seconds"] is None

    in_loop(test())


# ---- crashes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "name", "code"),
    [(["die", "SIGSEGV"], "SIGSEGV", None), (["die", "SIGABRT"], "SIGABRT", None), (["exit", 9], None, 9)],
)
def test_a_crash_is_one_failure_and_the_next_request_works(
    tmp_path: Path, step: list[Any], name: str | None, code: int | None
) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            number, following = peer.run(step), peer.run()
            found = await peer.refusal(number)
            assert found["error_code"] == "WORKER_CRASHED"
            details = found["details"]
            assert (details["signal"], details["exit_code"]) == (name, code)
            assert details["operation"] == "vcad.eval_code"
            assert (await peer.result(following))["status"] == "evaluated"

    in_loop(test())


def test_garbage_from_a_worker_is_a_crash_and_replaces_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            before = await pid(peer)
            for step in (["garbage"], ["nonsense"]):
                found = await peer.refusal(peer.run(step))
                assert found["error_code"] == "WORKER_CRASHED"
                assert found["details"]["reason"]
            assert await pid(peer) != before

    in_loop(test())


def test_the_same_text_is_refused_after_three_crashes_until_it_changes(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            counter = tmp_path / "counter"
            program = (["touch", str(counter)], ["die", "SIGSEGV"])
            for _ in range(3):
                found = await peer.refusal(peer.run(*program, node_id="n"))
                assert "refused" not in found["details"]
            for _ in range(2):
                found = await peer.refusal(peer.run(*program, node_id="n"))
                assert found["error_code"] == "WORKER_CRASHED"
                assert found["details"]["refused"] is True
                assert found["details"]["signal"] == "SIGSEGV"
            assert len(counter.read_text().split()) == 3
            assert (await peer.result(peer.run(node_id="n")))["status"] == "evaluated"
            found = await peer.refusal(peer.run(*program, node_id="n"))
            assert "refused" not in found["details"]

    in_loop(test())


def test_emptying_the_caches_lets_a_refused_text_be_tried_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            for _ in range(4):
                found = await peer.refusal(peer.run(["exit", 1]))
            assert found["details"]["refused"]
            await peer.result(peer.tool("vcad.cache_invalidate", {}))
            assert "refused" not in (await peer.refusal(peer.run(["exit", 1])))["details"]

    in_loop(test())


def test_a_changed_file_is_tried_again(tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "a.loon"
        file.write_text("1")
        async with service(tmp_path) as running:
            peer = await running.peer()
            # the fake worker runs the text of `code`, which for a file is an unknown field
            arguments = {"path": "a.loon", "code": steps(["exit", 1])}
            for _ in range(4):
                found = await peer.refusal(peer.tool("vcad.eval_file", arguments))
            assert found["details"]["refused"]
            file.write_text("12")
            assert "refused" not in (await peer.refusal(peer.tool("vcad.eval_file", arguments)))["details"]

    in_loop(test())


def test_a_worker_that_dies_idle_is_replaced_before_anybody_asks(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            os.kill(await pid(peer), signal.SIGKILL)
            await running.until(lambda: len(running.events.named("worker_started")) == 2)
            assert (await peer.result(peer.run()))["status"] == "evaluated"

    in_loop(test())


def test_requests_fail_when_no_worker_can_be_started_and_work_once_one_can(tmp_path: Path) -> None:
    async def test() -> None:
        there = tmp_path / "there"
        async with service(tmp_path, fake_command("--start", f"file:{there}")) as running:
            peer = await running.peer()
            for _ in range(2):
                found = await peer.refusal(peer.run())
                assert found["error_code"] == "WORKER_CRASHED"
                assert found["details"]["exit_code"] == 4
                assert found["details"]["starting"] is True
            assert await peer.result(peer.ask("ping")) == {}
            there.touch()
            while "error" in (answer := await peer.answer(peer.run())):
                await asyncio.sleep(0.02)
            assert answer["result"]["status"] == "evaluated"

    in_loop(test())


# ---- memory ------------------------------------------------------------------------------------


def test_a_worker_that_takes_too_much_memory_is_ended_and_replaced(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, fake_command(cold=True), worker_memory_mb=300) as running:
            peer = await running.peer()
            before = await pid(peer)
            number = peer.run(["eat", 400], ["sleep", 60])
            found = await peer.refusal(number)
            assert found["error_code"] == "WORKER_OUT_OF_MEMORY"
            assert found["details"]["limit"] == 300
            assert found["details"]["operation"] == "vcad.eval_code"
            assert await pid(peer) != before

    in_loop(test())


def test_a_worker_that_finds_its_own_memory_used_up_is_replaced(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            before = await pid(peer)
            found = await peer.refusal(peer.run(["fail", "WORKER_OUT_OF_MEMORY", {"limit": 300}]))
            assert found["error_code"] == "WORKER_OUT_OF_MEMORY"
            assert await pid(peer) != before

    in_loop(test())


def test_a_worker_that_keeps_too_much_is_replaced_between_jobs(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, fake_command(cold=True), worker_memory_mb=300) as running:
            peer = await running.peer()
            before = await pid(peer)
            assert (await peer.result(peer.run(["eat", 230])))["status"] == "evaluated"
            assert await pid(peer) != before

    in_loop(test())
