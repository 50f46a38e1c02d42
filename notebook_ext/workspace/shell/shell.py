"""Run a bash script in the workspace: saved first, shut in, watched, ended with all that it started.

    ran = run_script("make parts", workspace=root, folder=root, variables=environment.variables)

The file that is saved is what runs, so that nothing is spliced into a command line. Standard input
is closed. Nothing that the script starts outlives it, nor does anything that it makes and others would run.

To stop a command is to stop all that it has started. A child that has its own session leaves the group, one
whose parent has ended leaves the tree, unless the first process takes such ones in (jail.py); what it
inherited, a mark in its environment, stays. Each of the three is looked at.
"""

from __future__ import annotations

import codecs
import contextlib
import itertools
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

import psutil

from notebook_ext.workspace.shell.layout import Layout, shown
from notebook_ext.workspace.shell.repository import Repository, borrowed
from notebook_ext.workspace.shell.sandbox import (
    Enclosed,
    Limits,
    Sandbox,
    enclosed,
    started,
    strongest_sandbox,
)
from notebook_ext.workspace.shell.set_aside import Guard
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, PathRefused, ServiceFailure
from vcad_kernel.paths import own_folder

__all__ = ["OUTPUT_LIMIT", "ScriptRun", "run_script"]


OUTPUT_LIMIT: Final = 256 * 1024
"""Bytes of each stream that are kept: the first and the last half of them."""

_LONGEST_LINE: Final = 16 * 1024
"""Bytes of a line that are waited for before it is reported."""

_LOOK_EVERY: Final = 0.25
"""Seconds between two looks at whether the caller has cancelled."""

_LAST_OUTPUT: Final = 30.0
"""Seconds for what was written last, once all that could write has ended: a machine may be very busy."""

_BASHES: Final = ("/usr/bin/bash", "/bin/bash")
"""Where it is on most systems."""

_sequence = itertools.count(1)


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """What came of a script."""

    stdout: str
    stderr: str
    cut: bool
    """More was written than is kept."""
    exit_code: int | None
    """128 and more for a signal, as bash says it; None for a script that ran out of time."""
    timed_out: bool
    duration_s: float
    script_path: Path
    sandbox: Sandbox
    analysis: str = ""
    """What the caller's own look at a failure says."""
    unseen: tuple[str, ...] = ()
    """Folders of the workspace that it did not see, since they are too large to look through."""
    set_aside: tuple[str, ...] = ()
    """What it made and git or a shell would run unasked: moved to .vcad/set_aside."""
    kept_out: tuple[str, ...] = ()
    """What it changed of the repository and was not taken over, since others had changed it meanwhile."""


