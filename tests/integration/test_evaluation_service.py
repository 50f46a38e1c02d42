"""A notebook and the service that evaluates its cells: nothing that a model does takes the notebook down."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.integration.kernel import Kernel

_ENDLESS = '%%loon\n[print "begun"] [fn turn [n] [turn [+ n 1]]] [turn 0]'
_PID = "session._evaluator._service.background.own_pid"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel whose evaluations may take 4 seconds and 700 MB."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VCAD_EVAL_TIMEOUT_MS", "4000")
        patch.setenv("VCAD_WORKER_MEMORY_MB", "700")
        kernel = Kernel(tmp_path_factory.mktemp("workspace"))
    loaded = kernel.run("%load_ext notebook_ext")
    assert loaded.status == "ok", loaded.traceback
    kernel.run("%%loon kept\n[let wall 3] [cube wall wall wall]")
    yield kernel
    kernel.stop()


def _until(condition: Callable[[], Any], seconds: float = 30.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("it did not come about")


def _is_gone(process: psutil.Process) -> bool:
    """Whether a process has ended, although its parent may not have asked how."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _front(kernel: Kernel) -> psutil.Process:
    return psutil.Process(int(kernel.value(_PID)))


def _worker(kernel: Kernel) -> psutil.Process:
    found: psutil.Process = _until(lambda: _front(kernel).children())[0]
    return found


def _works_as_before(kernel: Kernel) -> None:
    """The names of earlier cells are there, and so are their parts."""
    assert kernel.run("%loon [+ wall 1]").plain == "4"
    assert kernel.run("%%loon\n[translate 1 0 0 kept]").plain.split("· volume")[1].startswith(" 27 mm³")


@pytest.mark.parametrize(
    ("model", "code"),
    [
        ("[fn turn [n] [turn [+ n 1]]] [turn 0]", "time-limit"),
        ("[fn deeper [n] [+ 1 [deeper n]]] [deeper 0]", "recursion-depth"),
        ("[range 0 1000000000]", "collection-size"),
        (
            "[fn grow [v n] [if [> n 0] [grow [conj v [range 0 9000000]] [- n 1]] v]] [len [grow #[] 1000]]",
            "WORKER_OUT_OF_MEMORY",
        ),
    ],
)
def test_a_model_that_would_take_everything_ends_as_one_error(kernel: Kernel, model: str, code: str) -> None:
    done = kernel.run(f"%%loon\n{model}")
    assert done.status == "error"
    assert f"[{code}]" in done.traceback
    assert ".py" not in done.traceback
    _works_as_before(kernel)


def test_a_worker_that_dies_is_one_error_and_nothing_is_lost(kernel: Kernel) -> None:
    worker = _worker(kernel)
    with kernel.running("begun", _ENDLESS):
        os.kill(worker.pid, signal.SIGSEGV)
        _until(lambda: _is_gone(worker))
    _works_as_before(kernel)
    assert _worker(kernel).pid != worker.pid


def test_a_service_that_is_killed_is_started_again_and_nothing_is_lost(kernel: Kernel) -> None:
    front = _front(kernel)
    family = [front, *front.children()]
    front.kill()
    _until(lambda: all(map(_is_gone, family)))
    _works_as_before(kernel)


def test_completion_and_pings_do_not_wait_for_a_computing_cell(kernel: Kernel) -> None:
    kernel.run(
        "import threading, time\n"
        "def pings(times):\n"
        "    for _ in range(20):\n"
        "        begun = time.perf_counter()\n"
        "        session._evaluator._service.ping()\n"
        "        times.append(time.perf_counter() - begun)\n"
        "        time.sleep(0.01)\n"
        "times = []"
    )
    kernel.run("threading.Timer(0.2, pings, [times]).start()")
    with kernel.running("begun", _ENDLESS):
        answer = kernel.complete("%%loon\n[cub|")
        assert "cube" in answer.content["matches"]
    # a ping that had waited for the cell would have taken seconds
    _until(lambda: kernel.value("len(times)") == "20")
    assert float(kernel.value("sorted(times)[10]")) < 1.0


def test_the_stop_button_of_a_slow_cell_stops_it(kernel: Kernel) -> None:
    subshell = kernel.subshell()
    request = kernel.begin(_ENDLESS)
    button = kernel.widget_opened(request, lambda state: state.get("description") == "Stop")
    kernel.click(button, subshell)
    done = kernel.outcome(request)
    assert done.status == "error"
    assert "interrupted" in done.traceback
    assert done.data == []
    _works_as_before(kernel)


def test_nothing_of_the_service_outlives_a_killed_kernel(tmp_path: Path) -> None:
    kernel = Kernel(tmp_path)
    try:
        kernel.run("%load_ext notebook_ext")
        kernel.run("%%loon\n[cube 1 2 3]")
        front = _front(kernel)
        family = [front, *front.children(recursive=True)]
        held = {
            file.path for process in family for file in process.memory_maps() if "vcad-service-" in file.path
        }
        assert held
        kernel.kill()
        _until(lambda: all(map(_is_gone, family)))
        assert not any(Path(path).exists() for path in held)
    finally:
        kernel.stop()
