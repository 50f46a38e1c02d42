"""Profiles on faces of bodies, and bodies parted by planes: closed formulas, exact and as meshes."""

from __future__ import annotations

import math

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.figure_rule import boolean_operands
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

PI = math.pi
BASE = "[let base [cube 30 20 8]]\n"
CLEVIS = "[let clevis [difference [translate 0 3 4 [cube 20 14 12]] [cube 20 20 12]]]\n"
TUBE = "[let tube [difference [translate -1 2 2 [cube 32 16 8]] [cube 30 20 12]]]\n"
TOP = "{:normal #[0 0 1] :at {:z 12}}"
SLANTED = "[let w [rotate 0 30 0 [cube 30 20 8]]]\n"
ON_SLANTED = "{:normal #[0.5 0 0.8660254037844386]}"


def model(text: str) -> Document:
    return convert(Environment(prelude=PRELUDE).run(Source("part.oo", text)))


def failure(text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        evaluate(model(text), EvaluationOptions()).raise_first()
    return caught.value


@pytest.mark.parametrize(
    ("text", "volume"),
    [
        (BASE + "[boss-on {:normal #[0 0 1]} 5 [circle 4] base]", 4800 + 80 * PI),
        (BASE + "[pocket-on {:normal #[0 0 1]} 3 [rect 16 8] base]", 4800 - 384),
        (BASE + "[cut-through {:normal #[0 0 1]} [circle 4] base]", 4800 - 128 * PI),
        (SLANTED + f"[boss-on {ON_SLANTED} 5 [circle 4] w]", 4800 + 80 * PI),
        (SLANTED + f"[pocket-on {ON_SLANTED} 5 [circle 4] w]", 4800 - 80 * PI),
        (SLANTED + f"[cut-through {ON_SLANTED} [rounded-rect 8 5 1] w]", 4800 - 8 * (36 + PI)),
        (
            "[cut-through [plane {:at #[0 0 10] :normal #[0 -1 0]}] [circle 2] [cube 20 20 20]]",
            8000 - 40 * PI,
        ),
        (CLEVIS + "[boss-on {:at {:y 3}} :next [circle 2] clevis]", 2560 + 56 * PI),
        (CLEVIS + "[boss-on {:at {:y 3}} :last [circle 2] clevis]", 2560 + 56 * PI),
        (TUBE + f"[pocket-on {TOP} :next [circle 4] tube]", 3360 - 32 * PI),
        (TUBE + f"[pocket-on {TOP} :last [circle 4] tube]", 3360 - 64 * PI),
        ("[keep :above :xy [sphere 10]]", 2000 / 3 * PI),
        ("[keep :below [plane {:at #[0 0 5]}] [sphere 10]]", 4000 / 3 * PI - 625 / 3 * PI),
        ("[nth [halves :yz [cylinder 8 12]] 1]", 384 * PI),
        ("[pull 2 [section-profile :xz [difference [cylinder 4 30] [cylinder 9 12]]]]", 240),
        ("[pull 2 [section-profile [plane {:at #[0 0 3]}] [sphere 5]]]", 32 * PI),
        ("[pull 2 [section-profile :xy [translate 0 0 9 [sphere 5]]]]", 0),
        ("[pull 1 [section-profile [plane {:normal #[1 0 0] :at #[3 0 0]}] [sphere 5]]]", 16 * PI),
        ("[pull 1 [project :xy [cube 3 4 5]]]", 12),
        ("[pull 1 [project :xy [sphere 5]]]", 25 * PI),
        ("[pull 1 [project [plane {:normal #[3 0 4]}] [cylinder 6 20]]]", 28.8 * PI + 144),
        ("[pull 1 [project [plane {:normal #[3 0 4]}] [cube 10 10 10]]]", 140),
        ("[pull 1 [project :xy [torus 10 3]]]", 120 * PI),
        ("[pull 1 [project :xz [torus 10 3]]]", 120 + 9 * PI),
    ],
)
def test_what_grows_on_a_body_and_what_a_plane_makes_of_one_has_the_volume_of_the_formula(
    text: str, volume: float
) -> None:
    document = model(text)
    root = document.roots[0].node
    assert OcctKernel().figures(document, root).volume == pytest.approx(volume, rel=1e-8)
    scene = evaluate(document, EvaluationOptions(Tessellation(segments=64)))
    scene.raise_first()
    mesh = scene.parts[0].mesh
    corners = mesh.positions[mesh.indices.reshape(-1, 3)]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    total = float((a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])).sum())
    total += float((a[:, 1] * (b[:, 2] * c[:, 0] - b[:, 0] * c[:, 2])).sum())
    total += float((a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])).sum())
    assert total / 6.0 == pytest.approx(volume, rel=5e-3)


