"""Have the shared libraries of the machine that OpenCASCADE links to: install Debian's where apt can.

    python -m tools.need_libraries

Exit status 1 where OpenCASCADE cannot be loaded in the end; what is missing is said then.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from vcad_kernel.system.missing_library import MissingLibrary

__all__ = ["loadable", "main"]

_INSTALL = Path(__file__).parent / "apt_install.sh"


def _why_not() -> str:
    """What the import of OpenCASCADE says when it fails, in a process where it has not failed before."""
    done = subprocess.run(
        [sys.executable, "-c", "import OCP.gp"], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2]


def _install(package: str) -> bool:
    return subprocess.run(["sh", str(_INSTALL), package], check=False).returncode == 0


def loadable(why_not: Callable[[], str] = _why_not, install: Callable[[str], bool] = _install) -> str:
    """Install one library after the other, since only the first that is missing is named, until it loads.

    Gives what is wrong still, in a sentence; empty where OpenCASCADE loads.
    """
    tried: set[str] = set()
    while reason := why_not():
        missing = MissingLibrary.of(ImportError(reason))
        if missing is None:
            return f"OpenCASCADE cannot be loaded: {reason}"
        if missing.package in tried or not install(missing.package):
            return f"OpenCASCADE cannot be loaded, since {missing}: {missing.fix}"
        tried.add(missing.package)
    return ""


def main() -> int:
    """The exit status."""
    wrong = loadable()
    if wrong:
        print(wrong, file=sys.stderr)
        print(
            "  without it, curved parts have figures marked ≈, and there are no fillets and no STEP",
            file=sys.stderr,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
