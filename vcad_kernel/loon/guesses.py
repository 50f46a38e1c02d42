"""What people write who come from other languages, and what to write instead.

One table for all who say it: the checker, which says it before a program runs, and a failing run, which
takes the checker's word. A host library adds words and units of its field (`Library.guesses`). Every text
here is one line behind ``fix:``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from vcad_kernel.loon.diagnostics import Advice, to_write
from vcad_kernel.loon.syntax import FloatLit, Form, IntLit, Symbol

__all__ = [
    "CUT_DIVISION",
    "LANGUAGE",
    "Guesses",
    "close_to",
    "in_brackets",
    "kebab",
    "of_neighbours",
    "of_unit",
    "stuck",
]


@dataclass(frozen=True, slots=True)
class Guesses:
    """Foreign words and habits.

    words: by foreign name, what to write; names: for those of them that are only called otherwise, the name
    here, which takes the same operands; syntax: those of them whose operands are no code here, so that
    nothing in them is looked at; units: by what may be stuck to a number, the sentence about it and the
    factor that makes the number the library's; of_a_vector: by function of two, what does it to a vector;
    subject_last: functions that take what they work on last, so that ``fold`` hands it to them first.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    syntax: frozenset[str] = frozenset()
    units: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    of_a_vector: Mapping[str, str] = field(default_factory=dict)
    subject_last: frozenset[str] = frozenset()

    def and_those(self, others: Guesses) -> Guesses:
        """With those of a library, which come first."""
        return Guesses(
            {**self.words, **others.words},
            {**self.names, **others.names},
            self.syntax | others.syntax,
            {**self.units, **others.units},
            {**self.of_a_vector, **others.of_a_vector},
            self.subject_last | others.subject_last,
        )


_LOOP = "[each [fn [i] …] #[1 2 3]] goes through a vector, [map [fn [i] …] [range 0 5]] makes one of it"
_REPEAT = "let a function call itself, or fold over [range 0 10]: nothing loops on a condition"
_FUNCTION = "write [fn name [x] …], or [fn [x] …] for one without a name"
_DEFINE = "write [let name value]"
_PARAMETER = "write [defparam name default {:min a :max b}]; a slider moves it"
_NOTHING = "[] is unit, which stands for nothing; None and [Some x] stand for what may be missing"
_CASES = "write [if c a b], or [match value pattern result … _ result]"
_MODULES = "write [use name]; mathematics is there without it"
_EQUAL = "write [= a b]"
_UNEQUAL = "write [not [= a b]]"
_VALUE_OF_LAST = "leave it out: the last form of a function is its value"

CUT_DIVISION: Final = "[/ a b] of two ints is cut to an int; [floor [/ a 2.0]] is the next lower one"
"""For ``//``, which reads as two names."""

