"""`vcad_reconcile` and `vcad_reconcile_status`: whether SketchUp shows the project, after something has died.

What is compared and restored says `session/linked/reconciling.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.approval.calls import Preview
from notebook_ext.session.node_names import name_of

if TYPE_CHECKING:
    from notebook_ext.session.linked.reconciling import ReconcileStatus

__all__ = ["tools"]


class _Nothing(Arguments):
    pass


class _Reconcile(Arguments):
    expected_revision: int | None = Field(None, ge=0, description="of the project")


class _Drift(Answer):
    missing_node: list[str]
    orphan_definition: list[str]
    revision_gap: list[str]
    source_missing: list[str]
    reverted: list[str]


class _Status(Answer):
    last_run_at: str | None
    drift: _Drift
    pending_nodes: list[str]
    last_outcome: str
    reason: str | None
    problem: dict[str, Any] | None = Field(description="error_code and message of what was in the way")


def tools() -> tuple[Tool, ...]:
    """The two tools."""
    return (
        Tool(
            "vcad_reconcile_status",
            "diagnostics",
            "R",
            True,
            "See how SketchUp differed from the project when they were last compared; asks SketchUp nothing.",
            _Nothing,
            _Status,
            lambda _, call: _shown(call.session.reconcile_status()),
        ),
        Tool(
            "vcad_reconcile",
            "diagnostics",
            "W",
            False,
            "After a crash or restart: compare SketchUp with the project, and put back what is missing.",
            _Reconcile,
            _Status,
            _reconcile,
            affects=_restoring,
        ),
    )


def _reconcile(arguments: _Reconcile, call: Call) -> _Status:
    expected = arguments.expected_revision
    if expected is not None:
        from notebook_ext.session.project.design_change import require_revision

        require_revision(call.session.standing, expected, "vcad_reconcile")
    return _shown(call.session.reconcile("agent"))


def _restoring(_: _Reconcile, call: Call) -> Preview:
    nodes = call.session.on_project(lambda linked: linked.reconciling.would_restore())
    names = ", ".join(name_of(node_id) for node_id in nodes)
    return Preview(
        objects=nodes,
        summary=f"Puts back into SketchUp: {names}." if nodes else "Finds nothing to put back into SketchUp.",
        undo="Each step can be undone in SketchUp (Ctrl+Z).",
    )


def _shown(status: ReconcileStatus) -> _Status:
    return _Status(
        last_run_at=status.last_run_at,
        drift=_Drift.model_validate(status.drift.to_json()),
        pending_nodes=list(status.pending_nodes),
        last_outcome=status.last_outcome,
        reason=status.reason,
        problem=None if status.error is None else dict(status.error),
    )
