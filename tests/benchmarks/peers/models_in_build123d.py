"""The parts of tests/models as one writes them in build123d's algebra mode; called as measuring.py says."""

from math import cos, radians, sin, sqrt

from build123d import (
    Align,
    Axis,
    Bezier,
    Box,
    Circle,
    CounterBoreHole,
    CounterSinkHole,
    Cylinder,
    Ellipse,
    FilletPolyline,
    GeomType,
    GridLocations,
    Helix,
    Keep,
    Kind,
    Line,
    Plane,
    PolarLocations,
    Polyline,
    Pos,
    RadiusArc,
    Rectangle,
    RectangleRounded,
    RegularPolygon,
    Rot,
    Sketch,
    SlotOverall,
    TangentArc,
    ThreePointArc,
    extrude,
    fillet,
    loft,
    make_face,
    make_hull,
    mirror,
    offset,
    revolve,
    scale,
    split,
    sweep,
)
from measuring import run

FLAT = (Align.CENTER, Align.MIN)
UP = (Align.CENTER, Align.CENTER, Align.MIN)


def block():
    return Box(80, 60, 10)


def bored_block():
    return Box(80, 60, 10) - Cylinder(11, 10)


def pillow_block():
    plate = extrude(Rectangle(30, 40) - Circle(11), 10)
    top = Plane(plate.faces().sort_by().last)
    return plate - top * GridLocations(22, 32, 2, 2) * CounterBoreHole(1.2, 2.2, 2.1, 10)


def round_plate():
    return extrude(Circle(2) - Rectangle(0.5, 0.75), 0.5)


def arched_plate():
    arc = ThreePointArc((2, 1), (1, 1.5), (0, 1))
    return extrude(make_face(Polyline((0, 1), (0, 0), (2, 0), (2, 1)) + arc), 0.25)


def disc_with_windows():
    return extrude(Circle(3) - Pos(1.5, 0) * Rectangle(0.5, 0.5) - Pos(0, 1.5) * Circle(0.25), 0.25)


def disc_with_four_holes():
    return extrude(Circle(2) - PolarLocations(1.5, 4) * Circle(0.25), 0.125)


def plate_with_hexagons():
    plate = Rectangle(3, 4) - GridLocations(0, 1.5, 1, 2) * RegularPolygon(0.5, 6)
    return extrude(plate, 0.125, both=True)


def i_beam():
    half = Polyline((0, 10), (10, 10), (10, 9), (0.5, 9), (0.5, -9), (10, -9), (10, -10), (0, -10))
    return extrude(make_face(half + mirror(half, Plane.YZ)), 100)


def mirrored_channel():
    half = Polyline((0, 0), (1, 0), (1, 0.5), (0.75, 0.5), (0.75, 0.25), (0, 0.25))
    return extrude(make_face(half + mirror(half, Plane.YZ)), 0.25)


def corner_cut():
    plate = Box(3, 2, 0.5)
    corner = plate.vertices().group_by(Axis.Z)[-1].sort_by_distance((-9, -9))[0]
    return plate - Pos(*corner) * Cylinder(1, 1)


def holes_askew():
    plate = Box(4, 4, 0.25)
    askew = Pos(0, -1.5, 1.125) * Rot(60, 0, 0)
    return plate - askew * GridLocations(1.5, 1.5, 2, 2) * Cylinder(0.125, 20)


def plate_with_corner_holes():
    return Box(2, 2, 0.5) - GridLocations(1.5, 1.5, 2, 2) * Cylinder(0.0625, 0.5)


def hollow_cube():
    cube = Box(2, 2, 2)
    return cube - offset(cube, -0.1)


def open_box():
    cube = Box(2, 2, 2)
    return offset(cube, -0.1, openings=cube.faces().sort_by().last)


def counterbored_plate():
    plate = Box(4, 2, 0.5)
    top = Plane(plate.faces().sort_by().last)
    return plate - top * GridLocations(3.5, 1.5, 2, 2) * CounterBoreHole(0.0625, 0.125, 0.125, 0.5)


def rounded_plate():
    plate = Box(3, 3, 0.5)
    return fillet(plate.edges() | Axis.Z, 0.125)


def split_block():
    return split(Box(1, 1, 1) - Cylinder(0.25, 1), Plane.XZ, keep=Keep.BOTTOM)


def turned_ring():
    return revolve(Pos(20, 0) * Rectangle(20, 20), Axis.Y)


