"""A session's link to SketchUp: one connection that is made when needed, and what is known of the other side.

    link = SketchupLink(workspace, log)
    link.bridge().nodes()

Settings are read when the connection is made, and again when they have changed. Knows no part and no plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_ext.sketchup.address import BridgeAddress
from vcad_kernel.errors import ServiceFailure, VcadError
from vcad_kernel.settings import SettingError, Settings

if TYPE_CHECKING:
    from notebook_ext.sketchup.answers import Status
    from notebook_ext.sketchup.bridge import Bridge
    from notebook_ext.sketchup.connection import Log

__all__ = ["SketchupLink", "SketchupStatus", "settings_in_force"]


@dataclass(frozen=True, slots=True)
class SketchupStatus:
    """Whether SketchUp answers, and how the project and its model stand to each other."""

    host: str
    port: int
    workspace: Path
    status: Status | None
    """What the extension says of itself; None when nothing answers."""
    problem: VcadError | None
    """Why nothing answers."""
    read_only: str | None
    """Why the project cannot be changed here; None when it can."""
    nodes: tuple[NodeStatus, ...]
    """Every linked part of the project, and what else SketchUp shows of ours."""

    @property
    def connected(self) -> bool:
        """Whether SketchUp answers."""
        return self.status is not None


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """How one part stands in the project and in SketchUp."""

    node_id: str
    revision: int
    """Its newest; 0 for what only SketchUp has."""
    applied_revision: int
    """What SketchUp was given last; 0 for nothing."""
    instances: int
    """In the project."""
    state: str
    """In words: "up to date", "to be pushed", "taken back in SketchUp", "missing in SketchUp" or
    "only in SketchUp"."""


def settings_in_force() -> Settings:
    """The settings of this process. Raises: ServiceFailure for those that make no sense."""
    try:
        return Settings.load()
    except SettingError as wrong:
        raise ServiceFailure("SETTING_INVALID", str(wrong), fix="`vcad config` shows all settings") from None


class SketchupLink:
    """workspace: the folder that SketchUp may read and write for us. log: told of what happens."""

    def __init__(self, workspace: Callable[[], Path], log: Log) -> None:
        self._workspace = workspace
        self._log = log
        self._address: BridgeAddress | None = None
        self._bridge: Bridge | None = None

    @property
    def address(self) -> BridgeAddress:
        """Where SketchUp is to be found, as the settings say now. Raises: ServiceFailure SETTING_INVALID."""
        return BridgeAddress.from_settings(settings_in_force(), self._workspace())

    def bridge(self) -> Bridge:
        """The one to talk to; connected with the first call. Raises: ServiceFailure SETTING_INVALID."""
        from notebook_ext.sketchup.bridge import Bridge
        from notebook_ext.sketchup.connection import BridgeConnection

        address = self.address
        if self._bridge is None or address != self._address:
            self.close()
            self._address, self._bridge = address, Bridge(BridgeConnection(address, log=self._log))
        return self._bridge

    def interrupt(self) -> None:
        """Have the call under way end; from another thread."""
        bridge = self._bridge
        if bridge is not None:
            bridge.connection.interrupt()

    def close(self) -> None:
        """End the connection."""
        bridge, self._bridge = self._bridge, None
        if bridge is not None:
            bridge.connection.close()
