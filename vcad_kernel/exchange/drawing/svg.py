"""Drawings as SVG in millimetres: sections with exact arcs and hatching, sheets of views to scale.

Knows curves and paper, no solids. y points up in drawings and down in SVG; it is turned here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from vcad_kernel.exchange.drawing.planar_curves import Bow, Curve, Extent, Outline, Run, extent
from vcad_kernel.operations.node import Vec2

__all__ = ["PAPER", "View", "section_svg", "sheet_svg"]

PAPER = (420.0, 297.0)
"""A3 landscape, mm."""
_MARGIN = 12.0
_GAP = 18.0
_INK = "#1a1a1a"
_SCALES = tuple(sorted(step * 10.0**power for power in range(-5, 4) for step in (1.0, 2.0, 5.0)))
"""Of drawings by ISO 5455: 1, 2 and 5 times powers of ten."""


@dataclass(frozen=True, slots=True)
class View:
    """One view of a sheet, in model millimetres."""

    name: str
    seen: Sequence[Curve]
    hidden: Sequence[Curve]
    smooth: Sequence[Curve] = ()
    """Visible edges without a corner: drawn thin."""


def section_svg(outlines: Sequence[Outline], *, hatch: bool) -> bytes:
    """A section at 1:1; the viewBox is in millimetres of the model.

    hatch: lines across the cut material, their direction changing from part to part.
    """
    box = extent([curve for outline in outlines for loop in outline.loops for curve in loop])
    assert box is not None
    (x0, y0), (x1, y1) = box
    size = max(x1 - x0, y1 - y0)
    pen = size / 400.0
    edge = 4.0 * pen
    width, height = x1 - x0 + 2 * edge, y1 - y0 + 2 * edge
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}mm" height="{_n(height)}mm"'
        f' viewBox="{_n(x0 - edge)} {_n(-y1 - edge)} {_n(width)} {_n(height)}">',
    ]
    # neighbours in the list differ in slope and in distance
    if hatch:
        lines.append("<defs>")
        for number in range(len(outlines)):
            turn = 45 if number % 2 == 0 else -45
            step = size / (30 + 8 * (number // 2 % 3))
            lines.append(
                f'<pattern id="hatch-{number}" width="{_n(step)}" height="{_n(step)}"'
                f' patternUnits="userSpaceOnUse" patternTransform="rotate({turn})">'
                f'<path d="M0 0H{_n(step)}" stroke="{_INK}" stroke-width="{_n(pen)}"/></pattern>'
            )
        lines.append("</defs>")
    for number, outline in enumerate(outlines):
        path = " ".join(_path(loop, 1.0, (0.0, 0.0)) + "Z" for loop in outline.loops)
        color = _hex(outline.material.color)
        ground = f'<path d="{path}" fill="{color}" fill-opacity="0.35" fill-rule="evenodd"/>'
        lines.append(f'<g id="part-{number}"><title>{escape(outline.name)}</title>{ground}')
        fill = f"url(#hatch-{number})" if hatch else "none"
        lines.append(
            f'<path d="{path}" fill="{fill}" fill-rule="evenodd" stroke="{_INK}" stroke-width="{_n(2 * pen)}"'
            ' stroke-linejoin="round"/></g>'
        )
    lines.append("</svg>\n")
    return "\n".join(lines).encode()


def sheet_svg(views: Sequence[View], scale: float | None) -> bytes:
    """Views on a sheet: the first below left, the next above it, the third right of it, a fourth above that.

    That is third-angle projection when they are front, top, right. Views side by side share their height,
    views one above the other their width.
    scale: paper over model; None = the largest standard scale that fits.
    """
    boxes = [_box(view) for view in views]
    # first and second view share the left column, first and third the lower row
    columns = [_largest(boxes, (0, 1), 0), _largest(boxes, (2, 3), 0)]
    rows = [_largest(boxes, (0, 2), 1), _largest(boxes, (1, 3), 1)]
    across, down = sum(1 for size in columns if size), sum(1 for size in rows if size)
    room = (
        PAPER[0] - 2 * _MARGIN - _GAP * max(across - 1, 0),
        PAPER[1] - 2 * _MARGIN - _GAP * max(down - 1, 0),
    )
    # the largest standard scale at which both columns and both rows fit
    if scale is None:
        wide, high = max(sum(columns), 1e-9), max(sum(rows), 1e-9)
        fitting = [
            candidate for candidate in _SCALES if candidate * wide <= room[0] and candidate * high <= room[1]
        ]
        scale = fitting[-1] if fitting else _SCALES[0]
    used = (
        scale * sum(columns) + _GAP * max(across - 1, 0),
        scale * sum(rows) + _GAP * max(down - 1, 0),
    )
    paper = (max(PAPER[0], used[0] + 2 * _MARGIN), max(PAPER[1], used[1] + 2 * _MARGIN))
    left, bottom = (paper[0] - used[0]) / 2.0, (paper[1] + used[1]) / 2.0
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(paper[0])}mm" height="{_n(paper[1])}mm"'
        f' viewBox="0 0 {_n(paper[0])} {_n(paper[1])}">',
        f"<desc>scale {_ratio(scale)}, millimetres</desc>",
        f'<rect width="{_n(paper[0])}" height="{_n(paper[1])}" fill="white"/>',
    ]
    for number, (view, box) in enumerate(zip(views, boxes, strict=True)):
        column, row = number // 2 % 2, number % 2
        x = left + (scale * columns[0] + _GAP if column else 0.0)
        y = bottom - (scale * rows[0] + _GAP if row else 0.0)
        if number == 3:  # a view of its own, in the middle of its quarter
            x += scale * (columns[1] - (box[1][0] - box[0][0])) / 2.0
            y -= scale * (rows[1] - (box[1][1] - box[0][1])) / 2.0
        # SVG's y runs downwards
        origin = (x - scale * box[0][0], y + scale * box[0][1])
        lines.append(f'<g id={quoteattr("view-" + view.name)} fill="none" stroke="{_INK}"')
        lines.append(' stroke-linecap="round" stroke-linejoin="round">')
        for kind, curves, style in (
            ("hidden", view.hidden, 'stroke-width="0.25" stroke-dasharray="2 1.2"'),
            ("smooth", view.smooth, 'stroke-width="0.13"'),
            ("visible", view.seen, 'stroke-width="0.5"'),
        ):
            path = " ".join(_path((curve,), scale, origin) for curve in curves)
            if path:
                lines.append(f'<path class="{kind}" {style} d="{path}"/>')
        lines.append("</g>")
    lines.append(
        f'<text x="{_n(paper[0] - _MARGIN / 2)}" y="{_n(paper[1] - _MARGIN / 2)}" text-anchor="end"'
        f' font-family="sans-serif" font-size="4" fill="{_INK}">{_ratio(scale)}</text>'
    )
    lines.append("</svg>\n")
    return "\n".join(lines).encode()


def _box(view: View) -> Extent:
    return extent([*view.seen, *view.hidden]) or ((0.0, 0.0), (0.0, 0.0))


def _largest(boxes: Sequence[Extent], numbers: Sequence[int], axis: int) -> float:
    sizes = [boxes[number][1][axis] - boxes[number][0][axis] for number in numbers if number < len(boxes)]
    return max(sizes, default=0.0)


def _ratio(scale: float) -> str:
    return f"{scale:g} : 1" if scale > 1.0 else f"1 : {1.0 / scale:g}"


def _path(curves: Sequence[Curve], scale: float, origin: Vec2) -> str:
    """Path data of curves that follow one another; a new start where they do not."""

    def at(point: Vec2) -> str:
        return f"{_n(origin[0] + scale * point[0])} {_n(origin[1] - scale * point[1])}"

    pieces: list[str] = []
    for number, curve in enumerate(curves):
        if number == 0:
            pieces.append(f"M{at(curve.start)}")
        if isinstance(curve, Bow):
            radius = _n(scale * curve.radius)
            halves = 2 if abs(curve.sweep) > 179.0 else 1
            for half in range(1, halves + 1):
                end = curve.at(curve.first + curve.sweep * half / halves)
                # turned upside down, counter-clockwise becomes the sense that SVG calls 0
                pieces.append(f"A{radius} {radius} 0 0 {0 if curve.sweep > 0 else 1} {at(end)}")
        elif isinstance(curve, Run):
            pieces += [f"L{at(point)}" for point in curve.points[1:]]
        else:
            pieces.append(f"L{at(curve.end)}")
    return "".join(pieces)


def _n(value: float) -> str:
    """A number with four decimals at most and no needless zeros."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _hex(color: Sequence[float]) -> str:
    return "#" + "".join(f"{round(255 * min(max(component, 0.0), 1.0)):02x}" for component in color)