@dataclass(slots=True)
class _Stream:
    """One stream of output, of which the beginning and the end are kept."""

    limit: int
    first: bytearray = field(default_factory=bytearray)
    last: bytearray = field(default_factory=bytearray)
    size: int = 0
    fresh: bytearray = field(default_factory=bytearray)
    """What has come since the last report, of the first ``limit`` bytes."""
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )
    lock: threading.Lock = field(default_factory=threading.Lock)

    def news(self, *, over: bool = False) -> str:
        """What has come since the last time, for the caller; no more than ``limit`` in all.

        over: the last line too, though nothing ends it; else whole lines, unless one is very long.
        """
        with self.lock:
            end = self.fresh.rfind(b"\n") + 1
            if over or len(self.fresh) - end > _LONGEST_LINE:
                end = len(self.fresh)
            piece = bytes(self.fresh[:end])
            del self.fresh[:end]
        return self.decoder.decode(piece)

    def add(self, piece: bytes) -> None:
        with self.lock:
            self.fresh += piece[: max(0, self.limit - self.size)]
        self.size += len(piece)
        room = self.limit // 2 - len(self.first)
        self.first += piece[:room]
        self.last += piece[room:]
        if len(self.last) > self.limit:
            del self.last[: -(self.limit // 2)]

    @property
    def cut(self) -> bool:
        return self.size > self.limit

    def text(self) -> str:
        end = self.last[-(self.limit // 2) :] if self.cut else self.last
        left_out = self.size - len(self.first) - len(end)
        gap = f"\n… {left_out} bytes left out …\n" if left_out else ""
        return self.first.decode(errors="replace") + gap + end.decode(errors="replace")


def run_script(
    script: str,
    *,
    workspace: Path,
    folder: Path,
    variables: Mapping[str, str],
    timeout_s: float = 60.0,
    sandbox: Sandbox | None = None,
    limits: Limits | None = None,
    looked_at: Callable[[], object] = lambda: None,
    on_output: Callable[[str, str], object] = lambda _stream, _text: None,
    output_limit: int = OUTPUT_LIMIT,
    grace_s: float = 2.0,
    on_failure: Callable[[str], str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> ScriptRun:
    """Run a script with ``bash -euo pipefail`` and wait for it.

    workspace: its real path. folder: where it runs, a real path in the workspace.
    variables: all of its environment. sandbox: by default the strongest.
    looked_at: called a few times a second; what it raises ends the script and comes out.
    on_output: ("stdout" or "stderr", text) as it comes, the first ``output_limit`` bytes of each.
    grace_s: between the request to end and the end, after ``timeout_s``.
    on_failure: (stderr) → what it makes of it, for a script that fails. clock: steady seconds.
    Raises: PathRefused for a folder elsewhere and a workspace that holds the system, CapabilityUnavailable
    without bash, ServiceFailure SAVE_FAILED, OPERATION_FAILED and BUSY.
    """
    if not folder.is_relative_to(workspace):
        raise PathRefused(
            f"a script runs in the workspace, not in {folder}",
            fix="name a folder of the workspace",
            details={"path": str(folder), "workspace": str(workspace), "operation": "run_shell"},
        )
    bash = _bash()
    path = _saved(script, workspace)
    # by the mark in its environment every process of the script is found again, whatever it has become
    mark = secrets.token_hex(16)
    used = strongest_sandbox() if sandbox is None else sandbox
    if used in {"bubblewrap", "unshare"} and "TMPDIR" in variables:
        variables = {**variables, "TMPDIR": "/tmp"}  # the only such folder in there
    command = [bash, "-euo", "pipefail", str(path)]
    with _laid_out(workspace) as (layout, repository):
        guard = Guard(workspace, layout.marked)
        what = enclosed(used, command, layout, folder, {**variables, MARK: mark}, limits or Limits())
        began = clock()
        process = _started(what, folder)
        out, error = _Stream(output_limit), _Stream(output_limit)
        readers = [_reading(process.stdout, out), _reading(process.stderr, error)]

        def report(*, over: bool = False) -> None:
            for name, stream in (("stdout", out), ("stderr", error)):
                if text := stream.news(over=over):
                    on_output(name, text)

        def look() -> None:
            looked_at()
            report()
            guard.look()

        # what it started in the background ends with it, in time or not
        try:
            timed_out = not _ended(process, began + timeout_s, look, clock)
            stop_tree(process, mark, grace_s=grace_s if timed_out else 0)
        except BaseException:
            stop_tree(process, mark, grace_s=grace_s)
            raise
        finally:
            for reader in readers:
                reader.join(_LAST_OUTPUT)
            guard.look(over=True)
    report(over=True)
    failed = timed_out or process.returncode != 0
    return ScriptRun(
        out.text(),
        error.text(),
        out.cut or error.cut,
        None if timed_out else _as_bash_says(process.returncode),
        timed_out,
        round(clock() - began, 3),
        path,
        used,
        on_failure(error.text()) if failed and on_failure is not None else "",
        tuple(shown(path, workspace) for path in layout.unseen) if used != "none" else (),
        tuple(guard.set_aside),
        tuple(repository.kept_out),
    )


@contextlib.contextmanager
def _laid_out(workspace: Path) -> Iterator[tuple[Layout, Repository]]:
    """How a script sees the workspace, as long as it runs. Raises: PathRefused; ServiceFailure."""
    with TemporaryDirectory(prefix="vcad-script-", ignore_cleanup_errors=True) as named:
        staging = Path(os.path.realpath(named))
        try:
            with borrowed(workspace, staging) as repository:
                yield Layout.of(workspace, staging, repository.steps), repository
        except OSError as failed:
            raise ServiceFailure(
                ErrorCode.OPERATION_FAILED,
                f"what the script sees could not be laid out: {failed.strerror or failed}",
                details={"operation": "run_shell"},
            ) from failed


def _started(command: Enclosed, folder: Path) -> subprocess.Popen[bytes]:
    """The process, at the head of a group of its own. Raises: ServiceFailure OPERATION_FAILED."""
    try:
        return started(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as failed:
        raise ServiceFailure(
            ErrorCode.OPERATION_FAILED,
            f"the script could not be started: {failed.strerror or failed}",
            details={"operation": "run_shell"},
        ) from failed


def _as_bash_says(code: int) -> int:
    return code if code >= 0 else 128 - code


def _bash() -> str:
    program = None if sys.platform == "win32" else shutil.which("bash")
    if program is None:
        raise CapabilityUnavailable(
            "there is no bash on this machine to run a script with",
            fix="install bash, or do it with the other tools",
            details={"required_capability": "bash", "operation": "run_shell"},
        )
    # what is first on the person's PATH may lie where a sandbox shows nothing
    return next((bash for bash in _BASHES if Path(bash).exists()), os.path.realpath(program))


def _saved(script: str, workspace: Path) -> Path:
    """The file of a script, new, beside those before it."""
    folder = workspace / ".vcad" / "scripts"
    if folder.is_symlink() or folder.parent.is_symlink():
        raise PathRefused(
            "the folder of scripts is a link, and a script must lie in the workspace",
            details={"path": str(folder), "workspace": str(workspace), "operation": "run_shell"},
        )
    try:
        own_folder(workspace)
        folder.mkdir(exist_ok=True)
        while True:
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
            path = folder / f"{stamp}_{next(_sequence):04d}.sh"
            with suppress(FileExistsError):
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                break
        with os.fdopen(handle, "wb") as file:
            file.write(script.replace("\r\n", "\n").encode("utf-8", errors="replace"))
    except OSError as failed:
        raise ServiceFailure(
            ErrorCode.SAVE_FAILED,
            f"the script could not be saved: {failed.strerror or failed}",
            details={"path": str(folder), "operation": "run_shell"},
        ) from failed
    return path


def _reading(pipe: IO[bytes] | None, stream: _Stream) -> threading.Thread:
    """A thread that takes what is written until the last writer is gone."""
    assert pipe is not None

    def read() -> None:
        with pipe:
            while piece := os.read(pipe.fileno(), 65536):
                stream.add(piece)

    thread = threading.Thread(target=read, name="vcad-shell-output", daemon=True)
    thread.start()
    return thread


def _ended(
    process: subprocess.Popen[bytes],
    until: float,
    looked_at: Callable[[], object],
    clock: Callable[[], float],
) -> bool:
    """Wait for the script itself; whether it ended in its time."""
    while (left := until - clock()) > 0:
        try:
            process.wait(min(left, _LOOK_EVERY))
        except subprocess.TimeoutExpired:
            looked_at()
        else:
            return True
    return False


MARK: Final = "VCAD_SCRIPT_MARK"
"""The variable that every process of one script has, with a value of its own."""

_ROUNDS: Final = 20
"""Looks at the tree at most: what is started between a look and its blow is met by the next."""


def stop_tree(process: subprocess.Popen[bytes], mark: str, *, grace_s: float = 2.0) -> None:
    """Ask the whole tree to end (TERM), wait, then end it (KILL).

    process: the leader of its own group. mark: what `MARK` is in its environment.
    grace_s: seconds between the two; 0 goes straight to the second.
    """
    if grace_s > 0:
        _signal_group(process, signal.SIGTERM)
        tree = _tree(process, mark)
        for member in tree:
            with contextlib.suppress(psutil.Error):
                member.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0 if not tree else grace_s)
        psutil.wait_procs([member for member in tree if member.pid != process.pid], timeout=grace_s)
    # the first one last: as long as it lives, those whose parent is killed are found below it
    for _ in range(_ROUNDS):
        tree = [member for member in _tree(process, mark) if member.pid != process.pid]
        if not tree:
            break
        for member in tree:
            with contextlib.suppress(psutil.Error):
                member.kill()
        psutil.wait_procs(tree, timeout=1.0)
    _signal_group(process, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _tree(process: subprocess.Popen[bytes], mark: str) -> list[psutil.Process]:
    """Every living process of the script that is not in some other sandbox's process space."""
    by_pid: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(process.pid)
        by_pid = {member.pid: member for member in (root, *root.children(recursive=True))}
    for candidate in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if candidate.pid != os.getpid() and candidate.environ().get(MARK) == mark:
                by_pid[candidate.pid] = candidate
    return [member for member in by_pid.values() if _lives(member)]


def _lives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False
