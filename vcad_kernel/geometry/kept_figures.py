"""What the exact kernel measured of a solid, as it is kept: found again without loading that kernel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from vcad_kernel.geometry.cache import CacheKey
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import NodeId

__all__ = ["KeptFigures", "figures_key"]


@dataclass(frozen=True, slots=True, eq=False)
class KeptFigures:
    """What was measured of a solid."""

    figures: ExactFigures
    nbytes: int = 1024
    """Memory held, roughly."""

    def to_bytes(self) -> bytes:
        """The figures to be read by `from_bytes`, every digit of them."""
        return json.dumps(asdict(self.figures)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> KeptFigures:
        """The figures that were written. Raises ValueError when they are not."""
        members = json.loads(content)
        if not isinstance(members, Mapping) or set(members) != {one.name for one in fields(ExactFigures)}:
            raise ValueError("the figures are of another version")
        return cls(ExactFigures(**{name: _tuples(value) for name, value in members.items()}))


def figures_key(document: Document, node: NodeId, identity: str) -> CacheKey:
    """Under which the figures of a node's B-rep are kept. identity: of the exact kernel."""
    return document.digest(node), f"{identity} figures", None


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value
