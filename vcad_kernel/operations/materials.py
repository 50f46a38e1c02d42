"""Materials of engineering by name: how they look, how heavy they are, and who says so.

    [root :steel [cube 10 10 10]]

Densities are those that calculations begin with; of a grade or a filament its data sheet counts.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeAlias

from vcad_kernel.operations.arguments import Choice, Given, Solid, String
from vcad_kernel.operations.numbers import invalid
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.scene import Material, SceneEntry
from vcad_kernel.operations.sections import SCENES

__all__ = ["ENGINEERING", "Engineering", "paint", "root_of"]

_ANNEX_A: Final = "EN 1991-1-1, annex A"
_ISO_1183: Final = "data sheets of makers, by ISO 1183"


class Engineering(NamedTuple):
    """A material and where its density, kg/m³, is from."""

    material: Material
    source: str


def _made(
    name: str, color: str, metallic: float, roughness: float, density: float, source: str
) -> tuple[str, Engineering]:
    """color: six hexadecimal digits, sRGB. density: kg/m³."""
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return name, Engineering(Material(name, (red, green, blue), metallic, roughness, float(density)), source)


ENGINEERING: Final[Mapping[str, Engineering]] = MappingProxyType(
    dict(
        (
            _made("steel", "9a9da1", 1.0, 0.45, 7850, f"{_ANNEX_A}: 77.0 to 78.5 kN/m³"),
            _made("stainless", "b9bcbe", 1.0, 0.3, 7900, "EN 10088-1, 1.4301"),
            _made("cast-iron", "5f6265", 1.0, 0.7, 7250, f"{_ANNEX_A}: 71.0 to 72.5 kN/m³"),
            _made("aluminium", "c9ccd0", 1.0, 0.35, 2700, "EN 1999-1-1, 3.2.5"),
            _made("brass", "c9a44c", 1.0, 0.3, 8500, f"{_ANNEX_A}: 83 to 85 kN/m³"),
            _made("bronze", "a87b44", 1.0, 0.4, 8500, f"{_ANNEX_A}: 83 to 85 kN/m³"),
            _made("copper", "c67c52", 1.0, 0.3, 8960, "CRC Handbook, 20 °C"),
            _made("titanium", "8d8a86", 1.0, 0.45, 4506, "CRC Handbook, 20 °C, pure"),
            _made("zinc", "a8adb2", 1.0, 0.5, 7140, "CRC Handbook, 25 °C"),
            _made("pla", "e8e4da", 0.0, 0.5, 1240, _ISO_1183),
            _made("abs", "2b2c2e", 0.0, 0.5, 1040, _ISO_1183),
            _made("petg", "3d6fb4", 0.0, 0.3, 1270, _ISO_1183),
            _made("nylon", "eeeae0", 0.0, 0.55, 1140, f"{_ISO_1183}; polyamide 6, dry"),
            _made("pom", "f4f4f2", 0.0, 0.4, 1410, _ISO_1183),
            _made("polycarbonate", "d8e2e8", 0.0, 0.15, 1200, _ISO_1183),
            _made("acrylic", "dfe9ee", 0.0, 0.1, 1190, _ISO_1183),
            _made("rubber", "26272a", 0.0, 0.9, 1200, f"{_ISO_1183}; filled, 60 Shore A"),
            _made("oak", "b5854f", 0.0, 0.7, 710, "EN 350, European oak"),
            _made("pine", "dcb77f", 0.0, 0.7, 520, "EN 350, Scots pine"),
            _made("plywood", "d2ae78", 0.0, 0.75, 510, f"{_ANNEX_A}: softwood, 5.0 kN/m³"),
            _made("mdf", "a9885e", 0.0, 0.8, 750, "EN 622-5, boards of some 16 mm by makers' sheets"),
            _made("glass", "cfe3e0", 0.0, 0.05, 2500, "EN 572-1"),
            _made("concrete", "9b9a95", 0.0, 0.95, 2400, f"{_ANNEX_A}: normal weight, 24 kN/m³"),
        )
    )
)
"""By the keyword's name, in the order in which lists have them."""

MaterialName: TypeAlias = Annotated[str, Given(Choice(*ENGINEERING))]


@operation(SCENES, "[root :brass [cube 10 10 10]]", name="root", variant="MaterialEntry", swappable=True)
def root_of(material: MaterialName, s: Solid) -> SceneEntry:
    """A part of a material of engineering, which brings its look and its density: its mass is shown."""
    return SceneEntry(s, material, look=ENGINEERING[material].material)


@operation(SCENES, '[paint "coral" [cube 10 10 10]]')
def paint(color: String, s: Solid) -> SceneEntry:
    """A part in a colour: one of the names of CSS, or six hexadecimal digits such as "#4477aa". Two digits
    more say how much of what is behind it it hides: "#4477aa80" is half seen through, and "ff" hides all."""
    rgb, alpha = _rgb_and_alpha(color)
    return SceneEntry(s, color, look=Material(color, rgb, alpha=alpha))


def _rgb_and_alpha(color: str) -> tuple[tuple[float, float, float], float]:
    """sRGB components and alpha in 0..1. Raises: ParameterFault."""
    import webcolors

    digits = len(color) - 1 if color.startswith("#") else 0
    # the colour alone, and the digits of its alpha: webcolors knows none with both
    plain, through = {4: (color[:4], 2 * color[4:]), 8: (color[:7], color[7:])}.get(digits, (color, "ff"))
    try:
        red, green, blue = webcolors.hex_to_rgb(plain) if digits else webcolors.name_to_rgb(color)
        alpha = int(through, 16)
    except ValueError:
        close = get_close_matches(color.lower(), webcolors.names("css3"), 1)
        meant = f'did you mean "{close[0]}"? ' if close else ""
        raise invalid(
            "color", f'must be a colour, got "{color}"; {meant}"tomato" and "#ff6347" are colours'
        ) from None
    if alpha == 0:
        raise invalid("color", f'"{color}" would not be seen at all; write "{plain}80" for half of it')
    return (red / 255, green / 255, blue / 255), alpha / 255
