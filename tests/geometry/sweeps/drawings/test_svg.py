"""SVG as outlines: what is drawn, in millimetres, exactly; and what is refused, by name."""

from __future__ import annotations

import math

import pytest

from tests.geometry.sweeps.drawings.areas import area_of, kinds_of
from vcad_kernel.geometry.sweeps.drawings.outlines import DrawingFault
from vcad_kernel.geometry.sweeps.drawings.svg import svg_layers
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Outlines

PAGE = 'width="100mm" height="50mm" viewBox="0 0 100 50"'
LINES = 'fill="none" stroke="#000"'


def layers(drawn: str, page: str = PAGE) -> tuple[Outlines, ...]:
    return svg_layers(f'<svg xmlns="http://www.w3.org/2000/svg" {page}>{drawn}</svg>'.encode())


def fault_of(drawn: str, page: str = PAGE) -> tuple[str, str]:
    with pytest.raises(DrawingFault) as caught:
        layers(drawn, page)
    return caught.value.code, caught.value.message


@pytest.mark.parametrize(
    ("drawn", "area", "kinds"),
    [
        ('<rect x="20" y="20" width="40" height="20"/>', 800.0, "Line"),
        ('<rect width="40" height="20" rx="4" ry="6"/>', 800.0 - (4.0 - math.pi) * 24.0, "EllipseArc Line"),
        ('<rect width="40" height="20" rx="50" ry="4"/>', 800.0 - (4.0 - math.pi) * 80.0, "EllipseArc Line"),
        ('<circle cx="9" cy="9" r="5"/>', 25.0 * math.pi, "Arc"),
        ('<circle r="5" transform="translate(3,4) rotate(20 1 2) skewX(30)"/>', 25.0 * math.pi, "EllipseArc"),
        ('<ellipse rx="10" ry="4"/>', 40.0 * math.pi, "EllipseArc"),
        ('<ellipse rx="10" ry="4" transform="scale(0.4 1)"/>', 16.0 * math.pi, "Arc"),
        ('<polygon points="0,0 8,0 8,6"/>', 24.0, "Line"),
        ('<path d="M0 0 A10 10 0 0 1 20 0"/>', 50.0 * math.pi, "Arc Line"),
        ('<path d="M0 0 A1 1 0 0 1 20 0"/>', 50.0 * math.pi, "Arc Line"),
        ('<path d="M0 0 Q10 10 20 0 z"/>', 200.0 / 3.0, "Line Spline"),
        ('<path d="M0 0 C0 8 8 8 8 0 z"/>', 0.6 * 64.0, "Line Spline"),
        ('<path d="M0 20 H010 V1.e1 H0 Z"/>', 100.0, "Line"),
        ('<path d="M0 20h10v-05h5v005h05l00,10h-20z"/>', 225.0, "Line"),
        ('<g transform="matrix(2 0 0 3 1 1)"><rect width="1in" height="1"/></g>', 2 * 3 * 96.0, "Line"),
    ],
)
def test_shapes_are_exact_curves(drawn: str, area: float, kinds: str) -> None:
    (outlines,) = layers(drawn)
    assert area_of(outlines) == pytest.approx(area, rel=1e-12)
    assert " ".join(sorted(kinds_of([outlines]))) == kinds


@pytest.mark.parametrize(
    ("page", "corner"),
    [
        (PAGE, (10.0, 47.0)),
        ('width="10in" viewBox="0 0 100 50"', (25.4, 119.38)),
        ('viewBox="0 0 96 48"', (25.4 / 9.6, (48.0 - 3.0) * 25.4 / 96.0)),
        ('width="96" height="192"', (25.4 / 9.6, 50.8 - 3.0 * 25.4 / 96.0)),
        ("", (25.4 / 9.6, -3.0 * 25.4 / 96.0)),
        ('width="100mm" height="100mm" viewBox="0 0 100 50"', (10.0, 72.0)),
        ('width="100mm" height="100mm" viewBox="0 0 100 50" preserveAspectRatio="xMidYMax"', (10.0, 47.0)),
        ('width="100mm" height="100mm" viewBox="0 0 100 50" preserveAspectRatio="none"', (10.0, 94.0)),
    ],
)
def test_the_page_says_how_large_a_unit_is_and_its_lower_left_corner_is_the_origin(
    page: str, corner: Vec2
) -> None:
    (((first, *_),),) = layers('<polygon points="10,3 20,3 20,9"/>', page)
    assert first.start == pytest.approx(corner, rel=1e-14)


def test_what_is_filled_follows_its_rule_and_areas_are_united() -> None:
    nested = 'd="M0 0h20v20h-20z M5 5h5v5h-5z"'
    ((filled,),) = layers(f"<path {nested}/>")
    assert len(filled) == 4
    (outlines,) = layers(f'<path fill-rule="evenodd" {nested}/>')
    assert area_of(outlines) == 375.0
    (outlines,) = layers('<path d="M0 0h20v20h-20z M5 5v5h5v-5z"/>')
    assert area_of(outlines) == 375.0
    assert len(layers('<rect width="9" height="9"/><rect x="5" width="9" height="9"/>')) == 2


def test_outlines_without_filling_count_together() -> None:
    (outlines,) = layers(f'<g {LINES}><circle r="9"/><circle r="5"/></g>')
    assert area_of(outlines) == pytest.approx(56.0 * math.pi, rel=1e-12)


