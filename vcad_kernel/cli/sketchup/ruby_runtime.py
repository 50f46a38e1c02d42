"""Where SketchUp's side of the bridge lies, and the Ruby that can run it without SketchUp.

Knows a checkout (``ruby_runtime/`` beside the packages) and a wheel (``vcad_kernel/ruby_runtime``).
Starts nothing but ``ruby --version``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

__all__ = ["NoRuby", "RuntimeMissing", "extension_sources", "launcher", "ruby"]

OLDEST_RUBY: Final = (3, 1)

_HOW_TO_INSTALL: Final = """\
The headless SketchUp needs Ruby 3.1 or later on the path; SketchUp itself brings its own. To install Ruby:
  Debian, Ubuntu   sudo apt install ruby
  Fedora           sudo dnf install ruby
  macOS            brew install ruby
  Windows          winget install RubyInstallerTeam.Ruby.3.2
  conda            conda install -c conda-forge ruby"""


class NoRuby(Exception):
    """No Ruby, or one too old; the message says how to get one."""


class RuntimeMissing(Exception):
    """This installation came without SketchUp's side."""


def extension_sources() -> Path:
    """The folder of the extension: ``vcad_bridge.rb`` and the folder of that name.

    Raises: RuntimeMissing.
    """
    return _folder("src", "vcad_bridge.rb")


def launcher() -> Path:
    """The Ruby script that runs the extension in the headless SketchUp.

    Raises: RuntimeMissing.
    """
    return _folder("mock", "launch.rb") / "launch.rb"


def ruby(search_path: str | None = None) -> str:
    """The Ruby to run: the first on the path.

    search_path: folders to look in, as in PATH; by default the environment's.
    Raises: NoRuby when there is none, it does not run, or it is older than 3.1.
    """
    program = shutil.which("ruby", path=search_path)
    if program is None:
        raise NoRuby(f"there is no `ruby` on the path.\n{_HOW_TO_INSTALL}")
    version = _version_of(program)
    if version is None:
        raise NoRuby(f"{program} does not tell its version.\n{_HOW_TO_INSTALL}")
    if version < OLDEST_RUBY:
        shown = ".".join(map(str, version))
        raise NoRuby(f"{program} is Ruby {shown}, which is too old.\n{_HOW_TO_INSTALL}")
    return program


def _folder(name: str, inside: str) -> Path:
    here = Path(__file__).resolve()
    for root in (here.parents[2] / "ruby_runtime", here.parents[3] / "ruby_runtime"):
        if (root / name / inside).is_file():
            return root / name
    raise RuntimeMissing(
        "this installation has no SketchUp extension: neither a checkout nor a complete wheel. "
        "Install vcad-workbench again."
    )


def _version_of(program: str) -> tuple[int, int] | None:
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=20, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"(?:j|truffle)?ruby (\d+)\.(\d+)", answer.stdout)
    return (int(match[1]), int(match[2])) if match else None