def bottle():
    half = Polyline((-10, 0), (-10, 3)) + ThreePointArc((-10, 3), (0, 6), (10, 3)) + Line((10, 3), (10, 0))
    body = extrude(make_face(half + mirror(half, Plane.XZ)), 30) + Pos(0, 0, 30) * Cylinder(3, 2, align=UP)
    return offset(body, -0.3, openings=body.faces().sort_by().last, kind=Kind.INTERSECTION)


def lego_brick():
    brick = Box(47.8, 15.8, 3.2, align=UP)
    brick = offset(brick, -1.5, openings=brick.faces().sort_by().first)
    brick += Pos(0, 0, 3.2) * GridLocations(8, 8, 6, 2) * Cylinder(2.4, 1.8, align=UP)
    return brick + extrude(Sketch() + GridLocations(8, 8, 5, 1) * (Circle(3.25) - Circle(2.4)), 1.7)


def enclosure():
    box = extrude(RectangleRounded(100, 150, 10), 47)
    box = fillet(box.edges() << Axis.Z, 2) - Pos(0, 0, 3) * extrude(RectangleRounded(94, 144, 7), 50)
    posts = Sketch() + GridLocations(76, 126, 2, 2) * (Circle(5) - Circle(2))
    return box + extrude(Pos(0, 0, 3) * posts, 44)


def m8_bolt():
    return extrude(RegularPolygon(6.5, 6, major_radius=False), -5.3) + Cylinder(4, 40, align=UP)


def m8_washer():
    return extrude(Circle(8) - Circle(4.2), 1.6)


def hollow_section_round():
    return extrude(Circle(30.15) - Circle(26.95), 1000)


def hollow_section_rectangular():
    return extrude(RectangleRounded(100, 50, 6) - RectangleRounded(92, 42, 4), 1000)


def _beam(height, width, web, flange, root):
    plan = Rectangle(web, height) + GridLocations(0, height - flange, 1, 2) * Rectangle(width, flange)
    roots = plan.vertices().filter_by_position(Axis.X, -web / 2, web / 2)
    return extrude(
        fillet(roots.filter_by_position(Axis.Y, flange - height / 2, height / 2 - flange), root), 1000
    )


def ipe_100():
    return _beam(100, 55, 4.1, 5.7, 7)


def hea_100():
    return _beam(96, 100, 5, 8, 12)


def clamp_base():
    plan = RectangleRounded(68, 95, 18) - Pos(0, -2) * RectangleRounded(36, 63, 7)
    frame = split(extrude(plan, 16), Plane.YZ)
    back = extrude(Plane((0, 29.5, 8), z_dir=(0, 1, 0)) * Circle(8), 18)
    front = extrude(Plane((0, -56.5, 8), z_dir=(0, 1, 0)) * Circle(8), 23)
    hole = Plane((0, -56.5, 8), z_dir=(0, -1, 0)) * CounterSinkHole(2.75, 5.6, 120, 90)
    return frame + back + front - hole


def bearing_bracket():
    base = extrude(Rectangle(115, 50) - Pos(2.5, 0) * SlotOverall(90, 12), 15)
    flare = Pos(-1, 19.5) * Rectangle(9, 9) - Pos(3.5, 24) * Circle(9)
    cheek = Pos(-31.5, 21) * Rectangle(52, 42) + Pos(-31.5, 42) * Circle(26) + flare
    side = Plane.XZ.offset(25)
    wall = extrude(side * cheek, -12)
    wall -= side * Pos(-31.5, 42) * CounterBoreHole(12, 17, 4, 12)
    body = (base + wall + mirror(wall, Plane.XZ)) & extrude(RectangleRounded(115, 50, 6), 80)
    groove = Polyline((-9, 0), (9, 0), (9 + 8 / sqrt(3), 8), (-9 - 8 / sqrt(3), 8), close=True)
    return body - extrude(Plane.YZ * make_face(groove), 58, both=True)


def post_cap():
    dome = Pos(4.5, 40) * Ellipse(20, 8) & Pos(20, 40) * Rectangle(40, 60)
    half = dome + Pos(2.25, 24) * Rectangle(4.5, 48) + Pos(12.25, 20) * Rectangle(24.5, 40)
    body = revolve(Plane.XZ * half, Axis.Z)
    ring = Plane((-15, 0, 0), x_dir=(0, 1, 0), z_dir=(1, 0, 0)) * Pos(0, 3) * Ellipse(5, 2)
    handle = revolve(ring, Axis((-15, 0, 20), (0, 1, 0)), 180)
    body += handle
    body = fillet(body.edges().filter_by(GeomType.BSPLINE), 1)
    hollow = extrude(Circle(21), 37, taper=4)
    return body - fillet(hollow.edges() >> Axis.Z, 3)


