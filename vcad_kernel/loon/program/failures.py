"""What went wrong while a program ran, in Loon's words.

Compiled code checks nothing by itself: a name that is not bound is Python's NameError, a wrong call
its TypeError, and builtins complain without knowing where they were called. This module reads the
traceback of such an error and says what happened, where, and in which calls. Library code is looked
through: its caller is where the mistake is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from types import CodeType, FrameType, TracebackType
from typing import Any

from vcad_kernel.errors import LoonError, LoonRuntimeError, Place, StackEntry, VcadError
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.guesses import close_to
from vcad_kernel.loon.names import FORM, SHARED, demangle, is_call, is_internal
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.inlining import calls_within
from vcad_kernel.loon.runtime.equality import KeyTooDeepError
from vcad_kernel.loon.runtime.faults import WrongCount, fault
from vcad_kernel.loon.source import Source, SourceName, place_in_code

__all__ = ["Surroundings", "translated"]

_SHOWN_CALLS = 5
"""Calls shown at each end of a deep stack; those between are counted."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an explanation may look at.

    lookup: a global's value or None; names: all that are bound; library_complaint: the library's own
    error for a wrong count of arguments to one of its functions, if it has one.
    """

    lookup: Callable[[str], Any]
    names: Callable[[], Iterable[str]]
    library_complaint: Callable[[Any, str, int, int, Place | None], VcadError | None]
    findings: Callable[[Source], Iterable[Diagnostic]]
    """What the checker says of a text of the program."""
    bound_in: Callable[[str], str] = lambda _: ""
    """The title of the earlier text that has bound a name; empty for other names."""
    qualified: Callable[[str], str] = lambda _: ""
    """The name that a library's word always has, whatever a program has bound the word to; maybe none."""
    at_hand: Sequence[Any] = ()
    """The variables where the error rose: a callee without a name may be among them."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A Loon frame of a traceback."""

    code: CodeType
    instruction: int

    @property
    def library(self) -> bool:
        name = self.code.co_filename
        return isinstance(name, SourceName) and name.source.internal

    def place(self) -> Place | None:
        return place_in_code(self.code, self.instruction)

    def inlined(self) -> list[Place]:
        """The calls of functions that became loops in this frame's, outermost first."""
        return calls_within(self.code, self.instruction)

    def entries(self) -> list[StackEntry]:
        """The frame's function and those that became loops in it, outermost first."""
        places: list[Place | None] = [*self.inlined(), self.place()]
        names = [_call_name(self.code), *(["fn"] * (len(places) - 1))]
        return [StackEntry(name, place) for name, place in zip(names, places, strict=True)]


def translated(error: Exception, around: Surroundings) -> VcadError | None:
    """The error as the user should see it; None when the mistake is ours."""
    steps, innermost = _steps(error.__traceback__)
    own = [step for step in steps if not step.library]
    at_hand = list(innermost.f_locals.values()) if innermost is not None else []
    around = replace(around, at_hand=at_hand)
    failure = _translated(error, steps, innermost, own, around)
    return None if failure is None else _explained(failure, own, around)


def _explained(failure: VcadError, own: list[_Step], around: Surroundings) -> VcadError:
    """The error in the words of the finding on the form that failed, if the checker has one.

    It knows more of the text: what was written, and what was surely meant. Of values it knows their types
    alone, so the message of a wrong value stays.
    """
    if failure.shown_code not in ("E0200", "E0201", "E0202"):
        return failure
    place = failure.place
    # from within: a recursion may have left a hundred thousand
    name = next((step.code.co_filename for step in reversed(own) if step.place() == place), None)
    if name is None:
        return failure
    assert isinstance(name, SourceName)
    findings = [
        finding
        for finding in around.findings(name.source)
        if finding.severity == "error" and finding.fails is not None and finding.fails.place() == place
    ]
    codes = (
        failure.shown_code,
        "E0202",
    )  # a wrong count may show in a value that stands where another should
    for finding in sorted(findings, key=lambda finding: finding.code != failure.shown_code):
        if finding.code not in codes:
            continue
        keeps = finding.code == "E0200" and failure.details.get("class") != "not-callable"
        if "bound_in" in failure.details:
            break  # the run knows the value and whose it is
        if isinstance(failure, LoonError) and not keeps:
            failure.message = finding.what
            failure.args = (finding.what,)
        if finding.code != failure.shown_code:
            failure.code = finding.code
        failure.why = finding.why or failure.why
        failure.fix = finding.fix or failure.fix
        break
    return failure


