"""The queue as clients meet it: order, bound, superseding, and what goes to and from the worker."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service.front.service import Peer, Service, in_loop, service
from vcad_kernel.service.front.jobs.job import Clock


async def blocked(running: Service, peer: Peer) -> tuple[int, Path]:
    """A job that runs until a file is there; its number and that file."""
    gate = running.folder / f"gate-{peer.number}"
    before = len(running.events.named("eval_started"))
    number = peer.run(["hold", str(gate)])
    await running.until(lambda: len(running.events.named("eval_started")) > before)
    return number, gate


def test_an_evaluation_is_answered_with_what_the_worker_found(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            number = peer.run(["set", {"volume": 42.0}], request_id="r", node_id="n", revision=3)
            result = await peer.result(number)
            assert result["volume"] == 42.0
            assert result["status"] == "evaluated"
            assert (result["request_id"], result["node_id"], result["revision"]) == ("r", "n", 3)
            assert result["obj_path"] is None
            assert result["timings_ms"]["queue"] >= 0
            assert result["timings_ms"]["total"] >= result["timings_ms"]["queue"]

    in_loop(test())


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vcad.eval_cell", {"code": "", "prelude": [], "bindings": {}}),
        ("vcad.eval_with_imports", {"transformed_source": "", "imports": {}}),
        ("vcad.inspect", {"code_or_path": "[]"}),
        ("vcad.check", {"code_or_path": "[]"}),
        ("vcad.export", {"code_or_path": "[]", "format": "stl", "output_path": "a.stl"}),
        ("vcad.eval_repl", {"code": "[]"}),
        ("vcad.cache_invalidate", {}),
    ],
)
def test_each_tool_reaches_the_worker_and_its_answer_fits_its_schema(
    tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            assert "result" in await peer.answer(peer.tool(tool, arguments))

    in_loop(test())


def test_the_worker_is_told_all_that_it_needs(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, eval_timeout_ms=10_000) as running:
            peer = await running.peer("mesh.shm")
            result = await peer.result(peer.run(["echo"], request_id="r", node_id="n", revision=2))
            options = result["options"]
            assert options["operation"] == "eval_code"
            assert options["workspace"] == str(tmp_path.resolve())
            assert options["mesh_shm"] is True
            assert (options["request_id"], options["node_id"], options["revision"]) == ("r", "n", 2)
            assert options["eval_timeout_ms"] == 10_000
            assert 5.0 < options["deadline_seconds"] <= 9.8

    in_loop(test())


def test_jobs_run_one_at_a_time_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            one, two = await running.peer(), await running.peer()
            notes = str(tmp_path / "notes")
            numbers: list[tuple[Peer, int]] = []
            for index in range(6):
                peer = (one, two)[index % 2]
                program = (["touch", notes, f"begin {index}"], ["touch", notes, f"end {index}"])
                numbers.append((peer, peer.run(*program)))
                await running.until(lambda: len(running.events.named("eval_enqueued")) == len(numbers))
            for peer, number in numbers:
                await peer.result(number)
            lines = Path(notes).read_text().splitlines()
            assert lines == [f"{word} {index}" for index in range(6) for word in ("begin", "end")]

    in_loop(test())


def test_a_full_queue_refuses_at_once_and_has_room_again_later(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, max_queue=2) as running:
            peer = await running.peer()
            first, gate = await blocked(running, peer)
            waiting = [peer.run(), peer.run()]
            refused = await peer.refusal(peer.run())
            assert refused["error_code"] == "VCAD_QUEUE_FULL"
            assert refused["details"]["limit"] == 2
            assert refused["details"]["operation"] == "vcad.eval_code"
            gate.touch()
            for number in (first, *waiting):
                assert (await peer.result(number))["status"] == "evaluated"
            assert (await peer.result(peer.run()))["status"] == "evaluated"

    in_loop(test())


def test_a_newer_job_of_a_node_supersedes_those_that_wait_and_they_never_start(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            first, gate = await blocked(running, peer)
            notes = tmp_path / "notes"
            old = peer.run(["touch", str(notes), "old"], node_id="a", request_id="old", revision=1)
            other = peer.run(["touch", str(notes), "other"], node_id="b")
            new = peer.run(["touch", str(notes), "new"], node_id="a", request_id="new", revision=2)
            result = await peer.result(old)
            assert result["status"] == "superseded"
            assert (result["request_id"], result["node_id"], result["revision"]) == ("old", "a", 1)
            gate.touch()
            for number in (first, other, new):
                assert (await peer.result(number))["status"] == "evaluated"
            assert notes.read_text().split() == ["other", "new"]

    in_loop(test())


def test_a_running_job_is_not_superseded(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            gate = tmp_path / "gate"
            first = peer.run(["hold", str(gate)], node_id="a")
            await running.until(lambda: running.events.named("eval_started"))
            second = peer.run(node_id="a")
            await running.until(lambda: len(running.events.named("eval_enqueued")) == 2)
            gate.touch()
            assert (await peer.result(first))["status"] == "evaluated"
            assert (await peer.result(second))["status"] == "evaluated"

    in_loop(test())


def test_questions_and_exports_of_a_node_are_not_superseded(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            first, gate = await blocked(running, peer)
            arguments = {"code_or_path": "[]", "format": "stl", "output_path": "a.stl"}
            export = peer.tool("vcad.export", arguments, node_id="a")
            new = peer.run(node_id="a")
            gate.touch()
            for number in (first, export, new):
                assert (await peer.result(number)).get("status") != "superseded"

    in_loop(test())


def test_clients_of_other_workspaces_do_not_supersede_each_other(tmp_path: Path) -> None:
    async def test() -> None:
        (tmp_path / "other").mkdir()
        async with service(tmp_path) as running:
            here, there = await running.peer(), await running.connect()
            assert "result" in await there.hello(workspace=str(tmp_path / "other"))
            first, gate = await blocked(running, here)
            mine, theirs = here.run(node_id="a"), there.run(node_id="a")
            await running.until(lambda: len(running.events.named("eval_enqueued")) == 3)
            gate.touch()
            assert (await here.result(first))["status"] == "evaluated"
            assert (await here.result(mine))["status"] == "evaluated"
            assert (await there.result(theirs))["status"] == "evaluated"

    in_loop(test())


def test_a_failure_of_the_program_is_passed_on_as_it_is(tmp_path: Path) -> None:
    async def test() -> None:
        details = {"count": 2, "code": "MULTI_PART_UNSUPPORTED", "stdout": "so far", "defined": ["a"]}
        async with service(tmp_path) as running:
            peer = await running.peer()
            answer = await peer.answer(peer.run(["fail", "MULTI_PART_UNSUPPORTED", details]))
            data = answer["error"]["data"]
            assert data["error_code"] == "MULTI_PART_UNSUPPORTED"
            assert data["details"] == {**details, "operation": "vcad.eval_code"}
            # the worker goes on
            assert len(running.events.named("worker_started")) == 1

    in_loop(test())


def test_a_failure_that_breaks_its_contract_is_told_as_such(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            found = await peer.refusal(peer.run(["fail", "NO_GEOMETRY", {}]))
            assert found["error_code"] == "SCHEMA_VALIDATION_FAILED"
            assert found["details"]["reported"]["error_code"] == "NO_GEOMETRY"

    in_loop(test())


def test_a_result_that_breaks_its_schema_is_told_as_such(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            found = await peer.refusal(peer.run(["set", {"volume": "large"}]))
            assert found["error_code"] == "SCHEMA_VALIDATION_FAILED"
            assert "volume" in found["details"]["path"]

    in_loop(test())


def test_printed_text_comes_before_the_answer_with_its_offset(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("output")
            number = peer.run(["print", "née "], ["print", "två "], ["print", "3"], request_id="r")
            result = await peer.result(number)
            assert result["stdout"] == "née två 3"
            pieces = peer.notifications("vcad.output")
            assert "".join(piece["text"] for piece in pieces) == "née två 3"
            offset = 0
            for piece in pieces:
                assert (piece["request_id"], piece["offset"]) == ("r", offset)
                offset += len(piece["text"])

    in_loop(test())


def test_progress_tells_place_in_the_queue_and_phase(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("progress")
            _, gate = await blocked(running, peer)
            before = peer.run(request_id="before")
            number = peer.run(["progress", "geometry", 1, 2], request_id="r")
            await peer.notified(lambda one: one["params"]["request_id"] == "r")
            gate.touch()
            await peer.result(number)
            await peer.result(before)
            told = [
                (one["phase"], one["queue_place"], one["done"], one["total"])
                for one in peer.notifications("vcad.progress")
                if one["request_id"] == "r"
            ]
            assert told == [
                ("queued", 2, 0, None),
                ("queued", 1, 0, None),
                ("starting", None, 0, None),
                ("geometry", None, 1, 2),
            ]

    in_loop(test())


def test_nobody_is_notified_who_has_not_asked_for_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            await peer.result(peer.run(["print", "x"], ["progress", "geometry", 1, 2], request_id="r"))
            assert peer.heard == []

    in_loop(test())


def test_a_jump_of_the_calendar_changes_no_times(tmp_path: Path) -> None:
    async def test() -> None:
        moments = [datetime(2030, 1, 1, tzinfo=UTC) - timedelta(days=400 * index) for index in range(10)]
        clock = Clock(wall=lambda: moments.pop(0))
        async with service(tmp_path, clock=clock, eval_timeout_ms=20_000) as running:
            peer = await running.peer()
            for _ in range(3):
                result = await peer.result(peer.run(["echo"]))
                assert 0 <= result["timings_ms"]["queue"] <= result["timings_ms"]["total"] < 20_000
                assert 0 < result["options"]["deadline_seconds"] < 20

    in_loop(test())


def test_the_log_tells_of_each_evaluation_and_of_nothing_that_is_in_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            await peer.result(peer.run(["print", "private"], request_id="r", node_id="n"))
            mine = [one for one in running.events.events if one.get("request_id") == "r"]
            assert [one["event"] for one in mine] == ["eval_enqueued", "eval_started", "eval_finished"]
            assert {one["node_id"] for one in mine} == {"n"}
            assert "private" not in json.dumps(running.events.events)

    in_loop(test())


def test_a_node_is_built_from_its_own_file_and_from_modules_named_from_their_folder(tmp_path: Path) -> None:
    async def test() -> None:
        root = tmp_path.resolve()
        (root / "parts").mkdir()
        (root / "box.cmp.oo").write_text("")
        module = str(root / "parts" / "lib.oo")
        async with service(tmp_path) as running:
            peer = await running.peer()
            code = json.dumps([["set", {"modules": ["lib.oo"]}]])
            await peer.result(peer.tool("vcad.eval_code", {"code": code, "base_dir": "parts"}, node_id="n"))
            await peer.result(peer.tool("vcad.eval_file", {"path": "box.cmp.oo"}, node_id="box"))
            assert await peer.result(peer.tool("vcad.modules", {"node_id": "n"})) == {"modules": [module]}
            own = {"modules": [str(root / "box.cmp.oo")]}
            assert await peer.result(peer.tool("vcad.modules", {"node_id": "box"})) == own
            for path in ("parts/lib.oo", module):
                assert await peer.result(peer.tool("vcad.modules", {"path": path})) == {"nodes": ["n"]}
            assert await peer.result(peer.tool("vcad.modules", {"path": "box.cmp.oo"})) == {"nodes": ["box"]}

    in_loop(test())


def test_modules_are_asked_for_by_a_node_or_a_path(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            for nothing in ({}, {"node_id": None}, {"path": None}, {"node_id": None, "path": None}):
                refused = await peer.refusal(peer.tool("vcad.modules", nothing))
                assert refused["error_code"] == "SCHEMA_VALIDATION_FAILED"
                assert refused["details"]["expected"] == "an object with node_id or path"

    in_loop(test())


def test_what_a_node_was_built_from_is_known_afterwards(tmp_path: Path) -> None:
    async def test() -> None:
        (tmp_path / "lib.loon").write_text("")
        lib = str(tmp_path.resolve() / "lib.loon")
        async with service(tmp_path) as running:
            peer = await running.peer()
            await peer.result(peer.run(["set", {"modules": [lib]}], node_id="n"))
            assert await peer.result(peer.tool("vcad.modules", {"node_id": "n"})) == {"modules": [lib]}
            assert await peer.result(peer.tool("vcad.modules", {"path": "lib.loon"})) == {"nodes": ["n"]}
            assert await peer.result(peer.tool("vcad.modules", {"node_id": "x"})) == {"modules": []}
            await peer.result(peer.tool("vcad.cache_invalidate", {"node_id": "n"}))
            assert await peer.result(peer.tool("vcad.modules", {"node_id": "n"})) == {"modules": []}

    in_loop(test())


def test_changes_of_a_watched_folder_are_polled(tmp_path: Path) -> None:
    async def test() -> None:
        (tmp_path / "models").mkdir()
        async with service(tmp_path) as running:
            peer = await running.peer()
            assert await peer.result(peer.tool("vcad.watch_start", {"dir": "models"})) == {}
            (tmp_path / "models" / "a.loon").write_text("1")
            found: list[dict[str, Any]] = []
            while not found:
                found = (await peer.result(peer.tool("vcad.watch_poll", {"wait_ms": 1000})))["changes"]
            assert found[0]["change"] == "added"
            assert found[0]["path"].endswith("a.loon")
            # a poll that waits keeps nothing else waiting
            peer.tool("vcad.watch_poll", {"wait_ms": 20_000})
            assert await peer.result(peer.ask("ping")) == {}
            assert await peer.result(peer.tool("vcad.watch_stop", {})) == {}
            refused = await peer.refusal(peer.tool("vcad.watch_start", {"dir": ".."}))
            assert refused["error_code"] == "PATH_NOT_ALLOWED"

    in_loop(test())


def test_lines_of_a_repl_share_an_environment_though_they_are_sent_at_once(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            numbers = [peer.tool("vcad.eval_repl", {"code": f"{index}"}) for index in range(5)]
            results = [(await peer.result(number))["display"] for number in numbers]
            assert results == ["0", "1", "2", "3", "4"]  # how many lines came before

    in_loop(test())


def test_a_mistake_of_our_own_is_one_answer_and_a_traceback_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()

            def broken(*_: object) -> None:
                raise ZeroDivisionError("at /home/somebody")

            monkeypatch.setattr("vcad_kernel.service.front.jobs.evaluator.read_result", broken)
            found = await peer.answer(peer.run())
            assert found["error"]["code"] == -32603
            assert "/home" not in json.dumps(found)
            monkeypatch.undo()
            assert (await peer.result(peer.run()))["status"] == "evaluated"
            assert running.events.named("internal_error")

    in_loop(test())


def test_many_jobs_of_many_clients_all_get_their_own_answer(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, max_queue=500) as running:

            async def client(index: int) -> None:
                peer = await running.peer()
                numbers = {peer.run(["set", {"volume": index * 100 + job}]): job for job in range(20)}
                for number, job in numbers.items():
                    assert (await peer.result(number))["volume"] == index * 100 + job

            await asyncio.gather(*(client(index) for index in range(10)))

    in_loop(test())
