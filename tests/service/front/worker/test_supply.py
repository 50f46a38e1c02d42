"""There is always a worker, or a reason why there is none."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from tests.service.front.service import PATIENCE, Events, in_loop
from vcad_kernel.service.front.worker.process import WorkerDied, WorkerProcess
from vcad_kernel.service.front.worker.supply import WorkerSupply


class StandIn:
    """What the supply sees of a worker."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.given_up = False
        self.has_served = False
        self.last_words = ""
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def kill(self) -> None:
        self.die(-9)

    def die(self, code: int) -> None:
        self.given_up = True
        if not self.ended.done():
            self.ended.set_result(code)

    async def stop(self, seconds: float) -> bool:
        self.die(0)
        return True


class Makers:
    """Starts stand-ins, or fails as it is told; has a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.made: list[StandIn] = []
        self.fails = 0
        self.log = Events()
        self.supply = WorkerSupply(self.make, self.log, lambda: self.now, self.sleep)

    async def make(self) -> WorkerProcess:
        await asyncio.sleep(0)
        if self.fails:
            self.fails -= 1
            raise WorkerDied(exit_code=3)
        self.made.append(StandIn(len(self.made)))
        return cast(WorkerProcess, self.made[-1])

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    async def until(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.made) < count:
                await asyncio.sleep(0)


def supplied(test: Any) -> None:
    async def with_makers() -> None:
        makers = Makers()
        await test(makers)
        await makers.supply.close(1.0)

    in_loop(with_makers())


def test_one_worker_serves_everybody_who_asks() -> None:
    async def test(makers: Makers) -> None:
        found = await asyncio.gather(*(makers.supply.worker() for _ in range(5)))
        assert len({id(one) for one in found}) == 1

    supplied(test)


def test_a_worker_that_dies_while_idle_is_replaced_at_once() -> None:
    async def test(makers: Makers) -> None:
        await makers.supply.worker()
        makers.made[0].die(-11)
        await makers.until(2)
        assert (await makers.supply.worker()).pid == 1
        assert makers.log.named("worker_ended")[0]["returncode"] == -11

    supplied(test)


def test_workers_that_die_as_soon_as_they_are_ready_are_not_started_without_end() -> None:
    async def test(makers: Makers) -> None:
        makers.supply.prepare()
        for count in range(8):
            await makers.until(count + 1)
            await makers.supply.worker()
            makers.made[count].die(1)
        await makers.until(9)
        assert makers.pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0]

    supplied(test)


def test_workers_that_die_of_what_they_are_asked_are_replaced_without_pauses() -> None:
    async def test(makers: Makers) -> None:
        for count in range(5):
            await makers.supply.worker()
            makers.made[count].has_served = True
            makers.made[count].die(-11)
        await makers.until(6)
        assert makers.pauses == []

    supplied(test)


def test_a_replaced_worker_is_killed_and_another_is_started_unasked() -> None:
    async def test(makers: Makers) -> None:
        makers.supply.replace(await makers.supply.worker())
        assert makers.made[0].given_up
        await makers.until(2)

    supplied(test)


def test_a_start_that_fails_is_repeated_after_pauses_that_double() -> None:
    async def test(makers: Makers) -> None:
        makers.fails = 2
        assert (await makers.supply.worker()).pid == 0
        assert makers.pauses == [0.1, 0.2]

    supplied(test)


def test_after_three_failures_whoever_waits_is_told() -> None:
    async def test(makers: Makers) -> None:
        makers.fails = 100
        with pytest.raises(WorkerDied) as died:
            await makers.supply.worker()
        assert died.value.exit_code == 3
        assert makers.fails == 97
        assert makers.supply.state == "failing"

    supplied(test)


def test_who_asks_within_the_pause_is_told_without_another_try() -> None:
    async def test(makers: Makers) -> None:
        makers.fails = 100
        for _ in range(3):
            with pytest.raises(WorkerDied):
                await makers.supply.worker()
        assert makers.fails == 97

    supplied(test)


def test_who_asks_after_the_pause_lets_it_be_tried_again() -> None:
    async def test(makers: Makers) -> None:
        makers.fails = 3
        with pytest.raises(WorkerDied):
            await makers.supply.worker()
        makers.now += 10.0
        assert (await makers.supply.worker()).pid == 0
        assert makers.supply.state == "ready"

    supplied(test)


def test_pauses_have_an_end() -> None:
    async def test(makers: Makers) -> None:
        makers.fails = 30
        for _ in range(20):
            with pytest.raises(WorkerDied):
                await makers.supply.worker()
            makers.now += 5.0
        pauses = [one["pause"] for one in makers.log.named("worker_start_failed")]
        assert max(pauses) == 5.0

    supplied(test)


def test_nothing_is_started_once_it_is_closed() -> None:
    async def test(makers: Makers) -> None:
        await makers.supply.worker()
        assert await makers.supply.close(1.0)
        makers.supply.prepare()
        with pytest.raises(WorkerDied):
            await makers.supply.worker()
        assert len(makers.made) == 1

    supplied(test)


def test_a_start_that_is_under_way_is_given_up_when_it_is_closed() -> None:
    async def test(makers: Makers) -> None:
        asked = asyncio.create_task(makers.supply.worker())
        await asyncio.sleep(0)
        await makers.supply.close(1.0)
        with pytest.raises((asyncio.CancelledError, WorkerDied)):
            await asked

    supplied(test)