def _translated(
    error: Exception,
    steps: list[_Step],
    innermost: FrameType | None,
    own: list[_Step],
    around: Surroundings,
) -> VcadError | None:
    if isinstance(error, VcadError):
        return _placed(error, own)
    if isinstance(error, KeyTooDeepError):
        return _placed(_too_nested(), own)
    if isinstance(error, MemoryError):
        return _placed(_too_large(), own)
    if isinstance(error, RecursionError):
        return _placed(_too_deep(own), own)
    if isinstance(error, WrongCount):
        if error.inside and steps and steps[-1] in own:
            own = own[:-1]
        counts = [int(count) for count in re.findall(r"\d+", error.expected)]
        expected = min(counts, key=lambda count: abs(count - error.given))
        return _placed(_wrong_count(error.name, error.expected, expected, error.given, own, around), own)
    in_loon = innermost is not None and isinstance(innermost.f_code.co_filename, SourceName)
    missing = error.name if isinstance(error, NameError) else None
    if missing is not None and not is_internal(missing) and in_loon and not steps[-1].library:
        assert innermost is not None
        variables = (*innermost.f_code.co_varnames, *innermost.f_code.co_freevars)
        known = [*map(demangle, variables), *around.names()]
        return _placed(_unbound(demangle(missing), known), own)
    if isinstance(error, TypeError):
        failure = _wrong_call(str(error), own, around)
        return None if failure is None else _placed(failure, own)
    return None


def _steps(traceback: TracebackType | None) -> tuple[list[_Step], FrameType | None]:
    """The Loon frames, outermost first, and the innermost frame of all."""
    steps = []
    innermost = None
    while traceback is not None:
        innermost = traceback.tb_frame
        if isinstance(innermost.f_code.co_filename, SourceName):
            steps.append(_Step(innermost.f_code, traceback.tb_lasti))
        traceback = traceback.tb_next
    return steps, innermost


def _placed(error: VcadError, own: list[_Step]) -> VcadError:
    """``error`` with the place and the calls of the program, unless it brought its own."""
    if error.place is None:
        places = (step.place() for step in reversed(own))
        error.place = next((place for place in places if place is not None), None)
    if not error.stack:
        error.stack = _calls(own)
    if isinstance(error, LoonError) and error.details.get("class") == "unbound-symbol":
        error.details.setdefault("name", "")
    return error


def _calls(own: list[_Step]) -> tuple[StackEntry, ...]:
    if not any(is_call(step.code.co_name) for step in own) and not any(step.inlined() for step in own):
        return ()
    own = [step for step in own if not step.code.co_name.startswith(SHARED)]
    hidden = len(own) - 2 * _SHOWN_CALLS
    shown = own if hidden <= 0 else [*own[:_SHOWN_CALLS], *own[-_SHOWN_CALLS + 1 :]]
    entries = [step.entries() for step in shown]
    if hidden > 0:
        entries.insert(_SHOWN_CALLS, [StackEntry(f"… {hidden + 1} more calls …", None)])
    return tuple(entry for group in entries for entry in group)


def _call_name(code: CodeType) -> str:
    if code.co_name == FORM:
        return "top level"
    name = demangle(code.co_name)
    return name if name and not name.startswith("<") else "fn"


def _too_deep(own: list[_Step]) -> LoonError:
    depth = max(1, sum(is_call(step.code.co_name) for step in own))
    return LoonRuntimeError(
        f"the program went {depth} call{'' if depth == 1 else 's'} deep and has no room to go deeper",
        code="recursion-depth",
        why="every call that is not in tail position keeps its caller waiting",
        fix="check that the recursion ends; a call of the function itself as its last act costs no depth",
        details={"class": "recursion-depth", "depth": depth},
    )


def _too_nested() -> LoonError:
    return fault(
        "recursion-depth",
        "sets and maps lie too deep in each other to be an element or a key",
        fix="nest them in vectors, or keep only a part of the value as the key",
    )


def _too_large() -> LoonError:
    return fault(
        "memory",
        "the value made here is too large for this machine's memory",
        fix="work on its items in parts, or check where its size comes from",
    )


def _unbound(name: str, known: Iterable[str]) -> LoonError:
    error = fault("unbound-symbol", f"{name} is not bound")
    error.details["name"] = name
    close = close_to(name, known)
    if close:
        error.fix = f"did you mean {close}?"
    return error


