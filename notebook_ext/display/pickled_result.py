"""A result in a pickle: its document, as results go over the wire; no mesh, no session, no service.

What comes out of a pickle, in whatever process, has the same figures, and whatever else is asked of it is
found in that process, with the geometry libraries loaded there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from vcad_kernel.geometry.tri_mesh import TriMesh
    from vcad_kernel.service.protocol import EvaluationResult

__all__ = ["packed", "unpacked"]


def packed(result: EvaluationResult) -> tuple[bytes, str | None]:
    """What `unpacked` makes it of again. Raises: VcadError where its figures cannot be asked for any more."""
    from vcad_kernel.service.wire import result_json

    folder = next((str(part.files.root) for part in result.parts if part.files is not None), None)
    return msgspec.json.encode(result_json.encode(result, document=True)), folder


def unpacked(content: bytes, folder: str | None) -> EvaluationResult:
    """The result, in this process. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for what is none."""
    from vcad_kernel.geometry.cache.solid_cache import SolidCache
    from vcad_kernel.geometry.profiling import Recorder
    from vcad_kernel.paths import Workspace
    from vcad_kernel.service.evaluation.direct_answers import DirectAnswers
    from vcad_kernel.service.wire import result_json

    fields = msgspec.json.decode(content)
    base_dir = None if folder is None else Path(folder)
    return result_json.decode(
        fields,
        [cache(partial(_meshed, fields, number, base_dir)) for number in range(len(fields["parts"]))],
        DirectAnswers({}, Recorder(), SolidCache()),
        files=None if base_dir is None else Workspace(base_dir),
    )


def _meshed(fields: Mapping[str, Any], number: int, base_dir: Path | None) -> TriMesh:
    """The mesh of a part, made of the document here. Raises: VcadError."""
    from vcad_kernel.operations.node import NodeId
    from vcad_kernel.service.direct import DirectService
    from vcad_kernel.service.requests import Options
    from vcad_kernel.service.wire import document_json

    part = fields["parts"][number]
    options = Options(tolerance=part["tolerance"], base_dir=base_dir)
    return DirectService().part(document_json.decode(fields["document"]), NodeId(part["node"]), options).mesh
