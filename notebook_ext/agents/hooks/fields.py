"""What the hook API calls by tags: values of the session that can be read or set, and buttons.

    param.<name>            a parameter that a cell declares
    step_mode               whether every write waits for a yes
    agent.mode              how agents meet the session: "notebook" or "headless"
    project.units_display   the unit in which lengths are shown
    viewer.camera           where viewers look from, while there has been one
    viewer.selection        what is picked: ``[{node_id, kind, index?}]``
    viewer.visible          ids of the nodes that are seen
    viewer.section          planes that cut: ``[{axis, at, flipped?}]``
    viewer.show_edges       whether feature edges are drawn

Which there are follows from the session: the table is made anew for each question, on the session's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from notebook_ext.agents.hooks.bodies import number
from notebook_ext.agents.hooks.refusals import UnknownTag, malformed
from notebook_ext.viewer.relay.messages import Camera, PickedThing, SectionPlane, SetView

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld
    from notebook_ext.session.session import Session
    from notebook_ext.viewer.relay.relay import Relay
    from vcad_kernel.ir.parameter import Parameter

__all__ = ["UNITS", "Field", "FieldType", "field", "fields", "viewer_fields"]

FieldType: TypeAlias = Literal["int", "float", "bool", "enum", "object", "button"]

ToolCall: TypeAlias = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""

UNITS: Final = ("mm", "cm", "m", "in", "ft")
"""In which lengths may be shown; on this level they are always millimetres."""

_SETTING: Final = "units_display"


@dataclass(frozen=True, slots=True)
class Field:
    """One tagged value."""

    tag: str
    type: FieldType
    read: Callable[[], Any]
    """On the session's thread; gives plain JSON."""
    write: Callable[[Any], object] | None = None
    """On the session's thread, with a checked value. Raises: VcadError, LoonCellFailed."""
    range: tuple[float | None, float | None] | None = None
    """Lowest and highest value; None where the model leaves it open."""
    options: tuple[str, ...] = ()
    tool: Callable[[Any], ToolCall] | None = None
    """In place of `write`: the tool that does it, so that the person is asked where the policy wants it."""

    @property
    def writable(self) -> bool:
        """Whether it can be set."""
        return self.write is not None or self.tool is not None

    def by_tool(self, value: Any) -> ToolCall | None:
        """The call that sets it to a checked value, if that is how it is set."""
        return None if self.tool is None else self.tool(value)

    def checked(self, value: Any) -> Any:
        """A value that the field can have. Raises: ServiceFailure INVALID_PARAMS, with what it could have."""
        if not self.writable:
            raise malformed("item", f"a tag that can be written; {self.tag} can only be read")
        if self.type == "bool" and not isinstance(value, bool):
            raise malformed("value", "true or false")
        if self.type == "enum" and value not in self.options:
            raise malformed("value", f"one of {', '.join(self.options)}")
        if self.type in ("int", "float"):
            low, high = self.range or (None, None)
            given = number(value, "value", -_FAR if low is None else low, _FAR if high is None else high)
            if self.type == "int" and given != int(given):
                raise malformed("value", "a whole number")
            return int(given) if self.type == "int" else given
        return value

    def to_json(self) -> dict[str, Any]:
        """As ``GET /api/gui/tags`` lists it: by hand, since the rest of a field are functions."""
        return {
            "name": self.tag,
            "type": self.type,
            "writable": self.writable,
            "range": None if self.range is None else list(self.range),
            **({"options": list(self.options)} if self.options else {}),
        }


_FAR: Final = 1e12
"""Millimetres, or whatever a parameter counts: the end where the model names none."""


def fields(world: AgentWorld) -> Mapping[str, Field]:
    """All there are now, by tag. On the session's thread."""
    return {field.tag: field for field in _all(world)}


def field(world: AgentWorld, tag: str) -> Field:
    """The one of this tag. On the session's thread. Raises: UnknownTag."""
    there = fields(world)
    if tag not in there:
        raise UnknownTag(tag, tuple(there))
    return there[tag]


