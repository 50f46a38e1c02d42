"""The editor highlights by the table of the language, and cuts text as the language does."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.build_front_ends import Node
from tools.labextension_tokens import TABLE, table
from vcad_kernel.loon.highlighting import tokenize
from vcad_kernel.operations.library import WORDS, loon_text

_TESTS = Path(__file__).parents[1]
_REPOSITORY = _TESTS.parent
_CORNERS = (
    '"a {[str \\"b\\" {:k 1}]} {{c}} \\{d\\} \\n"',
    "#[1 -2 -3-4 5.0e3] #{:a} (x y) ; comment",
    "[let mut v #[]] [test fn works [] [assert-eq 1 1]] [pub fn f [] 1]",
    "[macro unless [c & body] `[if ~c None [do ~@body]]]",
    "[fillet 2 [cube 1 1 1]] [map cube xs] [Some 1]? Empty",
    "[handle [Cfg.get :w] [Cfg.get k] [resume k]] ' , $ é",
)
"""What the conformance cases may not show."""

_SAME_TO_AN_EDITOR = {"open": "bracket", "close": "bracket", "library": "builtin"}
"""One role in the editor for several in the table, or the other way round."""

Highlight = tuple[str, int, int]


def test_the_generated_table_is_the_table_of_the_language_and_the_library() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), "run python -m tools.labextension_tokens"


def test_the_editor_and_the_language_see_the_same_tokens(node: Node, compiled_tests: Path) -> None:
    texts = [text for text in _texts() if _told_by_lines(text)]
    done = subprocess.run(
        [*node.node, str(compiled_tests / "roles.js")],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    names = {*json.loads(table())["symbols"]["builtin"], *WORDS}
    for text, found in zip(texts, json.loads(done.stdout), strict=True):
        assert _roles(text, found) == _roles(text, tokenize(text, names)), text


def _texts() -> list[str]:
    """Everything that the language is tested with, and the library's own source."""
    cases = (_TESTS / "conformance" / "loon_cases.jsonl").read_text("utf-8").splitlines()
    return [*_CORNERS, loon_text(), *sorted({json.loads(case)["source"] for case in cases if case.strip()})]


def _told_by_lines(text: str) -> bool:
    """Whether an editor, which sees no line after the one it reads, can tell what is a string.

    Left out are a string that is never closed and braces that mean nothing for want of a partner.
    """
    return not any(kind == "illegal" and text[start] in '"{}' for kind, start, _ in tokenize(text))


def _roles(text: str, tokens: Iterable[Highlight]) -> list[tuple[str, str]]:
    """Each character that is no blank with its role, however the tokens are divided.

    Characters outside the Basic Multilingual Plane, two units to a browser, are not expected.
    """
    roles = [""] * len(text)
    for kind, start, end in tokens:
        roles[start:end] = [_SAME_TO_AN_EDITOR.get(kind, kind)] * (end - start)
    return [(char, role) for char, role in zip(text, roles, strict=True) if not char.isspace()]
