"""What the manifests of published meshes say (docs/spec/service.md §5), one bad one among them or not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcad_kernel.contracts.validation import validate
from vcad_kernel.errors import ErrorCode, VcadError
from vcad_kernel.paths import Workspace

__all__ = ["Manifests", "read_manifests"]

_MANIFEST: Final = ".manifest.json"
_UNFINISHED: Final = (".pair.pending", ".tmp")
_LARGEST: Final = 2**20
"""Bytes of a manifest that are read: one of ours has some hundred for each import."""


@dataclass(frozen=True, slots=True)
class Manifests:
    """All that could be read, and what could not."""

    last: Mapping[str, Any] | None
    """The one that was finished last; of two, that whose path comes later."""
    errors: Sequence[Mapping[str, str]]
    """``{manifest_path, error_code, reason}`` of each that could not be read, by path, then code."""
    in_progress: Sequence[str]
    """Files of pairs that are being published, or were when their service ended."""


def read_manifests(folders: Sequence[Path]) -> Manifests:
    """The manifests of some folders; one that is not there has none."""
    readable: list[tuple[str, str, Mapping[str, Any]]] = []
    errors: list[dict[str, str]] = []
    in_progress: list[str] = []
    for folder in folders:
        try:
            names = sorted(path.name for path in folder.iterdir())
        except OSError:
            continue
        files = Workspace(folder, largest=_LARGEST)
        for name in names:
            path = str(folder / name)
            if name.endswith(_UNFINISHED):
                in_progress.append(path)
            elif name.endswith(_MANIFEST):
                try:
                    manifest = _read(files, name, path)
                except VcadError as error:
                    errors.append(_row(path, error))
                else:
                    readable.append((str(manifest["finished_at"]), path, manifest))
    readable.sort(key=lambda row: row[:2])
    errors.sort(key=lambda row: (row["manifest_path"], row["error_code"]))
    return Manifests(readable[-1][2] if readable else None, errors, sorted(in_progress))


def _read(files: Workspace, name: str, path: str) -> Mapping[str, Any]:
    """Raises: VcadError."""
    try:
        manifest = json.loads(files.read(name))
    except (ValueError, RecursionError) as bad:
        raise _unreadable(path, "it is no JSON") from bad
    validate("artifact_manifest", manifest, operation="metrics")
    checked: Mapping[str, Any] = manifest
    return checked


def _unreadable(path: str, reason: str) -> VcadError:
    from vcad_kernel.errors import ServiceFailure

    return ServiceFailure(
        ErrorCode.ARTIFACT_READ_FAILED,
        f"the manifest {path} cannot be read: {reason}",
        details={"manifest_path": path, "reason": reason, "operation": "metrics"},
    )


def _row(path: str, error: VcadError) -> dict[str, str]:
    """What is said of one that could not be read; the code is as of the failure."""
    code = (
        ErrorCode.ARTIFACT_READ_FAILED if error.error_code == ErrorCode.FILE_NOT_FOUND else error.error_code
    )
    return {"manifest_path": path, "error_code": str(code), "reason": error.message}
