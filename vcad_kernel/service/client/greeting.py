"""Saying hello: what this client says of itself, and what it wants a service to be.

Knows no connection.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from vcad_kernel.contracts.messages import PROTOCOL, Hello, HelloAnswer
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["WANTED", "hello", "understood"]

WANTED: Final = ("eval", "cancel", "mesh.shm", "output", "progress")
"""What a service must be able to do to be of use here."""


def hello(workspace: Path, token: str | None, *, agent: str) -> Hello:
    """What is said. agent: what the client works for, as `notebook`."""
    return Hello(
        "vcad-client",
        _version(),
        str(workspace),
        agent=agent,
        pid=os.getpid(),
        token=token,
        requested_capabilities=WANTED,
    )


@cache
def _version() -> str:
    return version("vcad-workbench")


def understood(answer: Any) -> HelloAnswer:
    """What a service says of itself.

    Raises: ServiceFailure of PROTOCOL_MISMATCH, or of SCHEMA_VALIDATION_FAILED for what says nothing.
    """
    spoken = answer.get("protocol_version") if isinstance(answer, dict) else None
    if spoken != PROTOCOL:
        raise ServiceFailure(
            ErrorCode.PROTOCOL_MISMATCH,
            f"the service speaks version {spoken} of the protocol, this client {PROTOCOL}",
            fix="use a service and a client of one version",
            details={"expected_protocol": PROTOCOL, "actual_protocol": spoken, "operation": "hello"},
        )
    try:
        return HelloAnswer.of(answer)
    except (KeyError, TypeError) as bad:
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"the service's hello lacks something ({bad})",
            details={"path": str(bad), "expected": "a result of hello", "operation": "hello"},
        ) from bad
