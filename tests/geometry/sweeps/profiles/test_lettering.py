"""Texts as profiles: strokes of the font as exact curves, set about their origin; of files, too."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests.geometry.models import document, solid
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.sweeps.profiles.lettering import set_text
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.sketches import Line, Outlines, Spline
from vcad_kernel.operations.solids.text import Lettering, font

CAPITAL = 1456.0
"""Units of Roboto, in which sizes are whole numbers here."""


class Files:
    """A source that knows one file."""

    def __init__(self, content: bytes = b"") -> None:
        self._content = content

    def content(self, _document: Document, _node: NodeId) -> bytes:
        return self._content


def layers(text: str, held: bytes = b"", **fields: object) -> tuple[Outlines, ...]:
    made = document(solid(Lettering, text=text, size=CAPITAL, **fields))
    return set_text(made, made.roots[0].node, Files(held))


def box(outlines: Outlines) -> tuple[float, float, float, float]:
    points = np.array([curve.start for outline in outlines for curve in outline])
    return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def test_strokes_are_lines_and_parabolas() -> None:
    ((outer, inner),) = layers("D")
    assert {type(curve) for curve in (*outer, *inner)} == {Line, Spline}
    assert {curve.degree for curve in (*outer, *inner) if isinstance(curve, Spline)} == {2}


def test_letters_that_may_overlap_lie_in_layers_of_their_own() -> None:
    assert len(layers("HHH")) == 1
    assert len(layers("AAA", spacing=0.5)) == 2
    assert layers("  ") == ((),)


def test_alignment_moves_the_line_by_its_width_and_the_height_of_capitals() -> None:
    ((left, low, right, high),) = (box(one) for one in layers("H"))
    assert (low, high) == (0.0, CAPITAL)
    wide = 1461.0
    (centred,) = (box(one) for one in layers("H", align="center", valign="center"))
    assert centred == (left - wide / 2, -CAPITAL / 2, right - wide / 2, CAPITAL / 2)
    (ended,) = (box(one) for one in layers("H", align="right", valign="top"))
    assert ended == (left - wide, -CAPITAL, right - wide, 0.0)
    assert box(layers("H", valign="bottom")[0])[1] == 500.0


def test_bold_letters_have_wider_stems() -> None:
    (regular,), (bold,) = layers("l"), layers("l", style="bold")
    stems = [at[2] - at[0] for at in (box(regular), box(bold))]
    assert stems[1] > 1.3 * stems[0]


def _bytes_of(style: str) -> bytes:
    held = io.BytesIO()
    font(style).save(held)
    return held.getvalue()


def test_a_font_of_a_file_is_set_as_one_that_ships() -> None:
    of_file = layers("Äg", _bytes_of("bold"), font="x.ttf", content="00")
    assert of_file == layers("Äg", style="bold")


@pytest.mark.parametrize(
    ("text", "content", "code", "said"),
    [
        ("a", b"no font", "IMPORT_FAILED", "'x.ttf' is no font file that can be read"),
        ("漢", None, "INVALID_PARAMETER", "the font has no letter for '漢'"),
    ],
)
def test_a_file_that_is_no_font_or_lacks_a_letter_is_refused(
    text: str, content: bytes | None, code: str, said: str
) -> None:
    with pytest.raises(GeometryError, match=said) as caught:
        layers(text, _bytes_of("regular") if content is None else content, font="x.ttf", content="00")
    assert caught.value.code == code
