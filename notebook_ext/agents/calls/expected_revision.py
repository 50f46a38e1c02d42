"""A change that is bound to what its agent has seen: done while that is still so, refused otherwise.

``expected_revision`` is that of the node that a call is about: the one it names, or the one made from the
file that it would write. A call about no node is bound to the revision of the project. The code that gives
a node its next number compares once more, so that of two agents who have seen the same, one is refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from notebook_ext.agents.calls.call import Call

__all__ = ["conflict", "require_expected", "saved_revision", "state_of"]

_FILES = ("path", "file_path", "source")
"""Arguments that may name a node's source file."""
_PROJECT_FILE = "design_model.json"


def require_expected(checked: BaseModel, call: Call) -> None:
    """Raises: ServiceFailure REVISION_CONFLICT for what is not as the agent has seen it."""
    expected = getattr(checked, "expected_revision", None)
    if expected is None:
        return
    nodes = _nodes_of(checked, call)
    current: dict[str | None, int] = {node_id: call.session.revision(node_id) for node_id in nodes}
    if not nodes:
        current[None] = saved_revision(call)
    if expected not in current.values():
        node_id, revision = next(iter(current.items()))
        raise conflict(node_id, expected, revision, call.tool)


def conflict(node_id: str | None, expected: int, current: int, operation: str) -> ServiceFailure:
    """The refusal of a change that is bound to another revision. node_id: None for the project."""
    what = "the project" if node_id is None else name_of(node_id)
    look = "session_info says" if node_id is None else "vcad_node shows"
    return ServiceFailure(
        ErrorCode.REVISION_CONFLICT,
        f"{what} is at revision {current} by now, not {expected}; nothing was done",
        fix=f"{look} what it is now; decide anew, and pass that revision",
        details={"node_id": node_id, "expected": expected, "current": current, "operation": operation},
    )


def state_of(checked: BaseModel, call: Call) -> str:
    """What a person's yes to this call is bound to, besides its arguments. Waits for nothing."""
    parts = [str(saved_revision(call))]
    parts += [f"{node_id}@{call.session.revision(node_id)}" for node_id in _nodes_of(checked, call)]
    return "/".join(parts)


def saved_revision(call: Call) -> int:
    """Of the project, as its file says: 0 where there is none. On any thread, and without waiting."""
    revision = _saved(call).get("revision")
    return revision if isinstance(revision, int) else 0


def _saved(call: Call) -> dict[str, Any]:
    """The project's file; {} where there is none, or none that can be read: the code that changes it says so.

    It is replaced whole with every change, so that it can be read while the session is busy.
    """
    try:
        project = json.loads(call.files.read(call.workspace / _PROJECT_FILE, operation=call.tool))
    except (VcadError, ValueError, RecursionError):
        return {}
    return project if isinstance(project, dict) else {}


def _nodes_of(checked: BaseModel, call: Call) -> list[str]:
    """Ids of the nodes that a call is about; none for one about the project, or about a new file."""
    named: Any = getattr(checked, "node_id", None)
    if isinstance(named, str):
        return [node_id_of(named)]
    instance: Any = getattr(checked, "instance_id", None)
    if isinstance(instance, str):
        component = _component_of(node_id_of(instance), call)
        return [] if component is None else [component]
    several = getattr(checked, "node_ids", None)
    if isinstance(several, list) and len(several) == 1:
        return [node_id_of(several[0])]
    for field in _FILES:
        given = getattr(checked, field, None)
        if isinstance(given, str) and given:
            return _nodes_from(given, call)
    return []


def _nodes_from(text: str, call: Call) -> list[str]:
    """The node of this name, or those that are made from the file of this path."""
    name = name_of(node_id_of(text))
    if name in call.session.nodes():
        return [node_id_of(name)]
    if "\n" in text or text.startswith(("[", "(")):
        return []  # Loon, and no path
    try:
        shown = call.files.shown(call.files.path(text, operation=call.tool))
    except VcadError:
        return []  # the tool that opens it says why not
    components = _saved(call).get("components")
    if not isinstance(components, dict):
        return []
    return [node_id for node_id, component in components.items() if _file_of(component) == shown]


def _component_of(instance_id: str, call: Call) -> str | None:
    """The node that an instance is of; a node's own name stands for its only instance."""
    saved = _saved(call)
    instances, components = saved.get("instances"), saved.get("components")
    instance = instances.get(instance_id) if isinstance(instances, dict) else None
    component = instance.get("component") if isinstance(instance, dict) else None
    if isinstance(component, str):
        return component
    return instance_id if isinstance(components, dict) and instance_id in components else None


def _file_of(component: Any) -> str | None:
    source = component.get("source") if isinstance(component, dict) else None
    file = source.get("file") if isinstance(source, dict) else None
    return file if isinstance(file, str) else None
