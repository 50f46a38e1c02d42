"""The parts of tests/models in CadQuery: ``python FILE ROUNDS [NAME …]`` prints a JSON object.

For each name: volume, area and box of the exact body, the seconds of the quickest of some rounds, and
how many lines its function has. A round makes the body, its volume and triangles within 0.02 mm.
"""

import inspect
import json
import math
import sys
import time

import cadquery as cq


def block():
    return cq.Workplane().box(80, 60, 10)


def bored_block():
    return cq.Workplane().box(80, 60, 10).faces(">Z").workplane().hole(22)


def pillow_block():
    return (
        cq.Workplane()
        .box(30, 40, 10, centered=(True, True, False))
        .faces(">Z")
        .workplane()
        .hole(22)
        .faces(">Z")
        .workplane()
        .rect(22, 32, forConstruction=True)
        .vertices()
        .cboreHole(2.4, 4.4, 2.1)
    )


def round_plate():
    return cq.Workplane().circle(2).rect(0.5, 0.75).extrude(0.5)


def arched_plate():
    return cq.Workplane().lineTo(2, 0).lineTo(2, 1).threePointArc((1, 1.5), (0, 1)).close().extrude(0.25)


def disc_with_windows():
    plan = cq.Workplane().circle(3).center(1.5, 0).rect(0.5, 0.5)
    return plan.center(-1.5, 1.5).circle(0.25).extrude(0.25)


def disc_with_four_holes():
    plan = cq.Workplane().circle(2).pushPoints([(1.5, 0), (0, 1.5), (-1.5, 0), (0, -1.5)])
    return plan.circle(0.25).extrude(0.125)


def plate_with_hexagons():
    plate = cq.Workplane().box(3, 4, 0.25)
    return plate.pushPoints([(0, 0.75), (0, -0.75)]).polygon(6, 1).cutThruAll()


def i_beam():
    half = [(0, 10), (10, 10), (10, 9), (0.5, 9), (0.5, -9), (10, -9), (10, -10), (0, -10)]
    return cq.Workplane().polyline(half).mirrorY().extrude(100)


def mirrored_channel():
    half = cq.Workplane().hLine(1).vLine(0.5).hLine(-0.25).vLine(-0.25).hLineTo(0)
    return half.mirrorY().extrude(0.25)


def corner_cut():
    corner = cq.Workplane().box(3, 2, 0.5).faces(">Z").vertices("<XY")
    return corner.workplane(centerOption="CenterOfMass").circle(1).cutThruAll()


def holes_askew():
    return (
        cq.Workplane()
        .box(4, 4, 0.25)
        .faces(">Z")
        .workplane()
        .transformed(offset=(0, -1.5, 1), rotate=(60, 0, 0))
        .rect(1.5, 1.5, forConstruction=True)
        .vertices()
        .hole(0.25)
    )


def plate_with_corner_holes():
    plate = cq.Workplane().box(2, 2, 0.5).faces(">Z").workplane()
    return plate.rect(1.5, 1.5, forConstruction=True).vertices().hole(0.125)


def hollow_cube():
    return cq.Workplane().box(2, 2, 2).shell(-0.1)


def open_box():
    return cq.Workplane().box(2, 2, 2).faces("+Z").shell(-0.1)


def counterbored_plate():
    plate = cq.Workplane().box(4, 2, 0.5).faces(">Z").workplane()
    return plate.rect(3.5, 1.5, forConstruction=True).vertices().cboreHole(0.125, 0.25, 0.125)


def rounded_plate():
    return cq.Workplane().box(3, 3, 0.5).edges("|Z").fillet(0.125)


def split_block():
    bored = cq.Workplane().box(1, 1, 1).faces(">Z").workplane().circle(0.25).cutThruAll()
    return bored.faces(">Y").workplane(-0.5).split(keepTop=True)


def turned_ring():
    return cq.Workplane().rect(20, 20).revolve(360, (-20, 0), (-20, 1)).translate((20, 0, 0))


def bottle():
    half = cq.Workplane().center(-10, 0).vLine(3).threePointArc((10, 6), (20, 3)).vLine(-3)
    body = half.mirrorX().extrude(30)
    neck = body.faces(">Z").workplane(centerOption="CenterOfMass").circle(3).extrude(2)
    return neck.faces(">Z").shell(-0.3, kind="intersection")


