"""Fields of nodes as JSON data and back: vectors, sketch segments, sweep paths, selectors.

``ENCODERS`` and ``DECODERS`` hold one function for each :class:`Shape` that a field can have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.json_reading import (
    as_flag,
    as_integer,
    as_list,
    as_number,
    as_object,
    as_text,
    as_vec2,
    as_vec3,
    each,
    invalid,
    member,
    unknown_members,
    variant,
    wrong,
)
from vcad_kernel.ir.nodes import (
    Arc,
    CylinderPath,
    HelixPath,
    Line,
    LinePath,
    Path,
    PolylinePath,
    Segment,
    Shape,
    SplinePath,
)
from vcad_kernel.ir.selector import EDGE_KINDS, FACE_KINDS, Coordinates, Selector, Target
from vcad_kernel.ir.vectors import Vec2

__all__ = ["DECODERS", "ENCODERS"]


def _xyz(value: tuple[float, ...]) -> dict[str, float]:
    return dict(zip("xyz", value, strict=False))


# ---------------------------------------------------------------- segments


def _encode_segment(segment: Segment) -> dict[str, Any]:
    ends = {"start": _xyz(segment.start), "end": _xyz(segment.end)}
    if isinstance(segment, Line):
        return {"type": "Line", **ends}
    return {"type": "Arc", **ends, "center": _xyz(segment.center), "ccw": segment.ccw}


def _segment(value: object, path: str) -> Segment:
    record = as_object(value, path)
    kind = variant(record, path, ("Line", "Arc"))
    start = as_vec2(member(record, "start", path), f"{path}.start")
    end = as_vec2(member(record, "end", path), f"{path}.end")
    if kind == "Line":
        return Line(start, end)
    center = as_vec2(member(record, "center", path), f"{path}.center")
    return Arc(start, end, center, as_flag(member(record, "ccw", path), f"{path}.ccw"))


# ---------------------------------------------------------------- paths


def _encode_path(path: Path) -> dict[str, Any]:
    if isinstance(path, LinePath):
        return {"type": "Line", "start": _xyz(path.start), "end": _xyz(path.end)}
    if isinstance(path, HelixPath):
        numbers = {name: getattr(path, name) for name in _HELIX}
        return {"type": "Helix", **numbers}
    if isinstance(path, CylinderPath):
        knots = [{"angle": angle, "height": height} for angle, height in path.knots]
        return {"type": "Cylinder", "radius": path.radius, "knots": knots, "step": path.step}
    points = [_xyz(point) for point in path.points]
    if isinstance(path, PolylinePath):
        return {"type": "Polyline", "points": points, "bend": path.bend}
    return {"type": "Spline", "points": points}


_HELIX = ("radius", "pitch", "height", "turns")


def _line_path(record: Mapping[str, Any], path: str) -> Path:
    return LinePath(
        as_vec3(member(record, "start", path), f"{path}.start"),
        as_vec3(member(record, "end", path), f"{path}.end"),
    )


def _helix_path(record: Mapping[str, Any], path: str) -> Path:
    return HelixPath(*(as_number(member(record, name, path), f"{path}.{name}") for name in _HELIX))


def _knot(value: object, path: str) -> Vec2:
    record = as_object(value, path)
    return (
        as_number(member(record, "angle", path), f"{path}.angle"),
        as_number(member(record, "height", path), f"{path}.height"),
    )


def _cylinder_path(record: Mapping[str, Any], path: str) -> Path:
    return CylinderPath(
        as_number(member(record, "radius", path), f"{path}.radius"),
        each(_knot)(member(record, "knots", path), f"{path}.knots"),
        as_number(record.get("step", 0.5), f"{path}.step"),
    )


def _polyline_path(record: Mapping[str, Any], path: str) -> Path:
    return PolylinePath(
        each(as_vec3)(member(record, "points", path), f"{path}.points"),
        as_number(record.get("bend", 0.0), f"{path}.bend"),
    )


def _spline_path(record: Mapping[str, Any], path: str) -> Path:
    return SplinePath(each(as_vec3)(member(record, "points", path), f"{path}.points"))


_PATHS: Mapping[str, Callable[[Mapping[str, Any], str], Path]] = {
    "Line": _line_path,
    "Helix": _helix_path,
    "Cylinder": _cylinder_path,
    "Polyline": _polyline_path,
    "Spline": _spline_path,
}


def _path(value: object, path: str) -> Path:
    record = as_object(value, path)
    return _PATHS[variant(record, path, _PATHS)](record, path)


# ---------------------------------------------------------------- selectors

_DEEPEST_SELECTOR = 32
"""Selectors within selectors: a face next to a face next to a face … is a slip long before this."""


def _encode_selector(selector: Selector) -> dict[str, Any]:
    result: dict[str, Any] = {"target": selector.target}
    for name, (write, _) in _CRITERIA.items():
        value = getattr(selector, name)
        if value is not None:
            result[name] = write(value)
    if selector.adjacent is not None:
        result["adjacent"] = _encode_selector(selector.adjacent)
    return result


def _selector(value: object, path: str, depth: int = 0) -> Selector:
    if depth > _DEEPEST_SELECTOR:
        raise invalid(path, f"no more than {_DEEPEST_SELECTOR} selectors deep", "more")
    record = as_object(value, path)
    target = _target(member(record, "target", path), f"{path}.target")
    criteria = {
        name: read(record[name], f"{path}.{name}")
        for name, (_, read) in _CRITERIA.items()
        if record.get(name) is not None
    }
    kind = criteria.get("kind")
    kinds = EDGE_KINDS if target == "edge" else FACE_KINDS
    if kind is not None and kind not in kinds:
        raise invalid(f"{path}.kind", f"one of {', '.join(kinds)}", repr(kind))
    if record.get("adjacent") is not None:
        criteria["adjacent"] = _selector(record["adjacent"], f"{path}.adjacent", depth + 1)
    strange = unknown_members(record, {"target", "adjacent", *_CRITERIA})
    if strange:
        # an unknown criterion cannot be carried through: leaving it out would select more
        name = next(iter(strange))
        raise GeometryError(
            f"{path} has the unknown criterion '{name}'; known: {', '.join(_CRITERIA)}, adjacent",
            code="UNKNOWN_VARIANT",
            details={"path": f"{path}.{name}"},
        )
    return Selector(target=target, **criteria)


def _target(value: object, path: str) -> Target:
    name = as_text(value, path)
    if name == "edge":
        return "edge"
    if name == "face":
        return "face"
    raise invalid(path, "'edge' or 'face'", repr(name))


def _coordinates(value: object, path: str) -> Coordinates:
    record = as_object(value, path)
    for axis in record:
        if axis not in ("x", "y", "z"):
            raise invalid(path, "coordinates by axis (x, y, z)", repr(axis))
    if not record:
        raise invalid(path, "at least one coordinate", "none")
    axes: tuple[Any, ...] = tuple(axis for axis in "xyz" if axis in record)
    return tuple((axis, as_number(record[axis], f"{path}.{axis}")) for axis in axes)


def _range(value: object, path: str) -> Vec2:
    numbers = as_list(value, path)
    if len(numbers) != 2:
        raise wrong(path, "two numbers, lowest and highest", value)
    return as_number(numbers[0], f"{path}[0]"), as_number(numbers[1], f"{path}[1]")


_CRITERIA: Mapping[str, tuple[Callable[[Any], Any], Callable[[object, str], Any]]] = {
    "parallel": (_xyz, as_vec3),
    "at": (dict, _coordinates),
    "above": (dict, _coordinates),
    "below": (dict, _coordinates),
    "length": (list, _range),
    "radius": (list, _range),
    "convex": (bool, as_flag),
    "kind": (str, as_text),
    "normal": (_xyz, as_vec3),
    "largest": (int, as_integer),
    "smallest": (int, as_integer),
    "made_by": (str, as_text),
}
"""How each criterion but ``adjacent`` is written and read."""


# ---------------------------------------------------------------- by shape

ENCODERS: Mapping[Shape, Callable[[Any], Any]] = {
    Shape.NUMBER: float,
    Shape.COUNT: int,
    Shape.VEC3: _xyz,
    Shape.CHILD: int,
    Shape.CHILDREN: lambda ids: [int(child) for child in ids],
    Shape.SEGMENTS: lambda segments: [_encode_segment(segment) for segment in segments],
    Shape.PATH: _encode_path,
    Shape.NUMBERS: list,
    Shape.INDICES: list,
    Shape.TEXT: str,
    Shape.FLAG: bool,
    Shape.SELECTOR: _encode_selector,
}

DECODERS: Mapping[Shape, Callable[[object, str], Any]] = {
    Shape.NUMBER: as_number,
    Shape.COUNT: as_integer,
    Shape.VEC3: as_vec3,
    Shape.CHILD: as_integer,
    Shape.CHILDREN: each(as_integer),
    Shape.SEGMENTS: each(_segment),
    Shape.PATH: _path,
    Shape.NUMBERS: each(as_number),
    Shape.INDICES: each(as_integer),
    Shape.TEXT: as_text,
    Shape.FLAG: as_flag,
    Shape.SELECTOR: _selector,
}
