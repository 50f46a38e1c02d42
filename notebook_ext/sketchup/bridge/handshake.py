"""Saying hello to SketchUp's extension, and what it says of itself.

Everything but ``success`` may be missing from its answer: an extension of before says next to nothing.
Knows no connection.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from notebook_ext.sketchup.bridge.address import BridgeAddress
from notebook_ext.sketchup.bridge.answers import fitting
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure, VcadError

__all__ = ["PROTOCOL", "Handshake", "hello_params"]

PROTOCOL: Final = 1
"""The protocol version that we use; another major version is refused."""
_REQUEST_BYTES: Final = 2**20
_WANTED: Final = (
    "vcad.nodes",
    "vcad.instances",
    "vcad.identity",
    "vcad.imports.data",
    "vcad.observer",
    "dedupe.request_id",
)


@dataclass(frozen=True, slots=True)
class Handshake:
    """An extension's answer to the handshake."""

    name: str | None = None
    version: str | None = None
    protocol: int | None = None
    """None: an extension of before there were versions, which ends the connection after each answer."""
    started: str | None = None
    """Another one means that it was started anew since, and has forgotten what it had answered."""
    session_id: str | None = None
    capabilities: frozenset[str] = frozenset()
    slow_tools: frozenset[str] = frozenset()
    max_request: int = _REQUEST_BYTES
    """Bytes of a request that it reads, without the line's end."""
    workspace: str | None = None
    """As the extension names it; None when it grants none."""
    sketchup: Mapping[str, Any] = field(default_factory=dict)
    """``version``, ``platform``, ``ruby`` and ``mock`` as far as they are known."""

    @property
    def is_current(self) -> bool:
        """Whether it states versions and capabilities at all."""
        return self.protocol is not None

    @property
    def is_headless(self) -> bool:
        """Whether no SketchUp is there, only its stand-in."""
        return self.sketchup.get("mock") is True

    def supports(self, capability: str) -> bool:
        """Whether it said that it can do this."""
        return capability in self.capabilities

    def is_same_server(self, other: Handshake) -> bool:
        """Whether both may be of one extension that ran all the time."""
        return (self.name, self.version, self.started) == (other.name, other.version, other.started)

    def refusal(self, capability: str, operation: str) -> VcadError:
        """What to raise when it cannot do what ``operation`` needs."""
        return CapabilityUnavailable(
            f"SketchUp's extension cannot do {operation}: it does not know {capability}",
            fix="install the extension that `vcad sketchup package` makes, and start SketchUp again",
            details={
                "required_capability": capability,
                "negotiated_capabilities": sorted(self.capabilities),
                "operation": operation,
            },
        )

    @classmethod
    def read(cls, result: Any) -> Handshake:
        """Of a result of hello.

        Raises: ServiceFailure of PROTOCOL_MISMATCH for another version, SCHEMA_VALIDATION_FAILED for
        what is no result of hello.
        """
        if not isinstance(result, dict):
            raise ServiceFailure(
                ErrorCode.SCHEMA_VALIDATION_FAILED,
                "what answers there is not SketchUp's extension: its hello is not understood",
                fix="check SUPEX_HOST and SUPEX_PORT",
                details={"path": "result", "expected": "an object", "operation": "hello"},
            )
        spoken = result.get("protocol_version")
        if spoken is not None and fitting(int, spoken, 0) != PROTOCOL:
            raise ServiceFailure(
                ErrorCode.PROTOCOL_MISMATCH,
                f"SketchUp's extension speaks version {spoken} of the protocol, this notebook {PROTOCOL}",
                fix="install the extension that `vcad sketchup package` of this notebook makes",
                details={"expected_protocol": PROTOCOL, "actual_protocol": spoken, "operation": "hello"},
            )
        server = fitting(dict[str, Any], result.get("server"), {})
        limits = fitting(dict[str, Any], result.get("limits"), {})
        nothing: frozenset[str] = frozenset()
        return cls(
            name=fitting(str, server.get("name"), None),
            version=fitting(str, server.get("version"), None),
            protocol=None if spoken is None else PROTOCOL,
            started=fitting(str, server.get("started"), None),
            session_id=fitting(str, result.get("session_id"), None),
            capabilities=fitting(frozenset[str], result.get("capabilities"), nothing),
            slow_tools=fitting(frozenset[str], limits.get("slow_tools"), nothing),
            max_request=fitting(int, limits.get("max_request_bytes"), 0) or _REQUEST_BYTES,
            workspace=fitting(str, result.get("workspace"), None),
            sketchup=fitting(dict[str, Any], result.get("sketchup"), {}),
        )


def hello_params(address: BridgeAddress, agent: str | None = None) -> dict[str, Any]:
    """What we say of ourselves. agent: on whose behalf; by default as the settings say."""
    params: dict[str, Any] = {
        "name": "vcad-workbench",
        "version": _version(),
        "agent": agent or address.agent,
        "pid": os.getpid(),
        "protocol_version": PROTOCOL,
        "requested_capabilities": list(_WANTED),
    }
    if address.token is not None:
        params["token"] = address.token
    if address.workspace is not None:
        params["workspace"] = str(address.workspace)
    return params


@cache
def _version() -> str:
    return version("vcad-workbench")
