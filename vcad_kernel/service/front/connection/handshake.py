"""Who may talk to the service and what for: the answer to ``hello`` (service.md §2, §6).

    session = handshake.hello(params, is_local=True)     # a ClientSession, or the refusal's VcadError

Knows no socket. Tokens are compared in constant time and never disclosed.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec import to_builtins

from vcad_kernel.contracts.messages import (
    CAPABILITIES,
    PROTOCOL,
    Hello,
    HelloAnswer,
    ServerName,
    ServiceLimits,
)
from vcad_kernel.contracts.validation import validate
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import CapabilityUnavailable, ServiceFailure
from vcad_kernel.service.front.files.path_policy import PathPolicy

__all__ = ["ClientSession", "Handshake", "auth_required"]

_LOCAL_ONLY: Final = frozenset({"mesh.shm"})
"""What needs the same machine on both ends."""
_SERVER: Final = "vcad"


@dataclass(frozen=True, slots=True)
class ClientSession:
    """What a connection is once hello has succeeded."""

    client: Hello
    policy: PathPolicy
    negotiated: frozenset[str]
    """The capabilities that the client has asked for."""
    answer: Mapping[str, Any]
    """The result of ``hello``."""


def auth_required(operation: str) -> ServiceFailure:
    """The refusal of a client that has not said hello, or has no token."""
    return ServiceFailure(
        ErrorCode.AUTH_REQUIRED,
        "say hello first, with the service's token if it has one",
        details={"operation": operation},
    )


class Handshake:
    """Receives every connection of one service.

    version: the server's. policy: makes the path policy of a workspace, or refuses it.
    """

    def __init__(
        self,
        *,
        token: str | None,
        limits: ServiceLimits,
        policy: Callable[[str], PathPolicy],
        version: str,
    ) -> None:
        self._token = token
        self._limits = limits
        self._policy = policy
        self._version = version

    def hello(self, params: Mapping[str, Any], *, is_local: bool) -> ClientSession:
        """Let a client in.

        is_local: whether it runs on this machine, as far as its address tells.
        Raises: ServiceFailure, CapabilityUnavailable, PathRefused.
        """
        # before anything else is read: another version may say it all in other words
        self._check_protocol(params)
        validate("hello#params", params, operation="hello")
        self._check_token(params.get("token"))
        client = Hello.of(params)
        requested = client.requested_capabilities or ()
        capabilities = self._capabilities(is_local)
        for wanted in requested:
            if wanted not in capabilities:
                raise CapabilityUnavailable(
                    f"this service cannot do {wanted!r}",
                    details={
                        "required_capability": wanted,
                        "negotiated_capabilities": list(capabilities),
                        "operation": "hello",
                    },
                )
        answer = HelloAnswer(
            server=ServerName(_SERVER, self._version), capabilities=capabilities, limits=self._limits
        )
        policy = self._policy(client.workspace)
        return ClientSession(client, policy, frozenset(requested), to_builtins(answer))

    def _check_protocol(self, params: Mapping[str, Any]) -> None:
        version = params.get("protocol_version")
        if isinstance(version, int) and not isinstance(version, bool) and version != PROTOCOL:
            raise ServiceFailure(
                ErrorCode.PROTOCOL_MISMATCH,
                f"this service speaks version {PROTOCOL} of the protocol, the client {version}",
                fix="use a client and a service of one version",
                details={"expected_protocol": PROTOCOL, "actual_protocol": version, "operation": "hello"},
            )

    def _check_token(self, token: object) -> None:
        if self._token is None:
            return
        if token is None or token == "":
            raise auth_required("hello")
        given = token.encode("utf-8", "surrogatepass") if isinstance(token, str) else b""
        if not hmac.compare_digest(given, self._token.encode("utf-8", "surrogatepass")):
            raise ServiceFailure(
                ErrorCode.AUTH_INVALID, "the token is not this service's", details={"operation": "hello"}
            )

    def _capabilities(self, is_local: bool) -> tuple[str, ...]:
        return tuple(
            name
            for name in CAPABILITIES
            if (is_local or name not in _LOCAL_ONLY) and (self._token or name != "auth.required")
        )
