"""Text as outlines: contours of straight and quadratic strokes, as the font has them, in millimetres.

The font is Roboto Regular, set with its own advance widths and pair kerning. It is read with
fontTools when the first text is asked for. Contours run with their filled side on the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.crossing import signed_area
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.text import font

__all__ = ["Contour", "Letter", "Stroke", "letters"]

_PIECES = 8
"""Chords of a stroke by which contours are sorted into outlines and holes."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line, or a parabola with one control point."""

    start: Vec2
    end: Vec2
    control: Vec2 | None = None

    def points(self, count: int) -> NDArray[np.float64]:
        """(count, 2): uniform in the parameter, the end not included."""
        share = np.arange(count)[:, None] / count
        start, end = np.array(self.start), np.array(self.end)
        if self.control is None:
            return np.asarray(start + (end - start) * share)
        middle = np.array(self.control)
        return np.asarray(
            start * (1.0 - share) ** 2 + middle * (2.0 * share * (1.0 - share)) + end * share**2
        )

    @property
    def bulge(self) -> float:
        """Largest distance from the chord, millimetres."""
        if self.control is None:
            return 0.0
        start, middle, end = (np.array(point) for point in (self.start, self.control, self.end))
        return float(np.linalg.norm(middle - 0.5 * (start + end))) / 2.0


_PAIR, _EXTENSION = 2, 9
"""Kinds of tables that place glyphs: for pairs, and those that only point to another."""

Contour = tuple[Stroke, ...]
"""Closed: each stroke begins where the one before ends."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One connected piece of a glyph: its outline counter-clockwise, its holes clockwise."""

    outline: Contour
    holes: tuple[Contour, ...]


def letters(text: str, size: float) -> list[Letter]:
    """The pieces of a text whose capitals are ``size`` mm high, standing on the X axis from the origin."""
    font = _font()
    scale = size / font.capital
    names = [font.names[ord(character)] for character in text]
    result: list[Letter] = []
    pen = 0.0
    for index, name in enumerate(names):
        placed = [_moved(contour, pen, scale) for contour in font.contours(name)]
        result += _pieces(placed)
        pen += font.advance(name)
        if index + 1 < len(names):
            pen += font.kerning(name, names[index + 1])
    return result


def _moved(contour: Contour, pen: float, scale: float) -> Contour:
    def at(point: Vec2) -> Vec2:
        return ((point[0] + pen) * scale, point[1] * scale)

    return tuple(
        Stroke(at(stroke.start), at(stroke.end), None if stroke.control is None else at(stroke.control))
        for stroke in contour
    )


def _pieces(contours: Sequence[Contour]) -> list[Letter]:
    """Contours of one glyph sorted: what runs against the largest one is a hole of what surrounds it."""
    rough = [np.vstack([stroke.points(_PIECES) for stroke in contour]) for contour in contours]
    areas = [signed_area(points) for points in rough]
    if not areas:
        return []
    sense = max(areas, key=abs)
    outlines = [index for index, area in enumerate(areas) if area * sense > 0.0]
    holes: dict[int, list[Contour]] = {index: [] for index in outlines}
    for index, area in enumerate(areas):
        if area * sense < 0.0:
            around = [outer for outer in outlines if _contains(rough[outer], rough[index][0])]
            if around:
                nearest = min(around, key=lambda outer: abs(areas[outer]))
                holes[nearest].append(contours[index] if area < 0.0 else _turned_round(contours[index]))
    return [
        Letter(contours[index] if areas[index] > 0.0 else _turned_round(contours[index]), tuple(inside))
        for index, inside in holes.items()
    ]


def _turned_round(contour: Contour) -> Contour:
    return tuple(Stroke(stroke.end, stroke.start, stroke.control) for stroke in reversed(contour))


