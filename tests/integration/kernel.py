"""A real kernel, driven the way a front end drives it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tests.warm_processes import Popen

_LIMIT = 60.0
"""Seconds that any one cell may take before the test gives up."""

_SURROUNDINGS = """
import os
starter = os.environ["JPY_PARENT_PID"]
os.environ.clear()
os.environ.update({ours!r} | {{"JPY_PARENT_PID": starter}})
os.chdir({folder!r})
"""


def _warm(command: Sequence[str], **options: Any) -> Popen:
    """A kernel's process, from the command of one that loads everything by itself."""
    return Popen(["-m", "tests.integration.warm_kernel", *command[command.index("-m") + 2 :]], **options)


@dataclass
class Outcome:
    """What one cell did, as a notebook would record it."""

    status: str
    text: str = ""
    """stdout and stderr together."""
    data: list[dict[str, Any]] = field(default_factory=list)
    """Mime bundles of results and displays, in order."""
    traceback: str = ""
    number: int = 0
    """What the front end shows beside the cell."""

    @property
    def plain(self) -> str:
        """text/plain of the last result."""
        return str(self.data[-1]["text/plain"])


@dataclass
class Answer:
    """What came of one request other than a cell."""

    content: dict[str, Any]
    """Of the reply."""
    states: list[str] = field(default_factory=list)
    """The execution states published for it, in order."""
    comms: list[dict[str, Any]] = field(default_factory=list)
    """Content of the comm messages published for it."""