def lego_brick():
    brick = cq.Workplane().box(47.8, 15.8, 3.2, centered=(True, True, False)).faces("<Z").shell(-1.5)
    studs = brick.faces(">Z").workplane().rarray(8, 8, 6, 2).circle(2.4).extrude(1.8)
    tubes = studs.faces("<Z").workplane(invert=True).rarray(8, 8, 5, 1)
    return tubes.circle(3.25).circle(2.4).extrude(1.7)


def enclosure():
    outside = cq.Workplane().rect(100, 150).extrude(47).edges("|Z").fillet(10).edges("<Z").fillet(2)
    inside = cq.Workplane().workplane(offset=3).rect(94, 144).extrude(50).edges("|Z").fillet(7)
    posts = cq.Workplane().workplane(offset=3).rect(76, 126, forConstruction=True).vertices()
    return outside.cut(inside).union(posts.circle(5).circle(2).extrude(44))


def m8_bolt():
    head = cq.Workplane().polygon(6, 26 / math.sqrt(3)).extrude(-5.3)
    return head.faces(">Z").workplane().circle(4).extrude(40)


def m8_washer():
    return cq.Workplane().circle(8).circle(4.2).extrude(1.6)


def hollow_section_round():
    return cq.Workplane().circle(30.15).circle(26.95).extrude(1000)


def hollow_section_rectangular():
    outside = cq.Workplane().rect(100, 50).extrude(1000).edges("|Z").fillet(6)
    return outside.cut(cq.Workplane().rect(92, 42).extrude(1000).edges("|Z").fillet(4))


def _beam(height, width, web, flange, root):
    body = cq.Workplane().rect(web, height).extrude(1000)
    for side in (-1, 1):
        middle = side * (height - flange) / 2
        body = body.union(cq.Workplane().center(0, middle).rect(width, flange).extrude(1000))
    inner = cq.selectors.BoxSelector(
        (-web, flange - height / 2 - 0.1, 0), (web, height / 2 - flange + 0.1, 1000)
    )
    return body.edges("|Z").edges(inner).fillet(root)


def ipe_100():
    return _beam(100, 55, 4.1, 5.7, 7)


def hea_100():
    return _beam(96, 100, 5, 8, 12)


def clamp_base():
    frame = cq.Workplane().rect(68, 95).extrude(16).edges("|Z").fillet(18)
    window = cq.Workplane().center(0, -2).rect(36, 63).extrude(16).edges("|Z").fillet(7)
    frame = frame.cut(window).intersect(cq.Workplane().center(17, 0).rect(34, 95).extrude(16))
    back = cq.Workplane("XZ", (0, 47.5, 8)).circle(8).extrude(18)
    front = cq.Workplane("XZ", (0, -33.5, 8)).circle(8).extrude(23)
    return (
        frame.union(back)
        .union(front)
        .faces("<Y")
        .workplane(centerOption="CenterOfBoundBox")
        .cskHole(5.5, 11.2, 90)
    )


def bearing_bracket():
    base = cq.Workplane().rect(115, 50).extrude(15)
    base = base.cut(cq.Workplane().center(2.5, 0).slot2D(90, 12).extrude(15))
    cheek = cq.Sketch().push([(-31.5, 21)]).rect(52, 42).reset().push([(-31.5, 42)]).circle(26)
    flare = cq.Sketch().push([(-1, 19.5)]).rect(9, 9).reset().push([(3.5, 24)]).circle(9, mode="s")
    side = cq.Workplane("XZ", (0, -25, 0))
    wall = side.placeSketch(cheek).extrude(-12).union(side.placeSketch(flare).extrude(-12))
    for radius, depth in ((12, 12), (17, 4)):
        wall = wall.cut(side.center(-31.5, 42).circle(radius).extrude(-depth))
    groove = [(-9, 0), (9, 0), (9 + 8 / math.sqrt(3), 8), (-9 - 8 / math.sqrt(3), 8)]
    body = base.union(wall).union(wall.mirror("XZ"))
    body = body.intersect(cq.Workplane().rect(115, 50).extrude(80).edges("|Z").fillet(6))
    return body.cut(cq.Workplane("YZ").polyline(groove).close().extrude(58, both=True))


