"""The ``vcad`` command as a terminal runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["COMMAND", "vcad", "vcad_bytes"]

COMMAND = (sys.executable, "-c", "from vcad_kernel.cli import main; main()")


def vcad(
    *arguments: str, stdin: str = "", folder: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command, with variables added to its surroundings, and wait for its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, **variables},
    )


def vcad_bytes(*arguments: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the command on input that may be no text."""
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, check=False)
