"""The ``vcad`` command as a terminal runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["vcad"]


def vcad(*arguments: str, stdin: str = "", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command and wait for its end."""
    return subprocess.run(
        [sys.executable, "-c", "from vcad_kernel.cli import main; main()", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
    )
