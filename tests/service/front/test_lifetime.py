"""How the service starts and comes to its end: in good order, at once, and with its parent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.service.front.service import PATIENCE, ROOT, Events, fake_command, in_loop, service, steps
from tests.steady_clock import SteadyClock
from vcad_kernel.service.front.files.artifacts import ArtifactStore
from vcad_kernel.service.front.jobs.job import Clock
from vcad_kernel.service.front.lifetime import (
    ServiceOptions,
    announce,
    artifact_folder,
    assemble,
    check_exposure,
    serve,
    token_from,
    watch_end,
    worker_command,
)
from vcad_kernel.service.front.server import Server
from vcad_kernel.settings import SettingError, Settings


def test_who_says_no_hello_is_let_go_and_those_who_have_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcad_kernel.service.front.server._HELLO_WITHIN", 0.3)

    async def test() -> None:
        async with service(tmp_path) as running:
            known = await running.peer()
            silent = await running.connect()
            silent.say(b'{"jsonrpc":"2.0","id":1,')
            with suppress(ConnectionError):
                assert await silent.line() is None
            assert running.events.named("no_hello")
            assert "result" in await known.answer(known.ask("ping"))

    in_loop(test())


def test_the_running_job_is_finished_and_what_waits_is_dropped(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            busy, waiting, idle = [await running.peer() for _ in range(3)]
            gate, note = tmp_path / "gate", tmp_path / "note"
            number = busy.run(["hold", str(gate)])
            await running.until(lambda: running.events.named("eval_started"))
            waiting.run(["touch", str(note)])
            await running.until(lambda: len(running.events.named("eval_enqueued")) == 2)
            ending = asyncio.create_task(running.close())
            assert await waiting.line() is None
            assert await idle.line() is None
            with pytest.raises(ConnectionRefusedError):
                await running.connect()
            assert not ending.done()
            gate.touch()
            assert (await busy.result(number))["status"] == "evaluated"
            assert await busy.line() is None
            assert await ending is True
            assert not note.exists()

    in_loop(test())


def test_the_running_job_can_still_be_cancelled_while_the_service_ends(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            number = peer.run(["sleep", 60], request_id="r")
            await running.until(lambda: running.events.named("eval_started"))
            ending = asyncio.create_task(running.close())
            await asyncio.sleep(0)
            peer.tool("vcad.cancel", {"request_id": "r"})
            assert (await peer.refusal(number))["error_code"] == "EVAL_CANCELLED"
            assert await ending is True

    in_loop(test())


def test_the_running_job_has_no_more_than_its_own_time_while_the_service_ends(tmp_path: Path) -> None:
    async def test() -> None:
        steady = SteadyClock()
        async with service(tmp_path, fake_command(grace_seconds=0.1), Clock(steady)) as running:
            peer = await running.peer()
            number = peer.run(["ignore"], ["sleep", 60])
            await running.until(lambda: running.events.named("eval_started"))
            ending = asyncio.create_task(running.close())
            steady.advance(60)
            assert (await peer.refusal(number))["error_code"] == "VCAD_EVAL_TIMEOUT"
            await ending

    in_loop(test())


def test_an_artifact_that_is_being_published_is_published_before_the_end(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            gate = tmp_path / "gate"
            arguments = {"code": steps(["mesh"], ["hold", str(gate)]), "artifact": True}
            number = peer.tool("vcad.eval_code", arguments)
            await running.until(lambda: running.events.named("eval_started"))
            ending = asyncio.create_task(running.close())
            gate.touch()
            result = await peer.result(number)
            assert await ending is True
            assert Path(result["obj_path"]).exists()
            assert Path(result["manifest_path"]).exists()

    in_loop(test())


def test_in_a_hurry_the_running_job_is_given_up_too(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            peer.run(["ignore"], ["sleep", 60])
            await running.until(lambda: running.events.named("eval_started"))
            ending = asyncio.create_task(running.close())
            await asyncio.sleep(0)
            running.server.hurry()
            assert await ending is False

    in_loop(test())


def test_a_service_without_work_ends_at_once_and_clean(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            await running.until(lambda: running.events.named("worker_started"))
            assert await running.close() is True
            assert running.events.named("worker_ended")[0]["returncode"] == 0

    in_loop(test())


def fake_server(folder: Path, events: Events) -> Server:
    return Server(
        Settings(port=0),
        ArtifactStore(folder / "artifacts"),
        fake_command(),
        events,
        staging_base=folder / "requested",
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_in_good_order(tmp_path: Path, number: int) -> None:
    async def test() -> None:
        lines: list[str] = []

        def told(line: str) -> None:
            lines.append(line)
            os.kill(os.getpid(), number)

        assert await serve(fake_server(tmp_path, Events()), watch_parent=False, tell=told) == 0
        assert lines[0].startswith("vcad service listening on 127.0.0.1:")

    in_loop(test())


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    async def test() -> None:
        events = Events()
        address: list[tuple[str, int]] = []

        def told(line: str) -> None:
            host, _, port = line.rpartition(" ")[2].rpartition(":")
            address.append((host, int(port)))

        ending = asyncio.create_task(serve(fake_server(tmp_path, events), watch_parent=False, tell=told))
        async with asyncio.timeout(PATIENCE):
            while not address:
                await asyncio.sleep(0.002)
            _, writer = await asyncio.open_connection(*address[0])
            hello = {"name": "p", "version": "1", "workspace": str(tmp_path), "protocol_version": 1}
            call = {"name": "vcad.eval_code", "arguments": {"code": steps(["ignore"], ["sleep", 60])}}
            for index, (method, params) in enumerate((("hello", hello), ("tools/call", call))):
                message = {"jsonrpc": "2.0", "id": index, "method": method, "params": params}
                writer.write(json.dumps(message).encode() + b"\n")
            while not events.named("eval_started"):
                await asyncio.sleep(0.002)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.01)
            assert not ending.done()
            os.kill(os.getpid(), signal.SIGTERM)
            assert await ending == 1
        writer.close()

    in_loop(test())


def test_the_end_of_a_file_is_told_once_it_is_read(tmp_path: Path) -> None:
    async def test() -> None:
        read, write = os.pipe()
        ended = asyncio.Event()
        watch_end(read, asyncio.get_running_loop(), ended.set)
        os.write(write, b"whatever\n")
        await asyncio.sleep(0.01)
        assert not ended.is_set()
        os.close(write)
        async with asyncio.timeout(PATIENCE):
            await ended.wait()
        os.close(read)

    in_loop(test())


def test_a_token_is_the_first_line_and_nothing_more() -> None:
    read, write = os.pipe()
    try:
        os.write(write, b" secret \nrest")
        assert token_from(read) == "secret"
        assert os.read(read, 10) == b"rest"
        os.write(write, b"\n")
        with pytest.raises(SettingError):
            token_from(read)
    finally:
        os.close(read)
        os.close(write)


def test_an_address_is_announced_as_clients_read_it() -> None:
    assert announce("127.0.0.1", 5) == "vcad service listening on 127.0.0.1:5"
    assert announce("::1", 5) == "vcad service listening on [::1]:5"


# ---- settings and exposure ---------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "10.0.0.1", "some.name"])
def test_another_address_than_this_machines_needs_permission_and_a_token(host: str) -> None:
    for settings in (
        Settings(host=host),
        Settings(host=host, allow_remote=True),
        Settings(host=host, auth_token="t"),
    ):
        with pytest.raises(SettingError, match="VCAD_"):
            check_exposure(settings)
    check_exposure(Settings(host=host, allow_remote=True, auth_token="t"))


def test_artifacts_go_where_they_are_set_else_into_the_workspace(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    workspace.mkdir()
    assert artifact_folder(Settings(temp_dir=tmp_path / "t"), workspace) == tmp_path / "t"
    assert artifact_folder(Settings(), workspace) == workspace / ".vcad" / "artifacts"
    assert str(os.getuid()) in str(artifact_folder(Settings(), None))


def test_tokens_and_plugins_do_not_reach_the_worker() -> None:
    variables = {"VCAD_AUTH_TOKEN": "t", "SUPEX_AUTH_TOKEN": "t", "VCAD_WORKER_PLUGIN": "m", "OTHER": "o"}
    assert worker_command(ServiceOptions(), variables).environment == {"OTHER": "o"}
    allowed = worker_command(ServiceOptions(allow_worker_plugin=True), variables).environment
    assert allowed == {"OTHER": "o", "VCAD_WORKER_PLUGIN": "m"}


def test_a_workspace_that_is_no_folder_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="workspace"):
        assemble(Settings(), ServiceOptions(workspace=tmp_path / "missing"), Events())


# ---- the process itself ------------------------------------------------------------------------


def started(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "vcad_kernel.service", "--workspace", str(folder), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
    )


def ended(process: subprocess.Popen[bytes], end: Callable[[], object]) -> tuple[int, str]:
    """Its status and what it said, once it has been ended; none of its children live on."""
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            while not (children := psutil.Process(process.pid).children(recursive=True)):
                time.sleep(0.005)
            end()
            process.wait(PATIENCE)
            _, alive = psutil.wait_procs(children, timeout=PATIENCE)
            assert not alive
            return process.returncode, line
        finally:
            process.kill()


def test_a_service_ends_with_whoever_has_started_it(tmp_path: Path) -> None:
    process = started(tmp_path, "--port", "0", "--watch-parent")
    assert process.stdin is not None
    status, said = ended(process, process.stdin.close)
    assert status == 0
    assert said.startswith("vcad service listening on 127.0.0.1:")


def test_a_service_ends_on_a_signal_with_its_worker_and_its_files(tmp_path: Path) -> None:
    process = started(tmp_path, "--port", "0", "--log", str(tmp_path / "log"))
    memory: list[Path] = []

    def end() -> None:
        (worker,) = psutil.Process(process.pid).children()
        while "--region" not in (command := worker.cmdline()):
            time.sleep(0.005)  # it has just been forked
        memory.append(Path(command[command.index("--region") + 1]).parent)
        assert memory[0].is_dir()
        process.terminate()

    _, said = ended(process, end)
    assert "listening" in said
    events = [json.loads(line)["event"] for line in (tmp_path / "log").read_text().splitlines()]
    assert events[0] == "service_started"
    assert events[-1] == "service_stopped"
    assert not memory[0].exists()


@pytest.mark.parametrize(
    ("arguments", "variables", "status", "said"),
    [
        (("--host", "0.0.0.0"), {}, 2, "VCAD_AUTH_TOKEN"),
        (("--port", "70000"), {}, 2, "VCAD_PORT"),
        ((), {"VCAD_MAX_QUEUE": "many"}, 2, "VCAD_MAX_QUEUE"),
        (("--host", "127.0.0.1", "--port", "1"), {"VCAD_HOST": "x"}, 1, "127.0.0.1:1"),
    ],
)
def test_a_service_that_cannot_start_says_why_and_leaves(
    tmp_path: Path, arguments: tuple[str, ...], variables: dict[str, str], status: int, said: str
) -> None:
    if status == 1 and os.getuid() == 0:
        pytest.skip("any port may be taken by root")
    process = started(tmp_path, *arguments, **variables)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert output == b""
    assert said in errors.decode()
    assert "Traceback" not in errors.decode()


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    first = started(tmp_path, "--port", "0", "--watch-parent")
    assert first.stdout is not None
    port = first.stdout.readline().decode().strip().rpartition(":")[2]
    try:
        second = started(tmp_path, "--port", port)
        _, said = second.communicate(timeout=PATIENCE)
        assert second.returncode == 1
        assert port in said.decode()
        assert "Traceback" not in said.decode()
    finally:
        first.communicate(timeout=PATIENCE)


def test_the_front_loads_no_geometry_and_no_language(tmp_path: Path) -> None:
    code = (
        "import sys, vcad_kernel.service.__main__, vcad_kernel.service.front.lifetime\n"
        "from vcad_kernel.contracts.validation import prepare\n"
        "from vcad_kernel.service.front.server import FIRST_SCHEMAS\n"
        "prepare(*FIRST_SCHEMAS)\n"
        "print(*sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    forbidden = ("numpy", "manifold3d", "OCP", "trimesh", "lark", "greenlet")
    ours = tuple(f"vcad_kernel.{name}" for name in ("loon", "cad", "ir", "geometry", "exchange", "render"))
    assert [name for name in loaded if name.split(".")[0] in forbidden or name.startswith(ours)] == []
