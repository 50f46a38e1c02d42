"""What is drawn of the parts that were evaluated, and who is asked about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_ext.viewer.relay.nodes import Body

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import PartResult

__all__ = ["body_of"]


def body_of(part: PartResult) -> Body:
    """A part as viewers show it."""
    return Body(
        part.name,
        part.digest.hex(),
        lambda: part.mesh,
        part.material,
        lambda: part.known_figures.exact,
        part=part,
    )
