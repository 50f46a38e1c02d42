"""What the magics about SketchUp show: a plan, what came of a push, the state of things.

Text everywhere, HTML in a notebook. Given values, they show them; they know neither sessions nor connections.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from notebook_ext.session.node_names import name_of
from notebook_ext.tables import html_table, text_table

if TYPE_CHECKING:
    from notebook_ext.sketchup.link import SketchupStatus
    from notebook_ext.sketchup.trace import Operation, Trace, TraceResult

__all__ = ["PlanView", "PushView", "StatusView"]

_DONE: Final = {
    "upsert_definition": "geometry",
    "place_instance": "placed",
    "move_instance": "moved",
    "set_layer": "layer set",
    "set_material": "material set",
    "remove_instance": "removed",
    "remove_definition": "removed",
}


class PlanView:
    """A trace as a table: what a push would do, and what it could not."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = [
            (one.type.replace("_", " "), name_of(one.target), _details(one)) for one in self.trace.operations
        ]
        return rows + [("cannot be done", name_of(one.object_id), one.reason) for one in self.trace.omitted]

    def _last_line(self) -> str:
        if not self._rows():
            return "nothing to do: SketchUp has been given all of it"
        count = len(self.trace.operations)
        steps = "1 undo step" if count == 1 else f"{count} undo steps"
        left = "" if self.trace.complete else "; nothing is pushed while something cannot be"
        notes = "".join(f"\n{note}" for note in self.trace.warnings)
        return f"{self.trace.trace_id}: {steps} in SketchUp{left}{notes}"

    def __repr__(self) -> str:
        rows = self._rows()
        return f"{text_table(_PLAN, rows)}\n{self._last_line()}" if rows else self._last_line()

    def _repr_html_(self) -> str:
        rows = self._rows()
        return f"{html_table(_PLAN, rows) if rows else ''}<div>{_lines(self._last_line())}</div>"


_PLAN: Final = ("operation", "part", "details")


def _details(one: Operation) -> str:
    """What of an operation's payload people want to see."""
    if "transform" in one.payload:
        return "at " + ", ".join(f"{part:g}" for part in one.payload["transform"][12:15]) + " mm"
    if one.type == "upsert_definition":
        return f"revision {one.payload['revision']}"
    value = one.payload.get(one.type.removeprefix("set_"))
    return str(value or "none") if one.type.startswith("set_") else ""


class PushView:
    """What came of a push, a line for each part."""

    def __init__(self, result: TraceResult) -> None:
        self.result = result

    def __repr__(self) -> str:
        result = self.result
        if result.status == "unchanged":
            return "SketchUp shows all of it already"
        said: dict[str, list[str]] = {}
        for one in result.executed:
            word = _DONE.get(one.type, one.type)
            if one.version is not None:
                word += f", version {one.version}"
            said.setdefault(name_of(one.target), []).append(word)
        lines = [f"removed {name_of(one)}" for one in result.removed]
        lines += [f"{target}: {'; '.join(words)}" for target, words in said.items()]
        lines += [
            f"warning: {name_of(one.target)}: {note}" for one in result.executed for note in one.warnings
        ]
        check = result.contamination
        if check is not None:
            lines += [
                f"note: {name_of(one.object_id)}: {one.reason}" for one in (*check.stale, *check.missing)
            ]
        return "\n".join(lines) or "nothing was to be done"

    def _repr_html_(self) -> str:
        return f"<div>{_lines(repr(self))}</div>"


class StatusView:
    """Whether SketchUp answers, and how each linked part stands there."""

    def __init__(self, status: SketchupStatus) -> None:
        self.status = status

    def _head(self) -> str:
        one = self.status
        at = f"{one.host}:{one.port}"
        if one.status is not None:
            version = one.status.sketchup_version or "of an unknown version"
            lines = [f"connected to SketchUp {version} at {at}"]
        else:
            assert one.problem is not None
            lines = [f"not connected: {one.problem.message}"]
            lines += [f"  {one.problem.fix}"] if one.problem.fix else []
        lines.append(f"workspace: {one.workspace}")
        if one.read_only is not None:
            lines.append(f"the project is read-only here: {one.read_only}")
        if not one.nodes:
            lines.append("nothing is linked yet: %%loon NAME --push links a part")
        return "\n".join(lines)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                name_of(one.node_id),
                str(one.revision or ""),
                str(one.applied_revision or ""),
                str(one.instances),
                one.state,
            )
            for one in self.status.nodes
        ]

    def __repr__(self) -> str:
        rows = self._rows()
        return f"{self._head()}\n{text_table(_STATUS, rows)}" if rows else self._head()

    def _repr_html_(self) -> str:
        rows = self._rows()
        return f"<div>{_lines(self._head())}</div>{html_table(_STATUS, rows) if rows else ''}"


_STATUS: Final = ("part", "revision", "pushed", "instances", "state")


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
