"""What a log must not hold, and what it must go on holding."""

from __future__ import annotations

import json
from typing import Any

import pytest

from notebook_ext.session.log.masking import MASK, masked, masked_text

GITHUB = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"token": "abc"}, {"token": MASK}),
        ({"apiKey": "abc", "accessToken": 5}, {"apiKey": MASK, "accessToken": MASK}),
        ({"Password": None, "has_token": True}, {"Password": None, "has_token": True}),
        ({"max_tokens": 5, "tokens": [1]}, {"max_tokens": 5, "tokens": [1]}),
        ({"OPENAI_KEY": "abc", "DB_PASS": "abc"}, {"OPENAI_KEY": MASK, "DB_PASS": MASK}),
        ({"key": "width", "author": "me", "path": "a"}, {"key": "width", "author": "me", "path": "a"}),
        (["API_KEY=abcdef"], [f"API_KEY={MASK}"]),
        ({"a": {"b": [{"client_secret": {"x": 1}}]}}, {"a": {"b": [{"client_secret": MASK}]}}),
        ((1, {2}), [1, [2]]),
        (b"abc", "<3 bytes>"),
    ],
)
def test_values_of_names_like_secrets_are_masked(given: Any, expected: Any) -> None:
    assert masked(given) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://me:pa55@example.org/x", f"https://me:{MASK}@example.org/x"),
        ("https://h/x?access_token=abc&y=1", f"https://h/x?access_token={MASK}&y=1"),
        ("export DEPLOY_KEY=abc; ls", f"export DEPLOY_KEY={MASK}; ls"),
        ("x --token abc -o out", f"x --token {MASK} -o out"),
        ("-H 'Authorization: Bearer 123456' x", f"-H 'Authorization: {MASK}' x"),
        ("Cookie: a=b; c=d\nHost: x", f"Cookie: {MASK}\nHost: x"),
        ("password: 'two words' x", f"password: '{MASK}' x"),
        (f"push {GITHUB} now", f"push {MASK} now"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMII\nE=\n-----END",
            f"-----BEGIN RSA PRIVATE KEY-----{MASK}-----END",
        ),
        ('{"api_key": "a b", "n": 1}', f'{{"api_key": "{MASK}", "n": 1}}'),
    ],
)
def test_secrets_in_texts_are_masked(text: str, expected: str) -> None:
    assert masked_text(text) == expected
    assert masked_text(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[cube 1 2 3]",
        "[let token 5] [let passed 4] [let compass: 3]",
        "PWD=/home/me",
        "max_tokens=400",
        "keyboard=us tokenizer=bpe author: me patch: 1 bypass=2",
        "password=true",
        "my token is here",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert masked_text(text) == text


def test_what_was_json_stays_json() -> None:
    inner = json.dumps({"api_key": "abc", "a": {"password": "x y"}})
    line = json.dumps({"text": inner, "token": "abc"})
    found = json.loads(masked_text(line))
    assert found["token"] == MASK
    assert json.loads(found["text"]) == {"api_key": MASK, "a": {"password": MASK}}


def test_a_secret_is_not_left_in_halves_where_a_text_is_cut() -> None:
    token = "s-0123456789abcdef"
    text = "x" * 95 + token + "y" * 100
    kept = masked(text, secrets=[token], longest=100)
    assert token[:5] not in kept
    assert kept == f"{'x' * 95}{MASK}yy… ({len(text) - 100} more characters)"


def test_long_texts_are_cut_and_say_so() -> None:
    assert masked("x" * 5000) == "x" * 4000 + "… (1000 more characters)"
    assert masked_text("x" * 5000) == "x" * 5000


@pytest.mark.parametrize(
    "word",
    ["a", "a.", "token", "x://", "https://a:", "Bearer ", "api_key=", "--a ", "-", "A_", 'password="', "eyJ"],
)
def test_a_long_line_takes_no_longer_than_its_length(word: str) -> None:
    assert MASK in masked_text(word * 20_000 + "\nAPI_KEY=abcdef")
