"""Whether SketchUp answers, how each part of a project stands there, and how people are shown both.

Given what was asked, it compares and shows: text everywhere, HTML in a notebook. Knows no connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.display.tables import html_table, text_table
from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.design_model import Component, DesignModel
from notebook_ext.sketchup.bridge.answers import NodeRow, Status
from notebook_ext.sketchup.scene_check import Scene, standing
from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from notebook_ext.sketchup.trace import Operation, Trace
    from notebook_ext.sketchup.trace_result import TraceResult

__all__ = [
    "NodeStatus",
    "PlanView",
    "PushView",
    "SketchupStatus",
    "StatusView",
    "node_states",
    "nothing_linked",
]


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
    """In words: "up to date", "to be pushed", "older in SketchUp" (not saved, an older file, or undone),
    "edited in SketchUp" (a state that the project has not put there), "missing in SketchUp", "of unknown
    origin in SketchUp" (of before projects were told apart) or "only in SketchUp"."""


@dataclass(frozen=True, slots=True)
class SketchupStatus:
    """Whether SketchUp answers, and how the project and its model stand to each other."""

    host: str
    port: int
    workspace: Path
    status: Status | None
    """What the extension says of itself; None when nothing answers."""
    problem: VcadError | None
    """Why nothing answers, or why the one that does cannot say what it shows."""
    read_only: str | None
    """Why the project cannot be changed here; None when it can."""
    nodes: tuple[NodeStatus, ...]
    """Every linked part of the project, and what else SketchUp shows of ours."""
    trouble: VcadError | None = None
    """Why the project's file could not be read, and where it has gone; None when it could."""

    @property
    def connected(self) -> bool:
        """Whether SketchUp answers."""
        return self.status is not None

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(StatusView(self)))

    def _repr_html_(self) -> str:
        return StatusView(self)._repr_html_()


def node_states(model: DesignModel, rows: tuple[NodeRow, ...] | None) -> tuple[NodeStatus, ...]:
    """The project's parts by id, then what only SketchUp has.

    rows: what SketchUp lists; None when it cannot be asked, and the truth alone must say.
    """
    scene = None if rows is None else Scene(model, rows)
    states = [
        NodeStatus(
            node_id,
            component.revision,
            component.applied_revision,
            sum(1 for _ in model.instances_of(node_id)),
            _state(model, node_id, component, scene),
        )
        for node_id, component in sorted(model.components.items())
    ]
    there = {*scene.rows, *(row.node_id for row in scene.unclaimed)} if scene else set()
    for node_id in sorted(there):
        if node_id not in model.components:
            states.append(NodeStatus(node_id, 0, 0, 0, "only in SketchUp"))
    return tuple(states)


def _state(model: DesignModel, node_id: str, component: Component, scene: Scene | None) -> str:
    instances = dict(model.instances_of(node_id))
    row = None if scene is None else scene.rows.get(node_id)
    if scene is not None and row is None and any(other.node_id == node_id for other in scene.unclaimed):
        return "of unknown origin in SketchUp"
    if scene is not None and component.applied_revision:
        placed = [name for name, instance in instances.items() if instance.execution is not None]
        if row is None or any(scene.placement(name) is None for name in placed):
            return "missing in SketchUp"
        if (shown := standing(component, row)) != "same":
            return "older in SketchUp" if shown == "older" else "edited in SketchUp"
    waiting = component.applied_revision < component.revision or any(
        instance.execution is None
        or (
            instance.execution.transform is not None
            and (instance.execution.transform, instance.execution.layer, instance.execution.material)
            != (instance.transform, instance.layer, instance.material)
        )
        for instance in instances.values()
    )
    given_up = any(instance.component == node_id for instance in model.removed.instances.values())
    return "to be pushed" if waiting or given_up or not component.applied_revision else "up to date"


