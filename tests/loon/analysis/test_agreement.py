"""What the analysis says about names against what running the text shows."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from tests.loon.analysis.marked import WORLD
from tests.loon.analysis.small_programs import programs, texts
from tests.tiers import examples
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.analysis import Document, KnownEntries, complete, describe, signature_at
from vcad_kernel.loon.analysis.navigation import RenameRefused, applied, definition, references, rename
from vcad_kernel.loon.analysis.symbols import outline
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.reference_entries.table import ENTRIES
from vcad_kernel.loon.source import Source

LANGUAGE = KnownEntries(ENTRIES)


def outcome(text: str, *names: str) -> tuple[str, str]:
    """What a program prints, and how it ends; functions and constructors show their names, so ``names``
    are left out."""
    printed: list[str] = []
    environment = Environment(stdout=printed.append)
    try:
        environment.run(Source("test.oo", text), cell=True)
        end = ""
    except VcadError as error:
        end = error.code
    # not only whole words: `[str a a]` shows a constructor's name twice, with nothing in between
    return re.sub(
        "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)", "_", "".join(printed)
    ), end


@given(texts, st.data())
def test_no_text_and_no_offset_is_too_strange(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(-1, len(text) + 2))
    found = complete(text, offset, WORLD)
    assert 0 <= found.start <= found.end <= len(text)
    describe(text, offset, WORLD)
    signature_at(text, offset, WORLD)
    document = Document(text, WORLD)
    assert "".join(section.text for section in document.sections) == text
    for symbol in outline(document):
        assert 0 <= symbol.start <= symbol.name_start < symbol.name_end <= symbol.end <= len(text)
    definition(document, offset)
    for one in references(document, offset):
        assert 0 <= one.start < one.end <= len(text)


def test_brackets_nested_beyond_all_measure_are_looked_at_as_far_as_is_sensible() -> None:
    for deep in ("[" * 5000, "[f " * 3000 + "]" * 3000, "~" * 3000 + "a", "[let x " * 2000):
        complete(deep, len(deep) // 2, WORLD)
        outline(Document(deep, WORLD))


@examples(75, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(programs, st.data())
def test_renaming_all_references_of_a_name_keeps_what_the_program_comes_to(
    text: str, data: st.DataObject
) -> None:
    document = Document(text, LANGUAGE)
    mention = data.draw(st.sampled_from(document.mentions))
    new = data.draw(st.sampled_from(["fresh", "a", "b", "len", "Up"]))
    try:
        edits = rename(document, mention.start, new)
    except RenameRefused:
        assume(False)
    old, renamed = text[mention.start : mention.end], applied(text, edits)
    assert outcome(renamed, old, new) == outcome(text, old, new), renamed


@examples(100, suppress_health_check=[HealthCheck.filter_too_much])
@given(programs, st.data())
def test_renaming_back_gives_the_text_that_was(text: str, data: st.DataObject) -> None:
    document = Document(text, LANGUAGE)
    mention = data.draw(st.sampled_from(document.mentions))
    old = text[mention.start : mention.end]
    try:
        edits = rename(document, mention.start, "fresh")
    except RenameRefused:
        assume(False)
    shift = sum(len(edit.text) - (edit.end - edit.start) for edit in edits if edit.start < mention.start)
    renamed = applied(text, edits)
    back = rename(Document(renamed, LANGUAGE), mention.start + shift, old)
    assert applied(renamed, back) == text