def angle_bracket():
    side = Polyline((0, 0), (51, 0), (51, -23), (61, -23), (61, 7), (0, 7), close=True)
    face = make_face(side)
    face = fillet(face.vertices().sort_by_distance((61, 7))[0], 10)
    face = fillet(face.vertices().sort_by_distance((51, 0))[0], 5)
    foot = extrude(Plane.XZ * face, 19, both=True)
    flare = Pos(21, 9) * Rectangle(4, 4) - Pos(23, 11) * Circle(4)
    foot += revolve(Plane.XZ * flare, Axis.Z) & Box(61, 38, 20, align=(Align.MIN, Align.CENTER, Align.MIN))
    body = foot + extrude(Circle(19), 20) + extrude(Circle(13), 28) - extrude(Circle(8), 28)
    back = Plane((61, 0, -23), x_dir=(0, 0, 1), z_dir=(1, 0, 0))
    return body - extrude(back * SlotOverall(34, 18), -5) - extrude(back * SlotOverall(28, 12), -10)


def paste_sleeve():
    high = Pos(0, 0, 103)
    sleeve = loft([SlotOverall(51, 44), high * SlotOverall(66, 10)], ruled=True)
    sleeve -= loft([SlotOverall(45, 38), high * SlotOverall(60, 4)], ruled=True)
    return sleeve + extrude(SlotOverall(51, 44) - SlotOverall(45, 38), -30)


def tie_plate():
    plan = Rectangle(122, 162) + GridLocations(122, 0, 2, 1) * SlotOverall(190, 66, rotation=90)
    plate = extrude(plan - GridLocations(122, 124, 2, 2) * Circle(14.5) - Circle(42), 16)
    hook = Polyline((45, 0), (85, -19), (125, -19), (125, 11), (45, 11), close=True)
    side = Plane.XZ * (make_face(hook) - Pos(111, -5) * Circle(5.5))
    seen = Pos(85, 0) * Rectangle(80, 8) + Pos(105, 0) * Rectangle(40, 20)
    ear = extrude(side, 10, both=True) & extrude(seen, 60, both=True)
    return plate + ear + mirror(ear, Plane.YZ)


def drilled_plate():
    return Box(2, 3, 0.5) - Cylinder(0.25, 0.5)


def offset_disc():
    return Box(3, 2, 0.5) + extrude(Plane.YZ.offset(-2.25) * Circle(1), -0.5)


def crossed_bars():
    return Cylinder(1, 10, align=UP) + extrude(Plane.YZ.offset(-5) * Circle(1), 10)


def wrapped_cube():
    cube = Box(2, 2, 2)
    return offset(cube, 0.1) - cube


def swept_helix():
    trapezium = make_face(Polyline((0.35, 0.1), (0.5, 0.05), (0.5, 0.35), (0.35, 0.3), close=True))
    return sweep(Plane.XZ * trapezium, Helix(0.4, 2.4, 0.5), is_frenet=True)


def case_with_lip():
    tub = extrude(RectangleRounded(24, 24, 4), 12)
    core = extrude(RectangleRounded(20, 20, 2), 10)
    core = fillet(core.edges() << Axis.Z, 2)
    case = Pos(0, 0, -2) * fillet(tub.edges() << Axis.Z, 4) - core
    return case + extrude(Pos(0, 0, 10) * (RectangleRounded(22, 22, 3) - RectangleRounded(20, 20, 2)), 1)


def bearing_seat():
    block = extrude(RectangleRounded(80, 60, 5), 10)
    top = Plane(block.faces().sort_by().last)
    block -= top * CounterBoreHole(4, 11, 7, 10)
    return block - top * GridLocations(56, 36, 2, 2) * CounterBoreHole(1.5, 3, 3, 10)


def din_rail():
    rail = Rectangle(35, 1, align=FLAT) + Rectangle(27, 7.5, align=FLAT) - Rectangle(25, 6.5, align=FLAT)
    bends = rail.vertices().filter_by_position(Axis.X, -17, 17)
    inner = bends.filter_by_position(Axis.Y, 0, 7.5, inclusive=(False, False))
    rail = fillet(inner, 0.8)
    sharp = rail.vertices().filter_by_position(Axis.X, -17, 17)
    rail = fillet(sharp.filter_by_position(Axis.Y, 0, 0) + sharp.filter_by_position(Axis.Y, 7.5, 7.5), 1.8)
    slots = Sketch() + GridLocations(0, 25, 1, 39) * SlotOverall(15, 6.2, rotation=90)
    return extrude(Plane.XZ * rail, 500, both=True) - extrude(slots, 8)


