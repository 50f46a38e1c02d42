"""One worker process: its requests, what it asks for meanwhile, and how its end is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.service.front.service import PATIENCE, Events, fake_command, in_loop, steps
from vcad_kernel.service.front.worker.block_pool import BlockPool, MeshBlock
from vcad_kernel.service.front.worker.process import WorkerCommand, WorkerDied, WorkerProcess
from vcad_kernel.service.shared.payloads import RequestPayload


class Visit:
    """Keeps what it is told."""

    def __init__(self, pool: BlockPool) -> None:
        self.pool = pool
        self.phases: list[tuple[str, int, int]] = []
        self.text = ""

    def progress(self, phase: str, done: int, total: int) -> None:
        self.phases.append((phase, done, total))

    def printed(self, text: str) -> None:
        self.text += text

    def block(self, size: int) -> MeshBlock:
        if size > 2**40:
            raise OSError(28, "No space left on device")
        return self.pool.take(size)


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@asynccontextmanager
async def worker(folder: Path, command: WorkerCommand | None = None) -> AsyncIterator[WorkerProcess]:
    found = await WorkerProcess.start(command or fake_command(), folder, Events())
    try:
        yield found
    finally:
        found.kill()
        async with asyncio.timeout(PATIENCE):
            await found.ended
            while list(folder.glob("region-*")):
                await asyncio.sleep(0.002)


def payload(*program: Any, operation: str = "eval_code", **arguments: Any) -> bytes:
    options = {
        "operation": operation,
        "arguments": {"code": steps(*program), **arguments},
        "artifact_stage": None,
    }
    return RequestPayload("", options).to_bytes()


def test_requests_are_answered_one_after_the_other(tmp_path: Path) -> None:
    async def test() -> None:
        visit = Visit(BlockPool(tmp_path))
        async with worker(tmp_path) as one:
            for number in range(1, 4):
                response = await one.run(payload(["served"]), visit)
                assert json.loads(response.result)["served"] == number
                assert not response.is_error

    in_loop(test())


def test_all_printed_text_has_come_when_the_answer_has(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            for number in range(20):
                visit = Visit(BlockPool(tmp_path))
                await one.run(payload(*(["print", f"{number}é{index} "] for index in range(10))), visit)
                assert visit.text == "".join(f"{number}é{index} " for index in range(10))

    in_loop(test())


def test_progress_is_passed_on(tmp_path: Path) -> None:
    async def test() -> None:
        visit = Visit(BlockPool(tmp_path))
        async with worker(tmp_path) as one:
            await one.run(payload(["progress", "geometry", 1, 3], ["progress", "figures", 0, 0]), visit)
        assert visit.phases == [("geometry", 1, 3), ("figures", 0, 0)]

    in_loop(test())


def test_a_large_answer_makes_the_region_grow_and_stays_usable(tmp_path: Path) -> None:
    async def test() -> None:
        visit = Visit(BlockPool(tmp_path))
        async with worker(tmp_path) as one:
            for size in (10, 9 * 2**20, 10, 20 * 2**20):
                response = await one.run(payload(["pad", size]), visit)
                assert len(json.loads(response.result)["padding"]) == size

    in_loop(test())


def test_a_large_request_makes_the_region_grow_first(tmp_path: Path) -> None:
    async def test() -> None:
        visit = Visit(BlockPool(tmp_path))
        async with worker(tmp_path) as one:
            for size in (2 * 2**20, 7 * 2**20, 1):
                response = await one.run(payload(["served"], padding="x" * size), visit)
                assert not response.is_error

    in_loop(test())


def test_a_worker_gets_blocks_or_hears_why_not(tmp_path: Path) -> None:
    async def test() -> None:
        visit = Visit(BlockPool(tmp_path))
        async with worker(tmp_path) as one:
            result = json.loads((await one.run(payload(["block", 100]), visit)).result)
            assert (tmp_path / result["mesh"]["block"]).read_bytes()[:4] == b"MESH"
            result = json.loads((await one.run(payload(["block", 2**50]), visit)).result)
            assert result["no_block"] == "No space left on device"
        visit.pool.close()

    in_loop(test())


@pytest.mark.parametrize(
    ("step", "signal", "code"),
    [(["die", "SIGSEGV"], "SIGSEGV", None), (["die", "SIGKILL"], "SIGKILL", None), (["exit", 7], None, 7)],
)
def test_how_a_worker_died_is_told(
    tmp_path: Path, step: list[Any], signal: str | None, code: int | None
) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            with pytest.raises(WorkerDied) as died:
                await one.run(payload(step), Visit(BlockPool(tmp_path)))
            assert (died.value.signal, died.value.exit_code) == (signal, code)
            assert one.given_up

    in_loop(test())


def test_a_worker_that_speaks_nonsense_is_killed(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            with pytest.raises(WorkerDied) as died:
                await one.run(payload(["nonsense"]), Visit(BlockPool(tmp_path)))
            assert died.value.reason is not None
            async with asyncio.timeout(PATIENCE):
                assert await one.ended == -9

    in_loop(test())


def test_its_last_words_are_kept(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            with pytest.raises(WorkerDied):
                await one.run(
                    payload(["say", "free(): invalid pointer"], ["exit", 1]), Visit(BlockPool(tmp_path))
                )
            await one.ended
            assert "invalid pointer" in one.last_words

    in_loop(test())


def test_its_memory_is_known(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            before = one.memory()
            await one.run(payload(["eat", 50]), Visit(BlockPool(tmp_path)))
            assert before + 45 * 2**20 < one.memory() < before + 100 * 2**20
            one.kill()
            await one.ended
            assert one.memory() == 0

    in_loop(test())


def test_an_idle_worker_ends_by_itself_when_asked(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            assert await one.stop(PATIENCE)
            assert await one.ended == 0

    in_loop(test())


def test_a_worker_that_will_not_end_is_killed(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path) as one:
            note = tmp_path / "note"
            program = (["touch", str(note)], ["sleep", 60])
            run = asyncio.create_task(one.run(payload(*program), Visit(BlockPool(tmp_path))))
            while not note.exists():
                await asyncio.sleep(0.002)
            assert not await one.stop(0.01)
            assert await one.ended == -9
            with pytest.raises(WorkerDied):
                await run

    in_loop(test())


@pytest.mark.parametrize("start", ["exit", "hang"])
def test_a_worker_that_does_not_get_ready_is_a_failure_and_no_process(tmp_path: Path, start: str) -> None:
    async def test() -> None:
        seconds = 20.0 if start == "exit" else 0.1
        with pytest.raises(WorkerDied):
            async with worker(tmp_path, fake_command("--start", start, start_seconds=seconds)):
                pass
        async with asyncio.timeout(PATIENCE):
            while list(tmp_path.glob("region-*")):
                await asyncio.sleep(0.005)

    in_loop(test())


def test_a_program_that_is_not_there_leaves_nothing_behind(tmp_path: Path) -> None:
    async def test() -> None:
        before = open_files()
        with pytest.raises(OSError, match="No such file"):
            await WorkerProcess.start(WorkerCommand(("/no/such/program",)), tmp_path, Events())
        await asyncio.sleep(0)
        assert not list(tmp_path.iterdir())
        assert open_files() == before

    in_loop(test())


def test_no_descriptors_are_left_by_workers_that_have_ended(tmp_path: Path) -> None:
    async def test() -> None:
        async with worker(tmp_path):
            pass
        before = open_files()
        for _ in range(3):
            async with worker(tmp_path) as one:
                await one.run(payload(), Visit(BlockPool(tmp_path)))
        await asyncio.sleep(0)
        assert open_files() == before

    in_loop(test())
