"""The ``vcad`` command as a terminal runs it: within the tests' own process, or as a process of its own.

Within the tests' process it is the same entry point, on other streams, in another folder and with other
variables. What is about the process itself (signals, closed pipes, encodings, what is imported) starts
``COMMAND``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from vcad_kernel.cli import main

__all__ = ["COMMAND", "vcad", "vcad_bytes", "vcad_process"]

COMMAND = (sys.executable, "-c", "from vcad_kernel.cli import main; main()")


def vcad(
    *arguments: str, stdin: str = "", folder: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, with variables added to its surroundings."""
    done = _run(arguments, stdin.encode("utf-8"), folder, variables)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )


def vcad_bytes(*arguments: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the command in this process, on input that may be no text."""
    return _run(arguments, stdin, None, {})


def vcad_process(*arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process, with variables added to its surroundings, and wait for its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **variables},
    )


def _run(
    arguments: tuple[str, ...], stdin: bytes, folder: Path | None, variables: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    streams = {"stdout": BytesIO(), "stderr": BytesIO()}
    with (
        patch.object(sys, "argv", ["vcad", *arguments]),
        patch.object(sys, "stdin", TextIOWrapper(BytesIO(stdin), encoding="utf-8")),
        patch.object(sys, "stdout", TextIOWrapper(streams["stdout"], encoding="utf-8")),
        patch.object(sys, "stderr", TextIOWrapper(streams["stderr"], encoding="utf-8")),
        patch.dict(os.environ, variables),
        contextlib.chdir(folder or Path.cwd()),
        _handlers_kept(),
    ):
        status = _status()
        sys.stdout.flush()
        sys.stderr.flush()
        written = {name: stream.getvalue() for name, stream in streams.items()}
    return subprocess.CompletedProcess(arguments, status, **written)


@contextlib.contextmanager
def _handlers_kept() -> Iterator[None]:
    """A command handles signals until its process ends; this process goes on."""
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in ending]
    try:
        yield
    finally:
        for number, handler in zip(ending, before, strict=True):
            signal.signal(number, handler)


def _status() -> int:
    """The command's exit status, as Python would make it of how the entry point ends."""
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
