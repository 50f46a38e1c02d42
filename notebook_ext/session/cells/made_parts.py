"""The parts that the cells of a session have made: which cell made which, and which came last.

On the session's thread; others may read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from notebook_ext.session.node_names import node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.display.part import Part

__all__ = ["MadeParts"]


class MadeParts:
    """The parts that have a name, and the one that was made last, named or not."""

    def __init__(self) -> None:
        self._parts: dict[str, Part] = {}
        self._makers: dict[str, str] = {}
        """Name of a part → id of the cell that made it last."""
        self.latest: Part | None = None
        """None when there is none, or it was forgotten."""

    @property
    def named(self) -> Mapping[str, Part]:
        """In the order in which their names first appeared."""
        return self._parts

    def of_cell(self, cell_id: str) -> set[str]:
        """Names of the parts that a cell made last."""
        return {name for name, maker in self._makers.items() if maker == cell_id}

    def maker_of(self, name: str) -> str:
        """The id of the cell that made a part last. Raises: ServiceFailure NODE_NOT_FOUND."""
        if name not in self._makers:
            raise ServiceFailure(
                ErrorCode.NODE_NOT_FOUND,
                f"no part {name!r}; the parts are {', '.join(self._parts) or 'none yet'}",
                details={"node_id": node_id_of(name)},
            )
        return self._makers[name]

    def keep(self, part: Part, name: str | None, cell_id: str) -> None:
        """A cell has made a part; without a name it is only the latest."""
        self.latest = part
        if name is not None:
            self._parts[name] = part
            self._makers[name] = cell_id

    def drop(self, names: Collection[str | None]) -> list[str]:
        """Forget parts of these names. Returns: those that there were."""
        if self.latest is not None and self.latest.name in names:
            self.latest = None
        gone = [name for name in self._parts if name in names]
        for name in gone:
            del self._parts[name], self._makers[name]
        return gone
