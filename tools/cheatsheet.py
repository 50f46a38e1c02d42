"""Draws the pictures of docs/cheatsheet.md: for each chapter a strip, with what its lines make, in order.

python -m tools.cheatsheet
"""

from __future__ import annotations

import io
import math
import re
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image

from notebook_ext import Session
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.reference_pages import put_samples

__all__ = ["PAGE", "PICTURES", "Chapter", "chapters"]

_DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE: Final = _DOCS / "cheatsheet.md"
PICTURES: Final = _DOCS / "images" / "cheatsheet"
_CHAPTER: Final = re.compile(r"^## (.*)\n(?:.*\n)*?```loon\n((?:.*\n)*?)```", re.MULTILINE)
_LINE: Final = re.compile(r"^(\[.*\]) *(?:;.*)?$", re.MULTILINE)
_SIZE: Final = (104, 78)
"""Pixels of one picture."""
_IN_A_ROW: Final = 9
_COLORS: Final = 64
_TOGETHER: Final = ("Programs",)
"""Chapters whose lines use each other's names."""


class Chapter(NamedTuple):
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]

    @property
    def picture(self) -> Path:
        """Where its strip is."""
        return PICTURES / f"{'_'.join(re.findall('[a-z]+', self.title.lower()))}.png"

    @property
    def programs(self) -> list[str]:
        """One for each line that makes something: the line, after those that it may need."""
        if self.title not in _TOGETHER:
            return [*self.lines]
        names = [line for line in self.lines if line.startswith(("[let ", "[fn "))]
        return ["\n".join([*names, line]) for line in self.lines if line not in names]


def chapters() -> list[Chapter]:
    """Those of the page."""
    text = PAGE.read_text(encoding="utf-8")
    return [Chapter(title, tuple(_LINE.findall(code))) for title, code in _CHAPTER.findall(text)]


def _strip(pictures: list[bytes]) -> Image.Image:
    width, height = _SIZE
    rows = math.ceil(len(pictures) / _IN_A_ROW)
    strip = Image.new("RGB", (width * min(len(pictures), _IN_A_ROW), height * rows), "white")
    for at, picture in enumerate(pictures):
        place = (at % _IN_A_ROW * width, at // _IN_A_ROW * height)
        strip.paste(Image.open(io.BytesIO(picture)).convert("RGB"), place)
    return strip


def _draw(folder: Path) -> None:
    put_samples(folder, DirectService())
    PICTURES.mkdir(parents=True, exist_ok=True)
    with Session(folder=folder) as session:
        for chapter in chapters():
            pictures = [session.png(program, width=_SIZE[0], height=_SIZE[1]) for program in chapter.programs]
            strip = _strip(pictures).quantize(_COLORS)
            strip.save(chapter.picture, optimize=True)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        _draw(Path(folder))
