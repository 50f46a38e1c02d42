"""The reference as a folder of markdown: a page for each name, with a picture where its example is a model.

The text of a page is the entry's own (loon/reference.py), the same that Shift-Tab and `vcad doc` show;
pictures and values come from running the example.
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.loon.reference import Entry, markdown
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationService
from vcad_kernel.service.questions import Export
from vcad_kernel.service.requests import EvalCode

__all__ = ["page_path", "put_samples", "write_reference"]

_WIDTH, _HEIGHT = 480, 360
"""Pixels of a picture."""

_BRACKET: Final = "[difference [translate 26 10 -1 [cylinder 4 9]] [union [cube 5 20 25] [cube 40 20 5]]]"

_LOGO: Final = """<svg xmlns="http://www.w3.org/2000/svg" width="70mm" height="40mm" viewBox="0 0 70 40">
<circle cx="20" cy="20" r="14"/><rect x="40" y="8" width="20" height="24" rx="5"/>
</svg>
"""

_CORNERS: Final = ((0, 0), (60, 0), (60, 25), (35, 40), (0, 40))


def page_path(entry: Entry) -> str:
    """Where an entry's page stands in the folder: ``functions/cube.md``, ``forms/set-exclamation-mark.md``.

    Kinds have folders of their own, so that ``cube`` and ``Cube`` do not meet on disks that cannot tell
    them apart.
    """
    return f"{entry.kind}s/{_file_name(entry.name)}.md"


def _file_name(name: str) -> str:
    """A name in letters, digits, dots and hyphens; other characters are spelt out."""
    words = ""
    for character in name:
        if character.isascii() and (character.isalnum() or character in "-._"):
            words += character
        else:
            words += "-" + unicodedata.name(character).lower().replace(" ", "-")
    return words.strip("-") or "hyphen-minus"


def write_reference(folder: Path, entries: Mapping[str, Entry]) -> int:
    """Write a page per entry and an index; the number of pages.

    Files of an earlier reference are overwritten, others left alone.
    Raises: OSError; VcadError when an example fails, for reasons other than a missing capability.
    """
    service = DirectService()
    with tempfile.TemporaryDirectory() as samples:
        put_samples(Path(samples), service)
        for entry in entries.values():
            page = folder / page_path(entry)
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(_page(entry, page, service, Path(samples)), encoding="utf-8")
    folder.joinpath("index.md").write_text(_index(entries), encoding="utf-8")
    return len(entries)


def _page(entry: Entry, page: Path, service: EvaluationService, samples: Path) -> str:
    parts = [f"# `{entry.name}`", markdown(entry)]
    shown = _picture(entry, page, service, samples)
    if shown:
        parts.append(shown)
    parts.append(f"{entry.group} · [all names](../index.md)" if entry.group else "[all names](../index.md)")
    return "\n\n".join(parts) + "\n"


def _picture(entry: Entry, page: Path, service: EvaluationService, samples: Path) -> str:
    """Draw what the example makes; the line of the page that shows it, or that says why there is none."""
    from vcad_kernel.render.picture import draw

    if not entry.example or entry.result:
        return ""
    try:
        result = service.evaluate(
            EvalCode(entry.example, file=entry.name, allow_scene=True, base_dir=samples)
        )
    except CapabilityUnavailable as missing:
        return f"*{missing.message}.*"
    if not result.parts:
        return ""
    picture = page.with_suffix(".png")
    picture.write_bytes(draw(result.part_meshes(), _WIDTH, _HEIGHT))
    return f"![{entry.name}]({picture.name})"


def _index(entries: Mapping[str, Entry]) -> str:
    groups: dict[str, list[Entry]] = {}
    for entry in entries.values():
        groups.setdefault(entry.group or "Other", []).append(entry)
    parts = ["# Reference", "Lengths are millimetres, angles degrees, Z is up."]
    for group, members in groups.items():
        rows = [
            f"* [`{entry.usage or entry.name}`]({page_path(entry)}): {_first_sentence(entry.doc)}"
            for entry in members
        ]
        parts += [f"## {group}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _first_sentence(doc: str) -> str:
    head, stop, _ = doc.partition(". ")
    return head + stop.strip()


# ---------------------------------------------------------------- the files that examples read


def put_samples(folder: Path, service: EvaluationService) -> None:
    """Write ``bracket.step``, ``bracket.stl``, ``logo.svg`` and ``plate.dxf``. Raises: OSError, VcadError."""
    (bracket,) = service.evaluate(EvalCode(_BRACKET)).parts
    for name in ("bracket.step", "bracket.stl"):
        bracket.answers.ask(Export(path=folder / name), bracket)
    (folder / "logo.svg").write_text(_LOGO, encoding="utf-8")
    (folder / "plate.dxf").write_text(_plate(), encoding="utf-8")


def _plate() -> str:
    """A plate with a hole, in millimetres, on the layer ``cut``."""
    ends = zip(_CORNERS, [*_CORNERS[1:], _CORNERS[0]], strict=True)
    lines = [f"0 LINE 8 cut 10 {a} 20 {b} 11 {c} 21 {d}" for (a, b), (c, d) in ends]
    whole = " ".join(
        [
            "0 SECTION 2 HEADER 9 $ACADVER 1 AC1015 9 $INSUNITS 70 4 0 ENDSEC",
            "0 SECTION 2 ENTITIES",
            *lines,
            "0 CIRCLE 8 cut 10 15 20 20 40 7",
            "0 ENDSEC 0 EOF",
        ]
    )
    return "\n".join(whole.split()) + "\n"
