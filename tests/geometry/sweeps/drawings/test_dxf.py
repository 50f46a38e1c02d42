"""DXF as outlines: exact curves, put together at their ends; and what is refused, by name."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable
from typing import Any

import ezdxf
import pytest
from ezdxf.xclip import XClip

from tests.geometry.sweeps.drawings.areas import area_of, kinds_of
from vcad_kernel.geometry.sweeps.drawings.dxf import dxf_outlines
from vcad_kernel.geometry.sweeps.drawings.outlines import DrawingFault
from vcad_kernel.operations.profiles.sketches import Outlines

Draw = Callable[[Any, Any], object]
"""(drawing, model space)."""


def outlines_of(draw: Draw, layer: str | None = None, unit: int = 4) -> Outlines:
    drawing = ezdxf.new()
    drawing.header["$INSUNITS"] = unit
    draw(drawing, drawing.modelspace())
    text = io.StringIO()
    drawing.write(text)
    return dxf_outlines(text.getvalue().encode(), layer)


def plate(space: Any, **said: object) -> None:
    """20 × 10, its sides in no order and either way round."""
    for start, end in (((0, 0), (20, 0)), ((20, 10), (20, 0)), ((0, 10), (0, 0)), ((0, 10), (20, 10))):
        space.add_line(start, end, dxfattribs=said)


def _plate_with_hole(_: Any, space: Any) -> None:
    plate(space)
    space.add_circle((5, 5), 2)


def _slot(_: Any, space: Any) -> None:
    space.add_lwpolyline([(0, 0, 0), (10, 0, 1), (10, 6, 0), (0, 6, 1)], "xyb", close=True)


def _old_slot(_: Any, space: Any) -> None:
    space.add_polyline2d([(0, 0, 0), (10, 0, 1), (10, 6, 0), (0, 6, 1)], "xyb", close=True)


def _ring(_: Any, space: Any) -> None:
    space.add_arc((0, 0), 5, 0, 180)
    space.add_arc((0, 0), 5, 180, 360)
    space.add_ellipse((0, 0), (3, 1), 0.5)


def _quarter_from_below(_: Any, space: Any) -> None:
    space.add_ellipse((0, 0), (4, 0), 0.5, 0, math.pi / 2, dxfattribs={"extrusion": (0, 0, -1)})
    space.add_lwpolyline([(4, 0), (0, 0), (0, -2)])


def _block(drawing: Any, space: Any) -> None:
    drawing.blocks.new("B").add_circle((1, 0), 1)
    space.add_blockref("B", (5, 5), dxfattribs={"xscale": 2, "rotation": 30})


def _spline(_: Any, space: Any) -> None:
    space.add_open_spline([(0, 0), (0, 8), (8, 8), (8, 0)])
    space.add_line((8, 0), (0, 0))


@pytest.mark.parametrize(
    ("draw", "area", "kinds"),
    [
        (_plate_with_hole, 200.0 - 4.0 * math.pi, "Arc Line"),
        (_slot, 60.0 + 9.0 * math.pi, "Arc Line"),
        (_old_slot, 60.0 + 9.0 * math.pi, "Arc Line"),
        (_ring, 25.0 * math.pi - 5.0 * math.pi, "Arc EllipseArc"),
        (_quarter_from_below, 2.0 * math.pi, "EllipseArc Line"),
        (_block, 2.0 * math.pi, "EllipseArc"),
        (_spline, 0.6 * 64.0, "Line Spline"),
    ],
)
def test_entities_are_exact_curves(draw: Draw, area: float, kinds: str) -> None:
    outlines = outlines_of(draw)
    assert area_of(outlines) == pytest.approx(area, rel=1e-12)
    assert " ".join(sorted(kinds_of([outlines]))) == kinds


def test_the_file_names_the_unit() -> None:
    def draw(_: Any, space: Any) -> None:
        plate(space)

    assert [area_of(outlines_of(draw, unit=unit)) for unit in (0, 1, 6)] == pytest.approx(
        [200.0, 200.0 * 25.4**2, 200e6], rel=1e-14
    )
    with pytest.raises(DrawingFault, match="unit"):
        outlines_of(draw, unit=18)


def test_gaps_of_few_digits_are_closed_without_a_kink_in_an_arc() -> None:
    def draw(_: Any, space: Any) -> None:
        space.add_arc((0, 0), 5, 0, 90)
        space.add_lwpolyline([(0, 5.00003), (0, 0), (5.00004, 0.00002)])

    outlines = outlines_of(draw)
    assert area_of(outlines) == pytest.approx(25.0 * math.pi / 4.0, rel=1e-4)
    assert kinds_of([outlines]) == {"Arc", "Line"}


def _hidden_blocks(drawing: Any, space: Any) -> None:
    plate(space)
    drawing.blocks.new("hole").add_circle((5, 5), 2, dxfattribs={"layer": "CUT"})
    drawing.layers.add("frozen").freeze()
    space.add_blockref("hole", (0, 0), dxfattribs={"layer": "frozen"})
    space.add_blockref("hole", (0, 0), dxfattribs={"invisible": 1})
    space.add_circle((15, 5), 2, dxfattribs={"layer": "cut"})


def test_what_a_hidden_block_draws_is_not_read_and_names_of_layers_do_not_count_capitals() -> None:
    assert area_of(outlines_of(_hidden_blocks)) == pytest.approx(200.0 - 4.0 * math.pi, rel=1e-14)
    assert area_of(outlines_of(_hidden_blocks, "Cut")) == pytest.approx(4.0 * math.pi, rel=1e-14)


def _many(_: Any, space: Any) -> None:
    space.doc.blocks.new("dot").add_circle((0, 0), 1)
    space.add_blockref("dot", (0, 0)).grid((30_000, 30_000), (3, 3))


def _clipped(_: Any, space: Any) -> None:
    space.doc.blocks.new("dot").add_circle((0, 0), 1)
    XClip(space.add_blockref("dot", (0, 0))).set_wcs_clipping_path([(0, 0), (1, 0), (1, 1)])


def _two_layers(drawing: Any, space: Any) -> None:
    plate(space, layer="cut")
    space.add_text("20 x 10", dxfattribs={"layer": "notes"})
    drawing.layers.add("off").off()
    space.add_circle((5, 5), 2, dxfattribs={"layer": "off"})


def test_a_layer_may_be_named_and_what_is_not_seen_is_not_read() -> None:
    assert area_of(outlines_of(_two_layers, "cut")) == pytest.approx(200.0, rel=1e-14)


def _on(*points: tuple[float, ...]) -> Draw:
    return lambda _drawing, space: [space.add_line(a, b) for a, b in itertools.pairwise(points)]


@pytest.mark.parametrize(
    ("draw", "layer", "code", "message"),
    [
        (_two_layers, None, "IMPORT_FAILED", "holds TEXT on the layer 'notes', which is no curve"),
        (_two_layers, "cutt", "SKETCH_DEGENERATE", "draws nothing on the layer 'cutt'"),
        (_many, None, "IMPORT_FAILED", "draws more than 100000 entities"),
        (_clipped, None, "IMPORT_FAILED", "is clipped"),
        (_on((0, 0), (math.nan, 1)), None, "IMPORT_FAILED", "beyond all numbers"),
        (_on((0, 0), (1, 1)), None, "SKETCH_NOT_CLOSED", "ends at (0, 0)"),
        (_on((0, 0), (9, 0), (9, 9), (0, 0), (5, 1)), None, "SKETCH_NOT_CLOSED", "meets 2 others at (0, 0)"),
        (_on((0, 0, 0), (9, 0, 2), (9, 9, 0), (0, 0, 0)), None, "IMPORT_FAILED", "is not plane"),
        (
            lambda _, space: [space.add_circle((at, 0), 4) for at in (0, 5)],
            None,
            "SKETCH_DEGENERATE",
            "meet, near (2.5, ",
        ),
        (
            lambda _, space: space.add_rational_spline([(0, 0), (1, 1), (2, 0), (3, 1)], [1, 2, 1, 1]),
            None,
            "IMPORT_FAILED",
            "is a rational spline",
        ),
        (
            lambda _, space: space.add_spline([(0, 0), (1, 1), (2, 0)]),
            None,
            "IMPORT_FAILED",
            "fit points alone",
        ),
        (
            lambda _, space: space.add_circle((0, 0), 4, dxfattribs={"extrusion": (1, 0, 0)}),
            None,
            "IMPORT_FAILED",
            "does not lie in a plane",
        ),
    ],
)
def test_what_gives_no_profile_is_refused_by_name(
    draw: Draw, layer: str | None, code: str, message: str
) -> None:
    with pytest.raises(DrawingFault) as caught:
        outlines_of(draw, layer)
    assert caught.value.code == code
    assert message in caught.value.message


def test_what_ezdxf_leaves_out_of_a_damaged_file_is_not_left_out_in_silence() -> None:
    drawing = ezdxf.new()
    plate(drawing.modelspace())
    drawing.modelspace().add_open_spline([(0, 0), (1, 1), (2, 0), (3, 1)], degree=3)
    text = io.StringIO()
    drawing.write(text)
    damaged = text.getvalue().replace(" 71\n3\n", " 71\n0\n")
    with pytest.raises(DrawingFault, match="Removed SPLINE"):
        dxf_outlines(damaged.encode(), None)


@pytest.mark.parametrize("content", [b"hello", b"\x00\x01\x02"])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(DrawingFault, match="is no DXF file"):
        dxf_outlines(content, None)
