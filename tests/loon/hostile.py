"""Programs that try to reach what is behind the language, made at random, and what they may give.

Run as a script it evaluates many of them under an audit hook that counts what they touch of the world:

    python -m tests.loon.hostile 500
"""

from __future__ import annotations

import random
import sys
from types import FunctionType
from typing import Any

from vcad_kernel.errors import VcadError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.reading.grammar import forms_by_grammar
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword, Receiver, Sender
from vcad_kernel.loon.source import Source, SourceName

LIMITS = Limits(seconds=1.0, items=10_000, depth=2000, macro_expansions=500)

SECRETS = [
    "__import__", "__builtins__", "__name__", "__class__", "__debug__", "__doc__", "__file__", "__loader__",
    "__spec__", "__globals__", "__code__", "__kwdefaults__", "__subclasses__", "__loon__", "super", "self",
    "eval", "exec", "open", "compile", "getattr", "globals", "locals", "vars", "dir", "object", "os",
    "sys", "print", "input", "help", "exit", "breakpoint", "memoryview", "classmethod", "None", "True",
    "False", "lambda", "import", "class", "def", "yield", "await", "global", "nonlocal", "del",
]  # fmt: skip
"""Names that mean something to Python or to the compiler."""

KNOWN = ["a", "b", "f", "g", "Some", "Ok", "Err", "str", "+", "map", "fold", "conj", "assoc", "keys"]
NAMES = [*SECRETS, *KNOWN, "T", "resume", "_"]
FORMS = [
    "let", "set!", "fn", "if", "do", "match", "pipe", "type", "test", "try", "handle", "effect", "macro",
    "macroexpand", "sig", "trait", "impl", "derive", "mut", "inspect", "pub", "when",
]  # fmt: skip
OPERATIONS = ["A.op", "Fail.fail", "IO.println", "IO.read-file", "Process.env", "Process.exit", "Net.get"]
CALLED = [
    "str", "len", "get", "nth", "assoc", "update", "map", "filter", "fold", "each", "sort-by", "group-by",
    "find", "flat-map", "conj", "keys", "entries", "into-map", "name", "int", "float", "split", "join",
    "replace", "char-at", "contains?", "channel", "send", "recv", "range", "=", "+", "/", "sqrt", "pow",
    "println", "HashMap.new", "collect", "min", "zip", "chunk", "take", "drop", "reverse", "sum", "push!",
]  # fmt: skip


def hostile_program(choice: random.Random) -> str:
    """Some bindings, so that the rest comes further, then forms, most of them well-formed."""
    bindings = [f"[let {name} {_form(choice, 1)}]" for name in ("a", "b") if choice.random() < 0.9]
    functions = [f"[fn {name} [a b] {_form(choice, 2)}]" for name in ("f", "g") if choice.random() < 0.9]
    return " ".join([*bindings, *functions, *[_form(choice, 4) for _ in range(choice.randint(1, 4))]])


def _name(choice: random.Random) -> str:
    name = choice.choice(NAMES if choice.random() < 0.4 else KNOWN)
    if choice.random() < 0.1:
        name += "." + choice.choice(SECRETS)
    if choice.random() < 0.003:
        name = choice.choice(["$self", "$unit", "$", "@", f"${name}", f"{name}$"])
    return name


def _atom(choice: random.Random) -> str:
    return choice.choice(
        [
            str(choice.randint(-3, 99)),
            "9223372036854775807",
            "2.5",
            "true",
            f":{choice.choice(SECRETS)}",
            f'"{choice.choice(SECRETS)}"',
            f'"{{{_name(choice)}}}"',
            '"{[str {:a 1}]} {{0.__class__}} %s {{}}"',
            "[]",
            "()",
            "#[]",
            "{}",
            _name(choice),
            _name(choice),
            _name(choice),
        ]
    )


