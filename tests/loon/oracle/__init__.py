"""A second, independent evaluator of Loon, for comparison: run a text and get its outcome.

Of the language's own code it takes the reader, the printer and the expansion of template macros.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from tests.loon.oracle.evaluator import Evaluator, OutOfFuel
from tests.loon.oracle.syntax_values import form_of, value_of
from tests.loon.oracle.values import Clause, Fault, Function, Value, shown
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.macros import Expander, Macro, MacroFault
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Form, Symbol

__all__ = ["OutOfFuel", "Outcome", "deep", "outcome"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Outcome:
    """What came of a program."""

    value: str | None
    """The display form; None when it failed."""
    output: str
    error: str | None
    """The class of the error."""


def outcome(text: str, fuel: int = 500_000) -> Outcome:
    """Run a program.

    fuel: evaluations and calls that it may take.
    Raises: OutOfFuel.
    """
    evaluator = Evaluator(fuel)
    try:
        value = shown(_run(evaluator, _expanded(text)))
    except Fault as fault:
        return Outcome(None, "".join(evaluator.output), fault.kind)
    except RecursionError:
        raise OutOfFuel from None
    return Outcome(value, "".join(evaluator.output), None)


def deep(work: Callable[[], _T]) -> _T:
    """Do work that nests ten thousand calls deep: generators take much of both stacks."""
    result: Future[_T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - handed on to who asked
            result.set_exception(error)

    stack, depth = threading.stack_size(1 << 29), sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(depth)
    return result.result()


def _run(evaluator: Evaluator, forms: Sequence[Form]) -> Value:
    value = evaluator.run(evaluator.body(forms, evaluator.globals))
    main = evaluator.globals.names.get("main")
    if isinstance(main, Function):
        value = evaluator.run(evaluator.call(main, []))
    return value


def _expanded(text: str) -> list[Form]:
    try:
        forms = [form for chunk in read(Source("oracle", text)) for form in chunk.forms]
    except LoonError as error:
        raise Fault(error.code) from None
    expander = Expander({}, _procedure, 10_000)
    try:
        return [result for form in forms if (result := expander.top_level(form)) is not None]
    except MacroFault as error:
        raise Fault(error.kind) from None


def _procedure(macro: Macro, arguments: Sequence[Form], call: Form) -> Form:
    """Run a procedural macro in an environment of its own (quirk 13: rest is always a vector)."""
    evaluator = Evaluator()
    parameters: list[Form] = [Symbol(0, 0, name) for name in macro.parameters]
    given = [value_of(argument) for argument in arguments]
    function = Function(macro.name, [Clause(parameters, macro.rest, macro.body)], {})
    if macro.rest is None:
        given = given[: len(parameters)]
    try:
        return form_of(evaluator.run(evaluator.call(function, given)))
    except Fault:
        raise MacroFault("", call) from None
