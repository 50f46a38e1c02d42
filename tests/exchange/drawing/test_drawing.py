"""Drawings: what is cut and what is seen, against hand-counted lines and closed formulas."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import manifold3d
import numpy as np
import pytest
from ezdxf import filemanagement
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.drawing.drawing import (
    DrawnPart,
    Plane,
    section_curves,
    write_drawing,
    write_section,
)
from vcad_kernel.exchange.drawing.planar_curves import Bow, Curve, Run, Stroke, extent
from vcad_kernel.geometry.occt.brep import Brep, edges_of, solids_of
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.scene import Material

LEVEL = Plane.facing((0.0, 0.0, 1.0), (0.0, 0.0, 10.0))
SVG = "{http://www.w3.org/2000/svg}"


def _mesh(solid: manifold3d.Manifold) -> TriMesh:
    read = solid.to_mesh64()
    return TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts)


def _brep(shape: TopoDS_Shape) -> Brep:
    (solid,) = solids_of(shape)
    return Brep.made(solid, bytes(32))


def _plate(*, exact: bool) -> DrawnPart:
    """60 × 40 × 20 with a through hole of radius 8 about (20, 20)."""
    box = BRepPrimAPI_MakeBox(60.0, 40.0, 20.0).Shape()
    axis = gp_Ax2(gp_Pnt(20.0, 20.0, -1.0), gp_Dir(0.0, 0.0, 1.0))
    hole = BRepPrimAPI_MakeCylinder(axis, 8.0, 30.0).Shape()
    mesh = manifold3d.Manifold.cube([60.0, 40.0, 20.0])
    mesh -= manifold3d.Manifold.cylinder(30.0, 8.0, 8.0, 64).translate([20.0, 20.0, -1.0])
    body = _brep(BRepAlgoAPI_Cut(box, hole).Shape()) if exact else None
    return DrawnPart("plate", _mesh(mesh), body, Material("steel", (0.5, 0.6, 0.7)))


def _pin(*, exact: bool) -> DrawnPart:
    """Apart from the plate: radius 5 about (100, 0), height 30."""
    axis = gp_Ax2(gp_Pnt(100.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
    mesh = manifold3d.Manifold.cylinder(30.0, 5.0, 5.0, 64).translate([100.0, 0.0, 0.0])
    body = _brep(BRepPrimAPI_MakeCylinder(axis, 5.0, 30.0).Shape()) if exact else None
    return DrawnPart("pin", _mesh(mesh), body)


def _parts(*, exact: bool) -> list[DrawnPart]:
    return [_plate(exact=exact), _pin(exact=exact)]


def _with_rounded_corners() -> TopoDS_Shape:
    """60 × 40 × 20, its upright edges rounded by 5."""
    box = BRepPrimAPI_MakeBox(60.0, 40.0, 20.0).Shape()
    rounding = BRepFilletAPI_MakeFillet(box)
    for edge in edges_of(box):
        if box_of(edge)[1][2] - box_of(edge)[0][2] > 1.0:
            rounding.Add(5.0, edge)
    return rounding.Shape()


def _closed(loop: tuple[Curve, ...]) -> bool:
    return all(
        math.dist(one.end, other.start) < 1e-6 for one, other in zip(loop, (*loop[1:], loop[0]), strict=True)
    )


def _area(loop: tuple[Curve, ...]) -> float:
    """By the shoelace formula over fine chords: positive when counter-clockwise."""
    points: list[tuple[float, float]] = []
    for curve in loop:
        if isinstance(curve, Bow):
            points += [curve.at(curve.first + curve.sweep * step / 720) for step in range(720)]
        elif isinstance(curve, Run):
            points += curve.points[:-1]
        else:
            points.append(curve.start)
    return 0.5 * sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))


def test_a_section_has_true_lines_and_circles_in_closed_loops() -> None:
    plate, pin = section_curves(_parts(exact=True), LEVEL)
    outer, hole = plate.loops
    assert [type(curve) for curve in outer] == [Stroke] * 4
    (circle,) = hole
    assert isinstance(circle, Bow)
    assert circle.full
    assert circle.center == pytest.approx((20.0, 20.0))
    assert circle.radius == pytest.approx(8.0)
    assert all(_closed(loop) for one in (plate, pin) for loop in one.loops)
    assert _area(outer) == pytest.approx(2400.0)
    assert _area(hole) == pytest.approx(-64.0 * math.pi, rel=1e-4)
    assert _area(pin.loops[0]) == pytest.approx(25.0 * math.pi, rel=1e-4)


def test_a_plane_through_a_hole_cuts_two_pieces_seen_from_the_front() -> None:
    (plate,) = section_curves([_plate(exact=True)], Plane.facing((0.0, -1.0, 0.0), (0.0, 20.0, 0.0)))
    assert sorted(_area(loop) for loop in plate.loops) == pytest.approx([240.0, 640.0])
    box = extent([curve for loop in plate.loops for curve in loop])
    assert box is not None
    assert [*box[0], *box[1]] == pytest.approx([0.0, 0.0, 60.0, 20.0])


def test_an_arc_of_less_than_a_circle_stays_an_arc() -> None:
    # the plane x = 5 cuts a ball of radius 13 in a circle of radius 12, of which a box keeps a part
    ball = BRepPrimAPI_MakeSphere(13.0).Shape()
    box = BRepPrimAPI_MakeBox(gp_Pnt(-50.0, -50.0, 0.0), 100.0, 100.0, 50.0).Shape()
    dome = DrawnPart(
        "dome", _mesh(manifold3d.Manifold.sphere(13.0)), _brep(BRepAlgoAPI_Cut(ball, box).Shape())
    )
    (outline,) = section_curves([dome], Plane.facing((1.0, 0.0, 0.0), (5.0, 0.0, 0.0)))
    (loop,) = outline.loops
    bows = [curve for curve in loop if isinstance(curve, Bow)]
    assert all(bow.radius == pytest.approx(12.0) for bow in bows)
    assert sum(bow.sweep for bow in bows) == pytest.approx(180.0)
    assert _area(loop) == pytest.approx(72.0 * math.pi, rel=1e-4)


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_rounded_corners_are_quarters_of_circles_seen_from_either_side(up: float) -> None:
    body = DrawnPart("box", _plate(exact=False).mesh, _brep(_with_rounded_corners()))
    (outline,) = section_curves([body], Plane.facing((0.0, 0.0, up), (0.0, 0.0, 10.0)))
    (loop,) = outline.loops
    assert [curve.sweep for curve in loop if isinstance(curve, Bow)] == pytest.approx([90.0] * 4)
    assert _closed(loop)
    assert _area(loop) == pytest.approx(2400.0 - 25.0 * (4.0 - math.pi), rel=1e-5)


def test_a_mesh_is_cut_into_closed_runs_of_points() -> None:
    plate, pin = section_curves(_parts(exact=False), LEVEL)
    assert sum(_area(loop) for loop in plate.loops) == pytest.approx(2400.0 - 64.0 * math.pi, rel=1e-3)
    assert _area(pin.loops[0]) == pytest.approx(25.0 * math.pi, rel=3e-3)
    assert all(_closed(loop) for one in (plate, pin) for loop in one.loops)


@pytest.mark.parametrize("exact", [True, False])
def test_parts_that_the_plane_misses_are_left_out(exact: bool) -> None:
    plane = Plane.facing((0.0, 0.0, 1.0), (0.0, 0.0, 25.0))
    assert [one.name for one in section_curves(_parts(exact=exact), plane)] == ["pin"]


def test_a_section_as_dxf_has_a_layer_for_each_part_and_entities_in_millimetres(tmp_path: Path) -> None:
    size = write_section(tmp_path / "a.dxf", _parts(exact=True), LEVEL)
    data = (tmp_path / "a.dxf").read_bytes()
    assert size == len(data)
    document = filemanagement.read(io.StringIO(data.decode()))
    assert document.header["$INSUNITS"] == 4
    assert not document.audit().errors
    found = Counter((entity.dxf.layer, entity.dxftype()) for entity in document.modelspace())
    assert found == {("plate", "LINE"): 4, ("plate", "CIRCLE"): 1, ("pin", "CIRCLE"): 1}
    (circle,) = document.modelspace().query("CIRCLE[layer=='plate']")
    assert tuple(circle.dxf.center)[:2] == pytest.approx((20.0, 20.0))
    assert circle.dxf.radius == pytest.approx(8.0)


def test_equal_sections_and_drawings_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_section(tmp_path / f"{name}.dxf", _parts(exact=True), LEVEL)
        write_section(tmp_path / f"{name}-section.svg", _parts(exact=True), LEVEL)
        write_drawing(tmp_path / f"{name}.svg", _parts(exact=True))
    for suffix in (".dxf", "-section.svg", ".svg"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_layers_take_names_that_dxf_allows(tmp_path: Path) -> None:
    pin = _pin(exact=True)
    parts = [DrawnPart(name, pin.mesh, pin.brep) for name in ("a/b:c", "a_b_c", "Bügel", "0", "")]
    write_section(tmp_path / "a.dxf", parts, LEVEL)
    document = filemanagement.readfile(tmp_path / "a.dxf")
    layers = [entity.dxf.layer for entity in document.modelspace()]
    assert layers == ["a_b_c", "a_b_c-2", "Bügel", "0", "part"]


def test_a_section_as_svg_is_in_millimetres_with_exact_arcs(tmp_path: Path) -> None:
    write_section(tmp_path / "a.svg", [_plate(exact=True)], LEVEL)
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    x, y, width, height = (float(one) for one in root.attrib["viewBox"].split())
    assert root.attrib["width"] == f"{width:g}mm"
    assert (x, y) < (0.0, -40.0)
    assert (x + width > 60.0, y + height > 0.0) == (True, True)
    paths = root.findall(f".//{SVG}path[@fill-rule='evenodd']")
    assert all(path.attrib["d"].count("A8 8 ") == 2 for path in paths)
    assert [title.text for title in root.iter(f"{SVG}title")] == ["plate"]
    assert root.find(f".//{SVG}pattern") is not None


def test_hatching_can_be_left_away(tmp_path: Path) -> None:
    write_section(tmp_path / "a.svg", [_plate(exact=True)], LEVEL, hatch=False)
    assert "pattern" not in (tmp_path / "a.svg").read_text()


def _views(path: Path) -> dict[str, dict[str, str]]:
    root = ElementTree.parse(path).getroot()
    return {
        group.attrib["id"].removeprefix("view-"): {
            one.attrib["class"]: one.attrib["d"] for one in group.iter(f"{SVG}path")
        }
        for group in root.iter(f"{SVG}g")
    }


@pytest.mark.parametrize("exact", [True, False])
def test_a_sheet_shows_three_views_and_an_isometric_one(tmp_path: Path, exact: bool) -> None:
    write_drawing(tmp_path / "a.svg", [_plate(exact=exact)])
    views = _views(tmp_path / "a.svg")
    assert list(views) == ["front", "top", "right", "iso"]
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert (root.attrib["width"], root.attrib["height"]) == ("420mm", "297mm")
    assert (root.findtext(f"{SVG}desc"), root.findtext(f"{SVG}text")) == ("scale 2 : 1, millimetres", "2 : 1")
    assert all("hidden" in views[name] for name in ("front", "right", "iso"))


def _box_of(path: str) -> tuple[float, float, float, float]:
    numbers = [float(one) for one in re.findall(r"-?\d+\.?\d*", re.sub(r"A\S+ \S+ 0 0 [01]", "L", path))]
    xs, ys = numbers[0::2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)


def test_views_are_to_scale_and_in_line_with_each_other(tmp_path: Path) -> None:
    write_drawing(tmp_path / "a.svg", [_plate(exact=True)], ("front", "top", "right"), scale=0.5)
    boxes = {name: _box_of(paths["visible"]) for name, paths in _views(tmp_path / "a.svg").items()}
    sizes = {name: (x1 - x0, y1 - y0) for name, (x0, y0, x1, y1) in boxes.items()}
    assert sizes["front"] == pytest.approx((30.0, 10.0), abs=1e-3)
    assert sizes["top"] == pytest.approx((30.0, 20.0), abs=1e-3)
    assert sizes["right"] == pytest.approx((20.0, 10.0), abs=1e-3)
    assert boxes["front"][0] == pytest.approx(boxes["top"][0], abs=1e-3)
    assert boxes["front"][3] == pytest.approx(boxes["right"][3], abs=1e-3)
    assert boxes["top"][3] < boxes["front"][1]
    assert boxes["right"][0] > boxes["front"][2]


def test_the_hole_is_hidden_from_the_front_and_seen_from_above(tmp_path: Path) -> None:
    write_drawing(tmp_path / "a.svg", [_plate(exact=True)], ("front", "top"), scale=1.0)
    views = _views(tmp_path / "a.svg")
    left = _box_of(views["front"]["visible"])[0]
    sides = {float(one) - left for one in re.findall(r"M(\S+) ", views["front"]["hidden"])}
    assert {12.0, 28.0} <= {round(one, 3) for one in sides}
    assert views["top"]["visible"].count("A8 8 ") == 2
    assert "A" not in views["front"]["visible"]


def test_a_part_before_another_hides_it(tmp_path: Path) -> None:
    back = _pin(exact=True)
    wall = BRepPrimAPI_MakeBox(gp_Pnt(90.0, -20.0, -5.0), 20.0, 5.0, 40.0).Shape()
    front = DrawnPart(
        "wall", _mesh(manifold3d.Manifold.cube([20.0, 5.0, 40.0]).translate([90.0, -20.0, -5.0])), _brep(wall)
    )
    write_drawing(tmp_path / "a.svg", [back, front], ("front",), scale=1.0)
    front_view = _views(tmp_path / "a.svg")["front"]
    x0, y0, x1, y1 = _box_of(front_view["visible"])
    assert (x1 - x0, y1 - y0) == pytest.approx((20.0, 40.0), abs=1e-3)
    assert front_view["visible"].count("M") == 4
    assert "hidden" in front_view


def test_smooth_edges_around_a_rounding_are_thin_lines_of_their_own(tmp_path: Path) -> None:
    part = DrawnPart("box", _plate(exact=False).mesh, _brep(_with_rounded_corners()))
    write_drawing(tmp_path / "a.svg", [part], ("front", "top"), scale=1.0)
    front, top = _views(tmp_path / "a.svg").values()
    left = _box_of(front["visible"])[0]
    starts = [float(one) - left for one in re.findall(r"M(\S+) ", front["smooth"])]
    assert sorted(starts) == pytest.approx([5.0, 55.0], abs=1e-3)
    assert "smooth" not in top
    assert top["visible"].count("A5 5 ") == 4


def test_of_many_meshes_behind_a_wall_only_the_wall_is_seen(tmp_path: Path) -> None:
    """64 pins of 64 sides: so many triangles that each line must look for those before it."""
    wall = manifold3d.Manifold.cube([100.0, 1.0, 100.0]).translate([0.0, -5.0, 0.0])
    pin = manifold3d.Manifold.cylinder(3.0, 1.0, 1.0, 64)
    pins = [pin.translate([12.0 * i + 6.0, 0.0, 12.0 * j + 2.0]) for i in range(8) for j in range(8)]
    parts = [
        DrawnPart("wall", _mesh(wall)),
        DrawnPart("pins", _mesh(manifold3d.Manifold.compose(pins))),
    ]
    write_drawing(tmp_path / "a.svg", parts, ("front", "back"), scale=1.0)
    front, back = _views(tmp_path / "a.svg").values()
    assert front["visible"].count("M") == 1, "one line around the wall"
    assert _box_of(front["visible"])[2] - _box_of(front["visible"])[0] == pytest.approx(100.0, abs=1e-3)
    assert front["hidden"].count("M") >= 64
    assert back["visible"].count("M") >= 64


def test_edges_that_nothing_has_marked_as_smooth_are_found_to_be(tmp_path: Path) -> None:
    """A bar with round ends, put together by booleans: its flat sides run into the ends without a corner."""
    bar = BRepPrimAPI_MakeBox(40.0, 20.0, 10.0).Shape()
    for x in (0.0, 40.0):
        axis = gp_Ax2(gp_Pnt(x, 10.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
        bar = BRepAlgoAPI_Fuse(bar, BRepPrimAPI_MakeCylinder(axis, 10.0, 10.0).Shape()).Shape()
    part = DrawnPart("bar", _plate(exact=False).mesh, _brep(bar))
    write_drawing(tmp_path / "a.svg", [part], ("front",), scale=1.0)
    (front,) = _views(tmp_path / "a.svg").values()
    left = _box_of(front["visible"])[0]
    starts = [float(one) - left for one in re.findall(r"M(\S+) ", front["smooth"])]
    assert sorted(starts) == pytest.approx([10.0, 50.0], abs=1e-3)


@pytest.mark.parametrize(
    ("name", "views", "word"),
    [
        ("a.png", ("front",), "svg"),
        ("a", ("front",), "svg"),
        ("a.svg", ("behind",), "behind"),
        ("a.svg", (), "one"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str, views: tuple[str, ...], word: str
) -> None:
    with pytest.raises(ExportError, match=word):
        write_drawing(tmp_path / name, [_plate(exact=False)], views)
    assert list(tmp_path.iterdir()) == []


def test_a_section_of_nothing_is_refused(tmp_path: Path) -> None:
    plane = Plane.facing((0.0, 0.0, 1.0), (0.0, 0.0, 999.0))
    with pytest.raises(ExportError, match="cuts no part"):
        write_section(tmp_path / "a.svg", _parts(exact=False), plane)
    with pytest.raises(ExportError, match=r"\.dxf"):
        write_section(tmp_path / "a.pdf", _parts(exact=False), LEVEL)
    with pytest.raises(ExportError, match="nothing to draw"):
        write_drawing(tmp_path / "a.svg", [DrawnPart("empty", TriMesh.empty())])
    with pytest.raises(ValueError, match="normal"):
        Plane.facing((0.0, 0.0, 0.0))
    assert list(tmp_path.iterdir()) == []
