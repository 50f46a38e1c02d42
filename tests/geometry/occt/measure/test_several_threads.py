"""What is kept of the bodies that were asked about last is the same however many ask at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.measure.boxes import loose_box
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.figures import measured
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, rough_volume, volume_of

THREADS = 8
ROUNDS = 2
BORED = bodies.difference(bodies.cylinder(8, 20), bodies.turned(bodies.cylinder(3, 40), 0.7, (1, 2, 0)))
SOURCES = (*bodies.ALL_KINDS, bodies.filleted(bodies.box(7, 8, 9), 1.5), BORED, bodies.cushion(30.0))
"""More than any of the stores keeps."""
QUESTIONS: tuple[Callable[[TopoDS_Shape], object], ...] = (
    volume_of,
    rough_volume,
    area_of,
    box_of,
    is_valid,
    lambda shape: boundary_numbers(shape).stations.tolist(),
    lambda shape: [(edge.turn, edge.convex) for edge in sharp_edges(shape)],
    lambda shape: measured(Brep.made(shape, bodies.BELOW)),
    lambda shape: loose_box(Brep.made(shape, bodies.BELOW)).tolist(),
)


@pytest.fixture(autouse=True)
def often_changing() -> Iterator[None]:
    """Threads take turns a thousand times as often as they do by themselves."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def _copies() -> list[TopoDS_Shape]:
    """Bodies that nobody has asked about."""
    return [BRepBuilderAPI_Copy(source).Shape() for source in SOURCES]


def _answers(shapes: list[TopoDS_Shape], begin: int) -> list[tuple[int, int, object]]:
    """To each question about each body, from some body on."""
    count = len(shapes)
    return sorted(
        (
            ((begin + step) % count, number, question(shapes[(begin + step) % count]))
            for step in range(count)
            for number, question in enumerate(QUESTIONS)
        ),
        key=lambda answer: answer[:2],
    )


def test_eight_threads_at_once_get_what_one_gets() -> None:
    wanted = _answers(_copies(), 0)
    for _ in range(ROUNDS):
        shapes, together = _copies(), Barrier(THREADS)

        def ask(begin: int, shapes: list[TopoDS_Shape] = shapes, together: Barrier = together) -> object:
            together.wait()
            return _answers(shapes, begin)

        with ThreadPoolExecutor(THREADS) as threads:
            for answers in threads.map(ask, range(THREADS)):
                assert answers == wanted
