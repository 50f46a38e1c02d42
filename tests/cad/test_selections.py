"""Maps of criteria, and values of ``edges`` and ``faces``: what they select by, and what is refused."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.arguments import Kind
from vcad_kernel.operations.features.features import ChamferAt, Draft, FilletAt, ShellOpen
from vcad_kernel.operations.features.selections import WORDS, Ordinal, Selector


def last_node(text: str) -> object:
    value = Environment(prelude=PRELUDE).run(Source("part.oo", text))
    return list(convert(value).nodes.values())[-1]


def edge_selector(criteria: str) -> Selector:
    node = last_node(f"[fillet-at 1 {criteria} [cube 9 8 7]]")
    assert isinstance(node, FilletAt)
    return node.edges


def face_selector(criteria: str) -> Selector:
    node = last_node(f"[shell-open 1 {criteria} [cube 9 8 7]]")
    assert isinstance(node, ShellOpen)
    return node.faces


def error_of(text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        last_node(text)
    return caught.value


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ("{}", Selector("edge")),
        ("{:parallel #[0 0 1]}", Selector("edge", parallel=(0.0, 0.0, 1.0))),
        ("{:parallel (0 0.5 1)}", Selector("edge", parallel=(0.0, 0.5, 1.0))),
        ("{:at {:z 5 :x 1.5}}", Selector("edge", at=(("x", 1.5), ("z", 5.0)))),
        (
            "{:above {:z 5} :below {:y 2}}",
            Selector("edge", above=(("z", 5.0),), below=(("y", 2.0),)),
        ),
        ("{:length (5 20)}", Selector("edge", length=(5.0, 20.0))),
        ("{:length #[5 20]}", Selector("edge", length=(5.0, 20.0))),
        ("{:radius 3}", Selector("edge", radius=(3.0, 3.0))),
        ("{:convex false}", Selector("edge", convex=False)),
        ("{:kind :circle}", Selector("edge", kind="circle")),
        ("{:largest 2}", Selector("edge", largest=2)),
        ("{:smallest 1.0}", Selector("edge", smallest=1)),
        ('{:made-by "cylinder"}', Selector("edge", made_by="cylinder")),
        (":all", Selector("edge")),
        (":top", Selector("edge", side="top")),
        ("{:side :left :kind :line}", Selector("edge", side="left", kind="line")),
        ("{:parallel :x}", Selector("edge", parallel=(1.0, 0.0, 0.0))),
        ("{:adjacent :front}", Selector("edge", adjacent=Selector("face", side="front"))),
        (
            "{:between (:top {:normal :y})}",
            Selector(
                "edge", between=(Selector("face", side="top"), Selector("face", normal=(0.0, 1.0, 0.0)))
            ),
        ),
        (
            "{:or (:top {:radius 3} [edges :back [cube 1 1 1]]) :convex true}",
            Selector(
                "edge",
                convex=True,
                any_of=(
                    Selector("edge", side="top"),
                    Selector("edge", radius=(3.0, 3.0)),
                    Selector("edge", side="back"),
                ),
            ),
        ),
        (
            "{:not {:all-of #[:top :left]}}",
            Selector(
                "edge",
                none_of=Selector(
                    "edge", all_of=(Selector("edge", side="top"), Selector("edge", side="left"))
                ),
            ),
        ),
        ("{:nth -1 :sort-by :length}", Selector("edge", nth=Ordinal(-1), sort_by="length")),
        ("{:new true :inside false}", Selector("edge", new=True, inside=False)),
        ("{:outside true :chain true}", Selector("edge", outside=True, chain=True)),
        (
            "{:adjacent {:normal #[0 0 1] :largest 1}}",
            Selector("edge", adjacent=Selector("face", normal=(0.0, 0.0, 1.0), largest=1)),
        ),
    ],
)
def test_each_criterion_of_edges_is_read(criteria: str, expected: Selector) -> None:
    assert edge_selector(criteria) == expected


def test_faces_have_normals_and_kinds_of_their_own() -> None:
    assert face_selector("{:normal #[0 0 1] :kind :plane}") == Selector(
        "face", normal=(0.0, 0.0, 1.0), kind="plane"
    )


def test_faces_are_sorted_by_area_and_chained_too() -> None:
    assert face_selector("{:nth 0.0 :sort-by :area :chain true :not :top}") == Selector(
        "face", nth=Ordinal(0), sort_by="area", chain=True, none_of=Selector("face", side="top")
    )


def test_a_word_stands_wherever_a_selection_does() -> None:
    for call in ("chamfer-at 1 :top", "fillet-vary 1 2 :top", "draft 0 0 0 0 0 1 5 :front"):
        node = last_node(f"[{call} [cube 9 8 7]]")
        assert isinstance(node, ChamferAt | FilletAt | Draft)
    assert edge_selector("[edges :top [cube 1 1 1]]") == Selector("edge", side="top")
    assert edge_selector(":inside") == Selector("edge", inside=True)
    assert edge_selector("{:or (:outside :top)}").any_of == (
        Selector("edge", outside=True),
        Selector("edge", side="top"),
    )


def test_what_arguments_say_of_the_words_is_all_of_them() -> None:
    for target, kind in (("edge", Kind.EDGES), ("face", Kind.FACES)):
        assert ", ".join(f":{word}" for word in WORDS[target]) in kind.words


def test_a_selection_value_is_taken_wherever_a_map_is() -> None:
    text = "[let s [cube 9 8 7]] [let up [edges {:parallel #[0 0 1]} s]] [chamfer-at 1 up s]"
    node = last_node(text)
    assert isinstance(node, ChamferAt)
    assert node.edges == Selector("edge", parallel=(0.0, 0.0, 1.0))
    within = edge_selector("{:adjacent [faces {:normal #[1 0 0]} [cube 1 1 1]]}")
    assert within.adjacent == Selector("face", normal=(1.0, 0.0, 0.0))


def test_a_criterion_of_faces_asked_of_edges_is_told_how_it_is_said_of_edges() -> None:
    fix = error_of("[fillet-at 1 {:normal #[0 0 1]} [cube 9 8 7]]").fix
    assert fix == "select by what lies beside: {:adjacent {:normal …}}"
    assert error_of("[shell-open 1 {:convex true} [cube 9 8 7]]").fix is None


def test_a_draft_takes_plane_angle_and_faces() -> None:
    node = last_node("[draft 0 0 1  0 0 2  5 {:normal #[1 0 0]} [cube 9 8 7]]")
    assert isinstance(node, Draft)
    assert (node.origin, node.normal, node.angle_deg) == ((0.0, 0.0, 1.0), (0.0, 0.0, 2.0), 5.0)
    assert node.faces == Selector("face", normal=(1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("criteria", "code", "words"),
    [
        ("{:paralel #[0 0 1]}", "INVALID_PARAMETER", "unknown key :paralel; keys are :parallel, :side"),
        (":tpo", "INVALID_PARAMETER", "one of :all, :top, :bottom"),
        ("{:adjacent :inside}", "INVALID_PARAMETER", "got :inside"),
        ("{:side :upper}", "INVALID_PARAMETER", "must be one of :top"),
        ("{:parallel :w}", "INVALID_PARAMETER", "must be one of :x, :y, :z"),
        ("{:or :top}", "TYPE_MISMATCH", "selections in a tuple"),
        ("{:or #[]}", "INVALID_PARAMETER", "got 0"),
        ("{:or (:top 5)}", "TYPE_MISMATCH", "must be a map"),
        ("{:or (:top {:normal :z})}", "INVALID_PARAMETER", "selects faces only"),
        ("{:between (:top :front :left)}", "INVALID_PARAMETER", "two selections of faces"),
        ("{:between (:top {:convex true})}", "INVALID_PARAMETER", "selects edges only"),
        ("{:nth 0}", "INVALID_PARAMETER", "needs :sort-by"),
        ("{:sort-by :x}", "INVALID_PARAMETER", "needs :nth"),
        ("{:nth 0.5 :sort-by :x}", "INVALID_PARAMETER", "must be a whole number"),
        (
            "{:nth 0 :sort-by :area}",
            "INVALID_PARAMETER",
            "must be one of :x, :y, :z, :length, :radius for edges",
        ),
        ("{:new 1}", "TYPE_MISMATCH", "true or false"),
        ('{"parallel" #[0 0 1]}', "INVALID_PARAMETER", "unknown key the text"),
        ("{:normal #[0 0 1]}", "INVALID_PARAMETER", "selects faces only"),
        ("{:parallel 5}", "TYPE_MISMATCH", "three numbers"),
        ("{:parallel #[0 1]}", "TYPE_MISMATCH", "three numbers"),
        ('{:parallel #[0 1 "z"]}', "TYPE_MISMATCH", "three numbers"),
        ("{:parallel #[0 0 0]}", "ZERO_VECTOR", "zero vector"),
        ("{:at 5}", "TYPE_MISMATCH", "a map of coordinates"),
        ("{:at {}}", "INVALID_PARAMETER", "must name a coordinate"),
        ("{:at {:w 5}}", "INVALID_PARAMETER", "coordinates are :x, :y and :z"),
        ("{:at {:z true}}", "TYPE_MISMATCH", "got true"),
        ("{:length (20 5)}", "INVALID_PARAMETER", "must go up"),
        ("{:length (1 2 3)}", "TYPE_MISMATCH", "got 3 values"),
        ("{:convex 1}", "TYPE_MISMATCH", "true or false"),
        ("{:kind :circel}", "INVALID_PARAMETER", "must be one of :line, :circle, :other"),
        ('{:kind "line"}', "TYPE_MISMATCH", "must be one of"),
        ("{:largest 0}", "INVALID_PARAMETER", "whole number from 1"),
        ("{:largest 1.5}", "INVALID_PARAMETER", "whole number from 1"),
        ("{:made-by :cylinder}", "TYPE_MISMATCH", "must be a text"),
        ("{:adjacent {:convex true}}", "INVALID_PARAMETER", "selects edges only"),
        ("5", "TYPE_MISMATCH", "must be a map"),
        ("[faces {:largest 1} [cube 1 1 1]]", "TYPE_MISMATCH", "must select edges"),
        ("{:largest [/ 1.0 0.0]}", "INVALID_PARAMETER", "finite"),
    ],
)
def test_what_is_wrong_is_told_with_function_argument_and_place(criteria: str, code: str, words: str) -> None:
    error = error_of(f"\n[fillet-at 1 {criteria} [cube 9 8 7]]")
    assert (error.code, error.operation, error.argument) == (code, "fillet-at", "which")
    assert words in error.message
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 1)


def test_a_misspelt_key_brings_the_nearest_one() -> None:
    assert error_of("[fillet-at 1 {:paralel #[0 0 1]} [cube 1 1 1]]").fix == "did you mean :parallel?"
    assert error_of("[fillet-at 1 {:kind :circel} [cube 1 1 1]]").fix == "did you mean :circle?"
    assert error_of("[fillet-at 1 :tpo [cube 1 1 1]]").fix == "did you mean :top?"
    assert error_of("[fillet-at 1 {:top true} [cube 1 1 1]]").fix == "write :top alone, or {:side :top}"
    assert error_of("[fillet-at 1 :convex [cube 1 1 1]]").fix == "write it in a map: {:convex …}"


def test_selections_in_each_other_have_an_end() -> None:
    deep = "{:not " * 12 + ":top" + "}" * 12
    assert "more than 8 selections" in error_of(f"[fillet-at 1 {deep} [cube 1 1 1]]").message


def test_a_selection_is_no_model() -> None:
    error = error_of("[edges {:largest 1} [cube 1 1 1]]")
    assert (error.code, error.operation) == ("TYPE_MISMATCH", "edges")
    assert "fillet-at" in error.message
