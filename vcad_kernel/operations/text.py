"""Letters as a solid, and the font that they are cut from."""

from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final

from vcad_kernel.operations.arguments import Mm, String
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.numbers import ParameterFault, positive
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import GEARS_AND_TEXT

__all__ = ["Text", "font", "unknown_characters"]

_ROBOTO: Final = Path(__file__).parent / "roboto" / "Roboto-Regular.ttf"
"""Google's, under the Apache licence 2.0, which lies beside it."""


class Text(Node):
    """Letters standing on the X axis from the origin, extruded from z = 0."""

    CURVED: ClassVar[bool] = True
    """Though it may be flat by chance; nobody looks into fonts."""

    text: str
    size: Mm
    """Height of a capital letter."""
    height: Mm

    def check(self) -> None:
        """Sizes above 0, and letters that the font has."""
        positive("size", self.size)
        positive("height", self.height)
        unknown = unknown_characters(self.text)
        if unknown:
            listed = ", ".join(map(repr, unknown))
            raise ParameterFault("INVALID_PARAMETER", "text", f"the font has no letter for {listed}")


@operation(GEARS_AND_TEXT, '[text 8 2 "VCAD"]', subject_last=True)
def text(size: Mm, height: Mm, text: String) -> Text:
    """Letters standing on the X axis from the origin, raised from z = 0. size is the height of a
    capital letter."""
    return Text(text, size, height)


def unknown_characters(text: str) -> str:
    """Those characters of a text that the font has no glyph for, each once."""
    known = font().getBestCmap()
    return "".join(dict.fromkeys(character for character in text if ord(character) not in known))


@lru_cache(maxsize=1)
def font() -> Any:
    """Roboto Regular, opened with fontTools when the first text is asked for."""
    from fontTools.ttLib import TTFont

    return TTFont(_ROBOTO, lazy=True)