def _form(choice: random.Random, depth: int) -> str:
    if depth == 0 or choice.random() < 0.2:
        return _atom(choice)

    def some(least: int, most: int) -> str:
        return " ".join(_form(choice, depth - 1) for _ in range(choice.randint(least, most)))

    one, other = _name(choice), _name(choice)
    match choice.randrange(18):
        case 0:
            return f"#[{some(0, 3)}]"
        case 1:
            return f"({some(0, 3)})"
        case 2:
            return f"{{:{choice.choice(SECRETS)} {some(1, 1)} {some(2, 2)}}}"
        case 3:
            return f"#{{{some(0, 3)}}}"
        case 4:
            return f"[let {one} {some(1, 1)}]"
        case 5:
            return f"[fn {one} [{other}] {some(0, 2)}]"
        case 6:
            return f"[[fn [{one}] {some(1, 2)}] {some(0, 2)}]"
        case 7:
            return f"[type {one.capitalize()} [{other.capitalize()} :{choice.choice(SECRETS)} Int Float]]"
        case 8:
            return f"[match {some(1, 1)} [{one} {other}] {some(1, 1)} {one} {some(1, 1)}]"
        case 9:
            return f"[handle {some(1, 1)} [{choice.choice(OPERATIONS)} {one}] {some(1, 1)}]"
        case 10:
            return f"[try {some(1, 1)} [fn [{one}] {some(1, 1)}]]"
        case 11:
            return f"[{choice.choice(OPERATIONS)} {some(0, 2)}]"
        case 12:
            return f"[macro {one} [{other}] {choice.choice(['`', ''])}{some(1, 1)}]"
        case 13:
            return f"[{choice.choice(FORMS)} {some(0, 4)}]"
        case 14:
            return f"[{one} {some(0, 3)}]"
        case _:
            return f"[{choice.choice(CALLED)} {some(0, 3)}]"


def strangers(value: Any) -> list[object]:
    """What in a value is no value of the language."""
    found: list[object] = []
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        kind = type(one)
        if kind is tuple or kind is Vector or kind is Set:
            waiting += one
        elif kind is Map:
            waiting += [part for pair in one.items() for part in pair]
        elif kind is Adt:
            waiting += one.fields
        elif kind is Sender or kind is Receiver:
            waiting += one.queue
        elif kind is FunctionType:
            if not hasattr(one, "__loon__") and not isinstance(one.__code__.co_filename, SourceName):
                found.append(one)
        elif kind not in (int, float, bool, str, Keyword) and one is not UNIT:
            found.append(one)
    return found


def evaluated(text: str) -> Any:
    """The value of a program, or the error that it ends with; anything else that is raised is a hole."""
    try:
        value = Environment(stdout=lambda _: None, limits=LIMITS).run(Source("hostile.oo", text))
    except VcadError as error:
        error.render()
        return error
    display(value, limit=1000)
    return value


_HARMLESS = (
    "_thread.",
    "builtins.id",
    "code.__new__",
    "function.__new__",
    "object.__getattr__",
    "sys._getframe",
    "time.sleep",
)
"""What compiling, running and watching Loon itself does, as Python names it."""


def main(count: int) -> None:
    """Evaluate that many programs and print each event of the world that one of them caused.

    Some in twenty must come to their end, else they would test nothing but errors.
    """
    for seed in range(40):  # loads what is loaded late, also by errors
        evaluated(hostile_program(random.Random(-1 - seed)))
    evaluated("[let width 1] [str widht]")
    forms_by_grammar("[let a 1]")  # whatever has been cut short by a limit of time
    watching = True
    events: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if not watching or event.startswith(_HARMLESS):
            return
        if event == "compile" and (arguments[1] or "<loon>") in ("<loon>", "<constructor>"):
            return  # a tree, which only the compiler makes, comes without a file name
        if event == "exec" and arguments[0].co_filename == "<constructor>":
            return
        events.append(f"{event} {arguments!r:.200}")

    modules = set(sys.modules)
    sys.addaudithook(hook)
    touched = []
    ended = 0
    for seed in range(count):
        text = hostile_program(random.Random(seed))
        outcome = evaluated(text)
        ended += not isinstance(outcome, VcadError)
        if events or strangers(UNIT if isinstance(outcome, VcadError) else outcome):
            touched.append((text, list(events)))
            events.clear()
    watching = False
    for text, found in touched:
        print(text, found)
    print("new modules:", sorted(set(sys.modules) - modules))
    print("ended with a value:", ended * 20 >= count)
    print("touched the world:", len(touched), "of", count)


if __name__ == "__main__":
    main(int(sys.argv[1]))
