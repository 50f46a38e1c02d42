"""Text as outlines: contours of straight, quadratic and cubic strokes, as the font has them, in millimetres.

A line is set with the font's own advance widths and pair kerning. Fonts are read with fontTools when the
first text is asked for. Contours run with their filled side on the left.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.imported_file import HasContent
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.profiles.crossing import contains, signed_area
from vcad_kernel.geometry.sweeps.profiles.layers import layered
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.profiles.sketches import Line, Outlines, Spline
from vcad_kernel.operations.profiles.splines import bezier
from vcad_kernel.operations.solids.text import Lettering, check_characters, font

__all__ = ["Contour", "Letter", "Stroke", "letters", "set_text"]

_NO_FONT: tuple[type[Exception], ...] = (OSError, ValueError, KeyError, AttributeError, struct.error)
_PIECES = 8
"""Chords of a stroke by which contours are sorted into outlines and holes."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line, or a Bézier curve with one control point or two."""

    start: Vec2
    end: Vec2
    control: Vec2 | None = None
    second: Vec2 | None = None

    @property
    def poles(self) -> tuple[Vec2, ...]:
        """The points that make the stroke, its ends among them."""
        return tuple(
            point for point in (self.start, self.control, self.second, self.end) if point is not None
        )

    def points(self, count: int) -> NDArray[np.float64]:
        """(count, 2): uniform in the parameter, the end not included."""
        share = np.arange(count)[:, None] / count
        row = [np.array(pole) for pole in self.poles]
        # de Casteljau
        while len(row) > 1:
            row = [before + (after - before) * share for before, after in itertools.pairwise(row)]
        return np.asarray(np.broadcast_to(row[0], (count, 2)))

    @property
    def bulge(self) -> float:
        """Largest distance from the chord, millimetres."""
        if self.control is None:
            return 0.0
        start, middle, end = (np.array(point) for point in (self.start, self.control, self.end))
        return float(np.linalg.norm(middle - 0.5 * (start + end))) / 2.0

    @property
    def curve(self) -> Line | Spline:
        """As the outline of a profile has it."""
        return Line(self.start, self.end) if self.control is None else bezier(self.poles)


_PAIR, _EXTENSION = 2, 9
"""Kinds of tables that place glyphs: for pairs, and those that only point to another."""

Contour = tuple[Stroke, ...]
"""Closed: each stroke begins where the one before ends."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One connected piece of a glyph: its outline counter-clockwise, its holes clockwise."""

    outline: Contour
    holes: tuple[Contour, ...]

    @property
    def outlines(self) -> Outlines:
        """As a profile has them."""
        return tuple(tuple(stroke.curve for stroke in contour) for contour in (self.outline, *self.holes))


def letters(text: str, size: float) -> list[Letter]:
    """The pieces of a text in Roboto whose capitals are ``size`` mm high, on the X axis from the origin."""
    face = _shipped("regular")
    pens, _ = _line(face, text, 1.0)
    return _set(face, text, pens, size / face.capital, (0.0, 0.0))


def set_text(document: Document, node: NodeId, source: HasContent) -> tuple[Outlines, ...]:
    """The outlines of a `Lettering`, in as few layers as hold no two letters that may overlap.

    Raises: GeometryError INVALID_PARAMETER for letters that the font does not have, IMPORT_FAILED for a
    file that is no font, and what reading the file raises.
    """
    value = document.nodes[node]
    assert isinstance(value, Lettering)
    face = _shipped(value.style or "regular")
    if value.file is not None:
        try:
            face = _of_file(source.content(document, node))
            check_characters(value.text, face.font)
        except ParameterFault as fault:
            raise geometry_error(document, node, fault.code, fault.message, argument=fault.argument) from None
        except _NO_FONT as error:
            message = f"{value.font!r} is no font file that can be read: {error}"
            raise geometry_error(
                document, node, "IMPORT_FAILED", message, argument="font", fix="name a .ttf or .otf file"
            ) from None
    pens, width = _line(face, value.text, value.spacing or 1.0)
    left = {"center": 0.5 * width, "right": width}.get(value.align or "", 0.0)
    low = {"center": 0.5 * face.capital, "top": face.capital, "bottom": face.descent}.get(
        value.valign or "", 0.0
    )
    pieces = _set(face, value.text, pens, value.size / face.capital, (left, low))
    return layered([letter.outlines for letter in pieces])


