"""The token: nobody is let in without it, and nobody is ever told it."""

from __future__ import annotations

import hmac
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.service.security.real_service import ROOT, TOKEN, RealService, Wire
from vcad_kernel.contracts.messages import ServiceLimits
from vcad_kernel.errors import VcadError
from vcad_kernel.service.front.connection.handshake import Handshake
from vcad_kernel.service.front.files.path_policy import policy_for

pytestmark = pytest.mark.xdist_group("security")  # they share one service

METHODS = (
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "shutdown",
    "",
    "__class__",
    "HELLO",
    "hello ",
)


@pytest.mark.parametrize("token", [None, "", ...])
def test_without_a_token_nobody_is_let_in(service: RealService, token: Any) -> None:
    with service.connect() as wire:
        params = {"token": token} if token is not ... else {"token": None}
        answer = wire.hello(service.workspace, **params)
        assert answer["error"]["data"]["error_code"] == "AUTH_REQUIRED"
        assert answer["error"]["data"]["details"]["operation"] == "hello"


@pytest.mark.parametrize(
    "token",
    [
        TOKEN[:-1],
        TOKEN + "x",
        TOKEN.upper(),
        TOKEN + "\0",
        f" {TOKEN}",
        f"{TOKEN}\n",
        "x",
        "x" * 100_000,
        "\ud800",
        TOKEN.replace("c", "\u0441"),
    ],
)
def test_with_a_wrong_one_neither_and_it_is_told_nowhere(service: RealService, token: str) -> None:
    with service.connect() as wire:
        answer = wire.hello(service.workspace, token=token)
        assert answer["error"]["data"]["error_code"] == "AUTH_INVALID"
        assert TOKEN not in json.dumps(answer)
        if len(token) > 1:
            assert json.dumps(token)[1:-1] not in json.dumps(answer)
            assert token.encode("utf-8", "replace").decode() not in service.log()
        # it stays outside
        assert wire.call("ping")["error"]["data"]["error_code"] == "AUTH_REQUIRED"


@pytest.mark.parametrize("token", [0, True, [], [TOKEN], {"token": TOKEN}, 1.5])
def test_what_is_no_text_is_no_token(service: RealService, token: Any) -> None:
    with service.connect() as wire:
        answer = wire.hello(service.workspace, token=token)
        assert answer["error"]["data"]["error_code"] == "SCHEMA_VALIDATION_FAILED"
        assert TOKEN not in json.dumps(answer)
        assert wire.call("ping")["error"]["data"]["error_code"] == "AUTH_REQUIRED"


def test_before_hello_every_method_is_refused_in_the_same_words(service: RealService) -> None:
    with service.connect() as wire:
        said = set()
        for method in METHODS:
            data = wire.call(method, {"name": "vcad.eval_code", "arguments": {"code": "[cube 1 2 3]"}})
            assert data["error"]["data"]["error_code"] == "AUTH_REQUIRED", method
            said.add(data["error"]["message"])
        assert len(said) == 1
        # and nothing has been done: hello is still to come
        assert "result" in wire.hello(service.workspace)
        assert wire.is_usable()


def test_a_second_hello_changes_nothing(service: RealService) -> None:
    (service.workspace / "inner").mkdir(exist_ok=True)
    with service.session(service.workspace / "inner") as wire:
        answer = wire.hello(service.workspace)
        assert answer["error"]["data"]["error_code"] == "INVALID_REQUEST"
        assert wire.refusal("vcad.eval_file", {"path": "../x.loon"})["error_code"] == "PATH_NOT_ALLOWED"


def test_a_notification_does_not_pass_for_a_greeting(service: RealService) -> None:
    with service.connect() as wire:
        params = {"name": "x", "version": "1", "workspace": str(service.workspace), "protocol_version": 1}
        message = {"jsonrpc": "2.0", "method": "hello", "params": {**params, "token": "wrong"}}
        wire.say(json.dumps(message).encode() + b"\n")
        assert wire.call("ping")["error"]["data"]["error_code"] == "AUTH_REQUIRED"


def test_tokens_are_compared_in_constant_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest

    def recorded(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return compare(left, right)

    monkeypatch.setattr("vcad_kernel.service.front.connection.handshake.hmac.compare_digest", recorded)
    handshake = Handshake(
        token=TOKEN,
        limits=ServiceLimits(1, 1, 4096, 4096),
        policy=lambda where: policy_for(where, None),
        version="1",
    )
    params = {"name": "n", "version": "1", "workspace": str(tmp_path), "protocol_version": 1}
    for token in ("x", TOKEN[:-1], TOKEN + "x"):
        with pytest.raises(VcadError):
            handshake.hello({**params, "token": token}, is_local=True)
        assert compared.pop() == (token.encode(), TOKEN.encode())
    handshake.hello({**params, "token": TOKEN}, is_local=True)
    assert compared.pop() == (TOKEN.encode(), TOKEN.encode())


def test_the_token_stands_in_no_command_line_and_not_in_the_workers_environment(
    service: RealService,
) -> None:
    front = psutil.Process(service.process.pid)
    worker = psutil.Process(service.worker())
    for process in (front, worker):
        assert TOKEN not in " ".join(process.cmdline())
    assert TOKEN not in " ".join(worker.environ().values())


def test_the_log_never_holds_a_token(service: RealService, peer: Wire) -> None:
    assert peer.is_usable()
    assert "client_greeted" in service.log()
    assert TOKEN not in service.log()


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_configuration_is_shown_without_secrets(form: list[str], tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "vcad_kernel", "config", *form],
        cwd=ROOT,
        env={**os.environ, "VCAD_AUTH_TOKEN": TOKEN, "SUPEX_AUTH_TOKEN": TOKEN[::-1], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "VCAD_AUTH_TOKEN" in shown.stdout
    assert TOKEN not in shown.stdout + shown.stderr
    assert TOKEN[::-1] not in shown.stdout + shown.stderr


def test_a_token_of_a_service_that_does_not_start_is_not_told(tmp_path: Path) -> None:
    for given in ({"VCAD_PORT": "none"}, {"VCAD_HOST": "0.0.0.0"}):
        done = subprocess.run(
            [sys.executable, "-m", "vcad_kernel.service"],
            cwd=ROOT,
            env={**os.environ, "VCAD_AUTH_TOKEN": TOKEN, "HOME": str(tmp_path), **given},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 2
        assert TOKEN not in done.stdout + done.stderr
