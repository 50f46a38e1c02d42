"""A session's link to SketchUp: one connection that is made when needed, and what is known of the other side.

    link = SketchupLink(workspace, log)
    link.bridge().nodes()

Settings are read when the connection is made, and again when they have changed. Knows no part and no plan.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from notebook_ext.session.settings import settings_in_force
from notebook_ext.sketchup.bridge.address import BridgeAddress
from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from notebook_ext.sketchup.bridge.bridge import Bridge
    from notebook_ext.sketchup.bridge.connection import Log
    from vcad_kernel.cli.sketchup.headless_sketchup import HeadlessSketchUp

__all__ = ["SketchupLink"]


class SketchupLink:
    """workspace: the folder that SketchUp may read and write for us. log: gets what happens."""

    def __init__(self, workspace: Callable[[], Path], log: Log) -> None:
        self._workspace = workspace
        self._log = log
        self._headless: HeadlessSketchUp | None = None
        self._token: str | None = None
        """Of our own headless SketchUp."""
        self._address: BridgeAddress | None = None
        self._bridge: Bridge | None = None
        self._process = os.getpid()

    @property
    def address(self) -> BridgeAddress:
        """Where SketchUp is to be found, as the settings say now; our own headless one goes before.

        Raises: ServiceFailure SETTING_INVALID.
        """
        address = BridgeAddress.from_settings(settings_in_force(), self._workspace())
        if self._headless is None or self._headless.process.poll() is not None:
            return address
        port = self._headless.bridge_port
        return replace(address, host="127.0.0.1", port=port, token=self._token, workspace=self._workspace())

    def start_headless(self) -> None:
        """Have a SketchUp without a window for this session, unless it has one; it ends with the session.

        Raises: CapabilityUnavailable with what to install where it cannot be run.
        """
        self._leave_to_the_parent()
        if self._headless is not None and self._headless.process.poll() is None:
            return
        from vcad_kernel.cli.sketchup.headless_sketchup import HeadlessSketchUp, NotStarted
        from vcad_kernel.cli.sketchup.ruby_runtime import NoRuby, RuntimeMissing

        self._token = secrets.token_hex(16)
        try:
            with self._log_file() as log_file:
                self._headless = HeadlessSketchUp.start(
                    port=0, repl_port=0, token=self._token, errors=log_file, own_group=True
                )
        except (NoRuby, RuntimeMissing, NotStarted) as refused:
            first, _, rest = str(refused).partition("\n")
            raise CapabilityUnavailable(
                first,
                fix=rest or None,
                details={"required_capability": "sketchup.headless", "negotiated_capabilities": []},
            ) from None

    def bridge(self) -> Bridge:
        """The one to talk to; connected with the first call. Raises: ServiceFailure SETTING_INVALID."""
        from notebook_ext.sketchup.bridge.bridge import Bridge
        from notebook_ext.sketchup.bridge.connection import BridgeConnection

        self._leave_to_the_parent()
        address = self.address
        if self._bridge is None or address != self._address:
            self._hang_up()
            self._address, self._bridge = address, Bridge(BridgeConnection(address, log=self._log))
        return self._bridge

    @property
    def is_connected(self) -> bool:
        """Whether SketchUp was talked to, and the connection has not ended since; from any thread."""
        bridge = self._bridge
        return bridge is not None and bridge.connection.is_open

    def another_bridge(self) -> Bridge:
        """One more connection, for who may neither wait for the calls of the first nor have them wait.

        Its caller ends it, and it notes only that it came about or was lost. Raises: ServiceFailure
        SETTING_INVALID.
        """
        from notebook_ext.sketchup.bridge.bridge import Bridge
        from notebook_ext.sketchup.bridge.connection import BridgeConnection

        def log(what: str, fields: Mapping[str, Any]) -> None:
            if what != "call":
                self._log(what, fields)

        return Bridge(BridgeConnection(self.address, log=log))

    def _log_file(self) -> IO[str]:
        """Where the headless SketchUp says what it has to say; nowhere, if that cannot be written."""
        try:
            logs = own_folder(self._workspace()) / "logs"
            logs.mkdir(exist_ok=True)
            return (logs / "headless-sketchup.log").open("w", encoding="utf-8")
        except OSError:
            return Path(os.devnull).open("w", encoding="utf-8")

    def interrupt(self) -> None:
        """Have the call under way end; from another thread."""
        bridge = self._bridge
        if bridge is not None:
            bridge.connection.interrupt()

    def close(self) -> None:
        """End the connection, and a headless SketchUp of our own."""
        self._leave_to_the_parent()
        self._hang_up()
        headless, self._headless = self._headless, None
        if headless is not None:
            headless.close()

    def _leave_to_the_parent(self) -> None:
        """In a forked child: connection and headless SketchUp are its parent's, which goes on using them."""
        if self._process != os.getpid():
            self._process, self._bridge, self._headless = os.getpid(), None, None

    def _hang_up(self) -> None:
        bridge, self._bridge = self._bridge, None
        if bridge is not None:
            bridge.connection.close()
