"""Parts of engineering materials and painted parts: their looks, their masses, and what is refused."""

from __future__ import annotations

import pytest

from vcad_kernel.errors import GeometryError
from vcad_kernel.operations.materials import ENGINEERING
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.summary import parts_line


def parts(text: str) -> tuple[PartResult, ...]:
    return tuple(DirectService().evaluate(EvalCode(text, allow_scene=True)).parts)


def test_a_material_brings_its_look_and_its_density() -> None:
    (block,) = parts("[root :steel [cube 100 100 10]]")
    assert block.material == ENGINEERING["steel"].material
    assert block.material.density == 7850
    assert parts_line("block", [block]).endswith(" · mass 785 g")
    (beam,) = parts("[pipe [cube 1000 200 100] [root :oak]]")
    assert parts_line("beam", [beam]).endswith(" · mass 14.2 kg")


def test_the_words_of_before_mean_what_they_did() -> None:
    plain, swapped = parts('#[[root [cube 1 1 1] "steel"] [root "steel" [cube 1 1 2]]]')
    assert (plain.material.name, plain.material.density) == ("steel", None)
    assert swapped.material == plain.material
    assert "mass" not in parts_line("x", [plain])


@pytest.mark.parametrize(
    ("color", "rgb"),
    [
        ("tomato", (255, 99, 71)),
        ("#4477aa", (68, 119, 170)),
        ("#47a", (68, 119, 170)),
        ("#4477AAff", (68, 119, 170)),
    ],
)
def test_a_painted_part_has_its_colour(color: str, rgb: tuple[int, int, int]) -> None:
    (part,) = parts(f'[paint "{color}" [cube 1 1 1]]')
    assert part.material.color == pytest.approx([each / 255 for each in rgb])
    assert part.material.name == color


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[paint "tomatoe" [cube 1 1 1]]', 'did you mean "tomato"?'),
        ('[paint "#12345" [cube 1 1 1]]', "must be a colour"),
        ('[paint "#4477aa80" [cube 1 1 1]]', 'write "#4477aa"'),
        ("[root :stel [cube 1 1 1]]", "material must be :steel, :stainless"),
    ],
)
def test_what_is_no_colour_or_material_is_refused_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(GeometryError, match=said.replace("?", r"\?")) as refused:
        parts(text)
    assert refused.value.code in ("INVALID_PARAMETER", "TYPE_MISMATCH")


def test_every_density_says_where_it_is_from() -> None:
    for name, (material, source) in ENGINEERING.items():
        assert material.name == name
        assert material.density is not None
        assert 100 < material.density < 20_000
        assert source