@pytest.mark.parametrize(
    ("text", "code", "argument"),
    [
        (BASE + "[boss-on {} 3 [circle 4] base]", "AMBIGUOUS_FACE", "face"),
        (BASE + "[boss-on {:normal #[1 2 3]} 3 [circle 4] base]", "NO_MATCH", "face"),
        (BASE + "[boss-on {:normal #[0 0 1]} -3 [circle 4] base]", "INVALID_PARAMETER", "h"),
        (BASE + "[pocket-on {:normal #[0 0 1]} 0 [circle 4] base]", "INVALID_PARAMETER", "depth"),
        (BASE + "[boss-on {:normal #[0 0 1]} :next [circle 4] base]", "OPEN_ENDED", "h"),
        (BASE + "[boss-on [plane {:at #[9 9 4]}] :next [circle 4] base]", "NOTHING_MET", "face"),
        (BASE + "[pocket-on [plane {:at #[9 9 20]}] :next [circle 4] base]", "NOTHING_MET", "depth"),
        ("[cut-through {:kind :cylinder} [circle 4] [cylinder 9 9]]", "NOT_PLANE", "face"),
    ],
)
def test_a_face_or_a_depth_that_cannot_be_is_refused_with_the_name_of_the_call(
    text: str, code: str, argument: str
) -> None:
    error = failure(text)
    assert (error.code, error.argument) == (code, argument)
    assert error.operation in ("boss-on", "pocket-on", "cut-through")


def _tower(storeys: int) -> str:
    text = "[cube 40 40 5]"
    for storey in range(storeys):
        text = (
            f"[boss-on {{:normal #[0 0 1] :at {{:z {5 + storey}}}}} 1 [circle {20 - 0.05 * storey}] {text}]"
        )
    return text


def test_a_boss_on_a_boss_counts_each_body_once() -> None:
    document = model(_tower(20))
    assert boolean_operands(document, document.roots[0].node) == 21


def test_one_more_boss_builds_nothing_below_it_anew() -> None:
    kernel = OcctKernel(SolidCache())
    document = model(_tower(6))
    kernel.brep(document, document.roots[0].node)
    built: list[str] = []
    more = model(_tower(7))
    original = kernel._built

    def watched(document, visit, build, below):  # type: ignore[no-untyped-def]
        built.append(document.nodes[visit.node].KIND)
        return original(document, visit, build, below)

    kernel._built = watched  # type: ignore[method-assign]
    kernel.brep(more, more.roots[0].node)
    assert sorted(built) == ["Pull", "Union", "Union"]


@pytest.mark.parametrize("stands", ["[on [face-plane :top base] [circle 2]]", "[section-profile :xy base]"])
def test_what_was_found_of_a_solid_on_which_a_profile_stands_is_told(stands: str) -> None:
    scene = evaluate(
        model(f"[let base [fillet-at 1 {{:convex true}} [cube 9 9 9]]]\n[pull 2 {stands}]"),
        EvaluationOptions(),
    )
    assert [warning.code for warning in scene.warnings] == ["SELECTS_ALL"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[pocket-on :top 3 [translate 99 0 0 [circle 2]] base]", "nothing is cut: what is sunk lies 112"),
        ("[cut-through :top [translate 99 0 0 [circle 2]] base]", "nothing is cut: the body lies 0 ≤ x ≤ 30"),
        ("[cut-through :yz [translate 99 0 0 [circle 2]] base]", "nothing is cut"),
        ("[pocket-on :xy 3 [translate 5 5 0 [circle 2]] base]", "nothing is cut"),
        ("[boss-on :top 3 [translate 99 0 0 [circle 2]] base]", "it stands apart from the body"),
        (
            "[fillet-at 1 {:parallel :z} [pocket-on :top 3 [translate 99 0 0 [circle 2]] base]]",
            "nothing is cut",
        ),
        (
            "[boss-on :front 2 [circle 2] [cut-through :top [translate 99 0 0 [circle 2]] base]]",
            "nothing is cut",
        ),
        # within the box of the body, where it is not
        ("[pocket-on {:at {:x 8}} 2 [rect 2 2] [difference [translate 5 5 -1 [cube 50 50 50]] base]]", None),
        (
            "[cut-through :top [translate 9 6 0 [circle 2]]"
            " [difference [translate 5 5 -1 [cube 50 50 50]] base]]",
            "",
        ),
        # what follows may take all traces of a cut away
        ("[keep :below [plane {:at #[0 0 2]}] [pocket-on :top 3 [circle 2] base]]", None),
        ("[translate 0 0 1 [boss-on :top 3 [circle 2] [union [translate 50 0 0 [sphere 3]] base]]]", None),
    ],
)
def test_what_lies_beside_its_body_is_told_with_both_boxes(text: str, said: str | None) -> None:
    cache = SolidCache()
    for _ in range(2):  # the second time from what is known
        warnings = evaluate(model(BASE + text), cache=cache).warnings
        if said is None:
            assert warnings == ()
        else:
            (warning,) = warnings
            assert warning.code == "BESIDE_BODY"
            assert said in warning.message
            assert warning.place is not None
