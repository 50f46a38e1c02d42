"""Which faces a form has made, and which forms made what is picked: both ways, with the page's editor.

    forms.cursor_at(cell_id, text, offset)      # the faces of the form around the cursor glow
    forms.picked(relay.selection)               # where the forms of what is picked stand, for the page

Only where the text of the cell is still the one that was evaluated. Knows texts and places; does not know
comms, and who shows what glows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from notebook_ext.language.loon_text import loon_cell
from vcad_kernel.loon.source import Source

if TYPE_CHECKING:
    from notebook_ext.viewer.relay.picked import Picked
    from vcad_kernel.contracts.messages import CellSource

__all__ = ["FormsAndFaces", "Stretch", "forms_around"]


class Stretch(NamedTuple):
    """From where to where a form stands, both as ``(line, column)`` from 1; the end is the one behind it."""

    start: tuple[int, int]
    end: tuple[int, int]

    @classmethod
    def of(cls, source: Mapping[str, Any]) -> Stretch:
        """The one of a place as rows of faces have it."""
        return cls((source["line"], source["column"]), (source["end_line"], source["end_column"]))

    def holds(self, other: Stretch) -> bool:
        """Whether another one lies within it."""
        return self.start <= other.start and other.end <= self.end


Meant: TypeAlias = Callable[[Mapping[str, Any]], bool]
"""Whether the place of a face's form is one that is meant."""


class FormsAndFaces:
    """cell_of: a cell as it ran last. show: has the faces glow of the first that any face fits."""

    def __init__(
        self, cell_of: Callable[[str], CellSource | None], show: Callable[[Sequence[Meant]], object]
    ) -> None:
        self._cell_of = cell_of
        self._show = show

    def cursor_at(self, cell_id: str, text: str, offset: int) -> None:
        """The cursor of a person stands in a cell: what the form around it has made glows.

        Of several forms the innermost that has made anything; in what is no Loon, or has been changed since
        it ran, none. text: of the whole cell. offset: in it, in UTF-16 code units.
        """
        self._show([_within(cell_id, form) for form in self._forms(cell_id, text, offset)])

    def place_now(self, place: Mapping[str, Any], text: str) -> Mapping[str, Any] | None:
        """Where a form of a cell stands in the cell's text, all of it; None where that is not what ran.

        place: as it ran, with the cell's id.
        """
        ran = self._as_it_ran(place["cell_id"], text)
        if ran is None:
            return None
        _, begin = ran
        if loon_cell(text) is not None:
            return place  # lines count as in its editor
        lines, columns = text.count("\n", 0, begin), begin - (text.rfind("\n", 0, begin) + 1)
        moved = dict(place)
        for line, column in (("line", "column"), ("end_line", "end_column")):
            moved[column] += columns if moved[line] == 1 else 0
            moved[line] += lines
        return moved

    def _as_it_ran(self, cell_id: str, text: str) -> tuple[str, int] | None:
        """What of a cell ran, and at which point of its text that begins; None where it is another by now.

        Of a Python cell that is the Loon text that it holds as it is.
        """
        ran, written = self._cell_of(cell_id), loon_cell(text)
        if ran is None:
            return None
        if written is None:
            begin = text.find(ran.source)
            return (ran.source, begin) if begin >= 0 and ran.source.strip() else None
        above = max(1, text.count("\n", 0, written.start))  # as `RunningCell.cell` counts
        same = ("\n" * above + written.text).rstrip() == ran.source.rstrip()
        return (ran.source, written.start - above) if same else None

    def _forms(self, cell_id: str, text: str, offset: int) -> list[Stretch]:
        from vcad_kernel.loon.analysis.utf16 import Utf16

        ran = self._as_it_ran(cell_id, text)
        if ran is None:
            return []
        source, begin = ran
        return forms_around(source, Utf16(text).to_points(offset) - begin)

    def picked(self, things: Sequence[Picked]) -> list[dict[str, Any]]:
        """The forms in cells of what is picked, each once: its place, and its text as it ran."""
        forms: dict[tuple[str, Stretch], dict[str, Any]] = {}
        for source in [thing.source for thing in things if thing.source is not None]:
            cell = self._cell_of(source["cell_id"]) if "cell_id" in source else None
            if cell is not None and "file" not in source:
                form = Stretch.of(source)
                place = {key: source[key] for key in ("cell_id", "line", "column", "end_line", "end_column")}
                forms[cell.cell_id, form] = {**place, "text": _text(cell.source, form)}
        return list(forms.values())


def _within(cell_id: str, form: Stretch) -> Meant:
    return lambda source: source.get("cell_id") == cell_id and form.holds(Stretch.of(source))


def forms_around(text: str, offset: int) -> list[Stretch]:
    """The forms that an offset of a text is inside of, the innermost first."""
    from vcad_kernel.loon.analysis.cursor import cursor_at
    from vcad_kernel.loon.analysis.document import Document

    cursor, source = cursor_at(Document(text), offset), Source("", text)
    around = cursor.path[:0:-1]  # the outermost is the text itself
    return [
        Stretch(source.position(cursor.base + node.start), source.position(cursor.base + node.end))
        for node in around
    ]


def _text(text: str, form: Stretch) -> str:
    source = Source("", text)
    return text[source.offset(*form.start) : source.offset(*form.end)]
