"""What is shown of strangers' text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.plain_text import hides, plain, plain_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\n\tb", "a\n\tb"),
        ("größe 円 ∅ 🙂", "größe 円 ∅ 🙂"),
        ("\x1b[2J", "\\u{1b}[2J"),
        ("a\rb", "a\\u{d}b"),
        ("\u202eexe.txt", "\\u{202e}exe.txt"),
        ("a\u200bb\u00a0c\u3164d\u2800e", "a\\u{200b}b\\u{a0}c\\u{3164}d\\u{2800}e"),
        ("a\ufe0fb\U000e0100", "a\\u{fe0f}b\\u{e0100}"),
        ("\U000e0041\ud800", "\\u{e0041}\\u{d800}"),
    ],
)
def test_what_hides_is_spelled_out(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text())
def test_nothing_that_hides_is_left(text: str) -> None:
    assert not any(hides(letter) for letter in plain(text, stays=""))
    assert plain(plain(text)) == plain(text)


@given(st.recursive(st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner)))
def test_json_says_the_same_and_hides_nothing(value: object) -> None:
    shown = plain_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(shown) == value
    assert not any(hides(letter) for letter in shown if letter != "\n")
