"""What a person measures with two clicks: how far picked things are apart, at what angle, how large one is.

    between(Subject(part, mesh, Picked("face", 3)), Subject(part, mesh, Picked("edge", 7)))

Numbers are those of the tables. Where both parts answer from their exact bodies, so does this; else it is
measured on the meshes, which of planar bodies are exact, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.between.mesh_gap import mesh_gap, on_triangle, triangles_gap
from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face, answering_body, number_text
from vcad_kernel.geometry.measure.inspection.scene_rows import SceneRows, scene_rows
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.readings import Gap, Picked, PickedReading
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec3

__all__ = ["MeasureResult", "Subject", "between"]

_ALONG = 1e-9
"""Of unit vectors: parallel when their cross product is no longer."""

_Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A picked thing, and the part that it is of."""

    measurement: Measurement
    mesh: TriMesh
    picked: Picked
    pose: tuple[float, ...] = ()
    """Where the part is placed: a rigid 4 × 4 matrix, row by row; empty = where it was modelled."""


@dataclass(frozen=True, slots=True)
class MeasureResult:
    """Millimetres, mm², degrees; None = has no meaning here."""

    kind: Literal["distance", "angle", "radius", "length", "area", "point", "box"]
    """What it is about in the first place."""
    text: str
    """All of it for people, in one line."""
    exact: bool
    distance: float | None = None
    """The least one; 0 where they touch or overlap."""
    delta: Vec3 | None = None
    """From the first nearest point to the second, along the axes."""
    points: tuple[Vec3, Vec3] | None = None
    """Where they come nearest; of touching things the place, twice; None where it is not known."""
    angle: float | None = None
    """Between planes, lines and axes, from 0 to 90."""
    axis_distance: float | None = None
    """Between the axes of two round things that are parallel."""
    radius: float | None = None
    length: float | None = None
    area: float | None = None
    box: tuple[Vec3, Vec3] | None = None
    """Lowest and highest corner."""


def between(first: Subject, second: Subject | None = None) -> MeasureResult:
    """Measure one picked thing, or two against each other.

    Raises: ValueError for a number that the part has not, a thing without number and point, or a pose that
    is not rigid.
    """
    both = [first] if second is None else [first, second]
    poses = [_pose(subject.pose) for subject in both]
    bodies = [answering_body(subject.measurement, exact=False) for subject in both]
    on_brep = all(body is not None for body in bodies)
    if on_brep:
        shapes, gap = _on_breps(both, bodies, poses)
    else:
        shapes, gap = _on_meshes(both, poses)
    exact = on_brep or all(subject.measurement.on_mesh.exact for subject in both)
    if second is None:
        return _alone(shapes[0], exact=exact)
    return _compared(shapes[0], shapes[1], gap, exact=exact)


def _pose(numbers: tuple[float, ...]) -> _Points:
    """(4, 4). Raises: ValueError."""
    if not numbers:
        return np.eye(4)
    if len(numbers) != 16:
        raise ValueError(f"has a pose of {len(numbers)} numbers: a matrix has 16, row by row")
    pose = np.array(numbers, np.float64).reshape(4, 4)
    turn = pose[:3, :3]
    rigid = np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) and np.allclose(pose[3], (0.0, 0.0, 0.0, 1.0))
    if not rigid:
        raise ValueError("has a pose that is not rigid: parts are placed by moving and turning them")
    return pose


def _local(picked: Picked, pose: _Points) -> Picked:
    """The thing with its point in the frame of the part. Raises: ValueError."""
    if picked.point is None:
        if picked.index is None and picked.kind != "part":
            raise ValueError(f"has a {picked.kind} without its number or a point on it")
        return picked
    x, y, z = ((np.array(picked.point) - pose[:3, 3]) @ pose[:3, :3]).tolist()
    return replace(picked, point=(x, y, z))


# ---- on exact bodies ---------------------------------------------------------------------------


def _on_breps(
    subjects: list[Subject], bodies: list[Any], poses: list[_Points]
) -> tuple[list[PickedReading], Gap | None]:
    from vcad_kernel.geometry.occt.measure.distances.picking import nearest, picked_shape

    shapes = [
        picked_shape(body, _local(subject.picked, pose), pose)
        for subject, body, pose in zip(subjects, bodies, poses, strict=True)
    ]
    gap = nearest(shapes[0].shape, shapes[1].shape) if len(shapes) == 2 else None
    return [shape.reading for shape in shapes], gap


