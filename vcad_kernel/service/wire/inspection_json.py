"""Tables of edges and faces as lists of JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vcad_kernel.geometry.measure.inspection import Edge, Face, Table
from vcad_kernel.operations.node import Vec3
from vcad_kernel.service.wire import place_json
from vcad_kernel.service.wire.figures_json import vec3
from vcad_kernel.service.wire.reading import reading

__all__ = ["decode_edges", "decode_faces", "encode_edges", "encode_faces"]


def encode_edges(table: Iterable[Edge]) -> list[dict[str, Any]]:
    """The objects of edges."""
    return [
        {
            "index": one.index,
            "kind": one.kind,
            "length": one.length,
            "radius": one.radius,
            "center": list(one.center),
            "direction": None if one.direction is None else list(one.direction),
            "faces": list(one.faces),
            "exact": one.exact,
        }
        for one in table
    ]


def decode_edges(data: Iterable[Mapping[str, Any]]) -> Table[Edge]:
    """The edges of objects. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("table of edges"):
        return Table(
            Edge(
                int(one["index"]),
                str(one["kind"]),
                float(one["length"]),
                one["radius"],
                vec3(one["center"]),
                _direction(one["direction"]),
                tuple([int(face) for face in one["faces"]]),
                bool(one["exact"]),
            )
            for one in data
        )


def encode_faces(table: Iterable[Face]) -> list[dict[str, Any]]:
    """The objects of faces."""
    return [
        {
            "index": one.index,
            "kind": one.kind,
            "area": one.area,
            "radius": one.radius,
            "center": list(one.center),
            "normal": None if one.normal is None else list(one.normal),
            "made_by": one.made_by,
            "source": place_json.encode_maybe(one.source),
            "exact": one.exact,
        }
        for one in table
    ]


def decode_faces(data: Iterable[Mapping[str, Any]]) -> Table[Face]:
    """The faces of objects. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("table of faces"):
        return Table(
            Face(
                int(one["index"]),
                str(one["kind"]),
                float(one["area"]),
                one["radius"],
                vec3(one["center"]),
                _direction(one["normal"]),
                str(one["made_by"]),
                place_json.decode_maybe(one.get("source")),
                bool(one["exact"]),
            )
            for one in data
        )


def _direction(values: Any) -> Vec3 | None:
    return None if values is None else vec3(values)
