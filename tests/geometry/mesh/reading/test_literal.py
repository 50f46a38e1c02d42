"""Mesh literals become solids, or are refused."""

from __future__ import annotations

import math

import pytest

from tests.geometry.models import EMPTY, Solid, box, difference, figures, scene, solid, union
from vcad_kernel.errors import GeometryError
from vcad_kernel.operations.solids.imported import ImportedMesh

CORNERS = tuple(
    10.0 * bit
    for corner in ("000", "100", "110", "010", "001", "101", "111", "011")
    for bit in map(int, corner)
)
FACES = tuple(int(digit) for digit in "021032456467015054126165237276304347")


def literal(positions: tuple[float, ...] = CORNERS, indices: tuple[int, ...] = FACES) -> Solid:
    return solid(ImportedMesh, positions=positions, indices=indices)


def error_of(body: Solid) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        scene(body)
    return caught.value


def test_a_closed_mesh_is_a_full_citizen_of_booleans() -> None:
    cut = difference(literal(), box(10.0, 10.0, 10.0, at=(5.0, 5.0, 5.0)))
    assert figures(cut).volume == pytest.approx(875.0)
    assert figures(difference(box(10.0, 10.0, 10.0, at=(5.0, 5.0, 5.0)), literal())).volume == pytest.approx(
        875.0
    )
    joined = figures(union(literal(), box(10.0, 10.0, 10.0, at=(10.0, 0.0, 0.0))))
    assert (joined.volume, joined.surface_area) == (pytest.approx(2000.0), pytest.approx(1000.0))
    assert joined.exact


def test_an_inside_out_mesh_is_turned() -> None:
    flipped = tuple(FACES[base + corner] for base in range(0, 36, 3) for corner in (0, 2, 1))
    assert figures(literal(indices=flipped)).volume == pytest.approx(1000.0)


def test_separate_vertices_of_each_triangle_are_welded() -> None:
    soup = tuple(
        CORNERS[3 * index + axis] + 3e-7 * math.sin(7.0 * place + axis)
        for place, index in enumerate(FACES)
        for axis in range(3)
    )
    found = figures(literal(soup, tuple(range(36))))
    assert found.volume == pytest.approx(1000.0, rel=1e-6)
    assert found.vertices == 8


def test_degenerate_triangles_are_dropped() -> None:
    assert figures(literal(indices=(*FACES, 0, 0, 1, 2, 2, 2))).volume == pytest.approx(1000.0)


def test_a_mesh_of_nothing_is_empty() -> None:
    assert figures(literal((), ())).is_empty
    assert figures(union(literal((), ()), EMPTY)).is_empty


@pytest.mark.parametrize("indices", [FACES[:-3], (*FACES, 0, 2, 1), (*FACES[:-3], 3, 7, 4)])
def test_a_mesh_that_is_not_closed_is_refused(indices: tuple[int, ...]) -> None:
    error = error_of(literal(indices=indices))
    assert (error.code, error.operation) == ("MESH_NOT_MANIFOLD", "ImportedMesh")


@pytest.mark.parametrize(
    ("positions", "indices", "argument"),
    [
        (CORNERS[:-1], FACES, "positions"),
        (CORNERS, FACES[:-1], "indices"),
        (CORNERS, (*FACES, 0, 1, 99), "indices"),
        ((math.nan, *CORNERS[1:]), FACES, "positions"),
    ],
)
def test_bad_lists_are_refused_naming_the_argument(
    positions: tuple[float, ...], indices: tuple[int, ...], argument: str
) -> None:
    error = error_of(literal(positions, indices))
    assert (error.code, error.argument) == ("INVALID_PARAMETER", argument)


def two_cubes(size: float, at: float, *, inverted: bool = False) -> Solid:
    """The cube, and another of the given size with its corner at (at, at, at), in one literal."""
    second = tuple(size / 10.0 * part + at for part in CORNERS)
    order = (0, 2, 1) if inverted else (0, 1, 2)
    faces = tuple(FACES[first + corner] + 8 for first in range(0, len(FACES), 3) for corner in order)
    return literal(CORNERS + second, FACES + faces)


@pytest.mark.parametrize(
    ("body", "volume", "lumps", "shells"),
    [
        (two_cubes(10.0, 20.0), 2000.0, 2, 2),
        (two_cubes(5.0, 20.0, inverted=True), 1125.0, 2, 2),
        (two_cubes(10.0, 5.0), 1875.0, 1, 1),
        (two_cubes(5.0, 2.0), 1000.0, 1, 1),
        (two_cubes(5.0, 2.0, inverted=True), 875.0, 1, 2),
    ],
    ids=["apart", "one inside out", "overlapping", "swallowed", "cavity"],
)
def test_lumps_of_one_literal_are_united(body: Solid, volume: float, lumps: int, shells: int) -> None:
    measured = figures(body)
    assert measured.volume == pytest.approx(volume)
    assert (measured.lumps, measured.shells) == (lumps, shells)


def test_a_triangle_without_area_is_dropped_if_nothing_hangs_on_it() -> None:
    spare = literal((*CORNERS, 5.0, 0.0, 0.0), (*FACES, 0, 8, 1))
    assert figures(spare).volume == pytest.approx(1000.0)


def test_normals_come_in_threes() -> None:
    error = error_of(solid(ImportedMesh, positions=CORNERS, indices=FACES, normals=(0.0, 1.0)))
    assert (error.code, error.argument) == ("INVALID_PARAMETER", "normals")