class Kernel:
    """A kernel of its own process; `run` executes a cell and waits for it to end.

    cold: whether it loads everything by itself, as a user's does (`tests/warm_processes.py`).
    """

    def __init__(self, cwd: Path | None = None, *, cold: bool = False) -> None:
        self._cold = cold
        self._manager = KernelManager(kernel_name="python3")
        with self._launching():
            self._manager.start_kernel(cwd=None if cwd is None else str(cwd))
        self._client: BlockingKernelClient = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_LIMIT)
        self._interrupt_on: str | None = None

    @contextmanager
    def _launching(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patched:
            if not self._cold:
                patched.setattr("jupyter_client.launcher.Popen", _warm)
            yield

    def run(self, code: str, cell_id: str | None = None) -> Outcome:
        """Execute a cell; cell_id: what JupyterLab would send as the cell's id."""
        return self.outcome(self.begin(code, cell_id))

    def begin(self, code: str, cell_id: str | None = None, *, subshell: str | None = None) -> str:
        """Ask for a cell to be executed; the request's id."""
        message = self._client.session.msg(
            "execute_request",
            {
                "code": code,
                "silent": False,
                "store_history": True,
                "user_expressions": {},
                "allow_stdin": True,
                "stop_on_error": True,
            },
        )
        if cell_id is not None:
            message["metadata"] = {"cellId": cell_id}
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self._client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def outcome(self, request: str, *, interrupted: bool = False) -> Outcome:
        """Wait for a cell to end.

        interrupted: it may have been before it began. ipykernel then forgets the request and replies nothing,
        and the status is ""; else its reply comes before the word that it is idle again.
        """
        outcome = Outcome(status="")
        shown: dict[str | None, dict[str, Any]] = {}
        while True:
            said = self._client.get_iopub_msg(timeout=_LIMIT)
            if said["parent_header"].get("msg_id") != request:
                continue
            kind, content = said["msg_type"], said["content"]
            if kind == "stream":
                outcome.text += content["text"]
                if self._interrupt_on is not None and self._interrupt_on in outcome.text:
                    self._interrupt_on = None
                    self._manager.interrupt_kernel()
            elif kind in ("execute_result", "display_data"):
                outcome.data.append(content["data"])
                shown[content.get("transient", {}).get("display_id")] = content["data"]
            elif kind == "update_display_data":
                # what has become empty is no more: the progress of a cell, once it has ended
                before = shown.get(content["transient"]["display_id"])
                outcome.data = [one for one in outcome.data if one is not before or content["data"]]
            elif kind == "error":
                outcome.traceback = "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                break
        while True:
            try:
                reply = self._client.get_shell_msg(timeout=1.0 if interrupted else _LIMIT)
            except Empty:
                if interrupted:
                    return outcome
                raise
            if reply["parent_header"].get("msg_id") == request:
                outcome.status = reply["content"]["status"]
                outcome.number = reply["content"]["execution_count"]
                return outcome

    def interrupt_when(self, said: str, code: str) -> Outcome:
        """Execute a cell and interrupt the kernel as soon as the cell has printed `said`."""
        self._interrupt_on = said
        try:
            return self.run(code)
        finally:
            self._interrupt_on = None

    def interrupt(self) -> None:
        """Interrupt it, whatever it is doing."""
        self._manager.interrupt_kernel()

    @contextmanager
    def running(self, said: str, code: str, cell_id: str | None = None) -> Iterator[None]:
        """A cell that computes, from when it has printed `said`; interrupted at the end."""
        request = self.begun(said, code, cell_id)
        try:
            yield
        finally:
            self._manager.interrupt_kernel()
            self.outcome(request)

    def begun(self, said: str, code: str, cell_id: str | None = None) -> str:
        """Ask for a cell to be executed and wait until it has printed `said`; the request's id."""
        request = self.begin(code, cell_id)
        printed = ""
        while said not in printed:
            message = self._client.get_iopub_msg(timeout=_LIMIT)
            if message["parent_header"].get("msg_id") != request:
                continue
            printed += message["content"].get("text", "")
            assert message["content"].get("execution_state") != "idle", "the cell has ended already"
        return request

    def ask(
        self, kind: str, content: dict[str, Any], subshell: str | None = None, *, replied: bool = True
    ) -> Answer:
        """Send a request on the shell channel and wait until it is dealt with.

        replied: whether a reply comes; none does for a comm's messages.
        """
        message = self._client.session.msg(kind, content)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self._client.shell_channel.send(message)
        request = message["header"]["msg_id"]
        answer = Answer({})
        while replied:
            reply = self._client.get_shell_msg(timeout=_LIMIT)
            if reply["parent_header"].get("msg_id") == request:
                answer.content = reply["content"]
                break
        while answer.states[-1:] != ["idle"]:
            said = self._client.get_iopub_msg(timeout=_LIMIT)
            if said["parent_header"].get("msg_id") != request:
                continue
            if said["msg_type"] == "status":
                answer.states.append(said["content"]["execution_state"])
            elif said["msg_type"].startswith("comm_"):
                answer.comms.append(said["content"])
        return answer

    def next_state(self, request: str | None = None) -> str:
        """The next execution state that the kernel publishes for a request, by default for any."""
        while True:
            said = self._client.get_iopub_msg(timeout=_LIMIT)
            if said["msg_type"] == "status" and request in (None, said["parent_header"].get("msg_id")):
                return str(said["content"]["execution_state"])

    def complete(self, marked: str) -> Answer:
        """Ask for completions where the text has a ``|``."""
        return self.ask(
            "complete_request", {"code": marked.replace("|", ""), "cursor_pos": marked.index("|")}
        )

    def inspect(self, marked: str) -> Answer:
        """Ask what there is to say about the name where the text has a ``|``."""
        content = {"code": marked.replace("|", ""), "cursor_pos": marked.index("|"), "detail_level": 0}
        return self.ask("inspect_request", content)

    def subshell(self) -> str:
        """Make a sub-shell, as JupyterLab does for each comm target; its id."""
        message = self._client.session.msg("create_subshell_request", {})
        self._client.control_channel.send(message)
        while True:
            reply = self._client.get_control_msg(timeout=_LIMIT)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return str(reply["content"]["subshell_id"])

    def value(self, expression: str) -> str:
        """repr of a Python expression, with no output of its own."""
        done = self.run(f"print(repr(({expression})), end='')")
        assert done.status == "ok", done.traceback
        return done.text

    def widget_shown(self, request: str, wanted: Callable[[dict[str, Any]], bool]) -> str:
        """Wait for a cell to show a widget with such a state, by itself or in others; its model's id."""
        return self.widgets_shown(request, wanted)[0]

    def widgets_shown(self, request: str, *wanted: Callable[[dict[str, Any]], bool]) -> list[str]:
        """Wait for a cell to show one thing with widgets of all these states; their models' ids.

        Nobody can press a button before it is shown, and until then its maker may not listen.
        """
        states: dict[str, dict[str, Any]] = {}
        while True:
            said = self._client.get_iopub_msg(timeout=_LIMIT)
            if said["parent_header"].get("msg_id") != request:
                continue
            content = said["content"]
            if said["msg_type"] == "comm_open":
                states[content["comm_id"]] = content["data"].get("state", {})
            elif said["msg_type"] == "display_data":
                view = content["data"].get("application/vnd.jupyter.widget-view+json", {})
                shown = list(_tree(view.get("model_id"), states))
                found = [next((one for one in shown if is_it(states[one])), None) for is_it in wanted]
                if all(one is not None for one in found):
                    return [str(one) for one in found]

    def click(self, button: str, subshell: str) -> None:
        """Press a button, as JupyterLab tells it; does not wait."""
        data = {"method": "custom", "content": {"event": "click"}}
        message = self._client.session.msg("comm_msg", {"comm_id": button, "data": data})
        message["header"]["subshell_id"] = subshell
        self._client.shell_channel.send(message)

    def say(self, model: str, content: dict[str, Any], subshell: str | None = None) -> None:
        """Send a widget a custom message, as its view does; does not wait."""
        message = self._client.session.msg(
            "comm_msg", {"comm_id": model, "data": {"method": "custom", "content": content}}
        )
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self._client.shell_channel.send(message)

    def said(self, model: str) -> Iterator[tuple[dict[str, Any], list[Any]]]:
        """The custom messages of a widget as they come, with their buffers."""
        while True:
            message = self._client.get_iopub_msg(timeout=_LIMIT)
            if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == model:
                data = message["content"]["data"]
                if data.get("method") == "custom":
                    yield data["content"], message["buffers"]

    def set_state(self, model: str, state: dict[str, Any], subshell: str | None) -> None:
        """Change a widget's state, as JupyterLab tells it; does not wait."""
        data = {"method": "update", "state": state, "buffer_paths": []}
        message = self._client.session.msg("comm_msg", {"comm_id": model, "data": data})
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self._client.shell_channel.send(message)

    def begin_anew(self, folder: Path | None = None) -> None:
        """Make it as a new kernel is: the extension not loaded, nothing defined, the next cell the first.

        It works in `folder`, and its environment is ours as that is now. What has been imported stays.
        """
        for code in (
            "%unload_ext notebook_ext",
            _SURROUNDINGS.format(ours=dict(os.environ), folder=str(folder or Path.cwd())),
            "%reset -f",
        ):
            done = self.run(code)
            assert done.status == "ok", done.traceback

    def kill(self) -> None:
        """End the process as no program can prevent it."""
        self._manager.signal_kernel(signal.SIGKILL)

    def leave(self) -> None:
        """Ask the process to end in good order, and wait until it has."""
        self._client.shutdown()
        self._manager.finish_shutdown(waittime=_LIMIT)

    def restart(self) -> None:
        """Begin the process anew, as a front end's button does; to Jupyter it is the same kernel."""
        with self._launching():
            self._manager.restart_kernel(now=True)
        self._client.wait_for_ready(timeout=_LIMIT)

    def stop(self) -> None:
        """End the process and the sockets."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()


def _tree(model: str | None, states: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A widget's model and those of its children, as far as they are known."""
    if model in states:
        yield model
        for child in states[model].get("children", ()):
            yield from _tree(str(child).removeprefix("IPY_MODEL_"), states)