# ---- on meshes ---------------------------------------------------------------------------------


def _on_meshes(subjects: list[Subject], poses: list[_Points]) -> tuple[list[PickedReading], Gap | None]:
    rows = [scene_rows(subject.measurement, subject.mesh) for subject in subjects]
    pieces = [
        _piece(subject, table, pose) for subject, table, pose in zip(subjects, rows, poses, strict=True)
    ]
    shapes = [shape for shape, _ in pieces]
    if len(pieces) < 2:
        return shapes, None
    if all(subject.picked.kind == "part" for subject in subjects):
        placed = [
            TriMesh(_placed(subject.mesh.positions, pose), subject.mesh.indices)
            for subject, pose in zip(subjects, poses, strict=True)
        ]
        return shapes, mesh_gap(*placed)
    return shapes, triangles_gap(pieces[0][1], pieces[1][1])


def _piece(subject: Subject, rows: SceneRows, pose: _Points) -> tuple[PickedReading, _Points]:
    """What is read of a thing, and its triangles (n, 3, 3); a line's and a point's have no width."""
    picked = _local(subject.picked, pose)
    corners = subject.mesh.corners()
    if picked.kind == "part":
        placed = _placed(corners, pose)
        area = subject.measurement.on_mesh.surface_area
        return PickedReading("part", area=area, box=_box(placed)), placed
    if picked.kind == "face":
        number = picked.index
        if number is None:
            number = int(rows.triangle_faces[_nearest(corners, picked.point)])
        _demand(0 <= number < len(rows.faces), "face", number)
        placed = _placed(corners[rows.triangle_faces == number], pose)
        return _of_face(rows.faces[number], pose, _box(placed)), placed
    if picked.kind == "vertex" and picked.index is None:
        return _of_point(_placed(np.array(picked.point), pose))
    number = picked.index
    if number is None:
        lines = [_segments(rows.line(edge.index)) for edge in rows.edges]
        _demand(bool(lines), "edge", 0)
        owners = np.repeat([edge.index for edge in rows.edges], [len(line) for line in lines])
        number = int(owners[_nearest(np.concatenate(lines), picked.point)])
    elif picked.kind == "vertex":
        number //= 2
    known = {edge.index: edge for edge in rows.edges}
    _demand(number in known, "edge", number)
    line = _placed(rows.line(number), pose)
    if picked.kind == "vertex":
        return _of_point(line[-1 if (picked.index or 0) % 2 else 0])
    return _of_edge(known[number], pose, _box(line)), _segments(line)


def _of_face(face: Face, pose: _Points, box: tuple[Vec3, Vec3] | None) -> PickedReading:
    direction = _turned(face.normal, pose)
    return PickedReading(
        face.kind, face.radius, area=face.area, direction=direction, is_plane=direction is not None, box=box
    )


def _of_edge(edge: Edge, pose: _Points, box: tuple[Vec3, Vec3] | None) -> PickedReading:
    return PickedReading(
        edge.kind,
        edge.radius,
        length=edge.length,
        direction=_turned(edge.direction, pose),
        origin=None if edge.radius is None else _vec3(_placed(np.array(edge.center), pose)),
        box=box,
    )


def _of_point(place: _Points) -> tuple[PickedReading, _Points]:
    return PickedReading("vertex", box=_box(place)), np.broadcast_to(place, (1, 3, 3))


def _demand(is_there: bool, what: str, number: int) -> None:
    """Raises: ValueError."""
    if not is_there:
        raise ValueError(f"is of a part that has no {what} {number}")


def _segments(line: NDArray[np.floating[Any]]) -> _Points:
    """(n, 3, 3) the pieces of a line as triangles without width."""
    return np.stack([line[:-1], line[1:], line[1:]], axis=1).astype(np.float64)


def _nearest(triangles: _Points, point: Vec3 | None) -> int:
    assert point is not None  # `_local` has seen to it
    places = np.broadcast_to(np.array(point), (len(triangles), 3))
    return int(np.argmin(np.sum((on_triangle(places, triangles) - places) ** 2, axis=1)))


