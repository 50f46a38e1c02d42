"""What an agent's picture costs beside the plain one of the same parts, in the same run.

Nothing here passes or fails by the clock; what is asserted is that the work was done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.benchmarks.test_speed import best_of
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.render.annotations.labels import labels
from vcad_kernel.render.camera import VIEWS
from vcad_kernel.render.picture import draw
from vcad_kernel.render.section import Cut, cut_open, hatched
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode

Record = Callable[[str, float, float, str], None]

SIZE = (960, 640)
BYTES = 96 * 1024
LIMIT = 2.5
"""Times a plain picture that one with a section, names and dimensions may take."""


@pytest.fixture(scope="module")
def bolts() -> list[PartMesh]:
    service = DirectService()
    found = []
    for number in range(30):
        text = (
            f"[translate {number % 6 * 30} {number // 6 * 30} 0 [cylinder {4 + number % 3 * 3} {6 + number}]]"
        )
        (part,) = service.evaluate(EvalCode(text)).parts
        found.append(replace(part.part_mesh(), name=f"bolt_{number}"))
    return found


@pytest.mark.benchmark(group="picture")
def test_a_picture_with_section_names_and_dimensions(
    benchmark: Any, record: Record, bolts: list[PartMesh]
) -> None:
    def plain() -> bytes:
        return draw(bolts, *SIZE, limit=BYTES)

    def labelled() -> bytes:
        opened = cut_open(bolts, Cut("z", 5.0), VIEWS["iso"])
        written = labels(opened.bodies, names=True, dimensions=True, surfaces=opened.cuts)
        return draw(opened.shown, *SIZE, overlays=[hatched(opened.cuts), written], limit=BYTES)

    assert labelled() != plain()
    once = best_of(3, plain)
    benchmark.pedantic(labelled, rounds=3)
    record("30 parts cut open, with labels", best_of(3, labelled), LIMIT * once, "2.5 × the plain picture")
