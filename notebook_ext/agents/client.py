"""The Python client of a session's hook API, for scripts and tests.

    client = HookClient()                          # the session of this workspace, from its record
    client.set_value("param.width", 45)
    client.wait_for_event("task_done")
    client.call("vcad_list_nodes")["nodes"]

Only the standard library: nothing of the notebook is loaded. A request is repeated where the connection was
refused or reset before an answer came, never after one. May be used from several threads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

from notebook_ext.agents.hook_transport import HookRefused, HookTransport
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["HookClient", "HookRefused"]

_T = TypeVar("_T")

_PAUSES: Final = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Seconds between two looks, growing to the last."""
_ANSWER: Final = 70.0
"""Seconds that an answer may take: the session has 60."""
_ASK: Final = 60.0
_LONGEST_ASK: Final = 600.0


class HookClient:
    """base_url: of the gateway, without a path; by default that of the session of this workspace.

    token: of that gateway; by default as its session's record has it. max_retries: how often a request that
    found no listener is repeated. retry_delay: seconds before each. agent: the name of the tools' caller.
    Raises: ServiceFailure SESSION_UNAVAILABLE where no url is given and no session runs.
    """

    def __init__(
        self,
        base_url: str | None = None,
        max_retries: int = 5,
        retry_delay: float = 0.2,
        *,
        token: str | None = None,
        agent: str = "HookClient",
    ) -> None:
        if base_url is None:
            base_url, token = _recorded(token)
        elif token is None:
            token = _token_of(base_url)
        self._transport = HookTransport(base_url, token, max_retries=max_retries, retry_delay=retry_delay)
        self._named = {"X-Agent": agent}
        self._buffer: list[dict[str, Any]] = []
        """Events that were drained and not asked for yet."""
        self._draining = Lock()

    # ---- the session -----------------------------------------------------------------------

    def wait_for_server(self, timeout: float = 3) -> bool:
        """Whether the gateway answers within this many seconds."""

        def answers() -> bool:
            try:
                return self._transport.once("GET", "/status", timeout=max(timeout, 0.1)).status == 200
            except (OSError, ServiceFailure):
                return False

        return _until(answers, timeout) is not None

    def get_status(self) -> dict[str, Any]:
        """Status, session id and version."""
        return self._get("/status")

    def get_project(self) -> dict[str, Any]:
        """The design model with its settings."""
        project: dict[str, Any] = self._get("/api/project")["project"]
        return project

    def set_project(self, project: Mapping[str, Any], base_revision: int | None = None) -> dict[str, Any]:
        """Have another design model; ``revision`` of the answer is the new one.

        base_revision: which it was made from; by default the one that it names itself.
        Raises: HookRefused REVISION_CONFLICT (409) when the project has moved on since.
        """
        base = {} if base_revision is None else {"base_revision": base_revision}
        return self._post("/api/project", {"project": dict(project), **base})

    def get_session(self) -> list[dict[str, Any]]:
        """The entries of what has happened, oldest first."""
        entries: list[dict[str, Any]] = self._get("/api/session")["session"]["entries"]
        return entries

    def set_session(self, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Have other entries in place of those that there are."""
        return self._post("/api/session", {"session": {"entries": [dict(entry) for entry in entries]}})

    def get_performance(self) -> dict[str, Any]:
        """What has been measured of kernel and views; None where nothing measures it."""
        performance: dict[str, Any] = self._get("/api/performance")["performance"]
        return performance

    def get_log(self, stream: str, tail: int | None = None) -> str:
        """The last lines of a log."""
        query = "" if tail is None else f"?{urlencode({'tail': tail})}"
        return self._transport.request(
            "GET", f"/api/logs/{quote(stream, safe='')}{query}", timeout=_ANSWER
        ).text

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Call a tool of any pack, with arguments as an object or by name.

        Returns: its answer; ``success`` says whether it did what it was called for.
        Raises: HookRefused TOOL_NOT_FOUND; ServiceFailure UNKNOWN_OUTCOME when the connection ends before the
        answer: a call that has left is not repeated.
        """
        path = f"/api/tools/{quote(name, safe='')}"
        given = {**(arguments or {}), **more}
        return self._transport.request(
            "POST", path, given, timeout=_LONGEST_ASK + _ANSWER, headers=self._named, repeat_sent=False
        ).json()

    # ---- tags ------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """The state of the workflow: what runs, and what waits for a yes."""
        return self._get("/api/gui/state")

    def get_tags(self) -> list[dict[str, Any]]:
        """Every tag with its type, its range, and whether it can be written."""
        tags: list[dict[str, Any]] = self._get("/api/gui/tags")["tags"]
        return tags

    def get_value(self, tag: str) -> Any:
        """The value of a field. Raises: HookRefused with status 404 for an unknown tag."""
        return self._get(f"/api/gui/value/{quote(tag, safe='')}")["value"]

    def get_text_value(self, tag: str) -> str | None:
        """The same as text; None where it has none."""
        value = self.get_value(tag)
        return None if value is None else str(value)

    def get_indicator_state(self, tag: str) -> bool:
        """Whether an indicator is on: ``thinking``, ``live`` or ``prior``; False for another."""
        return bool(self._get("/api/gui/diagnostics").get(tag, False))

    def get_node_status(self, node: str) -> Any:
        """The value of a tag, or else what the diagnostics say of it; None where neither knows it."""
        try:
            return self.get_value(node)
        except HookRefused as refused:
            if refused.status != 404:
                raise
        return self._get("/api/gui/diagnostics").get(node)

    # ---- tasks -----------------------------------------------------------------------------

    def post_gui(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """Queue a task. Returns: ``{status, seq}``; the events of the task name that number."""
        return self._post("/api/gui", task)

    def set_value(self, item: str, value: Any) -> dict[str, Any]:
        """Queue the setting of a field. Raises: HookRefused for an unknown tag, or a value out of range."""
        return self.post_gui({"action": "set_value", "item": item, "value": value})

    def click(
        self,
        item: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        user_data: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Queue the press of a button."""
        task = {"action": "click", "item": item, "args": list(args), "kwargs": dict(kwargs or {})}
        return self.post_gui({**task, "user_data": None if user_data is None else dict(user_data)})

    def select_tab(self, tab_bar: str, tab: str) -> dict[str, Any]:
        """Queue the choice of a tab."""
        return self.post_gui({"action": "select_tab", "tab_bar": tab_bar, "tab": tab})

    def select_list_item(self, listbox: str, item_value: Any) -> dict[str, Any]:
        """Queue the choice of an item of a list."""
        return self.post_gui({"action": "select_list_item", "listbox": listbox, "item_value": item_value})

    def push_event(self, event_type: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Put an event of one's own into the queue."""
        return self.post_gui({"action": "push_event", "event_type": event_type, "payload": dict(payload)})

    def reset_session(self) -> dict[str, Any]:
        """Queue the end of every definition and part: the next cell is the first."""
        return self.post_gui({"action": "reset_session"})

    # ---- events ----------------------------------------------------------------------------

    def get_events(self) -> list[dict[str, Any]]:
        """All events that wait, here and in the session; they are then gone."""
        with self._draining:
            taken, self._buffer = self._buffer, []
            return [*taken, *self._drained()]

    def wait_for_event(self, event_type: str, timeout: float = 5) -> dict[str, Any] | None:
        """The next event of a type; None when none comes within this many seconds. Others are kept."""

        def next_match() -> dict[str, Any] | None:
            with self._draining:
                self._buffer += self._drained()
                for index, event in enumerate(self._buffer):
                    if event["type"] == event_type:
                        return self._buffer.pop(index)
            return None

        return _until(next_match, timeout)

    def wait_for_value(self, item: str, expected: Any, timeout: float = 5) -> bool:
        """Whether a field has this value within this many seconds."""
        return _until(lambda: self.get_value(item) == expected or None, timeout) is not None

    # ---- asks ------------------------------------------------------------------------------

    def request_confirmation(
        self, tool: str, args: Mapping[str, Any], timeout: float = _ASK
    ) -> tuple[bool, dict[str, Any]]:
        """Ask the person whether something may be done, and wait. timeout: seconds, 1 to 600.

        Returns: the answer, and the arguments as the person wants them. No answer is no.
        """
        question = {
            "kind": "confirmation",
            "summary": f"may {tool} be done?",
            "tool": tool,
            "args": dict(args),
        }
        try:
            answer = self._transport.request(
                "POST", "/api/ask", {**question, "timeout_s": timeout}, timeout=timeout + _ANSWER
            ).json()
        except HookRefused as refused:
            if refused.error_code != ErrorCode.ASK_TIMEOUT:
                raise
            return False, dict(args)
        response = answer["response"]
        return response.get("approved") is True, dict(response.get("edited_args") or args)

    def pair(self, program: str) -> str:
        """Have the notebook show a code for this program, which speaks for the person once it has been typed.

        Returns: the pairing, for `confirm`. Raises: HookRefused PERSON_ONLY where no page could show the
        code.
        """
        return str(self._post("/api/pair", {"program": program})["pairing_id"])

    def confirm(self, pairing_id: str, code: str) -> None:
        """Speak for the person from now on. code: as the notebook shows it. Raises: HookRefused."""
        answer = self._post("/api/pair/confirm", {"pairing_id": pairing_id, "code": code})
        self._transport.authorize(answer["key"])

    def respond(self, request_id: str, response: Mapping[str, Any]) -> bool:
        """Answer an ask, once this program is paired. Returns: False for one that is over, or that never was.

        Raises: HookRefused PERSON_ONLY before `confirm`.
        """
        try:
            self._post("/api/ask/respond", {"request_id": request_id, "response": dict(response)})
        except HookRefused as refused:
            if refused.status != 404:
                raise
            return False
        return True

    def list_asks(self, approver: str | None = None) -> list[dict[str, Any]]:
        """The asks that wait, oldest first.

        approver: the name of the reader here, who answers them, for a program that is paired; holds for a few
        seconds, so give it again.
        """
        query = "" if approver is None else f"?{urlencode({'approver': approver})}"
        asks: list[dict[str, Any]] = self._get(f"/api/asks{query}")["asks"]
        return asks

    # ---- requests --------------------------------------------------------------------------

    def _drained(self) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = self._get("/api/events")["events"]
        return events

    def _get(self, path: str) -> dict[str, Any]:
        return self._transport.request("GET", path, timeout=_ANSWER).json()

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._transport.request("POST", path, body, timeout=_ANSWER, headers=self._named).json()


def _until(look: Callable[[], _T | None], timeout: float) -> _T | None:
    """What a look gives, as soon as that is something; None when it never is within so many seconds."""
    end = time.monotonic() + timeout
    looks = 0
    while not (result := look()):
        left = end - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(_PAUSES[min(looks, len(_PAUSES) - 1)], left))
        looks += 1
    return result


def _recorded(token: str | None) -> tuple[str, str]:
    """Url and token of the session that is meant: VCAD_SESSION's, or the newest of this workspace.

    A notebook's goes before one that was started for an agent.
    """
    from notebook_ext.session.project.workspace import find_workspace
    from notebook_ext.session_records import choose, live_records

    chosen = os.environ.get("VCAD_SESSION")
    workspace = find_workspace(Path.cwd(), os.environ.get("VCAD_WORKSPACE"))
    records = live_records()
    if chosen:
        record = choose(records, workspace, chosen)
    else:
        notebooks = [record for record in records if record.kernel_id is not None]
        record = choose(notebooks, workspace) or choose(records, workspace)
    if record is None:
        raise ServiceFailure(
            ErrorCode.SESSION_UNAVAILABLE,
            f"no session {chosen!r} runs" if chosen else f"no session of {workspace} runs",
            fix="run a %loon cell in the notebook, or name a session with VCAD_SESSION",
            details={"operation": "HookClient"},
        )
    return record.url, token or record.token


def _token_of(base_url: str) -> str | None:
    """The token of the gateway at this url, if its session runs as this user."""
    from notebook_ext.session_records import live_records

    tokens = (record.token for record in live_records() if record.url == base_url.rstrip("/"))
    return next(tokens, None)
