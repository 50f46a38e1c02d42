"""What ``POST /api/gui`` is told to do: to set a value, to press a button, to pass an event on.

A task is checked before it is accepted; then it has a number, which is that of its event ``task_queued``,
and is done in its turn. ``task_done`` or ``task_failed`` follow, with that number as ``task``. What a tool
does is done through the tool, so that the person is asked where the policy wants it. Answers to asks are
given at once: the task that waits for one must not hold them up.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.agents.hooks.bodies import object_at, text_at
from notebook_ext.agents.hooks.fields import field
from notebook_ext.agents.hooks.refusals import UnknownTag, malformed
from notebook_ext.agents.hooks.turns import in_turn, on_own_thread
from notebook_ext.agents.registry import find
from notebook_ext.failure import LoonCellFailed
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from notebook_ext.agents.hooks.events import EventQueue
    from notebook_ext.agents.world import AgentWorld

__all__ = ["AGENT", "BUTTONS", "Tasks"]

AGENT: Final = "hook api"
"""Who calls a tool, where the caller does not say."""

BUTTONS: Final = ("btn_reset_session", "btn_replay", "btn_approve", "btn_reject")


class Tasks:
    """The tasks of one session. patience: seconds that the session may take to look at a tag."""

    def __init__(self, world: AgentWorld, events: EventQueue, *, patience: float) -> None:
        self._world = world
        self._events = events
        self._patience = patience
        self._actions: Mapping[str, Callable[[Mapping[str, Any]], Awaitable[int]]] = {
            "set_value": self._set_value,
            "drag": self._drag,
            "click": self._click,
            "select_tab": self._select_tab,
            "select_list_item": self._select_list_item,
            "push_event": self._push_event,
            "reset_session": lambda _: self._reset(),
        }

    async def accept(self, task: Mapping[str, Any]) -> int:
        """Check a task and have it done in its turn. Returns: its number.

        Raises: UnknownTag; VcadError for a task that cannot be done.
        """
        action = text_at(task, "action")
        if action not in self._actions:
            raise malformed("action", f"one of {', '.join(self._actions)}")
        return await self._actions[action](task)

    # ---- values ----------------------------------------------------------------------------

    async def _set_value(self, task: Mapping[str, Any], *, dragged: bool = False) -> int:
        tag = text_at(task, "item")
        if "value" not in task:
            raise malformed("value", "given")

        def look() -> Any:
            found = field(self._world, tag)
            if dragged and found.range is None:
                raise malformed("item", f"something that slides; {tag} does not")
            return found.checked(task["value"])

        value = await in_turn(self._world.session, look, operation="gui", patience=self._patience)

        def write() -> None:
            found = field(self._world, tag)  # a cell may have been run again since
            if found.write is not None:
                found.write(found.checked(value))

        return self._in_turn("drag" if dragged else "set_value", tag, write)

    async def _drag(self, task: Mapping[str, Any]) -> int:
        return await self._set_value(task, dragged=True)

    # ---- buttons ---------------------------------------------------------------------------

    async def _click(self, task: Mapping[str, Any]) -> int:
        button = text_at(task, "item")
        given = {**_mapping(task, "user_data"), **_mapping(task, "kwargs")}
        if button == "btn_reset_session":
            return await self._reset(button)
        if button == "btn_replay":
            return await self._by_tool(
                "click", button, "trace_replay", {"clean": given.get("clean", "managed")}
            )
        if button in ("btn_approve", "btn_reject"):
            return await self._answer(button, given)
        raise UnknownTag(button, BUTTONS, what="button")

    async def _answer(self, button: str, given: Mapping[str, Any]) -> int:
        """Answer the ask of the id in ``request_id``, or the one that has waited longest."""
        waiting = [ask.request_id for ask in self._world.approvals.open_asks()]
        request_id = given.get("request_id", waiting[0] if waiting else None)
        response = {key: given[key] for key in ("edited_args", "reason", "remember") if key in given}
        response["approved"] = button == "btn_approve"
        if request_id not in waiting or not self._world.approvals.respond(request_id, response):
            raise UnknownTag(str(request_id or ""), tuple(waiting), what="open ask")
        return self._begin("click", button, done=True)

    async def _reset(self, item: str | None = None) -> int:
        action = "reset_session" if item is None else "click"
        return self._in_turn(action, item, self._world.session.reset)

    # ---- lists and tabs: a notebook has none -------------------------------------------------

    async def _select_tab(self, task: Mapping[str, Any]) -> int:
        raise UnknownTag(text_at(task, "tab_bar"), (), what="tab_bar")

    async def _select_list_item(self, task: Mapping[str, Any]) -> int:
        raise UnknownTag(text_at(task, "listbox"), (), what="listbox")

    # ---- others ----------------------------------------------------------------------------

    async def _push_event(self, task: Mapping[str, Any]) -> int:
        event_type = text_at(task, "event_type")
        return self._events.push(event_type, object_at(task, "payload") if "payload" in task else {})

    # ---- doing -----------------------------------------------------------------------------

    def _begin(self, action: str, item: str | None, *, done: bool = False) -> int:
        seq = self._events.push("task_queued", {"action": action, "item": item})
        if done:
            self._events.push("task_done", {"task": seq, "action": action, "item": item})
        return seq

    def _in_turn(self, action: str, item: str | None, work: Callable[[], object]) -> int:
        """Have it done on the session's thread. Raises: CapabilityUnavailable once the session is closed."""
        seq = self._begin(action, item)
        try:
            posted = self._world.session.submit(work)
        except VcadError as closed:
            self._ended(seq, action, item, closed)
            raise

        def ended(future: Future[object]) -> None:
            self._ended(seq, action, item, None if future.cancelled() else future.exception())

        posted.add_done_callback(ended)
        return seq

    async def _by_tool(self, action: str, item: str, tool: str, arguments: Mapping[str, Any]) -> int:
        """Have a tool called on a thread of its own: it may wait for a person.

        Raises: ServiceFailure TOOL_NOT_FOUND.
        """
        await on_own_thread(lambda: find(tool), name=f"finds {tool}")
        seq = self._begin(action, item)

        def call() -> None:
            outcome = self._world.call(tool, arguments, agent=AGENT)
            if outcome.success:
                self._events.push("task_done", {"task": seq, "action": action, "item": item})
                return
            failed = {key: outcome.body.get(key) for key in ("error", "error_code")}
            self._events.push("task_failed", {"task": seq, "action": action, "item": item, **failed})

        threading.Thread(target=call, name=f"vcad hook {tool}", daemon=True).start()
        return seq

    def _ended(self, seq: int, action: str, item: str | None, error: BaseException | None) -> None:
        about = {"task": seq, "action": action, "item": item}
        if error is None:
            self._events.push("task_done", about)
            return
        known = error.error if isinstance(error, LoonCellFailed) else error
        if not isinstance(known, VcadError):
            known = ServiceFailure(
                ErrorCode.INTERNAL_ERROR,
                f"internal error: {type(known).__name__}",
                details={"operation": action},
            )
        self._events.push(
            "task_failed", {**about, "error": known.message, "error_code": str(known.error_code)}
        )


def _mapping(task: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object that may be left out. Raises: ServiceFailure INVALID_PARAMS."""
    found = task.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise malformed(key, "an object, or null")
    return found
