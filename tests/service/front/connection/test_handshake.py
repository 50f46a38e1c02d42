"""Who is let in by hello, and what it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.contracts.messages import ServiceLimits
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError
from vcad_kernel.service.front.connection.handshake import Handshake
from vcad_kernel.service.front.files.path_policy import policy_for

LIMITS = ServiceLimits(64, 1000, 2000, 3000)


def handshake(token: str | None = None, root: Path | None = None) -> Handshake:
    return Handshake(token=token, limits=LIMITS, policy=lambda where: policy_for(where, root), version="1.2")


def params(workspace: Path, **changed: Any) -> dict[str, Any]:
    return {"name": "n", "version": "1", "workspace": str(workspace), "protocol_version": 1, **changed}


def refused(found: Handshake, given: dict[str, Any], *, is_local: bool = True) -> dict[str, Any]:
    with pytest.raises(VcadError) as caught:
        found.hello(given, is_local=is_local)
    return envelope(caught.value, "hello")


def test_a_client_is_told_server_version_capabilities_and_limits(tmp_path: Path) -> None:
    session = handshake().hello(params(tmp_path), is_local=True)
    assert session.answer["server"] == {"name": "vcad", "version": "1.2"}
    assert session.answer["engine"] == "python"
    assert (session.answer["protocol_version"], session.answer["protocol_minor"]) == (1, 0)
    assert {"eval", "cancel", "mesh.shm", "output", "progress"} <= set(session.answer["capabilities"])
    assert session.answer["limits"] == {
        "max_queue": 64,
        "eval_timeout_ms": 1000,
        "payload_inline_max": 2000,
        "line_max": 3000,
    }
    assert session.policy.root == tmp_path.resolve()


def test_only_what_was_requested_is_negotiated(tmp_path: Path) -> None:
    session = handshake().hello(params(tmp_path, requested_capabilities=["eval", "output"]), is_local=True)
    assert session.negotiated == {"eval", "output"}
    assert handshake().hello(params(tmp_path), is_local=True).negotiated == frozenset()


def test_another_major_version_is_refused_before_anything_else_is_read(tmp_path: Path) -> None:
    found = refused(handshake("secret"), {"protocol_version": 2})
    assert found["error_code"] == "PROTOCOL_MISMATCH"
    assert found["details"]["expected_protocol"] == 1
    assert found["details"]["actual_protocol"] == 2


@pytest.mark.parametrize("version", ["1", None, 1.5, True, [1]])
def test_a_version_that_is_no_number_breaks_the_schema(tmp_path: Path, version: object) -> None:
    assert (
        refused(handshake(), params(tmp_path, protocol_version=version))["error_code"]
        == "SCHEMA_VALIDATION_FAILED"
    )


def test_a_capability_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    found = refused(handshake(), params(tmp_path, requested_capabilities=["eval", "teleport"]))
    assert found["error_code"] == "CAPABILITY_UNAVAILABLE"
    assert found["details"]["required_capability"] == "teleport"
    assert "eval" in found["details"]["negotiated_capabilities"]


def test_shared_memory_is_offered_to_this_machine_alone(tmp_path: Path) -> None:
    far = handshake().hello(params(tmp_path), is_local=False)
    assert "mesh.shm" not in far.answer["capabilities"]
    found = refused(handshake(), params(tmp_path, requested_capabilities=["mesh.shm"]), is_local=False)
    assert found["error_code"] == "CAPABILITY_UNAVAILABLE"


@pytest.mark.parametrize("token", [None, ""])
def test_a_service_with_a_token_wants_one(tmp_path: Path, token: str | None) -> None:
    assert refused(handshake("secret"), params(tmp_path, token=token))["error_code"] == "AUTH_REQUIRED"


@pytest.mark.parametrize("token", ["Secret", "secret ", "secre", "\ud800", "ü"])
def test_a_wrong_token_is_refused_and_never_told(tmp_path: Path, token: str) -> None:
    found = refused(handshake("secret"), params(tmp_path, token=token))
    assert found["error_code"] == "AUTH_INVALID"
    assert "secret" not in str(found).lower()


def test_the_right_token_lets_in_and_is_advertised(tmp_path: Path) -> None:
    session = handshake("secret").hello(params(tmp_path, token="secret"), is_local=True)
    assert "auth.required" in session.answer["capabilities"]
    assert "auth.required" not in handshake().hello(params(tmp_path), is_local=True).answer["capabilities"]
    assert "secret" not in repr(session.client)


def test_a_workspace_outside_the_services_own_is_refused(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    found = refused(handshake(root=inside), params(outside))
    assert found["error_code"] == "PATH_NOT_ALLOWED"
    assert found["details"]["path"] == str(outside)


def test_a_workspace_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    assert refused(handshake(), params(tmp_path / "missing"))["error_code"] == "PATH_NOT_ALLOWED"
