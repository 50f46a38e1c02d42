"""The parts of tests/models as one writes them in CadQuery; called as measuring.py says."""

import math

import cadquery as cq
from measuring import run


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


def drilled_plate():
    return cq.Workplane().box(2, 3, 0.5).faces(">Z").workplane().hole(0.5)


def offset_disc():
    return cq.Workplane().box(3, 2, 0.5).faces("<X").workplane(offset=0.75).circle(1).extrude(0.5)


def crossed_bars():
    bar = cq.Workplane().circle(1).extrude(10)
    return bar.copyWorkplane(cq.Workplane("YZ", (-5, 0, 0))).circle(1).extrude(10)


def wrapped_cube():
    return cq.Workplane().box(2, 2, 2).shell(0.1)


def swept_helix():
    helix = cq.Workplane(obj=cq.Wire.makeHelix(0.4, 2.4, 0.5))
    trapezium = cq.Workplane("XZ").polyline([(0.35, 0.1), (0.5, 0.05), (0.5, 0.35), (0.35, 0.3)])
    return trapezium.close().sweep(helix, isFrenet=True)


def case_with_lip():
    tub = cq.Workplane().rect(20, 20).extrude(10).edges("|Z or <Z").fillet(2).faces(">Z").shell(2)
    outside = cq.Workplane().workplane(offset=10).rect(22, 22).extrude(1).edges("|Z").fillet(3)
    inside = cq.Workplane().workplane(offset=10).rect(20, 20).extrude(1).edges("|Z").fillet(2)
    return tub.union(outside.cut(inside))


def bearing_seat():
    block = cq.Workplane().rect(80, 60).extrude(10).edges("|Z").fillet(5)
    block = block.faces(">Z").workplane().cboreHole(8, 22, 7)
    return block.faces(">Z").workplane().rect(56, 36, forConstruction=True).vertices().cboreHole(3, 6, 3)


def din_rail():
    rail = cq.Sketch().push([(0, 0.5)]).rect(35, 1).reset().push([(0, 3.75)]).rect(27, 7.5).reset()
    rail = rail.push([(0, 3.25)]).rect(25, 6.5, mode="s").reset().clean()
    inner = cq.selectors.BoxSelector((-17, 0.5, -1), (17, 7, 1))
    rail = rail.vertices(inner).fillet(0.8).reset()
    feet = cq.selectors.BoxSelector((-13, -0.1, -1), (13, 0.1, 1))
    rail = rail.vertices(feet).fillet(1.8).reset()
    rail = rail.vertices(cq.selectors.BoxSelector((-17, 7.4, -1), (17, 7.6, 1))).fillet(1.8)
    body = cq.Workplane("XZ").placeSketch(rail).extrude(500, both=True)
    return (
        body.faces(">Z").workplane(origin=(0, 0, 7.5)).rarray(1, 25, 1, 39).slot2D(15, 6.2, 90).cutBlind(-8)
    )


def card_box():
    def plan(inset):
        return cq.Sketch().rect(71.5 - 2 * inset, 96.9 - 2 * inset).vertices().fillet(65.5 / 15 - inset)

    box = cq.Workplane().placeSketch(plan(0)).extrude(8.85)
    box = box.union(cq.Workplane(origin=(0, 0, 8.85)).placeSketch(plan(1.25)).extrude(7.35))
    return box.cut(cq.Workplane(origin=(0, 0, 1.5)).placeSketch(plan(3)).extrude(14.7))


