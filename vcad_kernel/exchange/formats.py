"""Parts to a file: the table of formats and the one way a file gets written.

An encoder turns parts into bytes, keyed by suffix since OBJ brings a second file. STEP takes parts with
exact surfaces, which are built only when it is asked for, and .ops the model that they come from. Only this
module touches the disk: everything is written beside its target first and then renamed, so
a reader of the target sees the old file or the new one, never half of one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from vcad_kernel.errors import CapabilityUnavailable, ExportError
from vcad_kernel.exchange import dae, glb, obj, ops, stl, threemf
from vcad_kernel.exchange.exact_part import ExactParts
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.system.files import replace_files

__all__ = [
    "SUFFIXES",
    "check_precision",
    "encode",
    "needs_mesh",
    "replace_all",
    "unwritable",
    "writable",
    "write",
]

Encoder = Callable[[Sequence[PartMesh], str], dict[str, bytes]]
"""(parts, stem of the file's name) → bytes by suffix, the asked-for one among them."""

_ENCODERS: Mapping[str, Encoder] = {
    ".3mf": threemf.encode,
    ".dae": dae.encode,
    ".glb": glb.encode,
    ".obj": obj.encode,
    ".stl": stl.encode,
}

_NEEDS_BREP: Mapping[str, str] = {".step": "export.step", ".stp": "export.step"}
"""Formats that a mesh cannot become, with the capability they need."""

_SINGLE_PRECISION = frozenset({".3mf", ".glb", ".stl"})
"""Formats of 24 bits a coordinate; the others write decimals, or the model."""

_FARTHEST = 1e12
"""Millimetres; beyond this the text formats' fixed notation and single precision give out."""

_MODEL = ".ops"
"""The format that holds the model itself, from which all others could be made."""

SUFFIXES: tuple[str, ...] = tuple(sorted([*_ENCODERS, *_NEEDS_BREP, _MODEL]))
"""Suffixes that can be written, with the dot, in alphabetical order."""


def needs_mesh(suffix: str) -> bool:
    """Whether a format takes meshes; those that take exact surfaces or the model need none."""
    return suffix.lower() in _ENCODERS


def write(
    path: str | os.PathLike[str],
    parts: Sequence[PartMesh],
    *,
    exact: ExactParts | None = None,
    model: ops.Models | None = None,
) -> int:
    """Write the parts to `path` in the format its suffix names; the size of that file in bytes.

    Parts without a surface are left out, but of the model. An OBJ also gets its ``.mtl`` beside it.
    exact: the same parts with exact surfaces, asked for by formats that need them. model: the same parts as
    a document.

    Raises: ExportError for an unknown suffix, nothing to write, or any trouble with the disk, in
    which case an older file is untouched; CapabilityUnavailable for STEP of what no B-rep is known, and for
    .ops without a model; what `exact` and `model` raise.
    """
    target = Path(path)
    encoded = encode(target.suffix, parts, stem=target.stem, exact=exact, model=model)
    wanted = target.suffix.lower()
    files = {
        target if suffix == wanted else target.with_suffix(suffix): data for suffix, data in encoded.items()
    }
    replace_all(files, target)
    return len(encoded[wanted])


def encode(
    suffix: str,
    parts: Sequence[PartMesh],
    *,
    stem: str = "model",
    exact: ExactParts | None = None,
    model: ops.Models | None = None,
) -> dict[str, bytes]:
    """The files that make up one export, as bytes by suffix; equal parts give equal bytes.

    suffix: with its dot, in either case. stem: the name that files of one export share.
    Raises: ExportError, CapabilityUnavailable; see `write`.
    """
    wanted = suffix.lower()
    if wanted in _NEEDS_BREP:
        return {wanted: _encode_exact(wanted, exact, stem)}
    if wanted == _MODEL:
        return {wanted: _encode_model(model)}
    encoder = _ENCODERS.get(wanted)
    if encoder is None:
        named = f"the format {wanted!r} is not known" if wanted else "the file name has no suffix"
        raise ExportError(
            f"{named}; files can be written as {', '.join(SUFFIXES)}",
            fix="end the file name in one of these",
            details={"suffix": wanted, "known": list(SUFFIXES)},
        )
    return encoder(writable(parts), stem)


def check_precision(suffix: str, parts: Sequence[PartMesh], chord: float) -> None:
    """Refuse a format whose numbers are coarser, where the parts are, than what is asked of the file.

    chord: mm. Raises: ExportError.
    """
    if suffix.lower() not in _SINGLE_PRECISION:
        return
    for part in parts:
        farthest = float(np.abs(part.mesh.positions).max(initial=0.0))
        rounding = 0.5 * float(np.spacing(np.float32(min(farthest, _FARTHEST))))
        if rounding > chord:
            raise ExportError(
                f"part {part.name!r} lies {farthest:.6g} mm from the origin, where {suffix} rounds to"
                f" {rounding:.2g} mm, more than the {chord:g} mm that the file may be off",
                fix="move the part nearer to the origin, allow more, or write .obj, .dae or .step",
            )


def writable(parts: Sequence[PartMesh]) -> list[PartMesh]:
    """The parts that have a surface. Raises: ExportError when none has, or one lies beyond all bounds."""
    solid = [part for part in parts if not part.mesh.is_empty]
    if not solid:
        raise ExportError("there is nothing to export: no part has any surface")
    for part in solid:
        # Not-a-number compares false, so it is refused too.
        if not np.abs(part.mesh.positions).max() <= _FARTHEST:
            raise ExportError(f"part {part.name!r} has a coordinate that is not a number or too far away")
    return solid


def _encode_exact(suffix: str, exact: ExactParts | None, stem: str) -> bytes:
    """The bytes of a format of exact surfaces; only here is OpenCASCADE loaded."""
    if exact is None:
        raise CapabilityUnavailable(
            f"{suffix} holds exact surfaces, which cannot be made from a mesh",
            fix=f"export to one of {', '.join(_ENCODERS)}",
            details={"required_capability": _NEEDS_BREP[suffix]},
        )
    parts = exact()
    if not parts:
        raise ExportError("there is nothing to export: no part has any surface")
    from vcad_kernel.exchange import step

    return step.encode(parts, stem)[".step"]


def _encode_model(model: ops.Models | None) -> bytes:
    if model is None:
        raise CapabilityUnavailable(
            f"{_MODEL} holds the model itself, which cannot be made from a mesh",
            fix=f"export to one of {', '.join(_ENCODERS)}",
            details={"required_capability": "export.ops"},
        )
    made = model()
    if not made.document.roots:
        raise ExportError("there is nothing to export: the model has no part")
    return ops.encode(made)


def replace_all(files: Mapping[Path, bytes], target: Path) -> None:
    """Put all files in place, or none of them; `target` is the one the caller named.

    A link keeps pointing where it did. Raises: ExportError.
    """
    try:
        replace_files({Path(os.path.realpath(path)): data for path, data in files.items()})
    except OSError as failed:
        raise unwritable(target, failed) from failed


def unwritable(target: Path, failed: OSError) -> ExportError:
    """The error for a file that the system does not let us write."""
    return ExportError(
        f"cannot write {str(target)!r}: {failed.strerror or failed}", details={"path": str(target)}
    )
