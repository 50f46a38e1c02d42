"""Tags, values, tasks and the state of the workflow: what stands for a user interface in the hook API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notebook_ext.agents.hooks.bodies import agent_of, json_object, require_person
from notebook_ext.agents.hooks.fields import field, fields
from notebook_ext.agents.hooks.refusals import UnknownTag
from notebook_ext.agents.hooks.tasks import BUTTONS, is_persons
from notebook_ext.agents.hooks.turns import in_turn, on_own_thread

if TYPE_CHECKING:
    from starlette.requests import Request

    from notebook_ext.agents.hooks.hooks import Hooks

__all__ = ["diagnostics", "no_value", "queue_task", "state", "tags", "value"]


async def tags(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Every tag with name, type, range and whether it can be written; the buttons too."""

    def look() -> list[dict[str, Any]]:
        return [field.to_json() for field in fields(hooks.world).values()]

    tags = await in_turn(hooks.world.session, look, operation=request.url.path, patience=hooks.patience)
    buttons = [{"name": name, "type": "button", "writable": True, "range": None} for name in BUTTONS]
    return {"tags": [*tags, *buttons]}


async def no_value(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Without a tag there is nothing to be read."""
    del hooks, request
    return {"value": None}


async def value(hooks: Hooks, request: Request) -> dict[str, Any]:
    """The value of one field."""
    tag = request.path_params["tag"]
    if tag in BUTTONS:
        raise UnknownTag(tag, (), what="tag with a value")
    value = await in_turn(
        hooks.world.session,
        lambda: field(hooks.world, tag).read(),
        operation=request.url.path,
        patience=hooks.patience,
    )
    return {"value": value}


async def state(hooks: Hooks, request: Request) -> dict[str, Any]:
    """What runs and what waits; answered while a cell runs, too."""
    del request
    return await on_own_thread(hooks.workflow.state, name="state")


async def diagnostics(hooks: Hooks, request: Request) -> dict[str, bool]:
    """Whether an agent thinks, a tool runs, a past session is looked at."""
    del request
    return hooks.workflow.diagnostics()


async def queue_task(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Take in a task; its events say what came of it."""
    task = await json_object(request)
    if is_persons(task):
        require_person(request)
    seq = await hooks.tasks.accept(task, agent=agent_of(request))
    return {"status": "queued", "seq": seq}
