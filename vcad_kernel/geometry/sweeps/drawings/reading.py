"""The outlines of a node that is read from a drawing."""

from __future__ import annotations

from vcad_kernel.geometry.imported_file import HasContent
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.drawings.dxf import dxf_outlines
from vcad_kernel.geometry.sweeps.drawings.outlines import DrawingFault
from vcad_kernel.geometry.sweeps.drawings.svg import svg_layers
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.sketches import Outlines
from vcad_kernel.operations.solids.imported import DxfFile, SvgFile

__all__ = ["drawn_layers"]


def drawn_layers(document: Document, node: NodeId, source: HasContent) -> tuple[Outlines, ...]:
    """In layers within which none overlap.

    Raises: GeometryError IMPORT_FAILED, SKETCH_NOT_CLOSED, SKETCH_DEGENERATE, with what in the file is to
    blame; and what reading the file raises.
    """
    value = document.nodes[node]
    assert isinstance(value, SvgFile | DxfFile)
    content = source.content(document, node)
    try:
        if isinstance(value, DxfFile):
            return (dxf_outlines(content, value.layer),)
        return svg_layers(content)
    except DrawingFault as fault:
        message = f"{value.path!r}: {fault.message}"
        raise geometry_error(document, node, fault.code, message, argument="path", fix=fault.fix) from None
