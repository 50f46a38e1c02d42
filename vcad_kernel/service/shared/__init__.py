"""What front and worker share: a region of memory, the lines over their socket, the layout of what passes."""

from __future__ import annotations

__all__ = ["ProtocolFault"]


class ProtocolFault(Exception):
    """The other process wrote what cannot be: it is to be given up. Never the user's mistake."""
