"""A session's ``/mcp`` for the proxy's tests: a small server of the SDK in a process of its own.

    with stand_in(workspace, runtime, kernel_id="k1") as session: ...

It announces itself as a session does, with a record in the runtime folder, and knows a handful of tools
that show what the proxy must pass on.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.warm_processes import Popen

__all__ = ["StandIn", "stand_in"]


@dataclass
class StandIn:
    """A session that runs; what it is told to do and what it says go through its pipes."""

    process: Popen
    session_id: str
    workspace: Path
    runtime: Path

    def said(self) -> str:
        """The next line that it says."""
        assert self.process.stdout is not None
        line: str = self.process.stdout.readline()
        return line.strip()

    def tell(self, word: str) -> None:
        """Have it do one of: changed, tools."""
        assert self.process.stdin is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """End it as a crash does: its record stays."""
        self.process.kill()
        self.process.wait(60)


@contextmanager
def stand_in(
    workspace: Path,
    runtime: Path,
    *,
    session_id: str = "s-one",
    kernel_id: str | None = "kernel-one",
    notebook: str | None = "plate.ipynb",
) -> Iterator[StandIn]:
    """A stand-in that has announced itself; it ends with the block."""
    process = Popen(
        [
            sys.executable,
            "-m",
            f"{__name__}_server",
            str(workspace),
            session_id,
            kernel_id or "",
            notebook or "",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime)},
    )
    started = StandIn(process, session_id, workspace, runtime)
    try:
        assert started.said() == "listening"
        yield started
    finally:
        process.kill()
        process.wait(60)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