LANGUAGE: Final = Guesses(
    {
        **dict.fromkeys(("for", "foreach", "for-each", "doseq", "dotimes", "loop"), _LOOP),
        **dict.fromkeys(("while", "until", "repeat"), _REPEAT),
        **dict.fromkeys(("defn", "lambda", "function", "func", "fun", "λ"), _FUNCTION),
        **dict.fromkeys(("def", "define", "var", "const", "setq", "local", "let*"), _DEFINE),
        **dict.fromkeys(("param", "parameter", "def-param", "slider"), _PARAMETER),
        **dict.fromkeys(("nil", "null", "undefined", "void"), _NOTHING),
        **dict.fromkeys(("cond", "case", "switch", "elif", "else-if", "when", "unless"), _CASES),
        **dict.fromkeys(("import", "require", "include", "from"), _MODULES),
        **dict.fromkeys(("==", "===", "eq", "equal?", "eq?"), _EQUAL),
        **dict.fromkeys(("!=", "<>", "!=="), _UNEQUAL),
        "return": _VALUE_OF_LAST,
        "begin": "write [do …]",
        "progn": "write [do …]",
        "else": "write [if c a b]: the third part is for when c is false",
        "then": "write [if c a b]: the second part is for when c is true",
        "**": "write [pow a b]",
        "!": "write [not a]",
        "&&": "write [and a b]",
        "&": "write [and a b]",
        "||": "write [or a b]",
        "++": "write [+ a 1]; [str a b] joins strings",
        "--": "write [- a 1]",
        "+=": "write [let a [+ a 1]]",
        "-=": "write [let a [- a 1]]",
        "=>": _FUNCTION,
        "->": "write [pipe value step …]",
        "->>": "write [pipe value step …]",
        "|>": "write [pipe value step …]",
        ":=": _DEFINE,
        "True": "write true",
        "False": "write false",
        "#t": "write true",
        "#f": "write false",
        "print!": "write [println x]",
        "printf": "write [println [fmt …]], or put values into a string: \"{x} mm\"",
        "echo": "write [println x]",
        "length": "write [len v]",
        "size": "write [len v]",
        "count": "write [len v]",
        "first": "write [nth v 0]",
        "last": "write [nth v [- [len v] 1]]",
        "rest": "write [drop 1 v]",
        "append": "write [conj v x]",
        "push": "write [conj v x]",
        "concat": "write [flatten #[a b]] for vectors, [str a b] for strings",
        "reduce": "write [fold start f v]",
        "list": "write #[1 2 3]",
        "vector": "write #[1 2 3]",
        "array": "write #[1 2 3]",
        "dict": "write {:key value}",
        "modulo": "write [mod a b]",
        "power": "write [pow a b]",
        "expt": "write [pow a b]",
        "square": "write [* a a]",
        "sgn": "write [if [< x 0] -1 1]",
        "throw": "write [Fail.fail \"what is wrong\"]",
        "raise": "write [Fail.fail \"what is wrong\"]",
        "error": "write [Fail.fail \"what is wrong\"]",
        "assert": "write [assert-eq expected value]",
    },
    syntax=frozenset(
        {
            "for", "foreach", "for-each", "doseq", "dotimes", "loop", "while", "until", "repeat", "defn",
            "lambda", "function", "func", "fun", "λ", "def", "define", "var", "const", "setq", "local",
            "let*", "cond", "case", "switch", "when", "unless", "import", "require", "include", "from",
            "return", "param", "parameter", "def-param", "slider",
        }
    ),
    names={
        **dict.fromkeys(("==", "===", "eq", "equal?", "eq?"), "="),
        **dict.fromkeys(("nil", "null", "undefined", "void"), "[]"),
        **dict.fromkeys(("**", "power", "expt"), "pow"),
        **dict.fromkeys(("&&", "&"), "and"),
        **dict.fromkeys(("->", "->>", "|>"), "pipe"),
        **dict.fromkeys(("begin", "progn"), "do"),
        **dict.fromkeys(("True", "#t"), "true"),
        **dict.fromkeys(("False", "#f"), "false"),
        **dict.fromkeys(("print!", "echo"), "println"),
        **dict.fromkeys(("length", "size", "count"), "len"),
        **dict.fromkeys(("append", "push"), "conj"),
        "||": "or",
        "!": "not",
        "modulo": "mod",
    },
)  # fmt: skip


def stuck(forms: Iterable[Form]) -> tuple[IntLit | FloatLit, Symbol] | None:
    """The first number that a name is stuck to, and the name: ``40mm`` reads as two forms.

    >>> stuck([IntLit(0, 2, 40), Symbol(2, 4, "mm")])
    (IntLit(start=0, end=2, value=40), Symbol(start=2, end=4, name='mm'))
    """
    for before, form in pairwise(forms):
        if isinstance(before, IntLit | FloatLit) and isinstance(form, Symbol) and before.end == form.start:
            return before, form
    return None


_NUMBER_BEFORE: Final = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?$", re.ASCII)
_ASSIGNED: Final = re.compile(r"[ \t]*=[ \t]*([^\s\[\](){}=]+)")


