"""`vcad_diff`: a part against what it was, as text and in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.packs.core.solids import no_node
from notebook_ext.session.node_names import name_of, node_id_of
from notebook_ext.workspace.files.text_diff import unified
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.display.part import Part

__all__ = ["tools"]


class _Diff(Arguments):
    node_id: str
    revision: int | None = Field(None, ge=0, description="against which; by default the one before")


class _Was(Answer):
    revision: int
    volume: float
    surface_area: float
    bbox: list[list[float]] | None
    exact: bool
    parameters: dict[str, float]


class _Difference(Answer):
    node_id: str
    text: str = Field(description="unified diff of the source; empty where it is the same")
    before: _Was
    after: _Was
    kept: list[int] = Field(description="revisions that can be compared with")


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_diff",
            "project",
            "R",
            True,
            "See what has changed in a part since an earlier revision: source and figures.",
            _Diff,
            _Difference,
            _diff,
        ),
    )


def _diff(arguments: _Diff, call: Call) -> _Difference:
    node_id = node_id_of(arguments.node_id)
    kept = call.world.revisions.of(node_id)
    if not kept:
        if name_of(node_id) not in call.session.nodes() and node_id not in call.session.standing.components:
            raise no_node(arguments.node_id, call)
        raise _unknown(node_id, arguments.revision, kept)
    newest = max(kept)
    earlier = [revision for revision in kept if revision < newest]
    wanted = arguments.revision if arguments.revision is not None else max(earlier, default=None)
    if wanted is None or wanted not in kept:
        raise _unknown(node_id, arguments.revision, kept)
    before, after = kept[wanted], kept[newest]
    was, now = call.session.on_project(lambda _linked: (_figures(wanted, before), _figures(newest, after)))
    return _Difference(
        node_id=node_id,
        text=unified(before.source, after.source, name_of(node_id)),
        before=was,
        after=now,
        kept=sorted(kept),
    )


def _figures(revision: int, part: Part) -> _Was:
    figures = part.figures
    return _Was(
        revision=revision,
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=None if figures.bounds is None else [list(corner) for corner in figures.bounds],
        exact=figures.exact,
        parameters={name: parameter.value for name, parameter in part.parameters.items()},
    )


def _unknown(node_id: str, revision: int | None, kept: dict[int, Part]) -> ServiceFailure:
    known = ", ".join(map(str, sorted(kept))) or "none"
    what = "nothing earlier" if revision is None else f"no revision {revision}"
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{what} of {name_of(node_id)} is kept in this session; kept are {known}",
        fix="name one that is kept; what was before the session, the project's version control knows",
        details={"path": "revision", "expected": f"one of {known}"},
    )
