"""What ``POST /api/gui`` asks for: set a value, press a button, run a cell, pass an event on.

A task is checked before it is accepted; then it has a number, which is that of its event ``task_queued``,
and is done in its turn. ``task_done`` or ``task_failed`` follow, with that number as ``task``. What a tool
does is done through the tool, so that the person is asked where the policy wants it. Answers to asks are
given at once: the task that waits for one must not hold them up.

Tasks are done one after the other, on a thread that is there only while there are some. One may wait for the
session, or for a person; those behind it wait with it, so that what was asked for first is done first.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from traceback import format_exception
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.hooks.bodies import object_at, text_at
from notebook_ext.agents.hooks.fields import field
from notebook_ext.agents.hooks.refusals import UnknownTag, malformed, outcome_error
from notebook_ext.agents.hooks.turns import in_turn, on_own_thread
from notebook_ext.agents.registry import find
from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.error_envelope import internal_error
from vcad_kernel.errors import FileTooLarge, VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.hooks.events import EventQueue
    from notebook_ext.agents.world import AgentWorld

__all__ = ["BUTTONS", "Tasks", "is_persons"]


BUTTONS: Final = ("btn_reset_session", "btn_apply", "btn_replay", "btn_approve", "btn_reject")


_PERSONS: Final = frozenset({"btn_reset_session", "btn_approve", "btn_reject", "step_mode"})
"""Buttons and tags that are the person's alone."""

_EVENT: Final = 2**16
"""Characters of an event that a program pushes: a thousand of them are kept."""


