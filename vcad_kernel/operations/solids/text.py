"""Letters as a solid or as a profile, and the fonts that they are cut from."""

from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from vcad_kernel.operations.arguments import Choice, Given, Key, Mm, Real, String
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.numbers import ParameterFault, invalid, positive
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import GEARS_AND_TEXT, PROFILES
from vcad_kernel.operations.solids.imported import Files

__all__ = ["Lettering", "Text", "check_characters", "font", "unknown_characters"]

_ROBOTO: Final = Path(__file__).parents[1] / "roboto"
"""Google's, under the Apache licence 2.0, which lies beside it."""

Style: TypeAlias = Annotated[str, Given(Choice("regular", "bold"))]
Align: TypeAlias = Annotated[str, Given(Choice("left", "center", "right"))]
Valign: TypeAlias = Annotated[str, Given(Choice("baseline", "center", "top", "bottom"))]


class Text(Node):
    """Letters standing on the X axis from the origin, extruded from z = 0."""

    CURVED: ClassVar[bool] = True
    """Though it may be flat by chance; fonts are not looked into."""

    text: str
    size: Mm
    """Height of a capital letter."""
    height: Mm

    def check(self) -> None:
        """Sizes above 0, and letters that the font has."""
        positive("size", self.size)
        positive("height", self.height)
        check_characters(self.text, font())


@operation(GEARS_AND_TEXT, '[text 8 2 "VCAD"]', subject_last=True)
def text(size: Mm, height: Mm, text: String) -> Text:
    """Letters standing on the X axis from the origin, raised from z = 0. size is the height of a
    capital letter."""
    return Text(text, size, height)


class Lettering(Node):
    """Letters as a profile on XY, of a font that ships or of a file."""

    GIVES: ClassVar[str] = "Sketch"
    CURVED: ClassVar[bool] = True
    """Though they may be straight by chance, as those of `Text`."""

    text: str
    size: Mm
    """Height of a capital letter."""
    style: str | None = None
    """``bold``."""
    align: str | None = None
    """``center`` or ``right``."""
    valign: str | None = None
    """``center``, ``top`` or ``bottom``."""
    spacing: float | None = None
    """Factor of how far the pen moves from letter to letter."""
    font: str | None = None
    """The path of a font file."""
    content: str | None = None
    """Hexadecimal blake3 of its bytes."""

    @property
    def file(self) -> tuple[str, str] | None:
        """The font file."""
        return None if self.font is None or self.content is None else (self.font, self.content)

    def check(self) -> None:
        """A size above 0, and letters that a font of ours has; those of a file are seen when it is read."""
        positive("size", self.size)
        if self.spacing is not None:
            positive("spacing", self.spacing)
        if self.font is None:
            check_characters(self.text, font(self.style or "regular"))


@operation(
    PROFILES,
    '[text 8 "VCAD"]',
    '[pull 2 [text 8 "VCAD"]]',
    name="text",
    variant="Lettering",
    subject_last=True,
    options=(
        Key("font", String, None, "a font file of the workspace; Roboto if none is named"),
        Key("style", Style, "regular", "of Roboto; a file is of one style"),
        Key("align", Align, "left", "which part of the line lies at x = 0"),
        Key("valign", Valign, "baseline", "what lies at y = 0: of the height of capitals, or the descent"),
        Key("spacing", Real, 1.0, "factor of how far one letter is from the next"),
    ),
)
def lettering(
    size: Mm,
    text: String,
    *,
    font: str | None,
    style: str,
    align: str,
    valign: str,
    spacing: float,
    files: Files,
) -> Lettering:
    """With no height it is a profile, whose letters are one where they overlap."""
    if font is not None and style != "regular":
        raise invalid("style", f"goes with Roboto; for {style} letters name the file of a {style} font")
    path, content = (None, None) if font is None else files(font)
    return Lettering(
        text,
        size,
        None if style == "regular" else style,
        None if align == "left" else align,
        None if valign == "baseline" else valign,
        None if spacing == 1.0 else spacing,
        path,
        content,
    )


def check_characters(text: str, font: Any) -> None:
    """Whether a font has all characters of a text. Raises: ParameterFault."""
    unknown = unknown_characters(text, font)
    if unknown:
        listed = ", ".join(map(repr, unknown))
        raise ParameterFault("INVALID_PARAMETER", "text", f"the font has no letter for {listed}")


def unknown_characters(text: str, font: Any) -> str:
    """Those characters of a text that a font has no glyph for, each once."""
    known = font.getBestCmap()
    return "".join(dict.fromkeys(character for character in text if ord(character) not in known))


@lru_cache(maxsize=2)
def font(style: str = "regular") -> Any:
    """Roboto in a style, opened with fontTools when the first text is asked for."""
    from fontTools.ttLib import TTFont

    # of its bytes, so that no file stays open
    return TTFont(BytesIO((_ROBOTO / f"Roboto-{style.capitalize()}.ttf").read_bytes()), lazy=True)
