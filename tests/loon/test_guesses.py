"""What a designer guesses, and where the message leads: guesses.jsonl has each, its code,
its fix, and a text that is right.

What fails when it runs is said in the same words before it runs.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vcad_kernel.cad.guesses import GUESSES
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.diagnostics import helps, repaired
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.guesses import LANGUAGE, close_to
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("guesses.jsonl").read_text(encoding="utf-8").splitlines()
]
"""guess, code, fix (a part of it), right: a text without findings; runs: it does not fail, but surely
does something else than was meant."""
COLUMNS = ("guess", "code", "fix", "right")
FAILING = [tuple(row[column] for column in COLUMNS) for row in ROWS if "runs" not in row]
RUNNING = [tuple(row[column] for column in COLUMNS) for row in ROWS if "runs" in row]


def test_there_are_enough_of_them() -> None:
    assert len({guess for guess, *_ in [*FAILING, *RUNNING]}) >= 60


@pytest.fixture(scope="module")
def library() -> Environment:
    return Environment(prelude=PRELUDE)


@pytest.mark.parametrize(("guess", "code", "fix", "right"), FAILING)
def test_a_guess_that_fails_is_told_what_to_write_before_and_when_it_runs(
    guess: str, code: str, fix: str | None, right: str, library: Environment
) -> None:
    first = library.check(Source("cell", guess))[0]
    assert first.code == code
    assert (fix or "") in first.fix
    with pytest.raises(VcadError) as caught:
        library.run(Source("cell", guess), cell=True)
    library.user.forget(library.user.user_names())
    error = caught.value
    assert (error.shown_code, error.message, error.fix or "") == (code, first.what, first.fix)
    assert library.check(Source("cell", right)) == ()


@pytest.mark.parametrize(("guess", "code", "fix", "right"), RUNNING)
def test_a_guess_that_runs_is_doubted(
    guess: str, code: str, fix: str, right: str, library: Environment
) -> None:
    (found,) = library.check(Source("cell", guess))
    assert (found.code, found.severity) == (code, "warning")
    assert fix in found.fix
    assert library.check(Source("cell", right)) == ()


def test_what_leaves_nothing_to_decide_is_repaired(library: Environment) -> None:
    mended, still_wrong = [], []
    for guess in [row["guess"] for row in ROWS]:
        findings = library.check(Source("cell", guess))
        if findings[0].repairs:
            text = repaired(guess, findings[0])
            good = helps(findings[0], guess, findings, lambda text: library.check(Source("cell", text)))
            (mended if good else still_wrong).append(text)
    assert len(mended) >= 38
    assert still_wrong == ["[* [* 2 x] 3]"]  # x is bound nowhere


@pytest.mark.parametrize(
    ("guess", "right"),
    [
        ("[cube 40mm 1in 10]", "[cube 40 1in 10]"),
        ("[let r 4] [sphere r/2.0]", "[let r 4] [sphere [/ r 2.0]]"),
        ("[cube [10 20 30]]", "[cube 10 20 30]"),
        ("(cube 1 2 3)", "[cube 1 2 3]"),
        ("[let v [0 0 1]]", "[let v #[0 0 1]]"),
        ("[if [== 1 2] 1 2]", "[if [= 1 2] 1 2]"),
        ("[let x 3] [- x]", "[let x 3] [- 0 x]"),
        ("depth = 12.5", "[let depth 12.5]"),
    ],
)
def test_a_repair_writes_what_the_fix_says(guess: str, right: str, library: Environment) -> None:
    assert repaired(guess, library.check(Source("cell", guess))[0]) == right


def test_a_name_that_is_ours_under_another_is_a_word_with_advice() -> None:
    guesses = LANGUAGE.and_those(GUESSES)
    assert guesses.names.keys() <= guesses.words.keys()
    for word, name in guesses.names.items():
        assert name in guesses.words[word]


@pytest.mark.parametrize(
    "guess",
    [
        "[for [i 5] [println i]]",
        "[defn f [x y] [+ x y]]",
        "[cube 40mm 10 10]",
        "[cond [[> x 1] 1] [else 2]]",
        "[cube [10 10 10]]",
        "w = 40",
    ],
)
def test_one_mistake_is_one_finding(guess: str, library: Environment) -> None:
    assert len(library.check(Source("cell", guess))) == 1


def test_a_hidden_function_is_named_with_the_line_that_hides_it(library: Environment) -> None:
    text = "\n[let cube [sphere 2]]\n[cube 1 2 3]"
    (found,) = library.check(Source("cell", text))
    assert found.why == "cube is bound on line 2; the library's is cad.cube"
    (moved,) = library.check(Source("cell", "\n" + text))
    assert "on line 3" in moved.why


def test_a_failure_of_the_program_s_own_says_its_text_alone(library: Environment) -> None:
    with pytest.raises(VcadError, match=r"^too thin$") as caught:
        library.run(Source("cell", '[Fail.fail "too thin"]'), cell=True)
    assert caught.value.code == "E0400"


def test_no_foreign_word_is_one_of_ours() -> None:
    bare = Environment()
    assert not [word for word in LANGUAGE.words if word in FORMS or bare.check(Source("t", word)) == ()]
    cad = Environment(prelude=PRELUDE)
    assert not [word for word in GUESSES.words if cad.check(Source("t", word)) == ()]


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("plate", ["update"], None),
        ("in", ["sin", "min", "pi"], None),
        ("for", ["or"], None),
        ("math", ["CamPath", "match"], "match"),
        ("move", ["remove"], None),
        ("wall-thicknes", ["wall-thickness", "wall"], "wall-thickness"),
        ("filletAt", ["fillet", "fillet-at"], "fillet-at"),
        ("cub", ["cube", "cubed"], "cube"),
        ("polygon", ["polygon-prism"], "polygon-prism"),
        ("x", ["y", "xx"], None),
    ],
)
def test_only_what_is_close_is_suggested(name: str, known: list[str], meant: str | None) -> None:
    assert close_to(name, known) == meant


@pytest.mark.parametrize(
    "text", ["[cube [/ 6 2] 1 1]", "[polygon-prism [/ 13 2] 5 2]", "[nth #[1 2 3] [/ 5 2]]", "[/ 5 2]"]
)
def test_a_dropped_remainder_is_doubted_in_quantities_alone(text: str, library: Environment) -> None:
    assert library.check(Source("cell", text)) == ()
