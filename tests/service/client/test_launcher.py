"""Starting a service of one's own, with small programs in its place."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.service.client.fake_server import PATIENCE
from vcad_kernel.errors import ErrorCode, VcadError
from vcad_kernel.service.client.launcher import Launcher, RunningService, ServiceLog

LISTENS = "print('vcad service listening on 127.0.0.1:4711', flush=True)"
UNTIL_INPUT_ENDS = "sys.stdin.read()"


def launcher(workspace: Path, *lines: str, seconds: float = PATIENCE, **environment: str) -> Launcher:
    """One of a program that stands for a service; its arguments follow."""
    program = "\n".join(["import os, signal, sys, time", *lines])
    return Launcher(
        workspace, command=(sys.executable, "-c", program), environment=environment, seconds=seconds
    )


def started(one: Launcher) -> RunningService:
    """A service that has been started and stopped again."""

    async def work() -> RunningService:
        running = await one.start()
        await running.stop()
        return running

    return asyncio.run(work())


def failure(one: Launcher) -> VcadError:
    with pytest.raises(VcadError) as failed:
        asyncio.run(one.start())
    assert failed.value.error_code == ErrorCode.CONNECTION_FAILED
    return failed.value


def test_a_service_says_where_it_listens_and_ends_with_its_input(tmp_path: Path) -> None:
    running = started(launcher(tmp_path, LISTENS, UNTIL_INPUT_ENDS))
    assert (running.address.host, running.address.port) == ("127.0.0.1", 4711)
    assert running.has_ended
    assert not psutil.pid_exists(running.pid)


def test_what_it_prints_later_does_not_pile_up(tmp_path: Path) -> None:
    started(launcher(tmp_path, LISTENS, "print('x' * 10**6, flush=True)", UNTIL_INPUT_ENDS))


def test_the_token_goes_through_the_environment_and_differs_each_time(tmp_path: Path) -> None:
    one = launcher(
        tmp_path,
        "print(sys.argv, os.environ['VCAD_AUTH_TOKEN'], file=sys.stderr, flush=True)",
        LISTENS,
        UNTIL_INPUT_ENDS,
    )
    first, second = started(one).address.token, started(one).address.token
    logs = [path.read_text() for path in sorted((tmp_path / ".vcad" / "logs").iterdir())]
    assert first
    assert second
    assert first != second
    for token, log in zip((first, second), logs, strict=True):
        arguments, told = log.split("] ")
        assert told.strip() == token
        assert token not in arguments
        assert "--watch-parent" in arguments


def test_an_interrupt_of_the_notebook_does_not_reach_it(tmp_path: Path) -> None:
    async def work() -> None:
        running = await launcher(tmp_path, LISTENS, UNTIL_INPUT_ENDS).start()
        try:
            assert os.getpgid(running.pid) != os.getpgid(0)
            assert os.getsid(running.pid) == running.pid
        finally:
            await running.stop()

    asyncio.run(work())


def test_one_that_does_not_end_by_itself_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vcad_kernel.service.client.launcher._KILLED_AFTER", 0.05)
    deaf = launcher(tmp_path, "signal.signal(signal.SIGTERM, signal.SIG_IGN)", LISTENS, "time.sleep(60)")
    assert started(deaf).has_ended


def test_one_that_ends_at_once_is_quoted(tmp_path: Path) -> None:
    error = failure(launcher(tmp_path, "sys.exit('the port is taken')"))
    assert "it ended at once" in error.message
    assert error.why is not None
    assert "the port is taken" in error.why
    assert Path(error.details["log"]).is_relative_to(tmp_path / ".vcad" / "logs")
    assert set(error.details) >= {"host", "port", "operation"}


def test_one_that_says_something_else_is_refused(tmp_path: Path) -> None:
    assert (
        "'hello' where its address belongs"
        in failure(launcher(tmp_path, "print('hello', flush=True)", "time.sleep(60)")).message
    )


def test_one_that_says_nothing_is_waited_for_so_long_and_killed(tmp_path: Path) -> None:
    silent = launcher(
        tmp_path, "print(os.getpid(), file=sys.stderr, flush=True)", "time.sleep(60)", seconds=0.3
    )
    error = failure(silent)
    assert "does not listen after 0.3 s" in error.message
    for pid in (error.why or "").split(": ")[1:]:
        assert not psutil.pid_exists(int(pid))


def test_a_command_that_is_not_there_is_a_failure_like_others(tmp_path: Path) -> None:
    assert "cannot be started" in failure(Launcher(tmp_path, command=["no such program"])).message


def test_the_log_goes_elsewhere_where_the_workspace_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    log = ServiceLog.beside(tmp_path / "file")
    log.close()
    assert not log.path.is_relative_to(tmp_path)
    log.path.unlink()


def test_of_a_log_no_more_than_the_last_lines_and_characters_are_quoted(tmp_path: Path) -> None:
    log = ServiceLog.beside(tmp_path)
    os.write(log.handle, b"".join(b"%d\n" % number for number in range(100)))
    assert log.tail().splitlines() == [str(number) for number in range(88, 100)]
    os.write(log.handle, b"x" * 3000)
    log.close()
    assert log.tail() == "x" * 2000


def test_only_the_last_logs_are_kept(tmp_path: Path) -> None:
    for _ in range(12):
        ServiceLog.beside(tmp_path).close()
    assert len(list((tmp_path / ".vcad" / "logs").iterdir())) == 8


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_it_ends_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    """However that ends: the pipe is closed by the system."""
    program = textwrap.dedent(
        f"""
        import asyncio, sys, time
        from pathlib import Path
        from tests.service.client.test_launcher import LISTENS, UNTIL_INPUT_ENDS, launcher
        async def work():
            running = await launcher(Path({str(tmp_path)!r}), LISTENS, UNTIL_INPUT_ENDS).start()
            print(running.pid, flush=True)
            time.sleep(60)
        asyncio.run(work())
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        service = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    with suppress(psutil.NoSuchProcess):
        service.wait(PATIENCE)
    assert not service.is_running() or service.status() == psutil.STATUS_ZOMBIE
