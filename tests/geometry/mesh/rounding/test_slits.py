"""What is one surface is one in the mesh, too, however its facets lie."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.geometry.kernels import NoExactKernel
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.geometry.evaluate import EvaluatedPart, EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND
from vcad_kernel.geometry.mesh.rounding.slits import has_slits
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

PIPE = "[difference [translate 0 0 -1 [cylinder 5 22]] [cylinder 10 20]]"


def part_of(source: str, options: EvaluationOptions | None = None) -> EvaluatedPart:
    scene = evaluate(convert(Environment(prelude=PRELUDE).run(Source("model", source))), options)
    scene.raise_first()
    return scene.parts[0]


@settings(max_examples=25, deadline=None)
@given(
    turn=some.floats(-360.0, 360.0).map(lambda angle: round(angle, 3)),
    lean=some.sampled_from(("", "30 20 10", "90 0 45")),
    chord=some.sampled_from((0.05, 0.01)),
)
def test_a_plug_that_is_turned_in_its_bore_leaves_no_slits(turn: float, lean: str, chord: float) -> None:
    plugged = f"[union {PIPE} [rotate 0 0 {turn} [cylinder 5 20]]]"
    if lean:
        plugged = f"[rotate {lean} {plugged}]"
    found = part_of(plugged, EvaluationOptions(Tessellation(chord=chord))).mesh_figures
    assert (found.genus, found.shells, found.is_manifold) == (0, 1, True)
    assert found.surface_area == pytest.approx(600 * math.pi, rel=6e-3)
    assert found.volume == pytest.approx(2000 * math.pi, rel=1.5e-2)


@pytest.mark.parametrize(
    ("source", "volume"),
    [
        (f"[union [rotate 30 20 10 {PIPE}] [rotate 30 20 17 [cylinder 5 20]]]", 2000 * math.pi),
        (
            "[union [difference [sphere 5] [cube 16 16 16]] [rotate 10 20 30 [sphere 5]]]",
            4096 + 875 * math.pi / 6,
        ),
        (f"[union [fillet 1 {PIPE}] [cylinder 5 20]]", 6242.733814),
    ],
)
def test_other_plugs_fill_their_bores_too(source: str, volume: float) -> None:
    part = part_of(source)
    assert part.mesh_figures.volume == pytest.approx(volume, rel=3e-3)
    assert part.mesh_figures.genus == 0
    assert part.mesh_figures.surface_area == pytest.approx(part.figures.surface_area, rel=5e-3)


def test_where_no_exact_kernel_can_mend_them_slits_are_said() -> None:
    plugged = f"[union {PIPE} [rotate 0 0 7 [cylinder 5 20]]]"
    found = part_of(plugged, EvaluationOptions(exact=NoExactKernel())).mesh_figures
    assert any(
        note.code == MESH_UNSOUND and "facets of one surface cross" in note.message for note in found.notes
    )


@pytest.mark.parametrize(
    "source",
    [
        "[union [translate 0 0 5 [rotate 0 90 0 [cylinder 5 20]]] [translate -10 -10 -5 [cube 20 20 5]]]",
        "[difference [linear-pattern 1 0 0 8 3 [translate 2 5 -1 [cylinder 1 9]]] [cube 26 6 7]]",
        "[difference [translate 0 0 -1 [cylinder 4.99 22]] [cylinder 5 20]]",
    ],
)
def test_what_touches_or_is_thin_has_none(source: str) -> None:
    mesh, chord = (found := part_of(source).mesh_figures).mesh, found.tolerance
    assert chord is not None
    assert not has_slits(mesh.positions, mesh.indices, chord, among=np.ones(mesh.triangle_count, bool))
