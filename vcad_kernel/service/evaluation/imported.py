"""The Loon values of a program's imports, of what a session has found for them.

An environment never looks for anything itself: what an import gives stands in the request and in the history
of cells, so that running a cell again gives it what it had. What has no session behind it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from vcad_kernel.cad.imports import ExtractedImports, ImportForm, extract_imports, shown_as
from vcad_kernel.cad.scene_value import only_solid, root_values
from vcad_kernel.contracts.messages import ClosedMesh, Imported
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, Place, ServiceFailure
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.loon.source import Source
from vcad_kernel.service.evaluation.bindings import to_loon

__all__ = ["Model", "found_for", "imported_values", "without_imports"]

Model = Callable[[str], object]
"""What the cell of a part's name has given; None where there is none."""


def imported_values(
    program: ExtractedImports, given: Mapping[str, Imported], model: Model
) -> dict[str, object]:
    """Each import's symbol and its value.

    given: what was found, by `ImportForm.key`. model: for what `Imported` names as a part.
    Raises: CapabilityUnavailable for an import of which nothing was found; ServiceFailure
    SOLID_IMPORT_UNAVAILABLE for a part that is not one solid.
    """
    values: dict[str, object] = {}
    for form, span in program.forms:
        if form.injected_symbol not in values:
            imported = found_for(form, given)
            if imported is None:
                raise _no_session(form, span.place())
            values[form.injected_symbol] = _value(form, imported, model, span.place())
    return values


def without_imports(source: Source, given: Mapping[str, Imported]) -> tuple[Source, dict[str, object]]:
    """A program of its own with symbols for its imports, and the value of each.

    Raises: as `imported_values`; as `extract_imports`.
    """
    program = extract_imports(source)
    if not program.imports:
        return source, {}
    values = imported_values(program, given, lambda _name: None)
    return shown_as(Source(source.name, program.transformed_source), source.text), values


def found_for(form: ImportForm, given: Mapping[str, Imported]) -> Imported | None:
    """What was found for an import; of a part's solid, cells know by themselves where it is."""
    if form.key in given:
        return given[form.key]
    kind, _, name = form.entity_ref.partition(":")
    return Imported(node=name) if (kind, form.extract) == ("node", "solid") else None


def _value(form: ImportForm, imported: Imported, model: Model, place: Place) -> object:
    if imported.mesh is not None:
        return _literal(imported.mesh)
    if imported.node is None:
        return to_loon(imported.data, form.binding_name)
    made = model(imported.node)
    roots = root_values(made)
    if len(roots) != 1:
        reason = f"it gives {len(roots)} parts" if roots else "no cell has made it"
        raise ServiceFailure(
            ErrorCode.SOLID_IMPORT_UNAVAILABLE,
            f"{form.entity_ref} cannot be taken as a solid: {reason}",
            place=place,
            fix="import a part that is one solid, as a cell of this session has made it",
            details={"entity_ref": form.entity_ref, "reason": reason},
        )
    return only_solid(roots[0])


def _literal(mesh: ClosedMesh) -> Adt:
    """A mesh as the CAD library writes it."""
    positions = np.frombuffer(mesh.positions, "<f8").tolist()
    indices = np.frombuffer(mesh.indices, "<i4").tolist()
    return Adt("ImportedMesh", (Vector(positions), Vector(indices), Vector(())))


def _no_session(form: ImportForm, place: Place) -> CapabilityUnavailable:
    return CapabilityUnavailable(
        f"{form.entity_ref} cannot be imported here: what it is, a session knows, and there is none",
        place=place,
        fix="run the text in a %%loon cell of a notebook, with SketchUp connected",
        details={"required_capability": "vcad.imports", "negotiated_capabilities": []},
    )
