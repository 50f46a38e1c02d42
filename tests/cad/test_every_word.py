"""Of every word of modelling.md: the checker types it, it is completed with its keys, Shift-Tab describes it,
the reference has it, and its example is a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.language.help import LanguageHelp
from notebook_ext.magics.loon import LoonMagics
from notebook_ext.session.cells.knowledge import SessionKnowledge
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.reference import ALL
from vcad_kernel.loon.analysis import complete
from vcad_kernel.loon.analysis.knowledge import KnownEntries
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.arguments import Keyed
from vcad_kernel.operations.library import WORDS
from vcad_kernel.operations.sections import (
    BOOLEANS,
    HOLES,
    PEN,
    PROFILES,
    SCENES,
    SELECTIONS,
    SURFACES,
    THREADS,
    TRANSFORMS,
)
from vcad_kernel.operations.words import Word
from vcad_kernel.service.reference_pages import page_path, write_reference

NEW = (BOOLEANS, TRANSFORMS, PROFILES, PEN, HOLES, THREADS, SELECTIONS, SURFACES, SCENES)
NAMES = [name for name, word in WORDS.items() if word.records[0].section in NEW]
REFERENCE = (Path(__file__).parents[2] / "docs" / "cad.md").read_text(encoding="utf-8")
WORLD = KnownEntries(ALL)
HELP = LanguageHelp(SessionKnowledge, LoonMagics.loon.parser, dict, lambda: "usage: %%loon")


@pytest.fixture(scope="module")
def library() -> Environment:
    return Environment(prelude=PRELUDE)


def offered(before: str) -> set[str]:
    return {item.label for item in complete(before, len(before), WORLD).items}


def maps_of(word: Word) -> list[tuple[str, set[str]]]:
    """The calls of a word up to each map among its arguments, and the keys that the map may have."""
    return [
        (
            " ".join([f"[{word.name}", *("x" for _ in form.arguments[:at]), "{:"]),
            {f":{key.name}" for key in kind.keys},
        )
        for form in word.shown
        for at, argument in enumerate(form.arguments)
        if isinstance(kind := argument.kind, Keyed)
    ]


def test_there_are_words() -> None:
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_knows_how_it_is_called(name: str, library: Environment) -> None:
    assert "→" in ALL[name].type or "->" in ALL[name].type
    found = library.check(Source("part.oo", f"[{name} {'1 ' * 12}]"))
    assert any(f"{name}" in finding.what for finding in found)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_completed_and_so_are_the_keys_of_its_maps(name: str) -> None:
    assert name in offered(f"[{name[:-1]}")
    for call, keys in maps_of(WORDS[name]):
        assert keys <= offered(call), call


@pytest.mark.parametrize("name", NAMES)
def test_shift_tab_says_how_it_is_called_and_what_it_does(name: str) -> None:
    cell = f"%%loon\n[{name} "
    said = HELP.describe(cell, len(cell) - 2)
    assert said is not None
    assert WORDS[name].usage.split(" | ")[0] in said["text/plain"]
    assert WORDS[name].doc.split(". ")[0].rstrip(".") in " ".join(said["text/plain"].split())
    for _, keys in maps_of(WORDS[name]):
        assert all(f"{key}: " in said["text/plain"] for key in keys)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_has_it_with_its_example(name: str) -> None:
    _, heading, rest = REFERENCE.partition(f"\n### `{WORDS[name].usage.split(' | ')[0]}")
    assert heading
    assert ALL[name].example in rest.partition("\n### ")[0]


def test_each_has_a_page_with_a_picture(tmp_path: Path) -> None:
    write_reference(tmp_path, {name: ALL[name] for name in NAMES})
    pages = {name: tmp_path / page_path(ALL[name]) for name in NAMES}
    assert [name for name, page in pages.items() if not page.with_suffix(".png").exists()] == []
