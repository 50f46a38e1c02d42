"""A client and the service of its own: how both begin and end together, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.service import warm
from vcad_kernel.errors import ErrorCode, VcadError
from vcad_kernel.service.client.async_client import AsyncServiceClient
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.requests import EvalCell

PATIENCE = 60.0
ENDLESS = '[println "go"] [fn on [i] [on [+ i 1]]] [on 0]'


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ServiceClient]:
    with warm.service_client(tmp_path) as one:
        yield one


def processes(client: ServiceClient) -> list[psutil.Process]:
    """The client's front and its worker."""
    assert client.background.own_pid is not None
    front = psutil.Process(client.background.own_pid)
    return [front, *front.children(recursive=True)]


def all_end(those: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(those, PATIENCE)[1]


def during(client: ServiceClient, act: Callable[[], object]) -> VcadError:
    """How an endless cell ends when something happens while it runs."""
    began = threading.Event()

    def later() -> None:
        assert began.wait(PATIENCE)
        act()

    actor = threading.Thread(target=later)
    actor.start()
    with pytest.raises(VcadError) as failed:
        client.evaluate(EvalCell(ENDLESS), output=lambda _: began.set())
    actor.join(PATIENCE)
    return failed.value


def test_nothing_is_started_before_it_is_needed(tmp_path: Path) -> None:
    with ServiceClient.start(tmp_path) as client:
        assert client.background.own_pid is None
        assert client.check("[cube 1 2 3]") == ()
        assert client.background.own_pid is None
    assert list(tmp_path.iterdir()) == []


def test_its_artifacts_lie_in_the_workspace_where_a_bridge_may_read_them(tmp_path: Path) -> None:
    with ServiceClient.start(tmp_path) as client:
        result = client.tool("vcad.eval_code", {"code": "[cube 1 2 3]", "artifact": True})
    assert Path(result["obj_path"]).parent == tmp_path / ".vcad" / "artifacts"


def _mapped(*those: psutil.Process) -> set[Path]:
    """The files of services that processes have mapped."""
    return {Path(one.path) for it in those for one in it.memory_maps() if "vcad-service-" in one.path}


def test_closing_ends_every_process_and_leaves_no_memory(client: ServiceClient) -> None:
    result = client.evaluate(EvalCell("[sphere 3]"))
    those = processes(client)
    blocks = _mapped(*those)
    assert any(path.name.startswith("mesh-") for path in blocks)
    assert not blocks & _mapped(psutil.Process())
    client.close()
    assert all_end(those)
    assert not any(path.exists() for path in blocks)
    assert result.parts[0].mesh.triangle_count > 0


def test_closing_while_a_cell_runs_ends_it(client: ServiceClient) -> None:
    client.ping()
    those = processes(client)
    error = during(client, client.close)
    assert error.error_code == ErrorCode.CONNECTION_FAILED
    assert all_end(those)


def test_a_front_that_is_killed_while_a_cell_runs_fails_that_cell_alone(client: ServiceClient) -> None:
    client.evaluate(EvalCell("[let a 1]", cell_id="a"))
    those = processes(client)
    error = during(client, those[0].kill)
    assert error.error_code == ErrorCode.CONNECTION_FAILED
    assert all_end(those)
    assert client.evaluate(EvalCell("5")).display == "5"
    assert client.background.own_pid != those[0].pid


def test_a_worker_that_is_killed_while_a_cell_runs_fails_that_cell_alone(client: ServiceClient) -> None:
    client.evaluate(EvalCell("[let a 1]", cell_id="a"))
    error = during(client, lambda: [one.kill() for one in processes(client)[1:]])
    assert error.error_code == ErrorCode.WORKER_CRASHED
    assert client.evaluate(EvalCell("5")).display == "5"


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs signals")
def test_a_front_that_stops_answering_is_replaced(tmp_path: Path) -> None:
    def waits(client: ServiceClient, seconds: float) -> None:
        async def set_seconds(connecting: AsyncServiceClient, *_: object) -> None:
            connecting.seconds = seconds

        client.background.do(set_seconds)

    with warm.service_client(tmp_path) as client:
        client.ping()
        (stopped, *_) = those = processes(client)
        stopped.suspend()
        waits(client, 0.1)
        with pytest.raises(VcadError) as failed:
            client.ping()
        assert failed.value.error_code == ErrorCode.CONNECTION_TIMEOUT
        waits(client, PATIENCE)
        client.ping()
        assert client.background.own_pid != stopped.pid
        assert all_end(those)


def program(folder: Path, *lines: str) -> list[str]:
    """A process that has a client of its own and says which processes those are."""
    text = f"""
        import os, signal, sys, time
        from pathlib import Path
        import psutil
        from vcad_kernel.service.client.service_client import ServiceClient
        from vcad_kernel.service.questions import EdgesOf, Export
        from vcad_kernel.service.requests import EvalCell
        ENDLESS = {ENDLESS!r}
        def processes(client):
            front = psutil.Process(client.background.own_pid)
            return [front, *front.children(recursive=True)]
        if __name__ == "__main__":
            client = ServiceClient.start(Path({str(folder)!r}))
            client.evaluate(EvalCell("[sphere 2]"))
            print(*(one.pid for one in processes(client)), flush=True)
    """
    body = "\n".join(f"    {line}" for line in lines)
    return [sys.executable, "-W", "error", "-c", f"{textwrap.dedent(text)}{body}\n"]


def test_everything_ends_when_the_client_is_killed(tmp_path: Path) -> None:
    command = program(
        tmp_path, "client.evaluate(EvalCell(ENDLESS), output=lambda _: print('runs', flush=True))"
    )
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        those = [psutil.Process(int(pid)) for pid in process.stdout.readline().split()]
        assert process.stdout.readline() == "runs\n"
        process.kill()
    assert len(those) >= 2
    assert all_end(those)


def test_everything_ends_with_a_client_that_does_not_close(tmp_path: Path) -> None:
    done = subprocess.run(program(tmp_path), capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    assert not [pid for pid in done.stdout.split() if psutil.pid_exists(int(pid))]


def test_an_interrupt_of_the_whole_group_stops_the_cell_and_not_the_service(tmp_path: Path) -> None:
    command = program(
        tmp_path,
        "try:",
        "    client.evaluate(EvalCell(ENDLESS), output=lambda _: print('runs', flush=True))",
        "except KeyboardInterrupt:",
        "    print(client.evaluate(EvalCell('[+ 1 2]')).display, *(one.pid for one in processes(client)))",
    )
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        front = process.stdout.readline().split()[0]
        assert process.stdout.readline() == "runs\n"
        os.killpg(process.pid, signal.SIGINT)
        display, same, *_ = process.stdout.readline().split()
    assert (display, same) == ("3", front)
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_evaluates_with_a_service_of_its_own(tmp_path: Path) -> None:
    command = program(
        tmp_path,
        "child = os.fork()",
        "if child == 0:",
        "    print(client.evaluate(EvalCell('[+ 1 1]')).display, processes(client)[0].pid, flush=True)",
        "    client.close()",
        "    os._exit(0)",
        "os.waitpid(child, 0)",
        "print(client.evaluate(EvalCell('[+ 1 2]')).display, processes(client)[0].pid, flush=True)",
    )
    command[1:3] = []  # Python warns of a fork beside threads
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE)
    assert done.returncode == 0, done.stderr
    first, child, parent = (line.split() for line in done.stdout.splitlines())
    assert (child[0], parent[0]) == ("2", "3")
    assert parent[1] == first[0] != child[1]


def test_no_kernel_is_ever_loaded_in_the_client(tmp_path: Path) -> None:
    command = program(
        tmp_path,
        "result = client.evaluate(EvalCell('[cylinder 1 2]'))",
        "(part,) = result.parts",
        "part.figures.volume, part.answers.ask(EdgesOf(), part)",
        "result.profile(), client.check('[cube 1 2 3]')",
        f"part.answers.ask(Export(path=Path({str(tmp_path / 'a.step')!r})), part)",
        "print([name for name in ('manifold3d', 'OCP') if name in sys.modules])",
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.splitlines()[1:] == ["[]"], done.stderr
    assert (tmp_path / "a.step").exists()


def test_a_service_that_has_begun_answers_what_needs_no_worker(client: ServiceClient) -> None:
    client.begin()
    client.ping()
    assert client.tool("vcad.check", {"code_or_path": "[cube 1"})["diagnostics"]
