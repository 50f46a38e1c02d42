"""What the magics about SketchUp show of a plan, and of what came of a push.

Text everywhere, HTML in a notebook. Given values, they show them; they know neither sessions nor connections.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from notebook_ext.session.node_names import name_of
from notebook_ext.tables import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from notebook_ext.sketchup.trace import Operation, Trace
    from notebook_ext.sketchup.trace_result import TraceResult

__all__ = ["PlanView", "PushView"]


class PlanView:
    """A trace as a table: what a push would do, and what it could not.

    nothing: what is said of a trace without operations, where there is more to say than that.
    """

    def __init__(self, trace: Trace, *, nothing: str | None = None) -> None:
        self.trace = trace
        self.nothing = nothing

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = [
            (one.type.replace("_", " "), name_of(one.target), _details(one)) for one in self.trace.operations
        ]
        return rows + [("cannot be done", name_of(one.object_id), one.reason) for one in self.trace.omitted]

    def _last_line(self) -> str:
        if not self._rows():
            return self.nothing or self.trace.summary()
        count = len(self.trace.operations)
        steps = "1 undo step" if count == 1 else f"{count} undo steps"
        lines = [f"{self.trace.trace_id}: {steps} in SketchUp"]
        if not self.trace.complete:
            lines = ["nothing is pushed while something cannot be done: mend it, or %loon_push --omit NAME"]
        return "\n".join([*lines, *(f"note: {one}" for one in self.trace.warnings)])

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
        # what a person copied or drew is theirs: to be told of it after every push would only be noise
        lines = self.result.summary(foreign=False)
        return lines + (f"\nleft out: {', '.join(self.left_out)}" if self.left_out else "")

    def _repr_html_(self) -> str:
        return f"<div>{_lines(repr(self))}</div>"


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