def of_neighbours(name: str, text: str, start: int, end: int, guesses: Guesses) -> Advice | None:
    """What to write where a name that is not bound stands in a text, if what stands beside it says it."""
    number = _NUMBER_BEFORE.search(text, max(0, text.rfind("\n", 0, start)), start)
    if number is not None:
        return of_unit(number[0], name, (number.start(), end), guesses)
    if text[end : end + 1] == '"':
        sentence = f'strings take values in braces as they are, without {name}: "{{x}} mm"'
        return Advice(sentence, ((start, end, ""),))
    assigned = _ASSIGNED.match(text, end)
    at_line_start = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    if assigned is not None and at_line_start:
        return to_write(f"[let {name} {assigned[1]}]", start, assigned.end())
    return None


def of_unit(number: str, unit: str, at: tuple[int, int], guesses: Guesses) -> Advice:
    """What to write for a number with a name stuck to it. at: offsets of both together."""
    known = guesses.units.get(unit)
    if known is None:
        product = f"[* {number} {unit}]"
        return Advice(f"write {product}: nothing is multiplied by standing beside it", ((*at, product),))
    sentence, factor = known
    converted = f"{float(number) * factor:.10g}" if factor != 1 else number
    return Advice(f"{sentence}: write {converted}", ((*at, converted),))


_JOINED: Final = re.compile(r"([^\W\d][\w-]*|\d+(?:\.\d+)?)([*/+=^-])(-?[\w.][\w.-]*)$")
_OPERATORS: Final = {"*": "*", "/": "/", "+": "+", "-": "-", "^": "pow"}


def in_brackets(symbol: Symbol, is_bound: Callable[[str], bool]) -> Advice | None:
    """What to write for a name that looks like an expression or an assignment; None for other names.

    >>> in_brackets(Symbol(0, 3, "r/2"), lambda name: name == "r")
    Advice(text='write [/ r 2]', edits=((0, 3, '[/ r 2]'),))
    """
    name, start, end = symbol.name, symbol.start, symbol.end
    if name.startswith("-") and is_bound(name[1:]):
        return to_write(f"[- 0 {name[1:]}]", start, end)
    joined = _JOINED.match(name)
    if joined is None:
        return None
    left, operator, right = joined.groups()
    if operator == "=":
        return Advice(f"arguments go by position: write {right} alone", ((start, end, right),))
    if operator == "-" and not (is_bound(left) and (right[0].isdigit() or is_bound(right))):
        return None
    return to_write(f"[{_OPERATORS[operator]} {left} {right}]", start, end)


# Names that are nearly right


def close_to(name: str, known: Iterable[str]) -> str | None:
    """The known name that was surely meant, or None.

    Spelled in another manner (``fillet_at``, ``filletAt``), a part of a longer name (``polygon``), or a few
    letters off: one from four letters on, two from seven, three from twelve. A neighbour swapped is one.
    """
    best: tuple[int, bool, int, str] | None = None
    spelled = kebab(name)
    most = 0 if len(name) < 4 else 1 if len(name) < 7 else 2 if len(name) < 12 else 3
    for candidate in known:
        if not candidate or candidate == name:
            continue
        if candidate == spelled:
            return candidate
        if len(name) >= 3 and candidate[:-1] == name:
            distance = 1
        elif len(name) >= 4 and candidate.startswith(name + "-"):
            distance = 2
        elif abs(len(candidate) - len(name)) <= most:
            distance = _distance(name, candidate, most)
            if distance > most:
                continue
        else:
            continue
        rank = (distance, candidate[0] != name[0], abs(len(candidate) - len(name)), candidate)
        if best is None or rank < best:
            best = rank
    return None if best is None else best[3]


_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def kebab(name: str) -> str:
    """A name as Loon spells it: ``fillet-at`` for ``filletAt``, ``FilletAt`` and ``fillet_at``."""
    return _HUMP.sub("-", name).replace("_", "-").lower()


def _distance(word: str, other: str, most: int) -> int:
    """Letters to insert, drop, change or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        older, before, row = before, row, [at]
        for index, other_letter in enumerate(other, 1):
            least = min(before[index] + 1, row[-1] + 1, before[index - 1] + (letter != other_letter))
            if at > 1 and index > 1 and letter == other[index - 2] and word[at - 2] == other_letter:
                least = min(least, older[index - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return row[-1]