@pytest.mark.parametrize(
    "seen",
    [
        'style="fill:#fff;fill-opacity:0;stroke:#000"',
        'fill="transparent" stroke="red"',
        'fill="None" stroke="red"',
        'class="a"',
    ],
)
def test_a_filling_that_nobody_sees_is_none(seen: str) -> None:
    rules = "<style>.a{fill:none;stroke:red} *{fill:red}</style>" if "class" in seen else ""
    (outlines,) = layers(f'{rules}<circle r="20" {seen}/><circle r="5" {seen}/>')
    assert area_of(outlines) == pytest.approx(375.0 * math.pi, rel=1e-12)


def test_what_is_not_drawn_is_left_out_and_what_is_used_is_drawn_where_it_is_used() -> None:
    outlines = layers(
        "<style>/* a */ .k, #n {fill: none; stroke: none} .h {display: none}</style>"
        '<defs><rect id="r" width="2" height="2"/></defs><symbol><text>x</text></symbol>'
        '<circle class="a k" r="3"/><circle id="n" r="3"/><g class="h"><text>x</text></g>'
        '<g visibility="hidden"><circle r="8"/></g><circle r="3" style="fill:none"/><circle/>'
        '<use href="#r" x="10"/><use href="#r" transform="scale(2)" y="10"/>'
    )
    assert [area_of((outline,)) for layer in outlines for outline in layer] == pytest.approx([4.0, 16.0])


@pytest.mark.parametrize(
    ("drawn", "code", "message"),
    [
        (
            '<line x2="3" y2="4" stroke="red"/>',
            "SKETCH_NOT_CLOSED",
            "line without id is open: it runs from (0, 50)",
        ),
        (f'<path id="p" {LINES} d="M0 0h9v9"/>', "SKETCH_NOT_CLOSED", 'path "p" is open'),
        ('<path d="M0 0 L9 9 L9 0 L0 9z"/>', "SKETCH_DEGENERATE", "meets itself"),
        (
            f'<g {LINES}><circle id="a" r="4"/><circle id="b" cx="5" r="4"/></g>',
            "SKETCH_DEGENERATE",
            '"b" meet',
        ),
        ("", "SKETCH_DEGENERATE", "draws nothing that has an area"),
        ('<text id="t">Hi</text>', "IMPORT_FAILED", 'holds text "t", of which no outline can be taken'),
        ('<rect id="r" width="2" height="2" mask="url(#m)"/>', "IMPORT_FAILED", 'rect "r" has a mask'),
        ('<path d="M0 0 L9"/>', "IMPORT_FAILED", "cannot be read: its data end"),
        ('<path d="M0 0 A9"/>', "IMPORT_FAILED", "cannot be read"),
        ('<circle r="2em"/>', "IMPORT_FAILED", "has a length '2em'"),
        ('<circle r="2" transform="turn(3)"/>', "IMPORT_FAILED", "has a transform that is none: turn(3)"),
        ('<circle r="2" transform="scale(0)"/>', "IMPORT_FAILED", "has a transform that is none"),
        ('<use href="#none"/>', "IMPORT_FAILED", "uses '#none', which is not there"),
        ('<g id="g"><use href="#g"/></g>', "IMPORT_FAILED", "is part of what it uses"),
        ("<style>g > path {fill: none}</style>", "IMPORT_FAILED", "the selector 'g > path'"),
        ('<polygon points="0,0 1,0 1"/>', "IMPORT_FAILED", "odd number of coordinates"),
        ('<rect width="1e12" height="2"/>', "IMPORT_FAILED", "reaches farther"),
        ('<rect width="1e999" height="2"/>', "IMPORT_FAILED", "has a length '1e999'"),
        ('<path d="M0 0 A1e-320 1 0 0 1 9 9z"/>', "IMPORT_FAILED", "cannot be read"),
        ('<circle r="2" transform="rotate(1e999)"/>', "IMPORT_FAILED", "has a transform that is none"),
        ('<circle r="2" transform="scale(1e999 1)"/>', "IMPORT_FAILED", "has a transform that is none"),
        ('<circle style="transform:scale(2)" r="5"/>', "IMPORT_FAILED", "a style that says transform"),
        ("<style>@media print{.a{fill:none}}</style>", "IMPORT_FAILED", "conditions"),
        ('<path d="M0 0 A1e400 5 0 0 1 10 10 Z"/>', "IMPORT_FAILED", "beyond all numbers"),
        ('<path d="M0 0 L1e400 5 10 10 Z"/>', "IMPORT_FAILED", "beyond all numbers"),
    ],
)
def test_what_gives_no_profile_is_refused_by_name(drawn: str, code: str, message: str) -> None:
    told = fault_of(drawn)
    assert told[0] == code
    assert message in told[1]


@pytest.mark.parametrize("content", [b"hello", b"", b"\xff\xfe\x00", b"<html/>"])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(DrawingFault, match="is no SVG file"):
        svg_layers(content)


def test_uses_that_multiply_are_not_followed_for_ever() -> None:
    rows = "".join(f'<g id="g{at}">' + f'<use href="#g{at + 1}"/>' * 10 + "</g>" for at in range(9))
    _, message = fault_of(f'{rows}<rect id="g9" width="1" height="1"/>')
    assert "more than 20000 elements" in message
