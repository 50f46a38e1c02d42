"""What the imports of a cell gave, as JSON: data as it is, a mesh as base64 of its arrays."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from vcad_kernel.contracts.messages import ClosedMesh, Imported
from vcad_kernel.service.wire import plain_json
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode"]


def encode(imports: Mapping[str, Imported]) -> dict[str, Any]:
    """The object of some values."""
    return {key: _encoded(given) for key, given in imports.items()}


def _encoded(given: Imported) -> dict[str, Any]:
    if given.mesh is not None:
        arrays = {"positions": given.mesh.positions, "indices": given.mesh.indices}
        return {"mesh": {name: b64encode(array).decode("ascii") for name, array in arrays.items()}}
    if given.node is not None:
        return {"node": given.node}
    return {"data": plain_json.encode_members(given.data or {})}


def decode(data: Mapping[str, Any] | None) -> dict[str, Imported]:
    """The values that were encoded; none for None. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("imports"):
        return {str(key): _decoded(given) for key, given in (data or {}).items()}


def _decoded(given: Mapping[str, Any]) -> Imported:
    if "mesh" in given:
        arrays = (b64decode(given["mesh"][name], validate=True) for name in ("positions", "indices"))
        return Imported(mesh=ClosedMesh(*arrays))
    if "node" in given:
        return Imported(node=str(given["node"]))
    return Imported(data=plain_json.decode_members(given["data"]))
