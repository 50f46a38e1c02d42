"""The extension as one file that SketchUp's Extension Manager installs: a zip with the ending ``.rbz``.

Two packages of the same sources are the same bytes.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

__all__ = ["ExtensionPackage", "PackageRefused"]

_REQUIRED: Final = ("name", "description", "version", "creator", "copyright")
_MODE: Final = 0o100644 << 16


class PackageRefused(Exception):
    """The sources are no extension that SketchUp would install."""


@dataclass(frozen=True, slots=True)
class ExtensionPackage:
    """The files of an extension, checked against what SketchUp asks of one."""

    name: str
    """Of the root file and of the folder."""
    version: str
    files: tuple[tuple[PurePosixPath, Path], ...]
    """Where each lies in the package and on disk, in order."""

    @classmethod
    def of(cls, folder: Path) -> ExtensionPackage:
        """Read the sources in a folder.

        Raises: PackageRefused: unless there is one root ``.rb``, one folder of its name and complete
        metadata.
        """
        entries = [entry for entry in sorted(folder.iterdir()) if not entry.name.startswith((".", "__"))]
        roots = [entry for entry in entries if entry.is_file()]
        folders = [entry for entry in entries if entry.is_dir()]
        if len(roots) != 1 or roots[0].suffix != ".rb":
            raise PackageRefused(f"{folder} must hold exactly one file, a .rb; it holds {_names(roots)}")
        name = roots[0].stem
        if [entry.name for entry in folders] != [name]:
            raise PackageRefused(f"{folder} must hold one folder, {name}; it holds {_names(folders)}")
        metadata = _metadata(folders[0] / "extension.json")
        inside = [path for path in folders[0].rglob("*") if path.is_file() and _wanted(path, folder)]
        placed = [(PurePosixPath(path.relative_to(folder).as_posix()), path) for path in (*roots, *inside)]
        files = tuple(sorted(placed, key=lambda file: (len(file[0].parts) > 1, str(file[0]))))
        return cls(name, str(metadata["version"]), files)

    @property
    def file_name(self) -> str:
        """What the package is called by default."""
        return f"{self.name}-{self.version}.rbz"

    def write(self, path: Path) -> None:
        """Write the package. Raises: OSError."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for place, source in self.files:
                entry = zipfile.ZipInfo(str(place))  # of the same date whenever it is made
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3
                entry.external_attr = _MODE
                archive.writestr(entry, source.read_bytes())


def _metadata(path: Path) -> dict[str, Any]:
    try:
        metadata = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise PackageRefused(f"{path} is missing: it says what the extension is") from None
    except ValueError as wrong:
        raise PackageRefused(f"{path} is not JSON: {wrong}") from wrong
    missing = [
        field
        for field in _REQUIRED
        if not isinstance(metadata, dict) or not str(metadata.get(field, "")).strip()
    ]
    if missing:
        raise PackageRefused(f"{path} does not say: {', '.join(missing)}")
    return dict(metadata)


def _wanted(path: Path, folder: Path) -> bool:
    return not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)


def _names(entries: list[Path]) -> str:
    return ", ".join(entry.name for entry in entries) or "none"