def _line(face: _Face, text: str, spacing: float) -> tuple[list[float], float]:
    """Where the pen stands for each letter of a line, and for what comes after it; units of the font."""
    names = [face.names[ord(character)] for character in text]
    pens = [0.0]
    for index, name in enumerate(names):
        step = face.advance(name)
        if index + 1 < len(names):
            step += face.kerning(name, names[index + 1])
        pens.append(pens[-1] + spacing * step)
    return pens[:-1], pens[-1]


def _set(face: _Face, text: str, pens: Sequence[float], scale: float, origin: Vec2) -> list[Letter]:
    """The pieces of the letters in millimetres. origin: what lies there, in units of the font."""
    result: list[Letter] = []
    for pen, character in zip(pens, text, strict=True):
        offset = (pen - origin[0], -origin[1])
        placed = [_moved(contour, offset, scale) for contour in face.contours(face.names[ord(character)])]
        result += _pieces(placed)
    return result


def _moved(contour: Contour, offset: Vec2, scale: float) -> Contour:
    def at(point: Vec2) -> Vec2:
        return ((point[0] + offset[0]) * scale, (point[1] + offset[1]) * scale)

    return tuple(
        Stroke(
            at(stroke.start),
            at(stroke.end),
            None if stroke.control is None else at(stroke.control),
            None if stroke.second is None else at(stroke.second),
        )
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
            around = [outer for outer in outlines if contains(rough[outer], rough[index][0])]
            if around:
                nearest = min(around, key=lambda outer: abs(areas[outer]))
                holes[nearest].append(contours[index] if area < 0.0 else _turned_round(contours[index]))
    return [
        Letter(contours[index] if areas[index] > 0.0 else _turned_round(contours[index]), tuple(inside))
        for index, inside in holes.items()
    ]


def _turned_round(contour: Contour) -> Contour:
    return tuple(
        Stroke(stroke.end, stroke.start, stroke.control)
        if stroke.second is None
        else Stroke(stroke.end, stroke.start, stroke.second, stroke.control)
        for stroke in reversed(contour)
    )


# ---------------------------------------------------------------- the font


class _Face:
    """A font, read once; font units."""

    def __init__(self, font: Any) -> None:
        self.font = font
        self._glyphs = font.getGlyphSet()
        self.names: dict[int, str] = font.getBestCmap()
        # old fonts do not say how high a capital is; seven tenths of the em are usual
        self.capital = float(getattr(font["OS/2"], "sCapHeight", 0) or 0.7 * font["head"].unitsPerEm)
        self.descent = float(font["hhea"].descent)
        """Of letters such as p; below 0."""
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
        if "GPOS" not in self.font:
            return
        table = self.font["GPOS"].table
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

        def _curveToOne(self, first: Vec2, second: Vec2, point: Vec2) -> None:  # noqa: N802
            here = self._getCurrentPoint()
            if {here, first, second} == {here} or {first, second, point} == {point}:
                self._lineTo(point)
            else:
                self.contours[-1].append(Stroke(here, point, first, second))

        def _closePath(self) -> None:  # noqa: N802
            self._lineTo(self._start)

    return Pen()


@lru_cache(maxsize=2)
def _shipped(style: str) -> _Face:
    return _Face(font(style))


@lru_cache(maxsize=8)
def _of_file(content: bytes) -> _Face:
    from fontTools.ttLib import TTFont, TTLibError

    try:
        return _Face(TTFont(BytesIO(content), lazy=True))
    except TTLibError as error:
        raise ValueError(str(error)) from error
