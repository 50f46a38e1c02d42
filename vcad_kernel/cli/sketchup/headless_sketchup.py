"""The headless SketchUp as a process: started, listening, ended.

    with HeadlessSketchUp.start(port=0, repl_port=0, workspace=folder) as sketchup:
        sketchup.bridge_port

It ends with its standard input, so it does not outlive us however we end.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from vcad_kernel.cli.sketchup.ruby_runtime import launcher, ruby

__all__ = ["HeadlessSketchUp", "NotStarted"]

_PATIENCE: Final = 10.0
"""Seconds to end in good order."""

_START_PATIENCE: Final = 60.0
"""Seconds until it must listen, on a machine that is busy with other things."""

_READY: Final = re.compile(r"READY bridge=(\d+) repl=(\d+) pid=(\d+)")


class NotStarted(Exception):
    """It ended before it listened; the message is what it said last."""


class HeadlessSketchUp:
    """A running headless SketchUp with the extension loaded."""

    def __init__(self, process: subprocess.Popen[str], bridge_port: int, repl_port: int) -> None:
        self.process = process
        self.bridge_port = bridge_port
        self.repl_port = repl_port
        """0 when the REPL does not listen."""

    @classmethod
    def start(
        cls,
        *,
        port: int,
        repl_port: int,
        workspace: Path | None = None,
        token: str | None = None,
        allow_eval: bool = False,
        environment: Mapping[str, str] | None = None,
        errors: int | IO[str] | None = None,
        own_group: bool = False,
    ) -> Self:
        """Start it and wait until it listens.

        port, repl_port: 0 takes a free one.
        workspace: a folder that clients may name files in, beside the one of their own hello.
        environment: variables added to ours.
        errors: where its standard error goes, as for ``subprocess``; by default to ours.
        own_group: whether signals to our process group, as a notebook's interrupt, pass it by.
        Raises: NoRuby, RuntimeMissing, NotStarted.
        """
        command = [ruby(), "--disable-gems", "-E", "UTF-8:UTF-8", str(launcher())]
        command += ["--port", str(port), "--repl-port", str(repl_port)]
        if workspace is not None:
            command += ["--workspace", str(workspace)]
        if allow_eval:
            command.append("--allow-eval")
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=_surroundings(token, environment or {}),
            start_new_session=own_group,
        )
        return cls._listening(process)

    @classmethod
    def _listening(cls, process: subprocess.Popen[str]) -> Self:
        assert process.stdout is not None
        said = ""
        deadline = threading.Timer(_START_PATIENCE, process.kill)
        deadline.start()
        try:
            for line in process.stdout:
                said = line.strip()
                if ready := _READY.match(line):
                    return cls(process, int(ready[1]), int(ready[2]))
        finally:
            deadline.cancel()
        status = process.wait()
        _close(process)
        reason = said.removeprefix("FAILED ") or f"it ended with status {status}"
        if "already in use" in reason:
            reason += (
                "\nIs SketchUp running, or another headless one? Notebooks find that. "
                "`--port 0` takes a free port; set SUPEX_PORT to it for the notebooks."
            )
        raise NotStarted(f"the headless SketchUp did not start: {reason}")

    def wait(self) -> int:
        """Wait for its end; the exit status."""
        return self.process.wait()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.kill()
        self.process.wait()
        _close(self.process)

    def close(self) -> int:
        """End it in good order; the exit status."""
        with suppress(OSError):  # it is gone already
            assert self.process.stdin is not None
            self.process.stdin.close()
        try:
            status = self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        _close(self.process)
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _surroundings(token: str | None, added: Mapping[str, str]) -> dict[str, str]:
    """Our environment, without what would load other Ruby code into the process."""
    kept = {name: value for name, value in os.environ.items() if name not in _RUBY_VARIABLES}
    if token is not None:
        kept["SUPEX_AUTH_TOKEN"] = token  # not as an argument: others can read those
    return {**kept, **added}


_RUBY_VARIABLES: Final = ("RUBYOPT", "RUBYLIB", "BUNDLE_GEMFILE")


def _close(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
