"""SVG as outlines: what is drawn in it, in millimetres, y upwards from the lower left corner of its page.

Lines, circles, ellipses and Bézier curves stay what they are. What is filled is an area by its rule of
filling; borders that are only drawn, not filled, count together. What has no outline, as a text, is
refused. The file is read from its bytes alone: what it names beside itself is not opened.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NoReturn
from xml.etree.ElementTree import Element, ParseError, fromstring

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.drawings.outlines import DrawingFault, Outline, apart, filled, joined
from vcad_kernel.geometry.sweeps.profiles.curves import Map, carried
from vcad_kernel.geometry.sweeps.profiles.layers import layered
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.profiles import chain, ring
from vcad_kernel.operations.profiles.sketches import Curve, Line, Outlines, ellipse_arc, ellipse_reach
from vcad_kernel.operations.profiles.splines import bezier
from vcad_kernel.units import cosd, sind

__all__ = ["svg_layers"]

_SPACE: Final = "{http://www.w3.org/2000/svg}"
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_PIXEL: Final = 25.4 / 96.0
"""Millimetres of CSS's px, in which lengths without a unit count."""
_UNITS: Final[Mapping[str, float]] = {
    "": _PIXEL,
    "px": _PIXEL,
    "mm": 1.0,
    "cm": 10.0,
    "q": 0.25,
    "in": 25.4,
    "pt": 25.4 / 72.0,
    "pc": 25.4 / 6.0,
}
_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LENGTH = re.compile(rf"\s*({_NUMBER})\s*([a-zA-Z]*)\s*")
_MOST: Final = 20_000
"""Elements that are drawn, `use` counted as often as it draws."""

_GROUPS: Final = ("svg", "g", "a")
_DRAWN: Final = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
_WITHOUT_OUTLINE: Final = ("text", "image", "foreignObject", "switch")
_INHERITED: Final = ("fill", "fill-opacity", "stroke", "fill-rule", "visibility")
_PROPERTIES: Final = (*_INHERITED, "display", "clip-path", "mask")
_SIZES: Final = ("transform", "d", "x", "y", "cx", "cy", "r", "rx", "ry")
"""Read as attributes alone; a style that says them is refused."""
_UNSEEN: Final = re.compile(r"\+?0*\.?0*%?")
"""An opacity of nothing."""
_PLAIN_RUN: Final = re.compile(r"[MLHVCSQTmlhvcsqt][^MLHVCSQTAZmlhvcsqtaz]*")
"""Of a path's data, a command and its numbers; not of arcs, whose flags may stand without a space."""


@lru_cache(maxsize=8)
def svg_layers(content: bytes) -> tuple[Outlines, ...]:
    """The outlines of an SVG file, in layers within which none overlap. Raises: DrawingFault."""
    try:
        root = fromstring(content)
    except (ParseError, ValueError, LookupError) as error:
        raise DrawingFault("IMPORT_FAILED", f"is no SVG file that can be read: {error}") from error
    if _tag(root) != "svg":
        raise DrawingFault("IMPORT_FAILED", f"is no SVG file: it holds {root.tag!r}")
    areas: list[Outlines] = []
    borders: list[Outline] = []
    for shape in [*_Walk(root).shapes()]:  # all, before any is worked on: there may be too many
        outlines = shape.outlines()
        if shape.style["fill"] == "none":
            borders += outlines
        else:
            apart(outlines)
            areas += filled(outlines, odd=shape.style["fill-rule"] == "evenodd")
    apart(borders)
    areas += filled(borders, odd=True)
    if not areas:
        raise DrawingFault("SKETCH_DEGENERATE", "draws nothing that has an area")
    return layered(areas)


def _tag(element: Element) -> str:
    """Its name; of another language than SVG, in braces."""
    return element.tag.removeprefix(_SPACE) if isinstance(element.tag, str) else "{}"


