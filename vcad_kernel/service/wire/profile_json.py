"""Rows of a profile as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.operations.node import NodeId
from vcad_kernel.service.wire import place_json
from vcad_kernel.service.wire.reading import reading

__all__ = ["decode", "encode"]


def encode(rows: Iterable[NodeProfile], *, places: bool = True) -> list[dict[str, Any]]:
    """The objects of rows. places: with where each node was written, which who has the document knows."""
    return [
        {
            "node": int(row.node),
            "function": row.function,
            "name": row.name,
            "place": place_json.encode_maybe(row.place) if places else None,
            "representation": row.representation,
            "calls": row.calls,
            "ms": row.ms,
            "size": row.size,
            "cached": row.cached,
        }
        for row in rows
    ]


def decode(data: Iterable[Mapping[str, Any]]) -> tuple[NodeProfile, ...]:
    """The rows of objects. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("profile"):
        return tuple(
            NodeProfile(
                NodeId(int(row["node"])),
                str(row["function"]),
                row.get("name"),
                place_json.decode_maybe(row.get("place")),
                "brep" if row["representation"] == "brep" else "mesh",
                int(row["calls"]),
                float(row["ms"]),
                row.get("size"),
                bool(row["cached"]),
            )
            for row in data
        )
