"""The values of a program's imports (cad/imports.py), as the session has found them.

What is measured of an entity comes as data. A solid comes as a node of this session, whose own model is kept
here by the node and joins the importing one as one tree; or as a mesh, which must be closed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.scene_value import only_solid, root_values
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import GeometryError, Place, ServiceFailure
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.paths import Workspace
from vcad_kernel.service.evaluation.bindings import to_loon

__all__ = ["ImportValues", "KeptModels"]

_SOURCES: Final = ("data", "vcad_node_id", "mesh", "mesh_file")
"""Where a value may come from; each import has one of them."""


class KeptModels:
    """The models of nodes, by workspace and node; those that were used least recently go first.

    Who works in one workspace neither sees nor replaces those of another. most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._models: OrderedDict[tuple[Path | None, str], Adt] = OrderedDict()

    def keep(self, workspace: Path | None, node_id: str, value: object) -> None:
        """Remember what a node's program gave, where that is one solid."""
        roots = root_values(value)
        key = workspace, node_id
        self._models.pop(key, None)
        if len(roots) == 1:
            self._models[key] = only_solid(roots[0])
        while len(self._models) > self._most:
            self._models.popitem(last=False)

    def get(self, workspace: Path | None, node_id: str) -> Adt | None:
        """The solid of a node, if it is known."""
        key = workspace, node_id
        if key in self._models:
            self._models.move_to_end(key)
        return self._models.get(key)

    def forget(self, workspace: Path | None, node_id: str | None) -> int:
        """Drop a node's model, or all of the workspace; how many that were."""
        gone = [key for key in self._models if key[0] == workspace and node_id in (None, key[1])]
        for key in gone:
            del self._models[key]
        return len(gone)


class ImportValues:
    """Makes the values for one program.

    model: the solid of a node, if it is known. source: the program, with symbols in place of its imports.
    """

    def __init__(
        self,
        model: Callable[[str], Adt | None],
        solids: SolidCache,
        files: Workspace | None,
        source: Source,
    ) -> None:
        self._model = model
        self._solids = solids
        self._files = files
        self._source = source

    def by_symbol(self, imports: Mapping[str, Mapping[str, Any]]) -> dict[str, object]:
        """Each import's symbol and its Loon value.

        imports: by their ids, as the tool takes them.
        Raises: ServiceFailure SOLID_IMPORT_UNAVAILABLE, ENTITY_NOT_SOLID or INVALID_PARAMS; what reading a
        mesh file raises.
        """
        return {str(given["injected_symbol"]): self._value(name, given) for name, given in imports.items()}

    def _value(self, name: str, given: Mapping[str, Any]) -> object:
        sources = [key for key in _SOURCES if given.get(key) is not None]
        path = f"imports.{name}"
        if len(sources) != 1:
            raise _invalid(path, f"one of {', '.join(_SOURCES)}")
        (kind,) = sources
        is_solid = given["extract"] == "solid"
        if is_solid == (kind == "data"):
            raise _invalid(f"{path}.{kind}", "a solid for `:solid`, data for everything else")
        if kind == "data":
            return to_loon(given["data"], str(given.get("binding_name") or name))
        if kind == "vcad_node_id":
            return self._of_node(str(given[kind]), given)
        if kind == "mesh":
            return self._closed(_mesh(given[kind], f"{path}.mesh"), given)
        return self._closed(Adt("ImportMesh", (str(given[kind]),)), given)

    def _of_node(self, node_id: str, given: Mapping[str, Any]) -> Adt:
        model = self._model(node_id)
        if model is None:
            reason = f"the model of {node_id} is not known here; it has to be evaluated first"
            raise ServiceFailure(
                ErrorCode.SOLID_IMPORT_UNAVAILABLE,
                f"{_reference(given, node_id)} cannot be imported: {reason}",
                place=self._place(given),
                details={"entity_ref": _reference(given, node_id), "reason": reason, "node_id": node_id},
            )
        return model

    def _closed(self, value: Adt, given: Mapping[str, Any]) -> Adt:
        """A mesh that bounds a solid; it is kept as such for the program that uses it.

        Raises: ServiceFailure ENTITY_NOT_SOLID; GeometryError for lists that are no mesh.
        """
        try:
            document = convert(value, self._files)
            evaluate(document, EvaluationOptions(files=self._files), cache=self._solids).raise_first()
        except GeometryError as error:
            error.place = error.place or self._place(given)
            if error.code != "MESH_NOT_MANIFOLD":
                raise
            reference = _reference(given, str(given.get("mesh_file") or "the entity"))
            raise ServiceFailure(
                ErrorCode.ENTITY_NOT_SOLID,
                f"{reference} is no solid: {error.message}",
                place=error.place,
                fix="close the mesh, or import its :bbox or :dimensions",
                details={"entity_ref": reference},
            ) from error
        return value

    def _place(self, given: Mapping[str, Any]) -> Place | None:
        """Where the program imports a value."""
        symbol = str(given["injected_symbol"])
        start = self._source.text.find(symbol)
        return None if start < 0 else Span(self._source, start, start + len(symbol)).place()


def _mesh(given: Any, path: str) -> Adt:
    """A literal of the CAD library for ``{positions, indices}``, flat or in threes."""
    lists = [_flat(given.get(name), f"{path}.{name}", kind) for name, kind in _LISTS] if given else []
    if not lists:
        raise _invalid(path, "an object with positions and indices")
    return Adt("ImportedMesh", (*(Vector(numbers) for numbers in lists), Vector(())))


def _number(item: Any) -> float | None:
    return float(item) if type(item) in (int, float) else None


def _whole(item: Any) -> int | None:
    return item if type(item) is int else None


_LISTS: Final[tuple[tuple[str, Callable[[Any], float | None]], ...]] = (
    ("positions", _number),
    ("indices", _whole),
)


def _flat(given: Any, path: str, read: Callable[[Any], float | None]) -> list[float]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise _invalid(path, "a list of numbers")
    items = [part for item in given for part in (item if isinstance(item, list) else (item,))]
    numbers = [read(item) for item in items]
    if None in numbers:
        raise _invalid(f"{path}[{numbers.index(None)}]", "a number; a whole one in indices")
    return [item for item in numbers if item is not None]


def _reference(given: Mapping[str, Any], otherwise: str) -> str:
    return str(given.get("entity_ref") or otherwise)


def _invalid(path: str, expected: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS, f"{path} must be {expected}", details={"path": path, "expected": expected}
    )