def _placed(points: NDArray[np.floating[Any]], pose: _Points) -> _Points:
    return np.asarray(points @ pose[:3, :3].T + pose[:3, 3])


def _turned(direction: Vec3 | None, pose: _Points) -> Vec3 | None:
    return None if direction is None else _vec3(pose[:3, :3] @ np.array(direction))


def _box(points: _Points) -> tuple[Vec3, Vec3] | None:
    flat = points.reshape(-1, 3)
    return (_vec3(flat.min(axis=0)), _vec3(flat.max(axis=0))) if len(flat) else None


# ---- the result --------------------------------------------------------------------------------


def _alone(shape: PickedReading, *, exact: bool) -> MeasureResult:
    about = "" if exact else "≈ "
    said = [shape.name]
    if shape.radius is not None:
        said.append(f"radius {about}{_mm(shape.radius)}")
    if shape.length is not None:
        said.append(f"length {about}{_mm(shape.length)}")
    if shape.area is not None:
        said.append(f"area {about}{number_text(shape.area)} mm²")
    if shape.box is not None:
        low, high = shape.box
        if shape.name == "vertex":
            said.append(f"at ({', '.join(map(number_text, low))})")
        else:
            sides = " × ".join(number_text(b - a) for a, b in zip(low, high, strict=True))
            said.append(f"box {about}{sides} mm")
    return MeasureResult(
        _kind(shape),
        " · ".join(said),
        exact,
        points=None if shape.name != "vertex" else shape.box,
        radius=shape.radius,
        length=shape.length,
        area=shape.area,
        box=shape.box,
    )


def _kind(shape: PickedReading) -> Literal["radius", "length", "area", "point", "box"]:
    if shape.name in ("vertex", "part"):
        return "point" if shape.name == "vertex" else "box"
    if shape.radius is not None:
        return "radius"
    return "length" if shape.length is not None else "area"


def _compared(a: PickedReading, b: PickedReading, gap: Gap | None, *, exact: bool) -> MeasureResult:
    about = "" if exact else "≈ "
    angle = _angle(a, b)
    axes = _between_axes(a, b)
    distance = None if gap is None else gap.distance
    points = None if gap is None else gap.points
    delta = None
    said = []
    if distance is not None:
        said.append(f"distance {about}{_mm(distance)}" if distance > 0.0 else "touching")
    if points is not None and distance:
        delta = _vec3(np.array(points[1]) - np.array(points[0]))
        said.append(" ".join(f"{axis} {number_text(part)}" for axis, part in zip("xyz", delta, strict=True)))
    if axes is not None:
        said.append(f"axes {about}{_mm(axes)} apart")
    if angle is not None:
        said.append("parallel" if angle == 0.0 else f"angle {about}{number_text(angle)}°")
    met = distance == 0.0 and angle is not None and angle > 0.0
    return MeasureResult(
        "angle" if met or distance is None else "distance",
        " · ".join(said) or "no distance could be found",
        exact,
        distance=distance,
        delta=delta,
        points=points,
        angle=angle,
        axis_distance=axes,
    )


def _angle(a: PickedReading, b: PickedReading) -> float | None:
    """Degrees between planes, lines and axes."""
    if a.direction is None or b.direction is None:
        return None
    u, v = np.array(a.direction), np.array(b.direction)
    across, along = float(np.linalg.norm(np.cross(u, v))), abs(float(u @ v))
    between_directions = 0.0 if across <= _ALONG else math.degrees(math.atan2(across, along))
    if a.is_plane == b.is_plane:
        return between_directions
    return 0.0 if along <= _ALONG else 90.0 - between_directions


def _between_axes(a: PickedReading, b: PickedReading) -> float | None:
    """Between the axes of two round things, where they are parallel."""
    if a.origin is None or b.origin is None or a.direction is None or b.direction is None:
        return None
    u, v = np.array(a.direction), np.array(b.direction)
    if a.is_plane or b.is_plane or float(np.linalg.norm(np.cross(u, v))) > 1e-6:
        return None
    return float(np.linalg.norm(np.cross(np.array(b.origin) - np.array(a.origin), u)))


def _mm(value: float) -> str:
    return f"{number_text(value)} mm"


def _vec3(value: _Points) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in value)
    return (x, y, z)
