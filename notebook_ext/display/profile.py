"""Where the time of an evaluation went, as a table of forms: text everywhere, HTML in a notebook.

Given rows, it shows them; it knows neither cells nor sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from notebook_ext.display.tables import html_table, text_table

if TYPE_CHECKING:
    from vcad_kernel.geometry.profiling import NodeProfile

__all__ = ["ProfileView"]

_TITLES = ("ms", "size", "calls", "cached", "form", "source")
_NUMBERS = 3
"""So many of the columns hold numbers."""


class ProfileView(Sequence["NodeProfile"]):
    """The rows of one profile, those that took longest first."""

    def __init__(self, rows: Sequence[NodeProfile]) -> None:
        self._rows = sorted(rows, key=lambda row: (-row.ms, row.node))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> NodeProfile:  # type: ignore[override]  # one row at a time
        return self._rows[index]

    def _cells(self) -> Iterator[tuple[str, ...]]:
        for row in self._rows:
            unit = "triangles" if row.representation == "mesh" else "faces"
            yield (
                f"{row.ms:.2f}",
                "" if row.size is None else f"{row.size} {unit}",
                str(row.calls) if row.calls else "",
                "yes" if row.cached else "",
                row.function if row.name is None else f"{row.function} ({row.name})",
                self._source(row),
            )

    def _source(self, row: NodeProfile) -> str:
        if row.place is None:
            return ""
        at = f"{row.place.file}:{row.place.line}"
        text = row.place.text.strip()
        return f"{at}  {text}" if text else at

    @property
    def total(self) -> float:
        """Milliseconds of all rows."""
        return sum(row.ms for row in self._rows)

    def _last_line(self) -> str:
        built = sum(1 for row in self._rows if not row.cached)
        return f"{self.total:.2f} ms in all; {built} built, {len(self._rows) - built} known from before"

    def __repr__(self) -> str:
        return f"{text_table(_TITLES, list(self._cells()), numbers=_NUMBERS)}\n{self._last_line()}"

    def _repr_html_(self) -> str:
        """The table for a browser."""
        table = html_table(_TITLES, list(self._cells()), numbers=_NUMBERS)
        return f"{table}<div>{escape(self._last_line())}</div>"
