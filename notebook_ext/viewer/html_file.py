"""Parts as one HTML file: the viewer, the triangles and what the faces are, without any server or network.

    write(Path("bracket.html"), "bracket", nodes)
    write_parts(Path("bracket.html"), "bracket", part_results)

What is shown is what the notebook shows: the same nodes, from the same messages. Knows nodes and files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from notebook_ext.viewer.mime import words
from notebook_ext.viewer.relay.bodies import nodes_of
from notebook_ext.viewer.relay.messages import MeshUpdate, Parcel, Snapshot, Status
from notebook_ext.viewer.relay.nodes import Node, head_of, mesh_buffers, rows_parcel
from notebook_ext.viewer.shells import file_page, program
from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.formats import unwritable
from vcad_kernel.system.files import replace_files

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import PartResult

__all__ = ["SUFFIX", "content", "write", "write_parts"]

SUFFIX: Final = ".html"


def write(path: Path, title: str, nodes: Sequence[Node]) -> None:
    """Write the file; an older one stays until the new one is whole.

    Raises: ExportError when nothing is there to be seen, or the disk refuses; CapabilityUnavailable where the
    viewer has not been built; VcadError where a part's faces cannot be asked for.
    """
    data = content(title, nodes)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_files({path: data})
    except OSError as failed:
        raise unwritable(path, failed) from failed


def write_parts(path: Path, name: str, parts: Sequence[PartResult], figures: str = "") -> None:
    """Write parts under a name, with their line of figures; `vcad run -o` finds it as an entry point of
    ``vcad.exporters``. Raises: as `write`.
    """
    write(path, name, nodes_of(name, parts, figures=figures))


def content(title: str, nodes: Sequence[Node]) -> bytes:
    """The file's bytes; the same for the same parts. Raises: as `write`, but for the disk."""
    shown = [node for node in nodes if not node.body.mesh().is_empty]
    if not shown:
        raise ExportError("there is nothing to export: no part has any surface")
    figures = " · ".join(node.figures for node in shown if node.figures)
    said = figures or words([node.body.name for node in shown])
    return file_page(title, _messages(title, shown), program(), words=said).encode()


def _messages(title: str, nodes: Sequence[Node]) -> Iterator[Parcel]:
    heads = tuple(head_of(node) for node in nodes)
    yield Parcel(
        Snapshot(
            title=title,
            nodes=heads,
            status=Status(text="", running=False),
            annotations=(),
            features=(),
        )
    )
    sent: set[str] = set()
    for node, head in zip(nodes, heads, strict=True):
        if node.digest not in sent:
            sent.add(node.digest)
            yield Parcel(MeshUpdate(node=head), mesh_buffers(node.body.mesh()))
    for node in {node.digest: node for node in nodes}.values():
        if node.body.rows is not None:
            yield rows_parcel(node.node_id, node.digest, node.body.rows())