def card_box():
    plan = RectangleRounded(71.5, 96.9, 65.5 / 15)
    box = extrude(plan, 8.85) + extrude(Pos(0, 0, 8.85) * offset(plan, -1.25), 7.35)
    return box - extrude(Pos(0, 0, 1.5) * offset(plan, -3), 14.7)


def _suit(half, mirrored=Plane.YZ):
    suit = make_face(half + mirror(half, mirrored))
    return scale(suit, 18.18 / suit.bounding_box().size.Y)


def card_box_lid():
    heart = Bezier((0, 146), (20, 169), (67, 198), (97, 198))
    heart += Bezier((97, 198), (125, 198), (151, 186), (168, 167))
    heart += Bezier((168, 167), (197, 133), (194, 88), (158, 31))
    heart += Bezier((158, 31), (126, -13), (94, -48), (62, -95))
    heart += Bezier((62, -95), (40, -128), (0, -198))
    diamond = Bezier((135, 0), (94, 69), (47, 134), (0, 198))
    diamond += mirror(diamond, Plane.XZ)
    spade = Bezier((0, 198), (6, 190), (41, 127), (112, 61))
    spade += Bezier((112, 61), (242, -72), (114, -168), (11, -105))
    spade += Bezier((11, -105), (31, -174), (42, -179), (53, -198))
    spade += Line((53, -198), (0, -198))
    club = Line((0, -188), (76, -188))
    club += Bezier((76, -188), (61, -185), (33, -173), (17, -81))
    club += Bezier((17, -81), (49, -128), (146, -145), (167, -67))
    club += Bezier((167, -67), (187, 9), (94, 52), (32, 18))
    club += Bezier((32, 18), (92, 57), (113, 188), (0, 188))
    suits = Pos(-19.65, 27.27) * _suit(heart) + Pos(-19.65, -27.27) * _suit(diamond)
    suits += Pos(19.65, 27.27) * _suit(spade) + Pos(19.65, -27.27) * _suit(club)
    plan = RectangleRounded(71.5, 96.9, 65.5 / 15)
    return extrude(plan, 8.85) - extrude(offset(plan, -1.75), 7.35) - extrude(suits, 9)


def bearing_jig():
    low = 44 - 10 * sin(radians(45))
    right = 22 + 10 * sin(radians(45))
    half = RadiusArc((0, -15), (15, 0), -15)
    half += FilletPolyline((15, 0), (15, low - right + 15), (right, low), radius=12)
    half += TangentArc((right, low), (22, 54), tangent=(1, 1))
    half += Line((22, 54), (0, 54))
    plan = make_face(half + mirror(half, Plane.YZ)) - Pos(0, 44) * GridLocations(44, 0, 2, 1) * Circle(6.5)
    plan -= Circle(6) + Pos(0, 4.5) * Rectangle(4, 9)
    body = Box(200, 200, 22) + Pos(0, 0, -25) * Cylinder(15, 25, align=UP)
    weld = body.edges().filter_by(GeomType.CIRCLE).sort_by(Axis.Z)[-1]
    body = fillet(weld, 6) & extrude(Pos(0, 0, -25) * plan, 36)
    return body - Pos(0, 46.5, 0) * Box(69, 69, 10)


def corner_tie():
    foot = Pos(-34.5, 0) * Rectangle(69, 75)
    foot = extrude(fillet(foot.vertices() << Axis.X, 17), 13)
    foot -= Pos(-52, 0, 13) * GridLocations(0, 41, 1, 2) * CounterBoreHole(4, 7.5, 4, 13)
    turn = radians(37.5)
    shoulder = 45 + (15 - 37.5 * cos(turn)) / sin(turn)
    low, eye = Rectangle(75, shoulder, align=FLAT), Pos(0, 45) * Circle(15)
    cheek = make_hull(low.edges() + eye.edges()) - Pos(0, 45) * Circle(6)
    reach = 45 * sqrt(2) - 37.5
    tongue = Rectangle(2 * reach, 75) + Pos(reach, 0) * Circle(37.5) - Pos(reach, 0) * Circle(16.5)
    tongue = extrude(Plane((0, 0, 0), x_dir=(1, 0, -1), z_dir=(1, 0, 1)) * tongue, 6)
    body = foot + extrude(Plane.YZ * cheek, -13) + split(tongue, Plane.YZ)
    return fillet(body.edges().filter_by(Axis.Y).sort_by_distance((0, 0, 6 * sqrt(2)))[0], 16)


def _box(part):
    box = part.bounding_box()
    return [list(box.min), list(box.max)]


if __name__ == "__main__":
    run(globals(), lambda part: part, lambda part: part.volume, lambda part: part.area, _box)
