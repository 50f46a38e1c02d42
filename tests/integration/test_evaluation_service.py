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
from vcad_kernel.service.client import ServiceClient
from vcad_kernel.service.questions import Export
from vcad_kernel.service.requests import EvalCell

_ENDLESS = '%%loon\n[print "begun"] [fn turn [n] [turn [+ n 1]]] [turn 0]'
_PID = "session._cells.evaluator._service.background.own_pid"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel whose evaluations may take 8 seconds and 700 MB."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VCAD_EVAL_TIMEOUT_MS", "8000")
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
    """Whether a process has ended, although its parent may not have asked how.

    Its sockets are open until the last of its threads has ended, which may be after the first.
    """
    try:
        if not process.is_running():
            return True
        return process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1
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


# each limit has its tests beside the language and the service; here are the two that end a worker's work
@pytest.mark.parametrize(
    ("model", "code"),
    [
        ("[fn turn [n] [turn [+ n 1]]] [turn 0]", "time-limit"),
        pytest.param(
            "[fn deeper [n] [+ 1 [deeper n]]] [deeper 0]", "recursion-depth", marks=pytest.mark.soak
        ),
        pytest.param("[range 0 1000000000]", "collection-size", marks=pytest.mark.soak),
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
    request = kernel.begun("begun", _ENDLESS)
    os.kill(worker.pid, signal.SIGSEGV)
    done = kernel.outcome(request)
    assert "[WORKER_CRASHED]" in done.traceback
    assert ".py" not in done.traceback
    _works_as_before(kernel)
    assert _worker(kernel).pid != worker.pid


def test_a_service_that_is_killed_is_started_again_and_nothing_is_lost(kernel: Kernel) -> None:
    front = _front(kernel)
    family = [front, *front.children()]
    front.kill()
    _until(lambda: all(map(_is_gone, family)))
    _works_as_before(kernel)


def test_completion_and_pings_do_not_wait_for_a_computing_cell(kernel: Kernel, tmp_path: Path) -> None:
    go_on, pinged = tmp_path / "go-on", tmp_path / "pinged"
    os.mkfifo(go_on)
    kernel.run(
        "import threading\n"
        "def pings():\n"
        f"    open({str(go_on)!r}).close()\n"
        "    for _ in range(20):\n"
        "        session._cells.evaluator._service.ping()\n"
        f"    open({str(pinged)!r}, 'w').close()\n"
        "threading.Thread(target=pings, daemon=True).start()"
    )
    with kernel.running("begun", _ENDLESS):
        answer = kernel.complete("%%loon\n[cub|")
        assert "cube" in answer.content["matches"]
        go_on.write_text("")
        _until(pinged.exists)  # the cell does not end by itself


def test_the_stop_button_of_a_slow_cell_stops_it(kernel: Kernel) -> None:
    subshell = kernel.subshell()
    request = kernel.begin(_ENDLESS)
    button = kernel.widget_shown(request, lambda state: state.get("description") == "Stop")
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


_INTERRUPTED_IMPORT = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("numpy.") and "numpy.linalg" in name:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
assert "numpy" not in sys.modules
sys.meta_path.insert(0, Interrupting())
"""


def test_an_interrupt_while_the_first_cell_loads_its_libraries_breaks_none_of_them(tmp_path: Path) -> None:
    kernel = Kernel(tmp_path, cold=True)
    try:
        kernel.run("%load_ext notebook_ext")
        assert kernel.run(_INTERRUPTED_IMPORT).status == "ok"
        assert "interrupted" in kernel.run("%%loon first\n[cube 1 2 3]").traceback
        done = kernel.run("%%loon first\n[cube 1 2 3]")
        assert done.status == "ok", done.traceback
        assert "image/png" in done.data[-1]

        # and once more without a session: what it has left says so, and what is known of it stays
        kernel.run("%unload_ext notebook_ext")
        assert kernel.value("first.volume, first.mesh.indices.shape") == "(6.0, (12, 3))"
        asked = kernel.run("try: first.faces()\nexcept Exception as failed: print(failed.render())")
        assert "the client has been closed" in asked.text
        assert "a session that is open" in asked.text
        kernel.run("import threading")
        assert "vcad" not in kernel.value("[one.name for one in threading.enumerate()]")
    finally:
        kernel.stop()


def test_a_part_whose_measuring_is_stopped_is_there(kernel: Kernel) -> None:
    kernel.run(
        "from vcad_kernel.service.client.remote_answers import RemoteAnswers\n"
        "def stopped(*given): raise KeyboardInterrupt\n"
        "figures, RemoteAnswers.figures = RemoteAnswers.figures, stopped"
    )
    done = kernel.run("%%loon unmeasured\n[cylinder 2 3]")
    kernel.run("RemoteAnswers.figures = figures")
    assert done.status == "error"
    assert "measuring was interrupted" in done.traceback
    assert ".py" not in done.traceback
    assert kernel.value("round(unmeasured.volume, 3)") == "37.699"


def test_measuring_shows_that_it_goes_on_and_can_be_stopped(kernel: Kernel) -> None:
    kernel.run(
        "import threading\n"
        "from vcad_kernel.service.client.remote_answers import RemoteAnswers\n"
        "figures = RemoteAnswers.figures\n"
        "def waits(*given, **how):\n"
        "    print('evaluated')\n"
        "    threading.Event().wait(30)\n"
        "RemoteAnswers.figures = waits"
    )
    subshell = kernel.subshell()
    # on a busy machine the evaluation before it may show a button of its own
    request = kernel.begun("evaluated", "%%loon measured\n[cylinder 2 3]")
    button = kernel.widget_shown(request, lambda state: state.get("description") == "Stop")
    kernel.click(button, subshell)
    done = kernel.outcome(request)
    kernel.run("RemoteAnswers.figures = figures")
    assert "measuring was interrupted" in done.traceback
    assert done.data == []


def test_a_stopped_run_leaves_a_cell_its_parameters(kernel: Kernel) -> None:
    kernel.run("%%loon spacer\n[defparam width 20 {:min 10 :max 80}] [cube 1 1 width]", cell_id="spacer")
    kernel.run('session.set_parameter("width", 30)')
    with kernel.running("begun", _ENDLESS.replace("%%loon", "%%loon spacer"), "spacer"):
        pass
    assert kernel.value('session.set_parameter("width", 40).bounds') == "((0.0, 0.0, 0.0), (1.0, 1.0, 40.0))"


def test_a_parameter_that_cannot_be_set_leaves_no_run_behind(kernel: Kernel) -> None:
    kernel.run("%%loon narrow\n[defparam gap 2 {:min 1 :max 8}] [cube 1 1 gap]")
    kernel.run("runs = len(session._cells._history)")
    for _ in range(3):
        assert kernel.run('session.set_parameter("gap", 9)').status == "error"
    assert kernel.value("len(session._cells._history) - runs") == "0"
    assert kernel.value("narrow.bounds[1][2]") == "2.0"
    assert kernel.run("%%loon\n[union narrow narrow]").status == "ok"


def test_a_workspace_that_cannot_be_written_still_has_its_parts_written_elsewhere(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    workspace, elsewhere = tmp_path_factory.mktemp("closed"), tmp_path_factory.mktemp("open")
    (workspace / ".vcad").write_text("in the way")
    with ServiceClient.start(workspace) as service:
        result = service.evaluate(EvalCell("[cube 1 2 3]", base_dir=workspace))
        size = result.parts[0].answers.ask(Export(path=elsewhere / "cube.stl", chord=None), *result.parts)
    assert (elsewhere / "cube.stl").stat().st_size == size > 0


def test_settings_that_make_no_sense_are_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCAD_PORT", "abc")
    kernel = Kernel(tmp_path)
    try:
        kernel.run("%load_ext notebook_ext")
        told = kernel.run("%%loon\n[cube 1 2 3]").traceback
        assert "SETTING_INVALID" in told
        assert "run_cell_magic" not in told
    finally:
        kernel.stop()
