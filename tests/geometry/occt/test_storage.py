"""What the exact kernel keeps, as bytes and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.geometry.models import EMPTY, box, difference, document, solid
from vcad_kernel.geometry.cache.solid_cache import KeptFigures, SolidCache
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.figures import measured
from vcad_kernel.geometry.occt.storage import KeptSolid, from_bytes, to_bytes
from vcad_kernel.geometry.solid import Note
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.shapes import Cylinder

ROUNDED = document(
    solid(Fillet, difference(box(9.0, 9.0, 3.0), solid(Cylinder, radius=4.0, height=3.0)), radius=0.5)
)


def _brep() -> KeptSolid:
    kernel = OcctKernel(SolidCache())
    note = Note("CODE", "fillet: words — and more", b"\3" * 32)
    body = kernel.brep(ROUNDED, ROUNDED.roots[0].node)
    assert body is not None
    return KeptSolid(replace(body, deviations={body.makers[0]: 1e-3}), (note,))


def test_a_b_rep_comes_back_with_its_figures_its_makers_how_far_off_they_are_and_its_warnings() -> None:
    kept = _brep()
    written = to_bytes(kept)
    assert written is not None
    back = from_bytes(written)
    assert isinstance(back, KeptSolid)
    assert kept.brep is not None
    assert back.brep is not None
    assert back.notes == kept.notes
    assert back.brep.makers == kept.brep.makers
    assert len(set(back.brep.makers)) == 3
    assert back.brep.deviations == kept.brep.deviations
    assert measured(back.brep).volume == pytest.approx(measured(kept.brep).volume, rel=1e-12)


def test_the_empty_solid_comes_back() -> None:
    nothing = to_bytes(KeptSolid(None, ()))
    assert nothing is not None
    assert from_bytes(nothing).brep is None


def test_figures_come_back_digit_for_digit() -> None:
    kernel = OcctKernel(SolidCache())
    for found in (ROUNDED, document(EMPTY)):
        figures = kernel.figures(found, found.roots[0].node)
        assert KeptFigures.from_bytes(KeptFigures(figures).to_bytes()).figures == figures
    for bad in (b"", b"{}", b"[]", b"\xff\xfe"):
        with pytest.raises(ValueError, match=r"\w"):
            KeptFigures.from_bytes(bad)


def test_other_values_are_not_written_and_other_bytes_not_read() -> None:
    assert to_bytes("a string") is None
    written = to_bytes(_brep())
    assert written is not None
    for bad in (b"", b"short", bytes(64), written[:40], written[: len(written) // 2]):
        with pytest.raises(ValueError, match=r"\w"):
            from_bytes(bad)
