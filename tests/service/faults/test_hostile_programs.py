"""Programs that crash, hang, or eat all there is: one failure for who ran them, and the next one works."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psutil
import pytest

from tests.service.faults.checkpoints import until
from tests.service.faults.service import FRAME, Service, goes_on, is_alive, running

ENDLESS = "[fn on [n] [on [+ n 1]]] [on 0]"
_numbers = count(1)


@pytest.fixture(scope="module")
def hurried() -> Iterator[list[Service]]:
    """A service with little time for each evaluation, which the first test that needs it starts."""
    started: list[Service] = []
    yield started
    for service in started:
        try:
            service.close_peers()
            service.worker()
            assert service.end() == 0
        finally:
            service.close()


# ---- crashes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "signal", "status"),
    [("[crash-segv]", "SIGSEGV", None), ("[crash-abort]", "SIGABRT", None), ("[crash-exit 7]", None, 7)],
)
@pytest.mark.usefixtures("leaves_nothing")
def test_a_crash_in_a_library(service: Service, code: str, signal: str | None, status: int | None) -> None:
    peer = service.peer()
    refusal = peer.refusal(peer.eval(code, artifact=True, node_id=f"node-{next(_numbers)}"))
    assert refusal["error_code"] == "WORKER_CRASHED"
    assert refusal["details"]["operation"] == "vcad.eval_code"
    assert refusal["details"]["signal"] == signal
    assert refusal["details"]["exit_code"] == status


@pytest.mark.usefixtures("leaves_nothing")
def test_the_third_crash_in_a_row_is_the_last_until_the_text_is_another(service: Service) -> None:
    peer = service.peer()
    model = service.folder / "model.loon"
    model.write_text("[crash-exit 3]")

    def run() -> dict[str, object]:
        found: dict[str, object] = peer.answer(peer.tool("vcad.eval_file", {"path": str(model)}))
        return found

    for _ in range(3):
        worker = service.worker()
        assert "refused" not in str(run())
        assert service.worker(other_than=worker) != worker
    worker = service.worker()
    for _ in range(2):
        refusal = run()["error"]["data"]  # type: ignore[index]
        assert refusal["error_code"] == "WORKER_CRASHED"
        assert refusal["details"]["refused"] is True
    # others are served meanwhile, by the worker that was not asked
    assert peer.result(peer.eval(FRAME))["volume"] == 6000
    assert service.worker() == worker
    model.write_text("[cube 1 2 3]")
    assert run()["result"]["volume"] == 6  # type: ignore[index]
    assert service.worker() == worker


@pytest.mark.usefixtures("leaves_nothing")
def test_a_mistake_of_ours_is_one_answer(service: Service) -> None:
    worker, peer = service.worker(), service.peer()
    refusal = peer.refusal(peer.eval("[our-mistake]", artifact=True))
    assert refusal["error_code"] == "INTERNAL_ERROR"
    assert "Traceback" not in str(refusal)
    assert str(Path(__file__).parents[3]) not in str(refusal)
    goes_on(service)
    assert service.worker() == worker


# ---- memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "[eat-memory 4000]",
        # the same end, after half a minute of filling memory bit by bit
        *(
            pytest.param(code, marks=pytest.mark.soak)
            for code in (
                "[fn grow [some] [grow [cons [range 0 9000000] some]]] [grow #[]]",
                "[fn nest [value] [nest #[value value]]] [nest 0]",
            )
        ),
    ],
)
@pytest.mark.usefixtures("leaves_nothing")
def test_a_memory_bomb(service: Service, code: str) -> None:
    peer = service.peer()
    before = service.front.memory_info().rss
    refusal = peer.refusal(peer.eval(code, artifact=True, node_id=f"node-{next(_numbers)}"))
    assert refusal["error_code"] == "WORKER_OUT_OF_MEMORY", refusal
    assert refusal["details"]["limit"] == 512
    assert refusal["details"]["operation"] == "vcad.eval_code"
    assert service.front.memory_info().rss < before + 50e6


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("[range 0 1000000000]", "at most 10,000,000 are allowed"),
        ("[map [fn [i] [cube i i i]] [range 0 1000000000]]", "at most 10,000,000 are allowed"),
        ('[fn grow [text] [grow [str text text]]] [grow "some words"]', "at most 10,000,000 are allowed"),
        ("[fn on [n] [+ 1 [on [+ n 1]]]] [on 0]", "calls deep"),
        ("[fn on [n] #[[on #[n]]]] [on 0]", "calls deep"),
    ],
)
@pytest.mark.usefixtures("leaves_nothing")
def test_a_list_or_a_recursion_without_measure(service: Service, code: str, said: str) -> None:
    worker, peer = service.worker(), service.peer()
    refusal = peer.refusal(peer.eval(code))
    assert refusal["error_code"] == "LOON_RUNTIME", refusal
    assert said in refusal["message"]
    assert refusal["details"]["line"] == 1
    assert service.worker() == worker


# ---- time --------------------------------------------------------------------------------------


@pytest.fixture
def brief(hurried: list[Service], tmp_path_factory: pytest.TempPathFactory) -> Service:
    if not hurried:
        service = Service(tmp_path_factory.mktemp("brief"), VCAD_EVAL_TIMEOUT_MS="1500")
        hurried.append(service)
    return hurried[0]


@pytest.mark.parametrize(
    ("code", "survives"),
    [
        (ENDLESS, True),
        ("[hang-in-python 600.0]", True),
        ("[deaf 600.0]", True),
        ("[hang-in-c 600.0]", False),
    ],
)
def test_what_takes_too_long(brief: Service, code: str, survives: bool) -> None:
    worker, peer = brief.worker(), brief.peer()
    refusal = peer.refusal(peer.eval(code, artifact=True))
    assert refusal["error_code"] == "VCAD_EVAL_TIMEOUT"
    assert refusal["details"]["limit"] == 1500
    assert refusal["details"]["operation"] == "vcad.eval_code"
    if survives:
        assert refusal["details"]["line"] == 1
        assert brief.worker() == worker
    else:
        until(lambda: not is_alive(worker))
    brief.worker()
    until(lambda: brief.staged() == [])


def test_who_waits_too_long_behind_a_hang_is_told_as_well(brief: Service) -> None:
    worker, peer = brief.worker(), brief.peer()
    number = peer.eval("[hang-in-c 600.0]")
    behind = peer.eval(FRAME)
    assert peer.refusal(number)["error_code"] == "VCAD_EVAL_TIMEOUT"
    assert peer.refusal(behind)["error_code"] == "VCAD_EVAL_TIMEOUT"
    assert brief.worker(other_than=worker) != worker
    assert peer.result(peer.eval(FRAME))["volume"] == 6000


# ---- cancelling --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "survives"),
    [
        (ENDLESS, True),
        ("[hang-in-python 600.0]", True),
        ("[deaf 600.0]", False),
        ("[hang-in-c 600.0]", False),
    ],
)
@pytest.mark.usefixtures("leaves_nothing")
def test_a_cancelled_program_ends_whatever_it_does(service: Service, code: str, survives: bool) -> None:
    worker, peer, other = service.worker(), service.peer(), service.peer()
    number = peer.eval(f'[note "begun" 1] {code}', artifact=True, request_id="mine")
    service.noted("begun")
    # whatever it does, the front is there
    assert other.result(other.ask("ping")) == {}
    assert peer.result(peer.tool("vcad.cancel", {"request_id": "mine"})) == {"cancelled": True}
    assert peer.refusal(number)["error_code"] == "EVAL_CANCELLED"
    if survives:
        assert service.worker() == worker
    else:
        until(lambda: not is_alive(worker))


@pytest.mark.usefixtures("leaves_nothing")
def test_what_a_killed_worker_had_started_ends_with_it(service: Service) -> None:
    peer = service.peer()
    number = peer.eval('[note "child" [spawn]] [hang-in-c 600.0]', request_id="mine")
    child = int(service.noted("child"))
    assert any(one.pid == child for one in service.front.children(recursive=True))
    peer.result(peer.tool("vcad.cancel", {"request_id": "mine"}))
    assert peer.refusal(number)["error_code"] == "EVAL_CANCELLED"
    until(lambda: not psutil.pid_exists(child) or not is_alive(psutil.Process(child)))


# ---- workers that do not start -----------------------------------------------------------------


def test_workers_that_die_before_they_are_ready(tmp_path: Path) -> None:
    dying = tmp_path / "dying"
    dying.write_text("SIGKILL")
    with running(
        tmp_path,
        wrapped=False,
        VCAD_WORKER_PLUGIN="tests.service.faults.dying_plugin",
        VCAD_TEST_DYING=str(dying),
    ) as service:
        peer = service.peer()
        refusal = peer.refusal(peer.eval("[cube 1 2 3]"))
        assert refusal["error_code"] == "WORKER_CRASHED"
        assert refusal["details"]["signal"] == "SIGKILL"
        until(lambda: len(service.events("worker_start_failed")) == 3)
        # it is said at once from then on, and does not count against the text
        for _ in range(5):
            assert peer.refusal(peer.eval("[cube 1 2 3]"))["error_code"] == "WORKER_CRASHED"
        assert peer.result(peer.ask("ping")) == {}
        assert service.front.children() == [] or len(service.front.children()) == 1
        assert len(list(service.memory.glob("region-*"))) <= 1
        dying.unlink()
        until(lambda: "result" in peer.answer(peer.eval("[cube 1 2 3]")))
        service.close_peers()
        assert service.end() == 0