def bearing_jig():
    low, right = 44 - 10 * math.sin(math.pi / 4), 22 + 10 * math.sin(math.pi / 4)
    half = cq.Workplane().moveTo(0, -15).radiusArc((15, 0), -15).lineTo(15, low - right + 15)
    half = half.lineTo(right, low).radiusArc((22, 54), -10).lineTo(0, 54)
    plan = half.mirrorY().extrude(-36, combine=True).translate((0, 0, 11))
    for side in (-15, 15):
        corner = cq.selectors.BoxSelector((side - 0.1, 22, -30), (side + 0.1, 23.5, 20))
        plan = plan.edges(corner).fillet(12)
    plan = plan.cut(cq.Workplane().pushPoints([(-22, 44), (22, 44)]).circle(6.5).extrude(50, both=True))
    key = cq.Workplane().circle(6).extrude(50, both=True)
    plan = plan.cut(key.union(cq.Workplane().center(0, 4.5).rect(4, 9).extrude(50, both=True)))
    body = cq.Workplane().box(200, 200, 22).faces("<Z").workplane().circle(15).extrude(14)
    weld = cq.selectors.BoxSelector((-16, -16, -11.1), (16, 16, -10.9))
    body = body.edges(weld).fillet(6).intersect(plan)
    return body.cut(cq.Workplane().box(69, 69, 10).translate((0, 46.5, 0)))


def corner_tie():
    foot = cq.Workplane().center(-34.5, 0).rect(69, 75).extrude(13).edges("|Z and <X").fillet(17)
    foot = foot.faces(">Z").workplane(origin=(0, 0, 13)).pushPoints([(-52, -20.5), (-52, 20.5)])
    foot = foot.cboreHole(8, 15, 4)
    turn = math.radians(37.5)
    shoulder = 45 + (15 - 37.5 * math.cos(turn)) / math.sin(turn)
    side, up = 15 * math.cos(turn), 45 + 15 * math.sin(turn)
    cheek = cq.Workplane("YZ").moveTo(-37.5, 0).lineTo(37.5, 0).lineTo(37.5, shoulder).lineTo(side, up)
    cheek = cheek.threePointArc((0, 60), (-side, up)).lineTo(-37.5, shoulder).close().extrude(-13)
    cheek = cheek.cut(cq.Workplane("YZ").center(0, 45).circle(6).extrude(-13))
    reach = 45 * math.sqrt(2) - 37.5
    plane = cq.Plane((0, 0, 0), xDir=(1, 0, -1), normal=(1, 0, 1))
    plan = cq.Sketch().rect(2 * reach, 75).push([(reach, 0)]).circle(37.5).circle(16.5, mode="s")
    tongue = cq.Workplane(plane).placeSketch(plan).extrude(6)
    tongue = tongue.intersect(cq.Workplane().box(100, 100, 200, centered=(False, True, True)))
    body = foot.union(cheek).union(tongue)
    z = 6 * math.sqrt(2)
    return body.edges(cq.selectors.BoxSelector((-0.1, -40, z - 0.1), (0.1, 40, z + 0.1))).fillet(16)


def curved_support():
    x = 49.5 + 30 * math.sin(math.radians(8))
    y = 50 - math.tan(math.radians(8)) * (x - 27.5)
    drop = 32 - (y - 30 * math.cos(math.radians(8)))
    across = 49.5 + math.sqrt(900 - drop**2)
    bridge = cq.Workplane("XZ").lineTo(125, 0).lineTo(125, 32).lineTo(across, 32)
    bridge = bridge.radiusArc((x, y), -30).lineTo(27.5, 50).lineTo(0, 50).close().extrude(5.5, both=True)
    corner = cq.selectors.BoxSelector((across - 0.1, -9, 31.9), (across + 0.1, 9, 32.1))
    bridge = bridge.edges(corner).fillet(66)
    plan = cq.Sketch().arc((0, 0), 27.5, 0, 360).arc((125, 0), 15, 0, 360).hull()
    body = cq.Workplane().circle(27.5).extrude(60).union(cq.Workplane().center(125, 0).circle(15).extrude(32))
    body = body.union(cq.Workplane().placeSketch(plan).extrude(11)).union(bridge)
    bores = (
        cq.Workplane().circle(17.5).extrude(60).union(cq.Workplane().center(125, 0).circle(10).extrude(32))
    )
    return body.cut(bores)


def _box(body):
    box = body.BoundingBox()
    return [[box.xmin, box.ymin, box.zmin], [box.xmax, box.ymax, box.zmax]]


def _body(part):
    return cq.Compound.makeCompound(part.vals())


if __name__ == "__main__":
    run(globals(), _body, lambda body: body.Volume(), lambda body: body.Area(), _box)
