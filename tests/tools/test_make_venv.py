"""The environment on a machine that has little: what is missing is installed, or named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "make_venv.sh"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"

PYTHON_WITHOUT_VENV = """#!/bin/sh
# Debian's Python before its venv package is there; that it makes an environment is only noted.
case "$2" in
    *ensurepip*) test -e "{machine}/has-venv" ;;
    venv) echo "$3" > "{machine}/made" ;;
    *) exec "{python}" "$@" ;;
esac
"""
APT = """#!/bin/sh
echo "$*" >> "{machine}/apt-log"
case "$*" in *install*) : > "{machine}/has-venv" ;; esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of commands that stands for a machine: a shell, a Python, no apt; its user is root."""
    for tool in ("sh", "dirname"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / tool).symlink_to(found)
    give(tmp_path, "id", "#!/bin/sh\necho 0\n")
    give(tmp_path, "python3", PYTHON_WITHOUT_VENV)
    return tmp_path


def give(machine: Path, command: str, text: str) -> None:
    file = machine / command
    file.write_text(text.replace("{machine}", str(machine)).replace("{python}", sys.executable))
    file.chmod(0o755)


def make_venv(machine: Path) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(SCRIPT), "place"]
    return subprocess.run(command, env={"PATH": str(machine)}, capture_output=True, text=True, check=False)


def test_a_missing_venv_module_is_installed_where_apt_can(machine: Path) -> None:
    give(machine, "apt-get", APT)
    done = make_venv(machine)
    assert done.returncode == 0, done.stderr
    assert f"install -y -qq python{VERSION}-venv" in (machine / "apt-log").read_text()
    assert (machine / "made").read_text() == "place\n"


def test_a_missing_venv_module_is_named_where_nothing_can_install_it(machine: Path) -> None:
    done = make_venv(machine)
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr
    assert not (machine / "made").exists()


def test_a_missing_python_is_named(machine: Path) -> None:
    (machine / "python3").unlink()
    done = make_venv(machine)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr
