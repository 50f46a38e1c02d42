"""Which block of shared memory a result names: that of its meshes, or that of its arrays. Never both."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["BLOCK_MEMBERS", "named_block"]

BLOCK_MEMBERS: Final = ("mesh", "arrays")
"""Members of a result that say ``{block, path, size}``."""


def named_block(result: Any) -> tuple[str, dict[str, Any]] | None:
    """The member of a result that names a block, and what it says; None where none does."""
    if isinstance(result, dict):
        for member in BLOCK_MEMBERS:
            said = result.get(member)
            if isinstance(said, dict):
                return member, said
    return None
