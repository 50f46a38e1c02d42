"""No room, or no right to write: nothing half published can be seen, and it goes on once there is room."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.service.faults.artifact_reader import ArtifactReader
from tests.service.faults.checkpoints import STEPS, until
from tests.service.faults.service import FRAME, Service, goes_on, kill, running

FINE = "[sphere-n 10 200]"
"""A model whose mesh takes some megabytes as a file."""


@pytest.mark.parametrize("step", STEPS[:-1])
@pytest.mark.parametrize("number", ["ENOSPC", "EROFS"])
@pytest.mark.usefixtures("leaves_nothing")
def test_a_step_of_a_publication_that_fails(service: Service, step: str, number: str) -> None:
    worker, peer = service.worker(), service.peer()
    before = set(service.artifacts.glob("*"))
    service.checkpoints.arm(f"publication: {step}", number)
    refusal = peer.refusal(peer.eval(FRAME, artifact=True))
    assert refusal["error_code"] == "EXPORT_FAILED"
    assert refusal["details"]["reason"] in {"No space left on device", "Read-only file system"}
    assert refusal["details"]["operation"] == "vcad.eval_code"
    until(lambda: set(service.artifacts.glob("*")) == before)
    goes_on(service)
    assert service.worker() == worker


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("publication: to stage", "EXPORT_FAILED"),
        ("front: idle", "EXPORT_FAILED"),
        ("front: a block is asked for", "PAYLOAD_TOO_LARGE"),
        ("worker: response to write", "PAYLOAD_TOO_LARGE"),
    ],
)
@pytest.mark.usefixtures("leaves_nothing")
def test_no_room_for_what_passes_between_the_processes(service: Service, place: str, code: str) -> None:
    peer = service.peer("mesh.shm")
    service.checkpoints.arm(place, "ENOSPC")
    refusal = peer.refusal(peer.eval(FRAME, artifact=True))
    assert refusal["error_code"] == code, refusal
    assert "No space left" in str(refusal)


@pytest.mark.usefixtures("leaves_nothing")
def test_a_disk_that_is_full_while_the_mesh_is_written(service: Service) -> None:
    worker, peer = service.worker(), service.peer()
    refusal = peer.refusal(peer.eval(f"[small-files 1000] {FRAME}", artifact=True))
    assert refusal["error_code"] == "EXPORT_FAILED", refusal
    # what needs no file is done all the same
    assert peer.result(peer.eval(FRAME))["volume"] == 6000
    assert service.worker() == worker
    kill(worker)
    service.worker(other_than=worker)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Something mounted over a folder."""
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("only root mounts file systems")
    if subprocess.run(["mount", *options, folder], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def test_a_real_disk_that_is_full_and_then_read_only(tmp_path: Path) -> None:
    artifacts = tmp_path / "disk"
    artifacts.mkdir()
    with (
        mounted(artifacts, "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs"),
        running(tmp_path, wrapped=False, temp_dir=artifacts) as service,
        ArtifactReader(artifacts) as reader,
    ):
        goes_on(service)
        peer = service.peer()
        for _ in range(3):
            refusal = peer.refusal(peer.eval(FINE, artifact=True))
            assert refusal["error_code"] == "EXPORT_FAILED", refusal
            until(lambda: service.staged() == [])
        goes_on(service)
        with mounted(artifacts, "--bind", str(artifacts)):
            remount(artifacts, "bind,ro")
            refusal = peer.refusal(peer.eval(FRAME, artifact=True))
            assert refusal["error_code"] == "EXPORT_FAILED"
            assert "Read-only" in refusal["message"]
            assert peer.result(peer.eval(FRAME))["volume"] == 6000
        remount(artifacts, "size=64m")
        goes_on(service)
        assert peer.result(peer.eval(FINE, artifact=True))["obj_path"]
        service.close_peers()
        assert service.end() == 0
    assert reader.faults == []


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    artifacts = tmp_path / "file" / "artifacts"
    (tmp_path / "file").write_text("where a folder belongs")
    with running(tmp_path, wrapped=False, temp_dir=artifacts) as service:
        peer = service.peer()
        refusal = peer.refusal(peer.eval(FRAME, artifact=True))
        assert refusal["error_code"] == "EXPORT_FAILED"
        assert "VCAD_TEMP_DIR" in refusal["details"]["fix"]
        assert peer.result(peer.eval(FRAME))["volume"] == 6000
        (tmp_path / "file").unlink()
        goes_on(service)
        service.close_peers()
        assert service.end() == 0
