"""A real kernel, driven the way a front end drives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

_LIMIT = 60.0
"""Seconds that any one cell may take before the test gives up."""


@dataclass
class Outcome:
    """What one cell did, as a notebook would record it."""

    status: str
    text: str = ""
    """stdout and stderr together."""
    data: list[dict[str, Any]] = field(default_factory=list)
    """Mime bundles of results and displays, in order."""
    traceback: str = ""

    @property
    def plain(self) -> str:
        """text/plain of the last result."""
        return str(self.data[-1]["text/plain"])


class Kernel:
    """A kernel of its own process; `run` executes a cell and waits for it to end."""

    def __init__(self, cwd: Path | None = None) -> None:
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=None if cwd is None else str(cwd))
        self._client: BlockingKernelClient = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_LIMIT)
        self._interrupt_on: str | None = None

    def run(self, code: str, cell_id: str | None = None) -> Outcome:
        """Execute a cell; cell_id: what JupyterLab would send as the cell's id."""
        message = self._client.session.msg(
            "execute_request",
            {
                "code": code,
                "silent": False,
                "store_history": True,
                "user_expressions": {},
                "allow_stdin": False,
                "stop_on_error": True,
            },
        )
        if cell_id is not None:
            message["metadata"] = {"cellId": cell_id}
        self._client.shell_channel.send(message)
        outcome = Outcome(status="")
        while True:
            said = self._client.get_iopub_msg(timeout=_LIMIT)
            if said["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, content = said["msg_type"], said["content"]
            if kind == "stream":
                outcome.text += content["text"]
                if self._interrupt_on is not None and self._interrupt_on in outcome.text:
                    self._interrupt_on = None
                    self._manager.interrupt_kernel()
            elif kind in ("execute_result", "display_data"):
                outcome.data.append(content["data"])
            elif kind == "error":
                outcome.traceback = "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                break
        while True:
            reply = self._client.get_shell_msg(timeout=_LIMIT)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                outcome.status = reply["content"]["status"]
                return outcome

    def interrupt_when(self, said: str, code: str) -> Outcome:
        """Execute a cell and interrupt the kernel as soon as the cell has printed `said`."""
        self._interrupt_on = said
        try:
            return self.run(code)
        finally:
            self._interrupt_on = None

    def value(self, expression: str) -> str:
        """repr of a Python expression, with no output of its own."""
        done = self.run(f"print(repr(({expression})), end='')")
        assert done.status == "ok", done.traceback
        return done.text

    def stop(self) -> None:
        """End the process and the sockets."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()
