"""The content of the file that a node is read from, unchanged since the program ran."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Protocol

from vcad_kernel.errors import FileMissing, FileTooLarge, GeometryError, PathRefused
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.paths import Workspace, content_hash

__all__ = ["HasContent", "content_of", "import_failed", "suffix_of"]


class HasContent(Protocol):
    """Who reads the file of a node."""

    def content(self, document: Document, node: NodeId) -> bytes:
        """Its bytes."""


def content_of(document: Document, node: NodeId, files: Workspace | None) -> bytes:
    """The bytes of a node's file.

    Raises: PathRefused, FileMissing, FileTooLarge with the place of the call; GeometryError
    IMPORT_FAILED when there is no workspace to read from or the file is another one by now.
    """
    file = document.nodes[node].file
    assert file is not None
    path, content = file
    if files is None:
        raise import_failed(
            document, node, f"{path!r} cannot be read: the evaluation has no folder for its files"
        )
    try:
        data = files.read(path)
    except (PathRefused, FileMissing, FileTooLarge) as error:
        error.place = error.place or document.place_of(node)
        error.details.setdefault("operation", document.function_of(node))
        raise
    if content_hash(data) != content:
        raise import_failed(
            document,
            node,
            f"{path!r} has changed since the program read it",
            fix="run the program again",
        )
    return data


def import_failed(document: Document, node: NodeId, message: str, *, fix: str | None = None) -> GeometryError:
    """IMPORT_FAILED of a node; the message says what is wrong with its file."""
    return geometry_error(document, node, "IMPORT_FAILED", message, argument="path", fix=fix)


def suffix_of(path: str) -> str:
    """The suffix that names the format, in lower case with its dot; empty when there is none."""
    return PurePosixPath(path).suffix.lower()