_TOO_MANY = re.compile(r"(\S*)\(\) takes (\d+) positional arguments? but (\d+)")
_RANGE = re.compile(r"(\S*)\(\) takes from \d+ to (\d+) positional arguments? but (\d+)")
_MISSING = re.compile(r"(\S*)\(\) missing (\d+) required positional arguments?")
_HEAD = re.compile(r"\s*\[?\s*([^\s\[\](){}\"#;]+)")


def _wrong_call(message: str, own: list[_Step], around: Surroundings) -> VcadError | None:
    """A call that Python refused; None when the message is about something else."""
    if message.endswith("object is not callable"):
        return _not_callable(message, own, around)
    for pattern in (_TOO_MANY, _RANGE):
        said = pattern.match(message)
        if said:
            expected, given = int(said[2]), int(said[3])
            return _wrong_count(said[1], str(expected), expected, given, own, around)
    said = _MISSING.match(message)
    if said:
        callee = _callee(said[1], own, around)
        if callee is None:
            lacks = "an argument" if said[2] == "1" else f"{said[2]} arguments"
            return fault("arity", f"this call lacks {lacks}")
        expected = _positional_count(callee)
        at_least = "" if _is_exact(callee) else "at least "
        given = expected - int(said[2])
        return _wrong_count(said[1], f"{at_least}{expected}", expected, given, own, around)
    return None


def _positional_count(function: Any) -> int:
    code = getattr(function, "__code__", None)
    if code is None:
        return 0
    return int(code.co_argcount) - len(function.__defaults__ or ())


def _is_exact(function: Any) -> bool:
    """Whether surplus arguments are refused too."""
    code = getattr(function, "__code__", None)
    return code is None or not code.co_flags & 0x04


def _head_symbol(own: list[_Step]) -> str | None:
    """The first name in the text of the call that failed."""
    if not own:
        return None
    step = own[-1]
    place, name = step.place(), step.code.co_filename
    if place is None or not isinstance(name, SourceName):
        return None
    start = name.source.offset(place.line, place.column)
    head = _HEAD.match(name.source.text, start)
    return head[1] if head else None


def _callee(python_name: str, own: list[_Step], around: Surroundings) -> Any:
    """The function that was called wrongly: by the head of the call, else by Python's name for it."""
    last = python_name.rpartition(".")[2]
    named = [around.lookup(name) for name in (_head_symbol(own), demangle(last)) if name]
    for candidate in [*named, *around.at_hand]:
        if callable(candidate) and getattr(candidate, "__qualname__", "") == python_name:
            return candidate
    return None


def _wrong_count(
    python_name: str, expected: str, count: int, given: int, own: list[_Step], around: Surroundings
) -> VcadError:
    callee = _callee(python_name, own, around)
    last = demangle(python_name.rpartition(".")[2])
    name = getattr(callee, "__loon__", None) or (last if last and not last.startswith("<") else "")
    place = own[-1].place() if own else None
    if callee is not None:
        complaint = around.library_complaint(callee, name, count, given, place)
        if complaint is not None:
            return complaint
    what = name or "this function"
    plural = "argument" if expected in ("1", "at least 1") else "arguments"
    error = fault("arity", f"{what} takes {expected} {plural}, but got {given}")
    error.details.update(function=name, expected=expected, given=given)
    return error


def _not_callable(message: str, own: list[_Step], around: Surroundings) -> LoonError:
    python_kind = message.split("'")[1]
    kinds = {"int": "an int", "float": "a float", "bool": "a bool", "str": "a string", "tuple": "a tuple"}
    kind = kinds.get(python_kind) or ("unit" if python_kind == "Unit" else f"a {python_kind.lower()}")
    if python_kind == "Adt":
        kind = "a value of a type"
    head = _head_symbol(own)
    error = fault(
        "not-callable", f"{head} is {kind}, which cannot be called" if head else f"{kind} cannot be called"
    )
    always = around.qualified(head) if head else ""
    text = around.bound_in(head) if head and always else ""
    if head and text:
        value = around.lookup(head)
        plain = type(value) in (int, float, bool, str) and not callable(value)
        what = f"{head} is {display(value) if plain else kind}"
        error.message = f"{what}, bound in {text}; the library's is {always}"
        error.args = (error.message,)
        error.fix = f"write {always}, or give the value another name"
        error.details["bound_in"] = text
        return error
    if kind in ("a keyword", "a map", "a vector"):
        error.fix = "get reads from maps and vectors: [get map :key]"
    return error
