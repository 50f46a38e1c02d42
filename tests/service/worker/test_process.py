"""A real worker process: how it starts, is interrupted, and ends; what it does with bytes it is given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.worker.front import FAULTY, PATIENCE, Front, WorkerGone, running, started, wait_until
from vcad_kernel.ir import op_document
from vcad_kernel.ir.op_stream import Stream
from vcad_kernel.service.shared.control import BlockReady, Request
from vcad_kernel.service.shared.payloads import ErrorPayload, Failure

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system has no such thing")


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A worker that has begun as it does for users."""
    with started(Front(tmp_path_factory.mktemp("worker"), FAULTY)) as cold:
        yield cold


def test_a_worker_says_who_it_is_when_it_is_ready(tmp_path: Path) -> None:
    front = Front(tmp_path)
    try:
        assert front.until_ready() == front.process.pid
    finally:
        front.close()


def test_opencascade_is_not_loaded_before_it_is_asked_for(front: Front) -> None:
    loaded = Path(f"/proc/{front.process.pid}/maps")
    if not loaded.exists():
        pytest.skip("needs /proc")
    front.call("eval_code", {"code": "[cube 1 2 3]"})
    assert "/OCP" not in loaded.read_text()


def test_shutdown_ends_it_with_status_0(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        assert front.shut_down() == 0


def test_it_ends_when_its_socket_is_closed(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        front.socket.close()
        assert front.process.wait(PATIENCE) == 0


@LINUX
def test_it_is_killed_when_the_process_that_started_it_ends(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from tests.service.worker.front import Front, FAULTY\n"
        "front = Front(Path(sys.argv[1]), FAULTY)\n"
        "print(front.until_ready(), flush=True)\n"
        "front.begin('eval_code', {'code': '[hang-in-c 60.0]'})\n"
        "print('asked', flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    try:
        worker = int(parent.stdout.readline())
        assert parent.stdout.readline() == "asked\n"
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    wait_until(lambda: not _is_running(worker))


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_sigint_between_requests_means_nothing(front: Front) -> None:
    front.interrupt()
    assert not front.call("eval_code", {"code": "[cube 1 2 3]"}).is_error
    front.interrupt()
    assert not front.call("eval_code", {"code": "[cube 1 2 3]"}).is_error


@pytest.mark.parametrize("code", ["[hang-in-python 60.0]", "[fn f [n] [f [+ n 1]]] [f 0]"])
def test_sigint_ends_the_running_request_alone(front: Front, code: str) -> None:
    seq = front.begin("eval_code", {"code": f'[println "begun"] {code}'})
    assert front.printed_so_far() == "begun\n"
    front.interrupt()
    reply = front.finish(seq)
    assert reply.code == "EVAL_CANCELLED"
    assert reply.details["operation"] == "vcad.eval_code"
    assert not front.call("eval_code", {"code": "[cube 1 2 3]"}).is_error


def test_what_was_built_before_an_interrupt_is_still_known(front: Front) -> None:
    body = "[fn body [] [union [sphere 7.25] [cube 9 9 9]]]"
    assert front.call("eval_code", {"code": f"{body} [body]"}).result["cache"]["misses"] > 0
    seq = front.begin("eval_code", {"code": f'{body} [println "x"] [hang-in-python 60.0]'})
    front.printed_so_far()
    front.interrupt()
    assert front.finish(seq).code == "EVAL_CANCELLED"
    assert front.call("eval_code", {"code": f"{body}  [body]"}).result["cache"]["misses"] == 0


@pytest.mark.parametrize(
    "after",
    [
        None,
        # at a moment by the clock it is chance what is hit: only many runs say something
        *(pytest.param(seconds, marks=pytest.mark.soak) for seconds in (0.05, 0.3, 0.8)),
    ],
)
def test_an_interrupt_while_opencascade_is_being_loaded_leaves_it_usable(
    tmp_path: Path, after: float | None
) -> None:
    code = {"code": "[fillet 1 [cube 9 9 9]]"}
    with started(Front(tmp_path)) as front:
        seq = front.begin("eval_code", code)
        if after is None:
            front.wait_until_loading("/OCP")
        else:
            front.wait(after)
        front.interrupt()
        reply = front.finish(seq)
        assert not reply.is_error or reply.code == "EVAL_CANCELLED"
        assert not front.call("eval_code", code).is_error
        assert not front.call("eval_code", {**code, "exact": True}).is_error


def test_many_interrupts_at_any_moment_leave_it_usable(front: Front) -> None:
    for delay in range(12):
        seq = front.begin("eval_code", {"code": f"[difference [cube 20 20 20] [sphere {5 + delay}.5]]"})
        for _ in range(3):
            front.interrupt()
        reply = front.finish(seq)
        assert not reply.is_error or reply.code == "EVAL_CANCELLED"
    assert front.call("eval_code", {"code": "[cube 1 2 3]"}).result["volume"] == pytest.approx(6)


def test_printed_text_comes_while_the_program_runs_and_all_of_it_in_the_result(front: Front) -> None:
    seq = front.begin(
        "eval_code", {"code": '[println "first"] [hang-in-python 0.3] [println "é€😀"]', "allow_scene": True}
    )
    assert front.printed_so_far() == "first\n"
    reply = front.finish(seq)
    assert reply.printed == "é€😀\n"
    assert reply.result["stdout"] == "first\né€😀\n"


def test_text_that_nobody_reads_never_stops_the_worker(front: Front) -> None:
    code = '[each [range 0 200] [fn [i] [println [join "" [map [range 0 2000] [fn [k] "xy"]]]]]]'
    reply = front.call("eval_code", {"code": code, "allow_scene": True})
    assert len(reply.result["stdout"]) == 200 * 4001
    assert reply.result["stdout"].startswith(reply.printed)
    reply = front.call("eval_code", {"code": '[print "after"]', "allow_scene": True})
    assert reply.result["stdout"] == "after"


def test_an_endless_program_ends_in_time_with_its_place(front: Front) -> None:
    code = "[fn spin [n] [spin [+ n 1]]]\n[spin 0]"
    reply = front.call(
        "eval_code", {"code": code, "file": "spin.oo"}, deadline_seconds=0.3, eval_timeout_ms=500
    )
    assert reply.code == "VCAD_EVAL_TIMEOUT"
    assert (reply.details["code"], reply.details["limit"]) == ("time-limit", 500)
    assert (reply.details["file"], reply.details["line"]) == ("spin.oo", 1)
    assert "0.5 seconds" in reply.result["message"]
    payload = ErrorPayload.parse(reply.payload)
    assert (payload.error_code, payload.line, payload.file) == (Failure.TIMEOUT, 1, "spin.oo")
    assert not front.call("eval_code", {"code": "[cube 1 2 3]"}, deadline_seconds=60.0).is_error


@LINUX
@pytest.mark.parametrize(
    ("code", "status"),
    [("[crash-segv]", -signal.SIGSEGV), ("[crash-abort]", -signal.SIGABRT), ("[crash-exit 7]", 7)],
)
def test_a_crash_ends_the_process_and_nothing_is_answered(tmp_path: Path, code: str, status: int) -> None:
    with running(tmp_path, **FAULTY) as front:
        with pytest.raises(WorkerGone) as gone:
            front.call("eval_code", {"code": code})
        assert gone.value.code == status


@LINUX
def test_a_library_that_holds_the_interpreter_can_only_be_killed(tmp_path: Path) -> None:
    with running(tmp_path, **FAULTY) as front:
        front.begin("eval_code", {"code": '[println "in"] [hang-in-c 60.0]'})
        front.interrupt()
        os.kill(front.process.pid, signal.SIGKILL)
        assert front.process.wait(PATIENCE) == -signal.SIGKILL


@LINUX
def test_too_much_memory_is_told_and_ends_the_worker(tmp_path: Path) -> None:
    with running(tmp_path, VCAD_WORKER_MEMORY_MB="1024", **FAULTY) as front:
        reply = front.call("eval_code", {"code": "[cube 1 1 1]\n[eat-memory 4096]", "file": "fat.oo"})
        assert reply.code == "WORKER_OUT_OF_MEMORY"
        assert reply.details["limit"] == 1024
        assert (reply.details["file"], reply.details["line"]) == ("fat.oo", 2)
        assert front.process.wait(PATIENCE) == 3


def test_our_own_mistakes_are_told_without_a_traceback_and_logged_with_one(front: Front) -> None:
    reply = front.call("eval_code", {"code": "[our-mistake]"})
    assert reply.code == "INTERNAL_ERROR"
    assert "Traceback" not in reply.result["message"]
    assert "not the user's" in front.log()
    assert not front.call("eval_code", {"code": "[cube 1 2 3]"}).is_error


def test_a_tool_that_it_does_not_have_is_refused(front: Front) -> None:
    assert front.call("eval_everything", {}).code == "TOOL_NOT_FOUND"


@pytest.mark.parametrize("number", [17, 0])
def test_a_request_with_the_wrong_number_ends_it(tmp_path: Path, number: int) -> None:
    with running(tmp_path) as front:
        front.send(Request(number))
        assert front.process.wait(PATIENCE) == 1
        assert "ProtocolFault" in front.log()


def test_a_line_that_a_front_does_not_say_ends_it(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        front.send(BlockReady(1, "mesh-1", "/nowhere"))
        assert front.process.wait(PATIENCE) == 1


def test_a_request_that_needs_a_larger_region_is_read(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        text = "; " + "x" * 9_000_000
        reply = front.call("extract_imports", {"source": text})
        assert reply.result["transformed_source"] == text


def test_an_answer_that_does_not_fit_makes_the_region_grow(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        code = '[join "" [map [range 0 900000] [fn [i] "0123456789"]]]'
        reply = front.call("eval_code", {"code": code, "allow_scene": True})
        assert front.grown
        assert reply.result["value"] == "0123456789" * 900000
        assert not front.call("eval_code", {"code": "[cube 1 2 3]"}).is_error


def test_an_answer_for_which_there_is_no_room_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as front:
        front.room = False
        code = '[join "" [map [range 0 900000] [fn [i] "0123456789"]]]'
        reply = front.call("eval_code", {"code": code, "allow_scene": True})
        assert reply.code == "PAYLOAD_TOO_LARGE"
        assert reply.details["size"] > reply.details["limit"]


def test_the_payload_is_the_document(front: Front) -> None:
    reply = front.call("eval_code", {"code": "[difference [cube 10 20 30] [cylinder 3 40]]"})
    document = op_document.decode(reply.payload)
    assert document.content_digest.hex() == reply.result["document_hash"]


def test_the_payload_of_an_answer_without_a_model_is_an_empty_scene(front: Front) -> None:
    reply = front.call("eval_code", {"code": "[+ 1 2]", "allow_scene": True})
    assert Stream.from_bytes(reply.payload) == Stream((), ())


def test_the_payload_of_a_failure_has_its_place(front: Front) -> None:
    reply = front.call("eval_code", {"code": "[fn f [x] [nth x 9]]\n[f #[1]]", "file": "a.oo"})
    payload = ErrorPayload.parse(reply.payload)
    assert (payload.file, payload.line, payload.error_code) == ("a.oo", 1, Failure.SCRIPT)
    assert payload.message == reply.result["message"]
    assert "f" in payload.stack
