"""Where SketchUp's extension listens, how we identify ourselves, and how long we wait."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from vcad_kernel.settings import Settings

__all__ = ["BridgeAddress"]

_PORT: Final = 9876
_RESPONSE_BYTES: Final = 10 * 2**20


@dataclass(frozen=True, slots=True)
class BridgeAddress:
    """All that a connection needs to know beforehand; read when it is made, not at import."""

    host: str = "127.0.0.1"
    port: int = _PORT
    token: str | None = field(default=None, repr=False)
    workspace: Path | None = None
    """Absolute; the folder that the extension may read and write for us."""
    agent: str = "notebook"
    expected_model: str | None = None
    """File of the only model that we want to change; None takes whichever is open."""
    timeout: float = 15.0
    """Seconds for an answer; slow tools have more."""
    retries: int = 2
    """How often to try again what may be tried again."""
    idle_timeout: float = 300.0
    """Seconds without a call after which a connection is made anew."""
    max_response: int = _RESPONSE_BYTES
    """Bytes of an answer that is read."""

    @classmethod
    def from_settings(cls, settings: Settings, workspace: Path | None) -> BridgeAddress:
        """As the settings say; SUPEX_WORKSPACE goes before ``workspace``."""
        folder = settings.supex_workspace or workspace
        return cls(
            host=settings.supex_host,
            port=settings.supex_port,
            token=settings.supex_auth_token,
            workspace=None if folder is None else folder.absolute(),
            agent=settings.supex_agent,
            expected_model=settings.supex_expected_model,
            timeout=settings.supex_timeout_seconds,
            retries=settings.supex_retries,
            idle_timeout=settings.supex_idle_timeout_seconds,
            max_response=settings.supex_max_response,
        )

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"
