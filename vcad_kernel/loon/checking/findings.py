"""Findings in the making: what the checker has to say about forms of one chunk.

A finding counts its places from the beginning of the chunk, so it can be kept and shown again when the
chunk stands elsewhere in a text. ``placed`` makes the Diagnostic of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vcad_kernel.loon.checking.types.types import Type, Var, prune
from vcad_kernel.loon.diagnostics import Advice, Diagnostic, Edit, Label, Repair, Severity, to_write
from vcad_kernel.loon.guesses import Guesses, of_neighbours
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.loon.syntax import BoolLit, FloatLit, Form, IntLit, StringLit, Symbol

__all__ = ["Finding", "Mark", "a_count", "beside", "conversion", "placed"]

Mark = tuple[Form, str]
"""A form and what there is to say at it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, or doubtful, at forms of a chunk; the first mark is its place."""

    code: str
    what: str
    marks: tuple[Mark, ...]
    why: str = ""
    fix: str = ""
    severity: Severity = "error"
    fails: Form | None = None
    """The form whose failure is put in these words when it is reached; None where the run knows better."""
    edits: tuple[Edit, ...] = ()
    """The fix as edits of the chunk."""


def beside(finding: Finding, source: Source, start: int, guesses: Guesses) -> Finding:
    """The finding, with the advice that the text beside a name gives that is not bound."""
    form = finding.marks[0][0]
    if finding.code != "E0201" or not isinstance(form, Symbol):
        return finding
    at, end = start + form.start, start + form.end
    if source.text[at:end] != form.name:
        return finding  # a macro wrote it
    advice = of_neighbours(form.name, source.text, at, end, guesses)
    if advice is None:
        return finding
    edits = tuple([(first - start, last - start, text) for first, last, text in advice.edits])
    return replace(finding, fix=advice.text, edits=edits)


def placed(finding: Finding, source: Source, start: int) -> Diagnostic:
    """The finding in a source, in which its chunk begins at ``start``."""
    labels = tuple(
        [Label(Span(source, start + form.start, start + form.end), text) for form, text in finding.marks]
    )
    fails = finding.fails
    return Diagnostic(
        finding.code,
        finding.what,
        labels,
        finding.why,
        finding.fix,
        finding.severity,
        None if fails is None else Span(source, start + fails.start, start + fails.end),
        tuple(
            [Repair(Span(source, start + first, start + last), text) for first, last, text in finding.edits]
        ),
    )


def a_count(number: int, noun: str = "argument") -> str:
    """``1 argument``, ``3 arguments``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def conversion(wanted: Type, given: Type, form: Form | None) -> Advice:
    """What to write so that a value of one type becomes one of the other; empty where nothing is known.

    form: where the value is written.
    """
    wanted = prune(wanted)
    name = "Float" if isinstance(wanted, Var) and wanted.bounds else getattr(wanted, "name", "")
    pair = (name, getattr(prune(given), "name", ""))
    if isinstance(form, IntLit) and pair == ("Float", "Int"):
        return to_write(f"{form.value}.0", form.start, form.end)
    if isinstance(form, FloatLit) and pair == ("Int", "Float") and form.value.is_integer():
        return to_write(f"{int(form.value)}", form.start, form.end)
    if isinstance(form, StringLit) and pair in (("Int", "String"), ("Float", "String")) and _is_number(form):
        return Advice(f"write {form.value} without the quotes", ((form.start, form.end, form.value.strip()),))
    if isinstance(form, IntLit) and pair == ("Bool", "Int") and form.value in (0, 1):
        return to_write("true" if form.value else "false", form.start, form.end)
    if isinstance(form, BoolLit) and pair[0] in ("Int", "Float"):
        return Advice("write a number")
    return Advice(_CONVERSIONS.get(pair, ""))


def _is_number(form: StringLit) -> bool:
    digits = form.value.strip()
    whole, _, part = digits.removeprefix("-").partition(".")
    return whole.isascii() and whole.isdigit() and (not part or part.isdigit())


_CONVERSIONS = {
    ("Float", "Int"): "[float …] makes a float of it",
    ("Int", "Float"): "[int …] cuts it to an int",
    ("Int", "String"): "[int …] reads an int from a string",
    ("Float", "String"): "[float …] reads a float from a string",
    ("String", "Int"): "[str …] makes a string of it",
    ("String", "Float"): "[str …] makes a string of it",
    ("String", "Bool"): "[str …] makes a string of it",
    ("String", "Keyword"): "[name …] gives a keyword's text",
    ("Bool", "Int"): "compare it: [= n 0], [> n 0]",
    ("Bool", "Float"): "compare it: [> x 0.0]",
    ("Bool", "String"): 'compare it: [= text "…"], or ask [empty? text]',
}
