"""The folder in memory: private, and gone with its service, however that ends."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from vcad_kernel.service.front.files.private_folder import PrivateFolder, memory_folder

_HOLD = """
import sys
from pathlib import Path
from vcad_kernel.service.front.files.private_folder import PrivateFolder
folder = PrivateFolder(Path(sys.argv[1]))
(folder.path / "mesh-1").write_bytes(b"mesh")
print(folder.path, flush=True)
sys.stdin.read()
"""


def test_the_folder_is_nobody_elses_and_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path)
    assert folder.path.stat().st_mode & 0o777 == 0o700
    (folder.path / "block").write_bytes(b"x")
    folder.close()
    folder.close()
    assert list(tmp_path.iterdir()) == []


def test_folders_of_killed_services_are_swept_and_those_of_living_ones_are_not(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLD, str(tmp_path)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as living,
    ):
        assert killed.stdout is not None
        assert living.stdout is not None
        dead, alive = Path(killed.stdout.readline().strip()), Path(living.stdout.readline().strip())
        killed.kill()
        killed.wait()
        assert dead.exists()
        ours = PrivateFolder(tmp_path)
        assert ours.swept == 1
        assert not dead.exists()
        assert (alive / "mesh-1").read_bytes() == b"mesh"
        ours.close()


def test_a_link_that_looks_like_a_folder_of_ours_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "lock").touch()
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "vcad-service-x").symlink_to(precious)
    PrivateFolder(tmp_path / "base").close()
    assert precious.is_dir()


def test_a_place_in_memory_that_is_small_or_missing_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = Path(tempfile.gettempdir())
    assert memory_folder(tmp_path / "missing") == temporary
    room = os.statvfs(tmp_path)
    small = SimpleNamespace(f_bavail=64 * 2**20 // room.f_frsize, f_frsize=room.f_frsize)
    monkeypatch.setattr(os, "statvfs", lambda _path: small)
    assert memory_folder(tmp_path) == temporary
    small.f_bavail *= 100
    assert memory_folder(tmp_path) == tmp_path