# ---------------------------------------------------------------- the elements


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """One element that is drawn."""

    element: Element
    name: str
    change: Map
    """From its own coordinates to millimetres."""
    style: Mapping[str, str]

    def outlines(self) -> list[Outline]:
        """Its closed chains; what is filled and open is closed by a line, as SVG fills it."""
        drawn = []
        if not np.isfinite(self.change).all():
            self.fail("lies beyond all numbers")
        for curves in self._chains():
            start, end = curves[0].start, curves[-1].end
            encloses = len(curves) > 1 or not isinstance(curves[0], Line)
            if self.style["fill"] != "none" and encloses and start != end:
                curves.append(Line(end, start))
            try:
                drawn.append([carried(curve, self.change) for curve in curves])
            except (ValueError, ArithmeticError):  # among them what numpy finds no singular values of
                self.fail("lies beyond all numbers")
        many = len(drawn) > 1
        return [
            joined(f"outline {at} of {self.name}" if many else self.name, curves)
            for at, curves in enumerate(drawn, 1)
        ]

    def _chains(self) -> list[list[Curve]]:
        tag = _tag(self.element)
        if tag == "path":
            return self._path(self.element.get("d", ""))
        if tag in ("polyline", "polygon"):
            numbers = [float(number) for number in re.findall(_NUMBER, self.element.get("points", ""))]
            if len(numbers) % 2:
                self.fail("has an odd number of coordinates")
            points = [*zip(numbers[::2], numbers[1::2], strict=True)]
            if tag == "polyline":
                points = _without_repeats(points)
                lines: list[Curve] = [Line(*ends) for ends in itertools.pairwise(points)]
                return [lines] if lines else []
            return [[*chain(points)]] if len(points) > 1 else []
        if tag == "line":
            start, end = (self._of("x1"), self._of("y1")), (self._of("x2"), self._of("y2"))
            return [] if self.style["stroke"] == "none" else [[Line(start, end)]]
        if tag == "rect":
            return self._rect()
        return self._round()

    def _round(self) -> list[list[Curve]]:
        radius = self._of("r")
        a, b = (radius, radius) if _tag(self.element) == "circle" else (self._of("rx"), self._of("ry"))
        if not (a > 0.0 and b > 0.0):
            return []  # by SVG's rule it is not drawn
        center = (self._of("cx"), self._of("cy"))
        place = np.array([[a, 0.0, center[0]], [0.0, b, center[1]]])
        return [[carried(curve, place) for curve in ring(1.0)]] if a != b else [[*ring(a, center)]]

    def _rect(self) -> list[list[Curve]]:
        x, y, w, h = (self._of(name) for name in ("x", "y", "width", "height"))
        if not (w > 0.0 and h > 0.0):
            return []
        given = [self.element.get(name) for name in ("rx", "ry")]
        rx, ry = (
            self._of(name if own not in (None, "auto") else other)
            for own, name, other in zip(given, ("rx", "ry"), ("ry", "rx"), strict=True)
        )
        rx, ry = min(rx, w / 2), min(ry, h / 2)
        if not (rx > 0.0 and ry > 0.0):
            return [[*chain(((x, y), (x + w, y), (x + w, y + h), (x, y + h)))]]
        data = (
            f"M{x + rx!r} {y!r} H{x + w - rx!r} a{rx!r} {ry!r} 0 0 1 {rx!r} {ry!r} V{y + h - ry!r}"
            f"a{rx!r} {ry!r} 0 0 1 {-rx!r} {ry!r} H{x + rx!r} a{rx!r} {ry!r} 0 0 1 {-rx!r} {-ry!r}"
            f"V{y + ry!r} a{rx!r} {ry!r} 0 0 1 {rx!r} {-ry!r} z"
        )
        return self._path(data)

    def _path(self, data: str) -> list[list[Curve]]:
        from fontTools.svgLib.path import parse_path

        # fontTools takes 05 and 1.e1 for two numbers each
        data = _PLAIN_RUN.sub(lambda run: re.sub(_NUMBER, self._plain_number, run[0]), data)
        pen = _Pen()
        try:
            parse_path(data, pen)
        except (ValueError, IndexError, ArithmeticError):
            self.fail("cannot be read: its data end too early, or hold what is no command")
        return [chain for chain in pen.chains if chain]

    def _plain_number(self, match: re.Match[str]) -> str:
        number = float(match[0])
        if not math.isfinite(number):
            self.fail("lies beyond all numbers")
        return f" {number!r}"

    def _of(self, attribute: str) -> float:
        """A length among its attributes, in its own units; 0 where it has none."""
        text = self.element.get(attribute)
        if text is None or text == "auto":
            return 0.0
        return _length(text, self.name) / _PIXEL

    def fail(self, why: str) -> NoReturn:
        """Raises: DrawingFault."""
        raise DrawingFault("IMPORT_FAILED", f"{self.name} {why}")


