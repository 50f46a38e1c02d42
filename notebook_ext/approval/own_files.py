"""Which files of a workspace are the model's own, and may be written without a question."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Final

__all__ = ["belongs_to_the_model"]

_SOURCES: Final = frozenset({".loon", ".oo"})
_EXPORTS: Final = frozenset({".dae", ".obj", ".stl", ".3mf", ".glb", ".step", ".stp", ".ops"})
_PROJECT_FILE: Final = "design_model.json"
_OWN: Final = ".vcad"
_OWN_OPEN: Final = frozenset({"shots", "exports"})


def belongs_to_the_model(path: Path, workspace: Path) -> bool:
    """Whether a file is the model's own: a Loon source, the project's file, a picture or an export.

    Only inside the workspace; links are followed. A file with several names is nobody's own: the other
    name may be any file.
    """
    try:
        real = (workspace / path).resolve()
        inside = real.relative_to(workspace.resolve())
        if real.is_file() and real.stat().st_nlink > 1:
            return False
    except (ValueError, OSError):
        return False
    parts = inside.parts
    if parts and parts[0] == _OWN:
        return len(parts) > 2 and parts[1] in _OWN_OPEN
    if any(part.startswith(".") for part in parts):  # a tool's folder, whatever its files are called
        return False
    if inside == PurePath(_PROJECT_FILE):
        return True
    return inside.suffix.lower() in _SOURCES | _EXPORTS