class Tasks:
    """The tasks of one session. patience: seconds that the session may take to look at a tag."""

    def __init__(self, world: AgentWorld, events: EventQueue, *, patience: float) -> None:
        self._world = world
        self._events = events
        self._patience = patience
        self._queue = TaskQueue()
        self._actions: Mapping[str, Callable[[Mapping[str, Any], str], Awaitable[int]]] = {
            "set_value": self._set_value,
            "drag": self._drag,
            "click": self._click,
            "run_cell": self._run_cell,
            "select_tab": self._select_tab,
            "select_list_item": self._select_list_item,
            "push_event": self._push_event,
            "reset_session": self._reset,
        }

    async def accept(self, task: Mapping[str, Any], *, agent: str) -> int:
        """Check a task and have it done in its turn. agent: on whose behalf. Returns: its number.

        Raises: UnknownTag; VcadError for a task that cannot be done.
        """
        action = text_at(task, "action")
        if action not in self._actions:
            raise malformed("action", f"one of {', '.join(self._actions)}")
        return await self._actions[action](task, agent)

    # ---- values ----------------------------------------------------------------------------

    async def _set_value(self, task: Mapping[str, Any], agent: str, *, dragged: bool = False) -> int:
        tag = text_at(task, "item")
        if "value" not in task:
            raise malformed("value", "given")

        def look() -> Any:
            target = field(self._world, tag)
            if dragged and target.range is None:
                raise malformed("item", f"something that slides; {tag} does not")
            return target.checked(task["value"])

        value = await in_turn(self._world.session, look, operation="gui", patience=self._patience)

        def write() -> None:
            target = field(self._world, tag)  # a cell may have been run again since
            checked = target.checked(value)
            by_tool = target.by_tool(checked)
            if by_tool is not None:
                self._call(*by_tool, agent=agent)
            elif target.write is not None:
                target.write(checked)

        return self._queued("drag" if dragged else "set_value", tag, write)

    async def _drag(self, task: Mapping[str, Any], agent: str) -> int:
        return await self._set_value(task, agent, dragged=True)

    # ---- buttons ---------------------------------------------------------------------------

    async def _click(self, task: Mapping[str, Any], agent: str) -> int:
        button = text_at(task, "item")
        given = {**_mapping(task, "user_data"), **_mapping(task, "kwargs")}
        if button == "btn_reset_session":
            return await self._reset(task, agent, button)
        if button == "btn_apply":
            return await self._apart("click", button, "trace_execute", lambda: self._apply(agent))
        if button == "btn_replay":
            arguments = {"clean": given.get("clean", "managed")}
            return await self._apart(
                "click", button, "trace_replay", lambda: self._call("trace_replay", arguments, agent=agent)
            )
        if button in ("btn_approve", "btn_reject"):
            return self._answer(button, given, agent)
        raise UnknownTag(button, BUTTONS, what="button")

    def _apply(self, agent: str) -> None:
        """Bring SketchUp up to what the project says. Raises: VcadError, as the tools answer."""
        trace = self._call("plan_trace", {}, agent=agent)
        self._call("trace_execute", {"trace_id": trace["trace_id"]}, agent=agent)

    def _answer(self, button: str, given: Mapping[str, Any], agent: str) -> int:
        """Answer the ask of the id in ``request_id``, or the one that has waited longest."""
        waiting = [ask.request_id for ask in self._world.approvals.open_asks()]
        request_id = given.get("request_id", waiting[0] if waiting else None)
        response = {key: given[key] for key in ("edited_args", "reason", "remember") if key in given}
        response["approved"] = button == "btn_approve"
        by = f"hook: {agent}"
        if request_id not in waiting or not self._world.approvals.respond(request_id, response, by=by):
            raise UnknownTag(str(request_id or ""), tuple(waiting), what="open ask")
        seq = self._begin("click", button)
        self._ended(seq, "click", button, None)
        return seq

    async def _reset(self, task: Mapping[str, Any], agent: str, item: str | None = None) -> int:
        del task, agent
        action = "reset_session" if item is None else "click"
        return self._queued(action, item, self._world.session.reset)

    # ---- cells -----------------------------------------------------------------------------

    async def _run_cell(self, task: Mapping[str, Any], agent: str) -> int:
        """Have the notebook run one of its cells, once a person has said yes."""
        cell_id = text_at(task, "cell_id")
        arguments = {"cell_id": cell_id, **{key: task[key] for key in ("path", "timeout_s") if key in task}}
        return await self._apart(
            "run_cell", cell_id, "nb_run_cell", lambda: self._call("nb_run_cell", arguments, agent=agent)
        )

    # ---- lists and tabs: a notebook has none -------------------------------------------------

    async def _select_tab(self, task: Mapping[str, Any], agent: str) -> int:
        del agent
        raise UnknownTag(text_at(task, "tab_bar"), (), what="tab_bar")

    async def _select_list_item(self, task: Mapping[str, Any], agent: str) -> int:
        del agent
        raise UnknownTag(text_at(task, "listbox"), (), what="listbox")

    # ---- others ----------------------------------------------------------------------------

    async def _push_event(self, task: Mapping[str, Any], agent: str) -> int:
        del agent
        event_type = text_at(task, "event_type")
        payload = object_at(task, "payload") if "payload" in task else {}
        size = len(event_type) + len(json.dumps(payload))
        if size > _EVENT:
            raise FileTooLarge(
                f"an event may have {_EVENT} characters; this one has {size}",
                details={"limit": _EVENT, "size": size, "operation": "push_event"},
            )
        return self._events.push(event_type, payload)

    # ---- doing -----------------------------------------------------------------------------

    def _call(self, tool: str, arguments: Mapping[str, Any], *, agent: str) -> dict[str, Any]:
        """What a tool answers. Raises: VcadError, as it answers."""
        outcome = call_tool(self._world, tool, arguments, agent=agent)
        if not outcome.success:
            raise outcome_error(outcome.body, tool)
        return outcome.body

    def _queued(self, action: str, item: str | None, work: Callable[[], object]) -> int:
        """Have it done behind all that was queued before."""
        seq = self._begin(action, item)
        self._queue.put(lambda: self._done(seq, action, item, work))
        return seq

    async def _apart(self, action: str, item: str, tool: str, work: Callable[[], object]) -> int:
        """Have it done beside everything else, on a thread of its own: it may wait long for a person.

        Raises: ServiceFailure TOOL_NOT_FOUND.
        """
        await on_own_thread(lambda: find(tool), name=f"finds {tool}")
        seq = self._begin(action, item)
        threading.Thread(
            target=self._done, args=(seq, action, item, work), name=f"vcad hook {tool}", daemon=True
        ).start()
        return seq

    def _begin(self, action: str, item: str | None) -> int:
        return self._events.push("task_queued", {"action": action, "item": item})

    def _done(self, seq: int, action: str, item: str | None, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as raised:  # noqa: BLE001 - the event says so, and the tasks behind it must go on
            self._ended(seq, action, item, raised)
        else:
            self._ended(seq, action, item, None)

    def _ended(self, seq: int, action: str, item: str | None, error: Exception | None) -> None:
        about = {"task": seq, "action": action, "item": item}
        if error is None:
            self._events.push("task_done", about)
            return
        known = error.error if isinstance(error, LoonCellFailed) else error
        if isinstance(known, VcadError):
            failed = {"error": known.message, "error_code": str(known.error_code)}
        else:
            self._world.session.note(
                "internal_error", level="error", action=action, error="".join(format_exception(known))
            )
            wire = internal_error(known, f"/api/gui {action}")
            failed = {"error": wire["message"], "error_code": wire["error_code"]}
        self._events.push("task_failed", {**about, **failed})


def _mapping(task: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object that may be left out. Raises: ServiceFailure INVALID_PARAMS."""
    value = task.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise malformed(key, "an object, or null")
    return value


def is_persons(task: Mapping[str, Any]) -> bool:
    """Whether a task is one that an agent must not have done: answers, the policy, forgetting everything."""
    return task.get("action") == "reset_session" or task.get("item") in _PERSONS


class TaskQueue:
    """Safe on any thread. Work that is put in must not raise."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._waiting: deque[Callable[[], object]] = deque()
        self._is_working = False

    def put(self, work: Callable[[], object]) -> None:
        """Have something done when all that was put in before is done."""
        with self._changing:
            self._waiting.append(work)
            if self._is_working:
                return
            self._is_working = True
        threading.Thread(target=self._work, name="vcad hook tasks", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._changing:
                if not self._waiting:
                    self._is_working = False
                    return
                work = self._waiting.popleft()
            work()
