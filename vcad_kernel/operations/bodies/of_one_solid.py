"""What the nodes that make a solid of one other share."""

from vcad_kernel.operations.arguments import Solid
from vcad_kernel.operations.node import Node, NodeId

__all__ = ["Feature", "OneSolid"]


class OneSolid(Node):
    """An operation on one solid."""

    child: Solid

    def children(self) -> tuple[NodeId, ...]:
        """The one operand."""
        return (self.child,)


class Feature(OneSolid):
    """An operation on the edges and faces of the merged body, which only the exact kernel builds."""
