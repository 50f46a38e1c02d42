"""An evaluation's result as JSON, and back.

    data = encode(result, figures=True, document=True)
    again = decode(data, meshes, answers)

Meshes do not go through JSON: they lie in a block of memory, all parts' side by side; ``data["parts"]`` says
which stretch is whose. What belongs to a request rather than to a result (ids, block, artifact) is added by
who answers the request; it is there as None, so that the form is complete without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import asdict

from vcad_kernel.contracts.messages import CacheCount, CellNames, Timings
from vcad_kernel.errors import ErrorCode, LoonTypeError, ServiceFailure
from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.measure.figures import total
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.node import NodeId
from vcad_kernel.paths import Workspace
from vcad_kernel.service.protocol import Answers, Definition, EvaluationResult
from vcad_kernel.service.wire import (
    definitions_json,
    diagnostics_json,
    document_json,
    figures_json,
    part_json,
    plain_json,
    values,
)
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode", "encode_profile"]

_OF_NOTHING: Final[Mapping[str, Any]] = {
    "volume": None,
    "surface_area": None,
    "bbox": None,
    "center_of_mass": None,
    "is_empty": True,
    "is_manifold": None,
    "genus": None,
    "triangles": 0,
    "exact": True,
    "tolerance": None,
}
"""The figures of a result without parts: these it has of any."""


class _Said(Struct, frozen=True, kw_only=True):
    """What of a result is on the wire as it is."""

    parameters: tuple[Parameter, ...]
    source_hash: str
    document_hash: str | None
    timings: Timings = field(name="timings_ms")
    cache: CacheCount
    stdout: str
    warnings: tuple[Warning, ...]
    modules: tuple[str, ...]
    display: str | None = None
    obsolete: tuple[int, ...] = ()
    defined: tuple[str, ...] = ()


def encode(
    result: EvaluationResult,
    *,
    figures: bool = True,
    document: bool = False,
    definitions: Mapping[str, Definition] | None = None,
    names: CellNames | None = None,
    sources: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The JSON form of a result; its meshes are those of ``result.parts``, in order.

    figures: as they are to be shown, which may need the exact kernel; else of the meshes only. document:
    with the document. definitions: what cells have defined by now. names: of the cell.
    sources: texts that the reader has, by file.
    Raises: as `PartResult.figures` where exact figures are demanded.
    """
    findings, texts = diagnostics_json.encode(result.diagnostics, sources)
    said = values.encode(_Said(**{name: getattr(result, name) for name in _Said.__struct_fields__}))
    left = {name: said.pop(name) for name in ("obsolete", "defined")}  # they stand further down
    data: dict[str, Any] = {
        "status": "evaluated",
        "obj_path": None,
        "manifest_path": None,
        "mesh": None,
        **_whole(result, figures),
        "materials": values.encode(list(dict.fromkeys(part.material for part in result.parts))),
        **said,
        **_value(result.value),
        "parts": part_json.encode(result.parts, measured=figures),
        "figures_deferred": not figures,
        "diagnostics": findings,
        "sources": texts,
        **left,
        "profile": encode_profile(result.profile(), places=not document),
    }
    if definitions is not None:
        data["definitions"] = definitions_json.encode(definitions)
    if names is not None:
        data["names"] = values.encode(names)
    if document:
        data["document"] = None if result.document is None else document_json.encode(result.document)
    return data


def _value(value: Any) -> dict[str, Any]:
    """A plain value, where there is one that others can read; how it is displayed is told in any case."""
    try:
        return {"has_value": value is not None, "value": plain_json.encode(value)}
    except LoonTypeError:  # of more levels than JSON is read with
        return {"has_value": False, "value": None}


def _whole(result: EvaluationResult, shown: bool) -> Mapping[str, Any]:
    """The figures of all parts together.

    shown: as they are to be shown; else of the meshes, without what is slow to find on them.
    """
    each = [part.figures if shown else part.mesh_figures for part in result.parts]
    if not each:
        return _OF_NOTHING
    together = (
        each[0]
        if len(each) == 1
        else total(each, lambda: TriMesh.joined([part.mesh for part in result.parts]))
    )
    data = figures_json.encode(together, result.document, whole=shown)
    return {name: data.get(name) for name in _OF_NOTHING}


def decode(
    data: Mapping[str, Any],
    meshes: Sequence[Callable[[], TriMesh]],
    answers: Answers,
    *,
    sources: Mapping[str, str] | None = None,
    files: Workspace | None = None,
) -> EvaluationResult:
    """The result of a JSON form.

    meshes: give those of its parts, each time the same (see `part_json.meshes_of`). answers: whom to ask
    about them. sources: texts that were left out, by file. files: where imported files are.
    The document is read when it is asked for.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED, also for parts without any document.
    """
    with reading("evaluation result"):
        sent = data.get("document")
        parts_data = data.get("parts") or ()
        made_from = None if sent is None else cache(partial(_document, sent, parts_data))
        if parts_data and made_from is None:
            raise ServiceFailure(
                ErrorCode.SCHEMA_VALIDATION_FAILED,
                "a result with parts was read without its document",
                details={"path": "document", "expected": "a document"},
            )
        parts = () if made_from is None else part_json.decode(parts_data, meshes, made_from, answers, files)
        return EvaluationResult(
            **asdict(values.decode(data, _Said, "evaluation result")),
            value=plain_json.decode(data.get("value")) if data.get("has_value") else None,
            parts=parts,
            made_from=made_from,
            diagnostics=diagnostics_json.decode(
                data.get("diagnostics") or (), data.get("sources") or {}, sources
            ),
        )


def _document(sent: Mapping[str, Any], parts: Iterable[Mapping[str, Any]]) -> Document:
    """The document of parts. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("document"):
        document = document_json.decode(sent)
        for part in parts:
            if NodeId(int(part["node"])) not in document.nodes:
                raise ValueError(f"the document has no node {part['node']}")
        return document


def encode_profile(rows: Iterable[NodeProfile], *, places: bool = True) -> list[dict[str, Any]]:
    """The objects of a profile. places: with where each node stands, which who has the document knows."""
    found: list[dict[str, Any]] = values.encode([row if places else replace(row, place=None) for row in rows])
    return found
