"""What of a file is the person's, and what agents would take away of it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.workspace.files.persons import PersonsFiles
from tests.tiers import examples

PARTS = b"""[defparam width 40.0]
; the plate that holds it all
[fn plate [] [cube width 20 5]]
[fn lid [] [translate 0 0 5 [cylinder 8 2]]]
[test "closed" [assert-eq 1 1]]
[union [plate] [lid]]
"""


@pytest.fixture
def files(tmp_path: Path) -> PersonsFiles:
    return PersonsFiles(tmp_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PARTS, PARTS.replace(b"20 5", b"20 6.5")),
        (PARTS, PARTS.replace(b"[union [plate] [lid]]", b"[union [plate] [lid] [cube 1 1 1]]")),
        (
            PARTS,
            b"[fn lid [] [translate 0 0 5 [cylinder 8 2]]]\n"
            + PARTS.replace(b"[fn lid []", b"; was: [fn lid []"),
        ),
        (b"[cube 10 10 10]\n", b"[cube 10 20 10]\n"),
        (b"", b"[cube 1 1 1]\n"),
    ],
)
def test_an_edit_takes_nothing_away(files: PersonsFiles, before: bytes, after: bytes) -> None:
    assert files.lost(Path("parts.oo"), before, after) == ()


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        (PARTS.replace(b"[fn lid [] [translate 0 0 5 [cylinder 8 2]]]\n", b""), ("fn lid in parts.oo",)),
        (PARTS.replace(b'[test "closed" [assert-eq 1 1]]\n', b""), ('test "closed" in parts.oo',)),
        (PARTS.replace(b"defparam width", b"defparam wide"), ("defparam width in parts.oo",)),
        (
            b"[sphere 3]\n",
            (
                "defparam width in parts.oo",
                "fn lid in parts.oo",
                "fn plate in parts.oo",
                'test "closed" in parts.oo',
            ),
        ),
    ],
)
def test_a_definition_that_would_be_gone_is_named(
    files: PersonsFiles, after: bytes, lost: tuple[str, ...]
) -> None:
    assert files.lost(Path("parts.oo"), PARTS, after) == lost


def test_a_text_that_is_no_source_counts_by_its_words(files: PersonsFiles) -> None:
    notes = b"holes of 4.2 for M4\nwalls of 3, ask the printer whether 2 would do\n"
    assert files.lost(Path("notes.md"), notes, notes.replace(b"4.2", b"4.3")) == ()
    assert files.lost(Path("notes.md"), notes, b"") == ("most of notes.md",)
    assert files.lost(Path("notes.md"), notes, b"nothing of it") == ("most of notes.md",)


def test_what_agents_have_made_they_may_write_anew(files: PersonsFiles) -> None:
    path = Path("own.oo")
    files.left(path, b"", PARTS)
    assert files.lost(path, PARTS, b"[sphere 1]\n") == ()
    files.left(path, PARTS, b"[sphere 1]\n")
    theirs = b"[sphere 1]\n; the person was here\n[fn knob [] [sphere 2]]\n"
    assert files.lost(path, theirs, b"[sphere 1]\n") == ("fn knob in own.oo",)


def test_what_goes_in_many_steps_goes_all_the_same(files: PersonsFiles) -> None:
    path, words = Path("notes.md"), [f"word{number}" for number in range(20)]
    text = " ".join(words).encode()
    asked = []
    for _ in words:
        shorter = b" ".join(text.split()[1:])
        if files.lost(path, text, shorter):
            asked.append(shorter)
            break
        files.left(path, text, shorter)
        text = shorter
    assert len(asked[0].split()) == 9


def test_what_was_taken_away_is_kept_and_the_oldest_go(files: PersonsFiles, tmp_path: Path) -> None:
    for number in range(203):
        kept = files.keep(tmp_path / "design_model.json", str(number).encode())
    assert kept.read_bytes() == b"202"
    assert sorted(one.read_bytes() for one in kept.parent.iterdir())[0] == b"10"
    assert len(list(kept.parent.iterdir())) == 200


def test_a_file_written_whole_by_somebody_else_is_overwritten(files: PersonsFiles, tmp_path: Path) -> None:
    motor = tmp_path / "motor.step"
    assert files.overwritten(motor) == ()
    motor.write_bytes(b"as the maker of motors sent it")
    assert files.overwritten(motor) == ("what motor.step holds now",)
    files.made(motor)
    assert files.overwritten(motor) == ()
    motor.write_bytes(b"as the maker of motors sent it again")
    assert files.overwritten(motor) == ("what motor.step holds now",)


@given(steps=st.lists(st.tuples(st.booleans(), st.text("ab [fn]\n ", max_size=60)), max_size=8))
@examples(150)
def test_no_steps_of_agents_remove_most_of_a_persons_text_unasked(
    steps: list[tuple[bool, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    files, path = PersonsFiles(tmp_path_factory.getbasetemp()), Path("notes.txt")
    now = persons = b"a plate of forty by twenty"
    for is_agent, text in steps:
        then = text.encode()
        if not is_agent:  # the person writes: all of it is theirs now
            now = persons = then
        elif not files.lost(path, now, then):
            files.left(path, now, then)
            now = then
    own, left = (Counter(re.findall(r"[^\s\[\]]+|[\[\]]+", text.decode())) for text in (persons, now))
    assert (own - left).total() * 2 <= own.total()