class StatusView:
    """Whether SketchUp answers, and how each linked part stands there."""

    def __init__(self, status: SketchupStatus) -> None:
        self.status = status

    def _head(self) -> str:
        status = self.status
        at = f"{status.host}:{status.port}"
        lines: list[str] = []
        if status.status is not None:
            version = status.status.sketchup_version or "of an unknown version"
            lines = [f"connected to SketchUp {version} at {at}"]
        if status.problem is not None:
            met = "its parts are not known" if status.connected else "not connected"
            lines.append(f"{met}: {status.problem.message}")
            lines += [f"  {status.problem.fix}"] if status.problem.fix else []
        lines.append(f"workspace: {status.workspace}")
        if status.read_only is not None:
            lines.append(f"the project is read-only here: {status.read_only}")
        if not status.nodes or status.trouble is not None:
            lines.append(nothing_linked(status.trouble))
        return "\n".join(lines)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                name_of(node.node_id),
                str(node.revision or ""),
                str(node.applied_revision or ""),
                str(node.instances),
                node.state,
            )
            for node in self.status.nodes
        ]

    def __repr__(self) -> str:
        rows = self._rows()
        return f"{self._head()}\n{text_table(_STATUS, rows)}" if rows else self._head()

    def _repr_html_(self) -> str:
        rows = self._rows()
        return f"<div>{_lines(self._head())}</div>{html_table(_STATUS, rows) if rows else ''}"


_STATUS: Final = ("part", "revision", "pushed", "instances", "state")


def nothing_linked(trouble: VcadError | None) -> str:
    """What is said of a project without parts. trouble: why its file could not be read, if that is why."""
    if trouble is None:
        return "nothing is linked yet: %%loon NAME --push links a part"
    fix = f"\n  {trouble.fix}" if trouble.fix else ""
    return f"the project has begun anew: {trouble.message}{fix}"


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


class PlanView:
    """A trace as a table: what a push would do, and what it could not.

    nothing: what is said of a trace without operations, where there is more to say than that.
    """

    def __init__(self, trace: Trace, *, nothing: str | None = None) -> None:
        self.trace = trace
        self.nothing = nothing

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = [
            (step.type.replace("_", " "), name_of(step.target), _details(step))
            for step in self.trace.operations
        ]
        left_out = self.trace.omitted
        return rows + [("cannot be done", name_of(part.object_id), part.reason) for part in left_out]

    def _last_line(self) -> str:
        if not self._rows():
            return self.nothing or self.trace.summary()
        count = len(self.trace.operations)
        steps = "1 undo step" if count == 1 else f"{count} undo steps"
        lines = [f"{self.trace.trace_id}: {steps} in SketchUp"]
        if not self.trace.complete:
            lines = ["nothing is pushed while something cannot be done: mend it, or %loon_push --omit NAME"]
        return "\n".join([*lines, *(f"note: {warning}" for warning in self.trace.warnings)])

    def __repr__(self) -> str:
        rows = self._rows()
        return f"{text_table(_PLAN, rows)}\n{self._last_line()}" if rows else self._last_line()

    def _repr_html_(self) -> str:
        rows = self._rows()
        return f"{html_table(_PLAN, rows) if rows else ''}<div>{_lines(self._last_line())}</div>"


_PLAN: Final = ("operation", "part", "details")


def _details(step: Operation) -> str:
    """What of an operation's payload people want to see."""
    if "transform" in step.payload:
        return "at " + ", ".join(f"{part:g}" for part in step.payload["transform"][12:15]) + " mm"
    if step.type == "upsert_definition":
        return f"revision {step.payload['revision']}"
    value = step.payload.get(step.type.removeprefix("set_"))
    return str(value or "none") if step.type.startswith("set_") else ""


class PushView:
    """What came of a push, a line for each part.

    left_out: names that were not to be pushed. nothing: what is said of a push that changed nothing, where
    there is more to say than that.
    """

    def __init__(
        self, result: TraceResult, *, left_out: Sequence[str] = (), nothing: str | None = None
    ) -> None:
        self.result = result
        self.left_out = left_out
        self.nothing = nothing

    def __repr__(self) -> str:
        if self.nothing is not None and self.result.status == "unchanged":
            return self.nothing
        if self.left_out and self.result.status == "unchanged":
            return f"SketchUp shows the rest of it already\nleft out: {', '.join(self.left_out)}"
        # what a person copied or drew is theirs: a note of it after every push would only be noise
        lines = self.result.summary(foreign=False)
        return lines + (f"\nleft out: {', '.join(self.left_out)}" if self.left_out else "")

    def _repr_html_(self) -> str:
        return f"<div>{_lines(repr(self))}</div>"