def _without_repeats(points: list[Vec2]) -> list[Vec2]:
    return [point for at, point in enumerate(points) if at == 0 or point != points[at - 1]]


class _Pen:
    """Collects the curves of a path; called by fontTools."""

    def __init__(self) -> None:
        self.chains: list[list[Curve]] = []
        self._here: Vec2 = (0.0, 0.0)

    def moveTo(self, point: Vec2) -> None:  # noqa: N802  (names of fontTools' pens, as below)
        self.chains.append([])
        self._here = point

    def lineTo(self, point: Vec2) -> None:  # noqa: N802
        if point != self._here:
            self._add(Line(self._here, point))

    def qCurveTo(self, *points: Vec2) -> None:  # noqa: N802
        self._bezier(points)

    def curveTo(self, *points: Vec2) -> None:  # noqa: N802
        self._bezier(points)

    def arcTo(  # noqa: N802
        self, rx: float, ry: float, turn: float, large: bool, sweep: bool, point: Vec2
    ) -> None:
        if point == self._here:
            return
        if rx == 0.0 or ry == 0.0:
            self.lineTo(point)
            return
        # by SVG's rule an ellipse that is too small is made as large as it must be
        factor = max(ellipse_reach(self._here, point, rx, ry, turn), 1.0)
        self._add(
            ellipse_arc(self._here, point, factor * rx, factor * ry, turn, large=large, ccw=bool(sweep))
        )

    def closePath(self) -> None:  # noqa: N802
        """fontTools has drawn the line back. What follows without a move is an outline of its own."""
        if self.chains[-1]:
            self._here = self.chains[-1][0].start
        self.chains.append([])

    def endPath(self) -> None:  # noqa: N802
        """It stays open."""

    def _bezier(self, points: tuple[Vec2, ...]) -> None:
        if any(point != self._here for point in points):
            self._add(bezier((self._here, *points)))

    def _add(self, curve: Curve) -> None:
        self.chains[-1].append(curve)
        self._here = curve.end


# ---------------------------------------------------------------- groups, styles, places


