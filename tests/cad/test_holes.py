"""Holes as programs write them: what their maps mean, what is refused, and what is told while typing."""

from __future__ import annotations

import math
from typing import cast

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.reference import ALL
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.analysis import complete
from vcad_kernel.loon.analysis.knowledge import KnownEntries
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.places import CentersOf, Places, Points
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.planes import FacePlane, PlaneAt

TOP = "{:normal #[0 0 1]}"


def model(text: str) -> Document:
    return convert(Environment(prelude=[*PRELUDE]).run(Source("part.oo", text)))


def drilled(hole: str, places: str = "#[#[0 0]]", face: str = TOP) -> DrillTool:
    """What a drill of a cube takes away."""
    document = model(f"[pipe [cube 60 40 8] [drill {face} {hole} {places}]]")
    whole = document.nodes[document.roots[0].node]
    assert isinstance(whole, Difference)
    return cast(DrillTool, document.nodes[whole.right])


def refused(hole: str, places: str = "#[#[0 0]]") -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        drilled(hole, places)
    assert caught.value.operation == "drill"
    assert caught.value.place is not None
    return caught.value


@pytest.mark.parametrize(
    ("hole", "diameter"),
    [
        ("{:d 5}", 5.0),
        ('{:for "M4"}', 4.5),
        ('{:for "M4" :fit :fine}', 4.3),
        ('{:for "M4" :fit :coarse}', 4.8),
        ('{:tap "M4"}', 3.3),
        ('{:tap "M4" :thread false}', 3.3),
        ('{:insert "M3"}', 4.0),
    ],
)
def test_a_hole_has_the_diameter_of_its_table(hole: str, diameter: float) -> None:
    tool = drilled(hole)
    assert (tool.diameter, tool.depth, tool.width, tool.seat, tool.point) == (diameter, None, diameter, 0, 0)


@pytest.mark.parametrize(
    ("hole", "width", "seat"),
    [
        ('{:for "M4" :head :counterbored}', 8.0, 4.4),
        ('{:for "M4" :head :countersunk}', 9.18, 0.5 * (9.18 - 4.5)),
        ('{:for "M4" :fit :coarse :head :countersunk}', 9.18, 0.5 * (9.18 - 4.8)),
        ("{:d 5 :cbore #[9 3]}", 9.0, 3.0),
        ("{:d 5 :csk #[9 120]}", 9.0, 2.0 / math.tan(math.radians(60))),
    ],
)
def test_the_seat_of_a_head_is_so_wide_and_so_deep(hole: str, width: float, seat: float) -> None:
    tool = drilled(hole)
    assert (tool.width, tool.seat) == pytest.approx((width, seat))


def test_a_depth_ends_at_the_shoulder_and_the_point_lies_below() -> None:
    tool = drilled("{:d 6 :depth 5 :tip 118}")
    assert (tool.depth, tool.tip) == (5.0, 118.0)
    assert tool.point == pytest.approx(3.0 / math.tan(math.radians(59)))


@pytest.mark.parametrize(
    ("hole", "argument", "said"),
    [
        ("{}", "hole", "one of :d, :for, :tap and :insert, got none of them"),
        ('{:d 3 :for "M4"}', "hole", "got :d and :for"),
        ("{:d 3 :fit :fine}", ":fit", "goes with :for alone"),
        ("{:d 3 :head :countersunk}", ":head", "goes with :for alone"),
        ("{:d 3 :thread false}", ":thread", "goes with :tap alone"),
        ("{:d 3 :tip 118}", ":tip", "goes with :depth alone"),
        ('{:for "M4" :head :countersunk :csk #[9 90]}', ":csk", "does not go together with :head"),
        ("{:d 3 :cbore #[6 2] :csk #[6 90]}", ":csk", "does not go together with :cbore"),
        ('{:for "M9"}', ":for", 'no size "M9"; sizes are M1.6, M1.8'),
        ('{:for "m4"}', ":for", "did you mean M4?"),
        ('{:tap "M4.5"}', ":tap", "ISO 2306"),
        ('{:for "M30" :head :countersunk}', ":head", "M16, M20 (DIN 74"),
    ],
)
def test_a_hole_that_makes_no_sense_is_refused_before_anything_is_built(
    hole: str, argument: str, said: str
) -> None:
    error = refused(hole)
    assert (error.code, error.argument) == ("INVALID_PARAMETER", argument)
    assert said in error.message


def test_a_thread_is_cut_with_the_coarse_pitch_of_its_size() -> None:
    tool = drilled('{:tap "M8" :thread true}')
    assert (tool.diameter, tool.thread, tool.pitch) == (6.8, 8.0, 1.25)
    assert (tool.width, tool.wall) == (8.0, 8.0)
    plain = drilled('{:tap "M8" :thread false}')
    assert (plain.thread, plain.pitch, plain.wall) == (None, None, 6.8)