def post_cap():
    half = cq.Workplane("XZ").lineTo(24.5, 0).lineTo(24.5, 40).ellipseArc(20, 8, 0, 90, sense=1)
    body = half.lineTo(0, 48).close().revolve(360, (0, 0), (0, 1))
    handle = cq.Workplane("YZ", (-15, 0, 0)).center(0, 3).ellipse(5, 2).revolve(180, (0, 17), (1, 17))
    joints = cq.selectors.BoxSelector((-26, -7, 0), (-20, 7, 40))
    body = body.union(handle).edges(joints).fillet(1)
    hollow = cq.Workplane().circle(21).extrude(37, taper=4).faces(">Z").edges().fillet(3)
    return body.cut(hollow)


def angle_bracket():
    side = [(0, 0), (51, 0), (51, -23), (61, -23), (61, 7), (0, 7)]
    foot = cq.Workplane("XZ").polyline(side).close().extrude(19, both=True)
    for x, z, radius in ((61, 7, 10), (51, 0, 5)):
        corner = cq.selectors.BoxSelector((x - 0.1, -20, z - 0.1), (x + 0.1, 20, z + 0.1))
        foot = foot.edges(corner).fillet(radius)
    flare = cq.Sketch().push([(21, 9)]).rect(4, 4).reset().push([(23, 11)]).circle(4, mode="s")
    ring = cq.Workplane("XZ").placeSketch(flare).revolve(360, (0, 0), (0, 1))
    ring = ring.intersect(cq.Workplane().box(61, 38, 20, centered=(False, True, False)))
    body = foot.union(ring).union(cq.Workplane().circle(19).extrude(20))
    body = body.union(cq.Workplane().circle(13).extrude(28)).cut(cq.Workplane().circle(8).extrude(28))
    for length, width, depth in ((34, 18, 5), (28, 12, 10)):
        body = body.cut(cq.Workplane("YZ", (61, 0, -23)).slot2D(length, width, 90).extrude(-depth))
    return body


def paste_sleeve():
    def between(low, high):
        return cq.Workplane().slot2D(*low).workplane(offset=103).slot2D(*high).loft(ruled=True)

    sleeve = between((51, 44), (66, 10)).cut(between((45, 38), (60, 4)))
    collar = cq.Workplane().slot2D(51, 44).extrude(-30).cut(cq.Workplane().slot2D(45, 38).extrude(-30))
    return sleeve.union(collar)


def tie_plate():
    plan = cq.Sketch().rect(122, 162).push([(-61, 0), (61, 0)]).slot(124, 66, angle=90).reset()
    plan = plan.rarray(122, 124, 2, 2).circle(14.5, mode="s").reset().circle(42, mode="s")
    plate = cq.Workplane().placeSketch(plan).extrude(16)
    side = [(45, 0), (85, -19), (125, -19), (125, 11), (45, 11)]
    hook = cq.Workplane("XZ").polyline(side).close().extrude(10, both=True)
    bore = cq.Workplane("XZ").center(111, -5).circle(5.5).extrude(10, both=True)
    seen = cq.Workplane().center(85, 0).rect(80, 8).extrude(60, both=True)
    seen = seen.union(cq.Workplane().center(105, 0).rect(40, 20).extrude(60, both=True))
    ear = hook.cut(bore).intersect(seen)
    return plate.union(ear).union(ear.mirror("YZ"))


def measured(name, rounds):
    made, spent = globals()[name], []
    for _ in range(rounds):
        start = time.perf_counter()
        solid = cq.Compound.makeCompound(made().vals())
        volume = solid.Volume()
        solid.tessellate(0.02, 0.2)
        spent.append(time.perf_counter() - start)
    box = made().combine().val().BoundingBox() if len(made().vals()) > 1 else made().val().BoundingBox()
    ends = [[box.xmin, box.ymin, box.zmin], [box.xmax, box.ymax, box.zmax]]
    source = inspect.getsource(made)
    source += "".join(inspect.getsource(globals()[part]) for part in ("_beam",) if part in source)
    lines = len([line for line in source.splitlines() if line.strip()]) - 1
    return {"volume": volume, "area": solid.Area(), "box": ends, "seconds": min(spent), "lines": lines}


NAMES = [name for name, value in list(globals().items()) if inspect.isfunction(value)]
NAMES = [name for name in NAMES if name != "measured" and not name.startswith("_")]

if __name__ == "__main__":
    asked = sys.argv[2:] or NAMES
    print(json.dumps({name: measured(name, int(sys.argv[1])) for name in asked}))
