"""What viewers show as one file: each part where it stands, an instance by itself.

    write(Path("assembly.step"), relay.nodes)

The suffix names the format: that of a page with the viewer, or one for other programs, which the kernel of
the parts writes. Knows nodes; does not know sessions or viewers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_ext.viewer import html_file
from notebook_ext.viewer.relay.nodes import Node
from vcad_kernel.errors import CapabilityUnavailable, ExportError

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import PartResult

__all__ = ["kernel_part", "write"]


def write(path: Path, nodes: Sequence[Node], tolerance: float | None = None) -> None:
    """Write a file; an older one stays until the new one is whole.

    Profiles, which are no solids, stand only in a page. Of several bodies under a name each has that before
    its own.
    tolerance: chord error of curved faces, mm, for formats of meshes.
    Raises: ExportError, CapabilityUnavailable, GeometryError for profiles alone; see `Part.export`.
    """
    from vcad_kernel.service.questions import Export

    if path.suffix.lower() == html_file.SUFFIX:
        html_file.write(path, path.stem, nodes)
        return
    if not nodes:
        raise ExportError("there is nothing to export: no part has any surface")
    written = [node for node in nodes if not kernel_part(node).is_profile] or nodes
    parts = [replace(kernel_part(node), name=node.full_name) for node in written]
    poses = tuple(node.pose for node in written)
    parts[0].answers.ask(Export(path=path, chord=tolerance, poses=poses), *parts)


def kernel_part(node: Node) -> PartResult:
    """Whom to ask about a node. Raises: CapabilityUnavailable where nobody can be."""
    if node.body.part is None:
        raise CapabilityUnavailable(
            f"nobody can be asked about {node.node_id}", details={"required_capability": "kernel"}
        )
    return node.body.part
