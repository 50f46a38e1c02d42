"""Where it runs: what is resolved, what is imported where POSIX is not, what is refused and how."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
from datetime import date
from pathlib import Path

import pytest

from tools import platforms
from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.system.file_lock import lock
from vcad_kernel.system.platforms import WHEELS, require_service, unsupported

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_page_is_of_the_requirements_as_they_are() -> None:
    page = platforms.PAGE.read_text(encoding="utf-8")
    wanted = platforms.requirements(PROJECT)
    assert platforms.noted(page) == platforms.digest(wanted), "make platforms asks the index anew"
    for name in WHEELS:
        [row] = [line for line in page.split("\n") if line.startswith(f"| {name} |")]
        assert row.replace(" ", "").replace("|", "").removeprefix(name.replace(" ", "")).isdigit(), row
    for version in platforms.PYTHONS:
        assert f"Programming Language :: Python :: {version}" in PROJECT


def test_a_requirement_that_changes_asks_for_a_new_page() -> None:
    wanted = platforms.requirements(PROJECT)
    assert (
        platforms.digest([*wanted, "attrs>=24"]) != platforms.digest(wanted) == platforms.digest(wanted[::-1])
    )
    asked: list[tuple[str, str]] = []

    def resolve(_wanted: object, where: str, version: str) -> int | str:
        asked.append((where, version))
        return 7 if "gnu" in where or "linux" in where else "no wheel of x"

    found = platforms.table(wanted, resolve, date(2026, 1, 2))
    assert platforms.noted(found) == platforms.digest(wanted)
    assert "Asked on 2026-01-02" in found
    assert "| Linux aarch64 | 7 | 7 | 7 | 7 |" in found
    assert len(set(asked)) == len(asked) == len(platforms.PYTHONS) * (len(WHEELS) + len(platforms.REFUSED))


@pytest.mark.process
def test_a_module_that_needs_posix_would_be_found() -> None:
    """The stub itself: what Windows lacks is not there for our modules, and is for all others."""
    program = (
        "from tests.packaging import like_windows; like_windows.install()\n"
        "import os, fcntl; os.getuid()\n"
        "ours = {'__name__': 'vcad_kernel.x'}\n"
        "for text in ('import fcntl', 'import os; os.getuid()', 'from os import fork'):\n"
        "    try: exec(text, dict(ours)); print('there')\n"
        "    except (ImportError, AttributeError): pass\n"
        'exec(\'import os, sys; assert (os.name, sys.platform) == ("nt", "win32")\', ours)\n'
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.process
def test_on_windows_every_module_is_imported_parts_are_made_and_services_are_refused(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "tests.packaging.like_windows", "tests.packaging.windows_work")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("VCAD")}
    done = subprocess.run(
        (*command, str(tmp_path)), cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.strip().split("\n"))
    assert said["modules"] == "[]"
    assert said["exact"] == "True"
    assert float(said["volume"]) > 5000.0
    assert float(said["again"]) == pytest.approx(float(said["volume"]), rel=1e-6)
    assert said["png"] == r"b'\x89PNG'"
    assert [said[f"block.{suffix}"] for suffix in ("step", "3mf", "stl")] == ["True"] * 3
    assert said["dxf"].endswith("block.dxf")
    assert (said["log"], said["locks"], said["freed"]) == ("True", "True False True", "True")
    assert said["client"] == "CAPABILITY_UNAVAILABLE there is no evaluation service on Windows"
    assert said["service"] == "1"
    assert "there is no evaluation service on Windows" in done.stderr


@pytest.mark.parametrize(
    ("system", "machine", "abi", "glibc", "what", "way"),
    [
        ("linux", "x86_64", "cpython-311-x86_64-linux-gnu", "2.36", None, None),
        ("linux", "aarch64", "cpython-314-aarch64-linux-gnu", "2.28", None, None),
        ("darwin", "arm64", "", "", None, None),
        ("darwin", "x86_64", "", "", None, None),
        ("win32", "AMD64", "", "", None, None),
        ("win32", "ARM64", "", "", "this is Windows ARM64", "take the Python for x86_64"),
        ("win32", "x86", "", "", "this is Windows x86", "take the Python for x86_64"),
        ("linux", "x86_64", "cpython-312-x86_64-linux-musl", "", "built on musl", "Debian, Ubuntu or Fedora"),
        (
            "linux",
            "riscv64",
            "cpython-312-riscv64-linux-gnu",
            "2.40",
            "this is Linux riscv64",
            "one of these",
        ),
        ("linux", "i686", "cpython-311-i386-linux-gnu", "2.40", "this is Linux i686", "one of these"),
        ("linux", "x86_64", "cpython-311-x86_64-linux-gnu", "2.17", "glibc 2.17", "of 2019 or later"),
        ("freebsd14", "amd64", "", "", "this is freebsd14 x86_64", "one of these"),
    ],
)
def test_a_machine_without_wheels_is_told_so_and_what_to_take(
    system: str,
    machine: str,
    abi: str,
    glibc: str,
    what: str | None,
    way: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc" if glibc else "", glibc))
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _name: abi)
    found = unsupported()
    if what is None:
        assert found is None
    else:
        assert found is not None
        assert what in found[0]
        assert way is not None
        assert way in found[1]


def test_without_a_service_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require_service()
    monkeypatch.setattr("vcad_kernel.system.platforms.HAS_SERVICE", False)
    with pytest.raises(CapabilityUnavailable, match="no evaluation service on Windows") as refused:
        require_service()
    assert "VCAD_IN_PROCESS=1" in str(refused.value.fix)


def test_a_lock_is_one_descriptor_s_until_it_is_closed(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    lock(first)
    with pytest.raises(BlockingIOError):
        lock(second)
    os.close(first)
    lock(second, wait=True)
    os.close(second)
