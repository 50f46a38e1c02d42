"""Parts of engineering materials and painted parts: their looks, their masses, and what is refused."""

from __future__ import annotations

import msgspec
import pytest

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import codec_json
from vcad_kernel.operations.materials import ENGINEERING
from vcad_kernel.operations.scene import Material
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


@pytest.mark.parametrize(("color", "opacity"), [("#4477aa80", 128 / 255), ("#47a8", 136 / 255)])
def test_a_colour_of_eight_digits_lets_light_through(color: str, opacity: float) -> None:
    (part,) = parts(f'[paint "{color}" [cube 1 1 1]]')
    assert part.material.opacity == opacity
    assert part.material.color == pytest.approx([68 / 255, 119 / 255, 170 / 255])


def test_what_lets_no_light_through_is_written_as_before() -> None:
    plain, said = Material("x", (0.0, 0.5, 1.0)), Material("x", (0.0, 0.5, 1.0), alpha=1.0)
    assert said == plain
    assert said.opacity == 1.0
    assert b"alpha" not in msgspec.json.encode(said)
    assert repr(said) == (
        "Material(name='x', color=(0.0, 0.5, 1.0), metallic=0.0, roughness=0.5, density=None, friction=None)"
    )


def test_an_alpha_of_a_document_is_a_share() -> None:
    document = {"materials": {"x": {"color": [0, 0, 0], "alpha": 1.5}}}
    with pytest.raises(GeometryError, match=r"materials\[x\].alpha must be in 0..1") as refused:
        codec_json.decode(document)
    assert refused.value.code == "INVALID_PARAMETER"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[paint "tomatoe" [cube 1 1 1]]', 'did you mean "tomato"?'),
        ('[paint "#12345" [cube 1 1 1]]', "must be a colour"),
        ('[paint "#4477aa8x" [cube 1 1 1]]', "must be a colour"),
        ('[paint "#4477aa00" [cube 1 1 1]]', 'write "#4477aa80"'),
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


def test_a_material_may_come_after_its_solid_as_its_name_may() -> None:
    (after,) = parts("[root [cube 10 10 10] :steel]")
    (before,) = parts("[root :steel [cube 10 10 10]]")
    assert after.material == before.material == ENGINEERING["steel"].material
