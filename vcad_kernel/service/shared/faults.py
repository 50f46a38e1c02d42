"""What front and worker say when the other one does not keep to their protocol."""

from __future__ import annotations

__all__ = ["ProtocolFault"]


class ProtocolFault(Exception):
    """The other process wrote what cannot be: it is to be given up. Never the user's mistake."""