def _contains(polygon: NDArray[np.float64], point: NDArray[np.float64]) -> bool:
    after = np.roll(polygon, -1, axis=0)
    straddles = (polygon[:, 1] > point[1]) != (after[:, 1] > point[1])
    rise = np.where(straddles, after[:, 1] - polygon[:, 1], 1.0)
    crossing = polygon[:, 0] + (after[:, 0] - polygon[:, 0]) * (point[1] - polygon[:, 1]) / rise
    return bool(np.sum(straddles & (crossing > point[0])) % 2)


# ---------------------------------------------------------------- the font


class _Font:
    """The font file, read once; font units."""

    def __init__(self) -> None:
        self._font = font()
        self._glyphs = self._font.getGlyphSet()
        self.names: dict[int, str] = self._font.getBestCmap()
        self.capital = float(self._font["OS/2"].sCapHeight)
        self._pairs = list(self._pair_tables())
        self._known: dict[str, tuple[Contour, ...]] = {}

    def advance(self, name: str) -> float:
        """How far the pen moves."""
        return float(self._glyphs[name].width)

    def contours(self, name: str) -> tuple[Contour, ...]:
        """The outlines of a glyph as the font winds them."""
        if name not in self._known:
            pen = _pen(self._glyphs)
            self._glyphs[name].draw(pen)
            self._known[name] = tuple(tuple(contour) for contour in pen.contours if contour)
        return self._known[name]

    def _pair_tables(self) -> Iterator[Any]:
        if "GPOS" not in self._font:
            return
        table = self._font["GPOS"].table
        wanted = {
            index
            for record in table.FeatureList.FeatureRecord
            if record.FeatureTag == "kern"
            for index in record.Feature.LookupListIndex
        }
        for index in sorted(wanted):
            lookup = table.LookupList.Lookup[index]
            for sub in lookup.SubTable:
                extension = lookup.LookupType == _EXTENSION
                kind = sub.ExtensionLookupType if extension else lookup.LookupType
                if kind == _PAIR:
                    yield sub.ExtSubTable if extension else sub

    def kerning(self, left: str, right: str) -> float:
        """What is added between two glyphs."""
        for table in self._pairs:
            if left not in table.Coverage.glyphs:
                continue
            if table.Format == 1:
                pairs = table.PairSet[table.Coverage.glyphs.index(left)].PairValueRecord
                record = next((pair for pair in pairs if pair.SecondGlyph == right), None)
                if record is not None:
                    return _advance_of(record.Value1)
                continue
            first = table.ClassDef1.classDefs.get(left, 0)
            second = table.ClassDef2.classDefs.get(right, 0)
            return _advance_of(table.Class1Record[first].Class2Record[second].Value1)
        return 0.0


def _advance_of(value: Any) -> float:
    return float(getattr(value, "XAdvance", 0) or 0)


def _pen(glyphs: Any) -> Any:
    from fontTools.pens.basePen import BasePen

    class Pen(BasePen):  # type: ignore[misc, unused-ignore]
        """Collects strokes, components resolved by the base class."""

        def __init__(self) -> None:
            super().__init__(glyphs)
            self.contours: list[list[Stroke]] = []
            self._start: Vec2 = (0.0, 0.0)

        def _moveTo(self, point: Vec2) -> None:  # noqa: N802  (names of the base class)
            self.contours.append([])
            self._start = point

        def _lineTo(self, point: Vec2) -> None:  # noqa: N802
            here = self._getCurrentPoint()
            if here != point:
                self.contours[-1].append(Stroke(here, point))

        def _qCurveToOne(self, control: Vec2, point: Vec2) -> None:  # noqa: N802
            here = self._getCurrentPoint()
            if control in (here, point):
                self._lineTo(point)
            elif here != point:
                self.contours[-1].append(Stroke(here, point, control))

        def _closePath(self) -> None:  # noqa: N802
            self._lineTo(self._start)

    return Pen()


@lru_cache(maxsize=1)
def _font() -> _Font:
    return _Font()
