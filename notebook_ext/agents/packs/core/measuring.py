"""`vcad_inspect` and `vcad_distance`: what a part measures, and how two stand to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.packs.core.solids import Meant, meant
from notebook_ext.session.node_names import name_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from vcad_kernel.geometry.measure.between.clearance import Clearance
    from vcad_kernel.geometry.measure.figures import Figures

__all__ = ["tools"]


class _Inspect(Arguments):
    source: str = Field(description="node, instance, path or Loon code")
    details: bool = Field(False, description="also inertia, counts, thinnest wall, holes, bosses, patterns")


class _Pair(Arguments):
    a: str = Field(
        description="node, instance, path or code; a node with one instance stands where that does"
    )
    b: str


class _Figures(Answer):
    volume: float
    surface_area: float
    bbox: list[list[float]] | None
    center_of_mass: list[float] | None
    is_empty: bool
    part_count: int
    exact: bool
    tolerance: float | None
    details: dict[str, Any] | None


class _Distance(Answer):
    said: str
    distance: float = Field(description="0: they touch or overlap")
    points: list[list[float]] | None = Field(description="nearest, of a and b")
    interference: float = Field(description="mm³ in both")
    bbox: list[list[float]] | None = Field(description="of what is in both")
    exact: bool
    tolerance: float | None
    a: str = Field(description="what was measured")
    b: str


def tools() -> tuple[Tool, ...]:
    """The two tools."""
    return (
        Tool(
            "vcad_inspect",
            "core",
            "R",
            True,
            "Measure a part or trial code: volume mm³, area mm², bounding box mm. Changes nothing.",
            _Inspect,
            _Figures,
            _inspect,
        ),
        Tool(
            "vcad_distance",
            "core",
            "R",
            True,
            "Clearance of two parts with its points, or how much they interfere; ≈ where not exact.",
            _Pair,
            _Distance,
            _distance,
        ),
    )


def _inspect(arguments: _Inspect, call: Call) -> _Figures:
    part = meant(arguments.source, call).part
    figures, center = part.figures, part.center_of_mass
    details = call.session.on_project(lambda _linked: _details(part)) if arguments.details else None
    return _Figures(
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=_box(figures),
        center_of_mass=None if center is None else list(center),
        is_empty=figures.is_empty,
        part_count=len(part),
        exact=figures.exact,
        tolerance=figures.tolerance,
        details=details,
    )


_MOST_TRIANGLES: Final = 20_000
"""Of a mesh whose thinnest wall is looked for. The worst is a ball: one of 90,000 took 16 s."""


def _details(part: Part) -> dict[str, Any]:
    """What takes longer, of each of its bodies; on the session's thread, which alone asks the service."""
    if len(part) > 1:
        return {body.name: _details(body) for body in part}
    figures, features = part.figures, part.features()
    counts = msgspec.to_builtins(features)
    return {
        "inertia": None if figures.inertia is None else [list(row) for row in figures.inertia],
        "lumps": figures.lumps,
        "through_holes": figures.genus,
        **counts,
        "wall": _wall(part),
    }


def _wall(part: Part) -> dict[str, Any]:
    """The thinnest wall, and how it was found; or why it was not looked for."""
    figures = part.figures
    if figures.is_empty:
        return {"why_not": "the part is empty"}
    if figures.triangles > _MOST_TRIANGLES:
        why = f"rays through {figures.triangles} triangles take too long, more than {_MOST_TRIANGLES}"
        return {"why_not": f"{why}; vcad_inspect a coarser or smaller piece of it"}
    wall = part.thinnest()
    if wall is None:
        return {"why_not": "no two faces look away from each other"}
    how = "rays straight in from the mesh's faces: between two of them a wall may be thinner"
    return {**msgspec.to_builtins(wall), "how": how}


def _box(figures: Figures) -> list[list[float]] | None:
    return None if figures.bounds is None else [list(corner) for corner in figures.bounds]


# ---- two parts -----------------------------------------------------------------------------


def _distance(arguments: _Pair, call: Call) -> _Distance:
    a, b = (_standing(getattr(arguments, side), side, call) for side in ("a", "b"))
    return call.session.on_project(lambda _linked: _between(a, b))


def _standing(source: str, side: str, call: Call) -> Meant:
    """What stands in the scene: a node that has one instance there is that instance.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for one with several; as `meant`.
    """
    subject = meant(source, call)
    if subject.node_id is None or subject.instance_id is not None or source.startswith("node:"):
        return subject
    instances = [instance_id for instance_id, _ in call.session.standing.instances_of(subject.node_id)]
    if len(instances) > 1:
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{subject.name} stands in {len(instances)} places: {', '.join(map(name_of, instances))}",
            fix=f"name one of them, or node:{subject.node_id} for the part in its own coordinates",
            details={"path": side, "expected": "an instance"},
        )
    return meant(instances[0], call) if instances else subject


def _between(a: Meant, b: Meant) -> _Distance:
    """On the session's thread, which alone asks the service."""
    gap = a.part.clearance(b.part)
    common, exact, tolerance, box = 0.0, gap.exact, gap.tolerance, None
    if gap.distance == 0.0:
        shared = a.part.common(b.part)
        common, box = shared.volume, _box(shared)
        exact, tolerance = shared.exact, shared.tolerance
    return _Distance(
        said=_said(a, b, gap, common, exact=exact),
        distance=gap.distance,
        points=None if gap.points is None else [list(point) for point in gap.points],
        interference=common,
        bbox=box,
        exact=exact,
        tolerance=tolerance,
        a=_title(a),
        b=_title(b),
    )


def _said(a: Meant, b: Meant, gap: Clearance, common: float, *, exact: bool) -> str:
    about = "" if exact else "≈ "
    if gap.distance > 0.0:
        within = "" if gap.tolerance is None else f" within {gap.tolerance:.2g} mm"
        return f"{a.name} and {b.name} are {about}{gap.distance:.6g} mm apart{within}"
    if common > 0.0:
        return f"{a.name} and {b.name} interfere: {about}{common:.6g} mm³ are in both"
    return f"{a.name} and {b.name} touch" if exact else f"{a.name} and {b.name} touch, as far as meshes tell"


def _title(subject: Meant) -> str:
    if subject.instance_id is not None:
        return f"{subject.name} where it stands"
    return subject.name if subject.node_id is None else f"{subject.name} in its own coordinates"