@pytest.mark.parametrize(("hole", "argument"), [("{:for 4}", ":for"), ("{:d :wide}", ":d"), ("5", "hole")])
def test_a_value_of_another_kind_is_a_mismatch_of_its_key(hole: str, argument: str) -> None:
    error = refused(hole)
    assert (error.code, error.argument) == ("TYPE_MISMATCH", argument)


@pytest.mark.parametrize("places", ["5", "[cube 1 1 1]", "#[1 2]", "#[#[1 2 3]]"])
def test_places_are_points_or_what_gives_places(places: str) -> None:
    error = refused("{:d 3}", places)
    assert (error.code, error.argument) == ("TYPE_MISMATCH", "places")


@pytest.mark.parametrize(
    ("which", "of"),
    [
        ("{:kind :circle}", "edge"),
        ("{:radius 2}", "edge"),
        ("{:normal #[1 0 0]}", "face"),
        ("{:kind :cylinder}", "face"),
        ("[faces {:radius 2} [cube 1 1 1]]", "face"),
        ("[edges {:radius 2} [cube 1 1 1]]", "edge"),
    ],
)
def test_centres_are_of_edges_unless_only_faces_have_the_keys(which: str, of: str) -> None:
    places: Places = drilled("{:d 3}", f"[centers-of {which}]").places
    assert isinstance(places, CentersOf)
    assert places.which.target == of


def test_a_key_that_neither_edges_nor_faces_have_is_refused() -> None:
    with pytest.raises(GeometryError) as caught:
        drilled("{:d 3}", "[centers-of {:concave true}]")
    assert caught.value.argument == "which"


def test_a_plane_may_stand_in_place_of_a_face() -> None:
    document = model("[pipe [cube 9 9 9] [drill :xz {:d 2} #[#[4 4]]]]")
    assert any(isinstance(node, PlaneAt) for node in document.nodes.values())
    on_face = model(f"[pipe [cube 9 9 9] [drill {TOP} {{:d 2}} #[#[4 4]]]]")
    (plane,) = (node for node in on_face.nodes.values() if isinstance(node, FacePlane))
    assert plane.face == Selector("face", normal=(0.0, 0.0, 1.0))
    given = model(f"[let box [cube 9 9 9]] [drill [face-plane {TOP} box] {{:d 2}} #[#[4 4]] box]")
    assert given.content_digest == on_face.content_digest


def test_points_are_kept_in_order() -> None:
    assert drilled("{:d 3}", "#[#[1 2] #[-3 4.5]]").places == Points(((1.0, 2.0), (-3.0, 4.5)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[drill {TOP} {{:dia 5}} [corners 6] part]", "drill knows no key :dia"),
        (f'[drill {TOP} {{:d "wide"}} [corners 6] part]', "under :d"),
        (f'[drill {TOP} {{:for "M4" :fit :loose}} [corners 6] part]', ":fit is one of :fine, :medium"),
        (f'[drill {TOP} {{:for "M4" :head :flat}} [corners 6] part]', ":head is one of :countersunk"),
        ("[drill {:norm #[0 0 1]} {:d 5} [corners 6] part]", "drill knows no key :norm"),
        ("[centers-of {:conve true}]", "centers-of knows no key :conve"),
        (f"[drill {TOP} {{:d 5}} [corners 6] 5]", "drill wants a solid for s"),
        (f"[drill {TOP} 5 [corners 6] part]", "drill wants a map of a hole"),
        ("[corners :six]", "corners wants a number (mm) for inset"),
    ],
)
def test_what_is_wrong_is_told_while_it_is_typed(text: str, said: str) -> None:
    found = [*Environment(prelude=[*PRELUDE]).check(Source("part.oo", f"[let part [cube 9 9 9]]\n{text}"))]
    (finding,) = found
    assert said in finding.what


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("[drill {:no‸", ":normal"),
        ("[drill {:normal #[0 0 1]} {:t‸}]", ":tap"),
        ('[drill {:normal #[0 0 1]} {:for "M4" :fit ‸}]', ":coarse"),
        ('[drill {:normal #[0 0 1]} {:for "M4" :head :co‸}]', ":counterbored"),
        ("[along-edge {:pa‸} 3 5]", ":parallel"),
        ("[centers-of {:kind :cy‸}]", ":cylinder"),
    ],
)
def test_the_map_of_a_hole_is_completed(marked: str, first: str) -> None:
    text, _, rest = marked.partition("‸")
    assert complete(text + rest, len(text), KnownEntries(ALL)).items[0].label == first
