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
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, field

from vcad_kernel.contracts.messages import CacheCount, CellNames, Timings
from vcad_kernel.errors import ErrorCode, LoonTypeError, ServiceFailure
from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.measure.figures import total
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.scene import Material
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

__all__ = ["Form", "decode", "encode", "profile_rows"]


class Form(Struct, frozen=True, kw_only=True):
    """A result, its members in their order."""

    status: Literal["evaluated"] = "evaluated"
    obj_path: str | None = None
    manifest_path: str | None = None
    mesh: Any = None
    volume: float | None = None
    """This and the next nine: figures of all parts together; by default those of a result without parts."""
    surface_area: float | None = None
    bbox: figures_json.Box | None = None
    center_of_mass: Vec3 | None = None
    is_empty: bool = True
    is_manifold: bool | None = None
    genus: int | None = None
    triangles: int = 0
    exact: bool = True
    tolerance: float | None = None
    materials: tuple[Material, ...]
    parameters: tuple[Parameter, ...]
    source_hash: str
    document_hash: str | None
    timings: Timings = field(name="timings_ms")
    cache: CacheCount
    stdout: str
    warnings: tuple[Warning, ...]
    modules: tuple[str, ...]
    display: str | None = None
    has_value: bool = False
    value: Any = None
    """As `plain_json` has it."""
    parts: tuple[part_json.Form, ...] = ()
    figures_deferred: bool = False
    diagnostics: tuple[diagnostics_json.Finding, ...] = ()
    sources: Mapping[str, str] = {}
    obsolete: tuple[int, ...] = ()
    defined: tuple[str, ...] = ()
    profile: Any = ()
    """Its rows; who reads them does so when they are asked for, as the document."""
    definitions: Any = UNSET
    names: CellNames | UnsetType = UNSET
    document: Any = UNSET


_TOTALS: Final = (
    *("volume", "surface_area", "bbox", "center_of_mass", "is_empty"),
    *("is_manifold", "genus", "triangles", "exact", "tolerance"),
)
"""The figures of all parts together."""
_AS_IT_IS: Final = (
    *("parameters", "source_hash", "document_hash", "timings", "cache", "stdout"),
    *("warnings", "modules", "display", "obsolete", "defined"),
)
"""What of a result is on the wire as it is."""


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
    made_from = result.document if document else None
    form = Form(
        **_whole(result, figures),
        **{name: getattr(result, name) for name in _AS_IT_IS},
        **_value(result.value),
        materials=tuple(dict.fromkeys(part.material for part in result.parts)),
        parts=part_json.encode(result.parts, measured=figures),
        figures_deferred=not figures,
        diagnostics=findings,
        sources=texts,
        profile=profile_rows(result.profile(), places=not document),
        definitions=UNSET if definitions is None else definitions_json.encode(definitions),
        names=UNSET if names is None else names,
        document=(made_from and document_json.encode(made_from)) if document else UNSET,
    )
    data: dict[str, Any] = values.encode(form)
    return data


def _value(value: Any) -> dict[str, Any]:
    """A plain value, where there is one that others can read; how it is displayed is sent in any case."""
    try:
        return {"has_value": value is not None, "value": plain_json.encode(value)}
    except LoonTypeError:  # of more levels than JSON is read with
        return {}


def _whole(result: EvaluationResult, shown: bool) -> dict[str, Any]:
    """The figures of all parts together; none of a result without parts.

    shown: as they are to be shown; else of the meshes, without what is slow to find on them.
    """
    each = [part.figures if shown else part.mesh_figures for part in result.parts]
    if not each:
        return {}
    together = (
        each[0]
        if len(each) == 1
        else total(each, lambda: TriMesh.joined([part.mesh for part in result.parts]))
    )
    form = figures_json.encode(together, result.document, whole=shown)
    return {name: figure for name in _TOTALS if (figure := getattr(form, name)) is not UNSET}


def decode(
    data: object,
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
    form = values.decode(data, Form, "evaluation result")
    sent = None if form.document is UNSET else form.document
    if form.parts and sent is None:
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            "a result with parts was read without its document",
            details={"path": "document", "expected": "a document"},
        )
    made_from = None if sent is None else cache(partial(_document, sent, form.parts))
    return EvaluationResult(
        **{name: getattr(form, name) for name in _AS_IT_IS},
        value=plain_json.decode(form.value) if form.has_value else None,
        parts=() if made_from is None else part_json.decode(form.parts, meshes, made_from, answers, files),
        made_from=made_from,
        diagnostics=diagnostics_json.decode(form.diagnostics, form.sources, sources),
    )


def _document(sent: object, parts: Iterable[part_json.Form]) -> Document:
    """The document of parts. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    document = document_json.decode(sent)
    with reading("document"):
        for part in parts:
            if part.node not in document.nodes:
                raise ValueError(f"the document has no node {part.node}")
    return document


def profile_rows(rows: Iterable[NodeProfile], *, places: bool = True) -> list[NodeProfile]:
    """A profile as it is sent. places: with where each node stands, which who has the document knows."""
    return [row if places else replace(row, place=None) for row in rows]
