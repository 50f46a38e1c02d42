"""The path policy: which files a model may read, and the one way in which they are read.

    files = Workspace(Path("project"))
    files.resolve("parts/bracket.stl")      # the real path, inside the workspace
    files.read("parts/bracket.stl")         # its bytes

Everything lies under one folder. Links are followed and what they lead to must lie there too; what
is no ordinary file (a device, a pipe, a folder) is not read. Names are taken as they are written:
no ``~``, no variables, no Unicode normalisation that could turn a harmless name into another.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from blake3 import blake3

from vcad_kernel.errors import FileMissing, FileTooLarge, PathRefused
from vcad_kernel.system.files import read_file

__all__ = [
    "FONTS",
    "IMPORTED",
    "LARGEST_FILE",
    "Workspace",
    "content_hash",
    "may_have_own_folder",
    "own_folder",
]

IMPORTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys((".step", ".stp"), "import-step"),
        **dict.fromkeys((".3mf", ".glb", ".obj", ".off", ".ply", ".stl"), "import-mesh"),
        ".svg": "import-svg",
        ".dxf": "import-dxf",
    }
)
"""Bodies and drawings by the ending of their file: the function that makes a solid or a profile of one."""

FONTS: Final = (".otf", ".ttf")
"""Endings of what `text` takes its letters from."""

LARGEST_FILE = 256 * 2**20
"""Bytes that are read of one file at most; more would be a slip or an attack on the memory."""

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")


def content_hash(data: bytes) -> str:
    """The hash by which a document knows the content of a file: hexadecimal blake3."""
    return blake3(data).hexdigest()


def own_folder(workspace: Path) -> Path:
    """The workbench's own folder in a workspace, ``.vcad``, made where it is not; git leaves it out.

    Raises: OSError; also where it is a link: what came with a project must not lead our files elsewhere.
    """
    folder = workspace / ".vcad"
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "it is a link", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    return folder


def may_have_own_folder(workspace: Path) -> bool:
    """Whether `own_folder` is there to be written to, or can be made; nothing is made."""
    folder = workspace / ".vcad"
    if folder.is_symlink() or any(path.is_symlink() for path in folder.glob("*")):
        return False
    if folder.exists():
        return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    return os.access(workspace, os.W_OK | os.X_OK)


class Workspace:
    """The folder whose files a model may read.

    largest: bytes of one file at most.
    """

    def __init__(self, root: Path, *, largest: int = LARGEST_FILE) -> None:
        self.root = Path(os.path.realpath(root))
        self.largest = largest

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    def resolve(self, text: str) -> Path:
        """The real path of a file or folder that lies in the workspace; it need not exist.

        text: relative to the workspace, or absolute and inside it.
        Raises: PathRefused for what lies elsewhere or is no path.
        """
        if not text or not text.strip():
            raise self._refused(text, "it is empty")
        if _CONTROL_CHARACTER.search(text):
            raise self._refused(text, "it holds a control character")
        try:
            text.encode(errors="strict")
            # a link that leads to itself keeps its own name here, and is refused when it is opened
            real = Path(os.path.realpath(self.root / text))
        except (OSError, ValueError) as bad:
            raise self._refused(text, "it is not a file name") from bad
        # compared by components: a neighbour "project-2" does not lie in "project"
        if not real.is_relative_to(self.root):
            raise self._refused(text, "it leads out of the workspace")
        return real

    def relative(self, text: str) -> str:
        """The path as documents keep it: relative to the workspace, with ``/``, links resolved.

        Raises: as ``resolve``.
        """
        return self.resolve(text).relative_to(self.root).as_posix()

    def read(self, text: str) -> bytes:
        """The content of an ordinary file of the workspace.

        Raises: PathRefused; FileMissing when there is none or it may not be read; FileTooLarge.
        """
        try:
            content = read_file(self.root, self.resolve(text), self.largest)
        except IsADirectoryError as failed:
            raise self._refused(text, "it is a folder") from failed
        except OSError as failed:
            raise self._unreadable(text, failed) from failed
        if isinstance(content, int):
            raise self._too_large(text, content)
        return content

    def _refused(self, text: str, why: str) -> PathRefused:
        return PathRefused(
            f"the path {text!r} is not allowed: {why}",
            fix="put the file into the workspace and name it relative to that",
            details={"path": text, "workspace": str(self.root)},
        )

    def _unreadable(self, text: str, failed: OSError) -> PathRefused | FileMissing:
        if failed.errno == errno.ENXIO:
            return self._refused(text, "it is no ordinary file")
        if failed.errno == errno.ELOOP:
            return self._refused(text, "it is a link that leads nowhere")
        reason = failed.strerror or str(failed)
        return FileMissing(
            f"cannot read {text!r}: {reason}",
            fix="check the name; paths begin at the workspace",
            details={"path": text, "workspace": str(self.root), "reason": reason},
        )

    def _too_large(self, text: str, size: int) -> FileTooLarge:
        return FileTooLarge(
            f"{text!r} is larger than the {self.largest} bytes that are read of one file",
            details={"path": text, "limit": self.largest, "size": size},
        )
