"""Who can reach the service: this machine's processes, and others only where that was asked for twice."""

from __future__ import annotations

import ipaddress
import os
import socket
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.service.security.real_service import PATIENCE, Closed, RealService, Wire, end, real_service, start
from vcad_kernel.errors import PathRefused
from vcad_kernel.service.front.files.artifacts import ArtifactStore
from vcad_kernel.service.front.lifetime import check_exposure
from vcad_kernel.settings import SettingError, Settings

pytestmark = pytest.mark.xdist_group("security")  # they share one service


@pytest.mark.parametrize(
    ("variables", "missing"),
    [
        ({}, ["VCAD_ALLOW_REMOTE=1"]),
        ({"VCAD_AUTH_TOKEN": ""}, ["VCAD_ALLOW_REMOTE=1", "VCAD_AUTH_TOKEN"]),
        ({"VCAD_AUTH_TOKEN": "", "VCAD_ALLOW_REMOTE": "1"}, ["VCAD_AUTH_TOKEN"]),
        ({"VCAD_AUTH_TOKEN": "  ", "VCAD_ALLOW_REMOTE": "1"}, ["VCAD_AUTH_TOKEN"]),
        ({"VCAD_ALLOW_REMOTE": "0"}, ["VCAD_ALLOW_REMOTE=1"]),
    ],
)
def test_a_service_that_others_could_reach_does_not_start_to_listen(
    tmp_path: Path, variables: dict[str, str], missing: list[str]
) -> None:
    process = start(tmp_path, "--host", "0.0.0.0", variables=variables)
    try:
        said, complaint = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        end(process)
        raise
    assert process.returncode == 2
    assert said == b""
    for name in missing:
        assert name in complaint.decode()


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "192.168.1.1", "10.0.0.1", "::ffff:8.8.8.8", "example.org", "localhost.example.org"],
)
def test_every_address_but_this_machines_own_needs_the_permission(host: str) -> None:
    with pytest.raises(SettingError):
        check_exposure(Settings(host=host, auth_token="x"))
    with pytest.raises(SettingError):
        check_exposure(Settings(host=host, allow_remote=True))
    check_exposure(Settings(host=host, allow_remote=True, auth_token="x"))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost", "::ffff:127.0.0.1"])
def test_this_machines_own_addresses_need_none(host: str) -> None:
    check_exposure(Settings(host=host))


def test_by_default_nothing_but_the_loopback_is_listened_on(service: RealService) -> None:
    listening = [
        one.laddr.ip
        for one in psutil.Process(service.process.pid).net_connections("inet")
        if one.status == psutil.CONN_LISTEN
    ]
    assert listening == ["127.0.0.1"]


def _address_of_ours() -> str:
    for addresses in psutil.net_if_addrs().values():
        for one in addresses:
            if one.family == socket.AF_INET and not ipaddress.ip_address(one.address).is_loopback:
                return str(one.address)
    pytest.skip("this machine has no address but its loopback")


def test_a_client_elsewhere_needs_the_token_and_gets_no_shared_memory(tmp_path: Path) -> None:
    ours = _address_of_ours()
    with real_service(tmp_path, "--host", "0.0.0.0", variables={"VCAD_ALLOW_REMOTE": "1"}) as service:
        with Wire((ours, service.address[1])) as wire:
            refused = wire.hello(service.workspace, token=None)
            assert refused["error"]["data"]["error_code"] == "AUTH_REQUIRED"
        with Wire((ours, service.address[1])) as wire:
            assert "mesh.shm" not in wire.hello(service.workspace)["result"]["capabilities"]
        with Wire((ours, service.address[1])) as wire:
            refused = wire.hello(service.workspace, requested_capabilities=["mesh.shm"])
            assert refused["error"]["data"]["error_code"] == "CAPABILITY_UNAVAILABLE"
        with Wire(("127.0.0.1", service.address[1])) as wire:
            assert "mesh.shm" in wire.hello(service.workspace)["result"]["capabilities"]


@pytest.mark.parametrize("request_line", [b"POST / HTTP/1.1", b"GET /hello HTTP/1.0", b"OPTIONS * HTTP/1.1"])
def test_a_web_page_is_not_listened_to(service: RealService, request_line: bytes) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with service.connect() as wire:
        wire.say(request_line + b"\r\nHost: localhost\r\nContent-Type: text/plain\r\n\r\n" + body)
        with pytest.raises(Closed):
            wire.line()


def test_the_folders_of_the_service_are_its_users_alone(service: RealService) -> None:
    with service.session(service.workspace, "mesh.shm") as wire:
        mesh = wire.result("vcad.eval_code", {"code": "[cube 1 2 3]"})["mesh"]
        block = Path(mesh["path"])
        assert block.stat().st_mode & 0o777 == 0o600
        assert block.parent.stat().st_mode & 0o777 == 0o700
        for other in block.parent.iterdir():
            assert other.stat().st_mode & 0o077 == 0, other
        result = wire.result("vcad.eval_code", {"code": "[cube 1 2 3]", "artifact": True})
        for name in ("obj_path", "manifest_path"):
            assert Path(result[name]).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files that belong to somebody else")
def test_artifacts_go_into_no_folder_that_somebody_else_has_laid_out(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    theirs, link = tmp_path / "theirs", tmp_path / "link"
    theirs.mkdir()
    link.symlink_to(ours)
    for path in (theirs, link):
        os.chown(path, 65534, 65534, follow_symlinks=False)
        store = ArtifactStore(path)
        with pytest.raises(PathRefused):
            store.stage("part")
        store.close()
    assert list(ours.iterdir()) == list(theirs.iterdir()) == []