@dataclass(slots=True, eq=False)
class _Walk:
    """Goes through the elements in the order in which they are drawn."""

    root: Element
    by_id: dict[str, Element] = field(init=False)
    _rules: list[tuple[str, dict[str, str]]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_id = {element.get("id", ""): element for element in self.root.iter()}
        texts = [element.text or "" for element in self.root.iter() if _tag(element) == "style"]
        # by CSS's order: elements, classes, ids; of equals the later
        self._rules = sorted(_style_rules("\n".join(texts)), key=lambda rule: _RANKS.get(rule[0][:1], 1))

    def shapes(self) -> Iterator[_Shape]:
        """Raises: DrawingFault."""
        first = dict(zip(_INHERITED, ("black", "1", "none", "nonzero", "visible"), strict=True))
        pending: list[tuple[Element, Map, Mapping[str, str], tuple[Element, ...]]] = [
            (self.root, _page(self.root), first, ())
        ]
        count = 0
        while pending:
            element, change, above, within = pending.pop()
            tag = _tag(element)
            if tag not in (*_GROUPS, *_DRAWN, *_WITHOUT_OUTLINE, "use"):
                continue  # a definition, a note, or of another language
            own = self._style(element)
            if own.get("display") == "none":
                continue
            style = {name: own.get(name, above[name]) for name in _INHERITED}
            count += 1
            name = _name(element)
            if count > _MOST:
                raise DrawingFault("IMPORT_FAILED", f"draws more than {_MOST} elements")
            if tag in _WITHOUT_OUTLINE or (tag == "svg" and element is not self.root):
                if style["visibility"] == "visible":
                    raise DrawingFault(
                        "IMPORT_FAILED",
                        f"holds {name}, of which no outline can be taken",
                        "make a path of it in the drawing, or leave it out there",
                    )
                continue
            for cut in ("clip-path", "mask"):
                if own.get(cut, "none") != "none":
                    raise DrawingFault(
                        "IMPORT_FAILED", f"{name} has a {cut}", "cut it in the drawing, and leave that out"
                    )
            change = _composed(change, _transform(element.get("transform", ""), name))
            if tag == "use":
                target = self._target(element, name, within)
                offset = [_length(element.get(axis, "0"), name) / _PIXEL for axis in ("x", "y")]
                moved = _composed(change, np.column_stack([np.eye(2), offset]))
                pending.append((target, moved, style, (*within, element)))
            elif tag in _DRAWN:
                seen = style["visibility"] == "visible"
                if style["fill"] == "transparent" or _UNSEEN.fullmatch(style["fill-opacity"]):
                    style["fill"] = "none"
                if seen and (style["fill"], style["stroke"]) != ("none", "none"):
                    yield _Shape(element, name, change, style)
            else:
                pending += [(child, change, style, within) for child in reversed(element)]

    def _target(self, use: Element, name: str, within: tuple[Element, ...]) -> Element:
        link = use.get("href") or use.get(_LINK) or ""
        target = self.by_id.get(link[1:]) if link.startswith("#") else None
        if target is None:
            raise DrawingFault("IMPORT_FAILED", f"{name} uses {link!r}, which is not there")
        if use in within:
            raise DrawingFault("IMPORT_FAILED", f"{name} is part of what it uses")
        if _tag(target) not in (*_GROUPS[1:], *_DRAWN, "use"):
            raise DrawingFault(
                "IMPORT_FAILED", f"{name} uses a {_tag(target)}", "make a group of it in the drawing"
            )
        return target

    def _style(self, element: Element) -> dict[str, str]:
        """What is said of an element itself: by attributes, over them style sheets, over them its style."""
        said = {name: value for name in _PROPERTIES if (value := element.get(name)) is not None}
        classes = element.get("class", "").split()
        keys = {"*", _tag(element), f"#{element.get('id')}", *(f".{name}" for name in classes)}
        for selector, declared in self._rules:
            if selector in keys:
                said.update(declared)
        said.update(_declarations(element.get("style", "")))
        texts = {name: value.strip().lower() for name, value in said.items()}
        return {name: text for name, text in texts.items() if text not in ("", "inherit")}


_RANKS: Final[Mapping[str, int]] = {"*": 0, ".": 2, "#": 3}
"""Of selectors, by their first character; elements have 1."""


def _style_rules(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Selectors of one element, class or id with what they say; others would change what is drawn."""
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    if re.search(r"@(media|supports|layer|container)\b", plain):
        raise DrawingFault(
            "IMPORT_FAILED",
            "has a style sheet with conditions, which are not understood",
            "write presentation attributes instead of a style sheet",
        )
    for selectors, declared in re.findall(r"([^{}]+)\{([^{}]*)\}", plain):
        said = _declarations(declared)
        for selector in selectors.split(","):
            if said and not re.fullmatch(r"\s*(\*|[.#]?[-\w]+)\s*", selector):
                raise DrawingFault(
                    "IMPORT_FAILED",
                    f"has a style sheet with the selector {selector.strip()!r}, which is not understood",
                    "write presentation attributes instead of a style sheet",
                )
            yield selector.strip(), said


def _declarations(text: str) -> dict[str, str]:
    """Of a style, what decides what is drawn."""
    pairs = [
        (name.strip(), value.strip()) for name, _, value in (rule.partition(":") for rule in text.split(";"))
    ]
    for name, value in pairs:
        if name in _SIZES or (name in _PROPERTIES and "!important" in value):
            raise DrawingFault(
                "IMPORT_FAILED",
                f"has a style that says {name}: {value}, which is not understood",
                f"write an attribute {name} instead",
            )
    return {name: value for name, value in pairs if name in _PROPERTIES}


def _name(element: Element) -> str:
    own = element.get("id")
    if own:
        return f'{_tag(element)} "{own}"'
    attribute = next((element.get(key) for key in ("d", "points", "r", "x", "x1") if element.get(key)), "")
    return f"{_tag(element)} without id" + (f" ({str(attribute)[:24]})" if attribute else "")


def _length(text: str, name: str) -> float:
    """Millimetres. Raises: DrawingFault."""
    parsed = _LENGTH.fullmatch(text)
    factor = _UNITS.get(parsed[2].lower()) if parsed else None
    if parsed is None or factor is None or not math.isfinite(float(parsed[1])):
        raise DrawingFault("IMPORT_FAILED", f"{name} has a length {text!r}, which is none in millimetres")
    return float(parsed[1]) * factor


def _page(root: Element) -> Map:
    """From the root's coordinates to millimetres, y upwards from the lower edge of the page.

    Without a page, y = 0 stays where it is.
    """
    name = "the drawing"
    sizes = [root.get(name, "100%").strip() for name in ("width", "height")]
    lengths = [None if size.endswith("%") or size == "auto" else _length(size, name) for size in sizes]
    box = [float(number) for number in re.findall(_NUMBER, root.get("viewBox", ""))]
    if len(box) != 4 or not (box[2] > 0.0 and box[3] > 0.0):
        return np.array([[_PIXEL, 0.0, 0.0], [0.0, -_PIXEL, lengths[1] or 0.0]])
    low, size = np.array(box[:2]), np.array(box[2:])
    given = [length for length in lengths if length is not None]
    if not given:
        page = size * _PIXEL
    elif len(given) == 1:
        page = size * (given[0] / size[0 if lengths[0] is not None else 1])
    else:
        page = np.array(given)
    scale = page / size
    how = root.get("preserveAspectRatio", "").split() or ["xMidYMid"]
    rest = np.zeros(2)
    if how[0] != "none":
        scale = np.full(2, scale.max() if "slice" in how else scale.min())
        share = [next((at for word, at in _SHARES if word in how[0][part]), 0.5) for part in _PARTS]
        rest = np.array(share) * (page - scale * size)
    (x, y), (dx, dy) = scale, rest - scale * low
    return np.array([[x, 0.0, dx], [0.0, -y, page[1] - dy]])


_SHARES: Final = (("Min", 0.0), ("Mid", 0.5), ("Max", 1.0))
_PARTS: Final = (slice(0, 4), slice(4, 8))


def _composed(outer: Map, inner: Map) -> Map:
    linear = outer[:, :2] @ inner[:, :2]
    return np.column_stack([linear, outer[:, :2] @ inner[:, 2] + outer[:, 2]])


def _transform(text: str, name: str) -> Map:
    """The matrix of an attribute ``transform``. Raises: DrawingFault."""
    result: Map = np.eye(2, 3)
    rest = re.sub(r"(\w+)\s*\(([^()]*)\)", "", text).strip(" ,\t\r\n")
    for word, inside in re.findall(r"(\w+)\s*\(([^()]*)\)", text):
        numbers = [float(number) for number in re.findall(_NUMBER, inside)]
        takes = len(numbers) in _TAKES.get(word, ()) and all(map(math.isfinite, numbers))
        matrix = _matrix(word, numbers) if takes else None
        if matrix is None:
            rest = rest or f"{word}({inside})"
            break
        result = _composed(result, matrix)
    if rest or abs(float(np.linalg.det(result[:, :2]))) < 1e-12:
        raise DrawingFault("IMPORT_FAILED", f"{name} has a transform that is none: {rest or text}")
    return result


_TAKES: Final[Mapping[str, tuple[int, ...]]] = {
    "matrix": (6,),
    "translate": (1, 2),
    "scale": (1, 2),
    "rotate": (1, 3),
    "skewX": (1,),
    "skewY": (1,),
}


def _matrix(word: str, numbers: list[float]) -> NDArray[Any]:
    first, *others = numbers
    match word:
        case "matrix":
            return np.array(numbers).reshape(3, 2).T
        case "translate":
            return np.array([[1.0, 0.0, first], [0.0, 1.0, others[0] if others else 0.0]])
        case "scale":
            return np.array([[first, 0.0, 0.0], [0.0, others[0] if others else first, 0.0]])
        case "skewX":
            return np.array([[1.0, math.tan(math.radians(first)), 0.0], [0.0, 1.0, 0.0]])
        case "skewY":
            return np.array([[1.0, 0.0, 0.0], [math.tan(math.radians(first)), 1.0, 0.0]])
    cosine, sine = cosd(first), sind(first)
    linear = np.array([[cosine, -sine], [sine, cosine]])
    about = np.array(others or (0.0, 0.0))
    return np.column_stack([linear, about - linear @ about])