def _all(world: AgentWorld) -> Iterator[Field]:
    for parameter in world.session.parameters():
        yield _of_parameter(world, parameter)
    policy = world.approvals.policy

    def set_step_mode(value: bool) -> None:
        policy.step_mode = value

    yield Field("step_mode", "bool", lambda: policy.step_mode, set_step_mode)
    yield Field("agent.mode", "enum", lambda: _mode(world), options=("notebook", "headless"))
    yield Field(
        f"project.{_SETTING}",
        "enum",
        lambda: _units(world),
        options=UNITS,
        tool=lambda value: _set_units(world, value),
    )
    yield from viewer_fields(world.session)


def _of_parameter(world: AgentWorld, parameter: Parameter) -> Field:
    whole = isinstance(parameter.default, int)
    part = _part_with(world.session, parameter)

    def set_by_tool(value: Any) -> ToolCall:
        return "vcad_set_parameter", {"node_id": part, "name": parameter.name, "value": value}

    return Field(
        f"param.{parameter.name}",
        "int" if whole else "float",
        lambda: parameter.value,
        lambda value: world.session.set_parameter(parameter.name, value),
        range=(parameter.min, parameter.max),
        tool=None if part is None else set_by_tool,
    )


def _part_with(session: Session, parameter: Parameter) -> str | None:
    """The named part that a parameter belongs to; None for one of a cell without a name."""
    for name in reversed(session.nodes()):
        if session[name].parameters.get(parameter.name) == parameter:
            return name
    return None


def _mode(world: AgentWorld) -> str:
    return "notebook" if world.attached else "headless"


def _units(world: AgentWorld) -> Any:
    return world.session.standing.settings.get(_SETTING, UNITS[0])


def _set_units(world: AgentWorld, value: str) -> ToolCall:
    return "project_patch", {
        "base_revision": world.session.standing.revision,
        "patch": [{"op": "add", "path": f"/settings/{_SETTING}", "value": value}],
        "reason": f"lengths are to be shown in {value}",
    }


def viewer_fields(session: Session) -> Iterator[Field]:
    """What can be read and set of the viewers; nothing where none was ever asked for."""
    if not session.is_viewed:
        return
    from notebook_ext.viewer.live import camera_now

    relay = session.viewers

    def camera() -> Any:
        return msgspec.to_builtins(camera_now(relay))

    def section() -> list[Any]:
        said = relay.latest_state
        return [] if said is None else [msgspec.to_builtins(plane) for plane in said.section]

    def visible() -> list[str]:
        return [node.node_id for node in relay.seen]

    yield Field("viewer.camera", "object", camera, partial(_set, relay, "camera", Camera))
    yield Field(
        "viewer.selection",
        "object",
        lambda: [
            {"node_id": picked.node_id, "kind": picked.kind, "index": picked.index}
            for picked in relay.selection
        ],
        lambda value: relay.set_view(SetView(selection=_picks(relay, value))),
    )
    yield Field("viewer.visible", "object", visible, partial(_set, relay, "visible", tuple[str, ...]))
    yield Field(
        "viewer.section", "object", section, partial(_set, relay, "section", tuple[SectionPlane, ...])
    )
    yield Field(
        "viewer.show_edges",
        "bool",
        lambda: relay.view.edges != "none",
        lambda value: relay.set_view(SetView(edges="all" if value else "none")),
    )


def _set(relay: Relay, name: str, kind: Any, value: Any) -> None:
    relay.set_view(SetView(**{name: _read(value, kind)}))


def _picks(relay: Relay, value: Any) -> tuple[PickedThing, ...]:
    """What is to be picked, of the nodes as they are now."""
    return tuple(_pick(relay, row) for row in _read(value, list[dict[str, Any]]))


def _pick(relay: Relay, row: dict[str, Any]) -> PickedThing:
    node = relay.node(str(row.get("node_id")))
    if node is None:
        raise malformed("value", f"a list of things of the nodes {', '.join(n.node_id for n in relay.nodes)}")
    picked: PickedThing = _read({"kind": "part", **row, "digest": node.digest}, PickedThing)
    return picked


def _read(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as wrong:
        raise malformed("value", f"as the tag has it: {wrong}") from None
