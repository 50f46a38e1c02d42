"""``match``: the first pattern that fits, with its body (§9).

What patterns compile to is said by ``lowering/matching.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vcad_kernel.loon import syntax
from vcad_kernel.loon.checking.declared import Declaring
from vcad_kernel.loon.checking.definitions import Adt
from vcad_kernel.loon.checking.findings import a_count
from vcad_kernel.loon.checking.inference.infer import Inference, Scope
from vcad_kernel.loon.checking.inference.mismatch import condition, differing
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types import types
from vcad_kernel.loon.checking.types.display import worded, worded_together
from vcad_kernel.loon.checking.types.types import BOOL, FLOAT, INT, STRING, Con, Fn, Type, instance, prune
from vcad_kernel.loon.checking.types.unify import Clash
from vcad_kernel.loon.diagnostics import Severity, did_you_mean
from vcad_kernel.loon.forms.record import Part, SpecialForm, on_first_line
from vcad_kernel.loon.guesses import close_to
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.lowering.matching import lower_arms
from vcad_kernel.loon.printing.layout import Item, head_of
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import Expected, headed, inner_end, parts
from vcad_kernel.loon.scoping.patterns import bind_match_pattern, expressions_in
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import Arm, BadForm, Case, arms_of, cases_of, is_headed
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, Symbol, is_constructor

__all__ = ["MATCH"]


def _lines(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Pattern, with its guard on the same line, and body in turn."""
    for arm in arms_of(items, lambda item: head_of(item) == "when"):
        yield [arm.pattern] if arm.guard is None else [arm.pattern, arm.guard]
        if arm.body is not None:
            yield [arm.body]


def _holds(items: Sequence[Form]) -> Sequence[Part]:
    """A guard is one even if a macro is named ``when``."""
    places: list[Part] = ["code"] * len(items)
    at = 2
    for arm in arms_of(items[2:], _is_guard):
        if arm.guard is not None:
            places[at + 1] = "guard"
        at += 2 if arm.guard is None else 3
    return places


def _is_guard(form: Form) -> bool:
    return is_headed(form, "when") and isinstance(form, ListForm) and len(form.items) == 2


def _arms(items: Sequence[Node]) -> Iterator[Arm[Node]]:
    return arms_of(items[2:], lambda node: headed(node, "when"))


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[1:2])
    arms = list(_arms(items))
    for at, arm in enumerate(arms):
        end = arms[at + 1].pattern.start if at + 1 < len(arms) else inner_end(node)
        walk.maybe(expressions_in(arm.pattern))
        outer = walk.enter("arm", arm.pattern.start, end)
        bind_match_pattern(walk, arm.pattern, node)
        if arm.guard is not None:
            walk.sequence(parts(arm.guard)[1:])
        if arm.body is not None:
            walk.code(arm.body)
        walk.leave(outer)


def _expects(before: Sequence[Node]) -> Expected | None:
    if len(before) < 2:
        return None
    *_, last = (None, *_arms(before))
    return "pattern" if last is None or last.body is not None else None


def _declare(declaring: Declaring, operands: tuple[Form, ...], at_top: bool) -> None:
    declaring.each(operands[:1], at_top=at_top)
    declaring.each(operands[1:], at_top=False)


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[match e pattern body …]``."""
    if len(form.items) < 2:
        return inf.fresh()
    try:
        arms = cases_of(form.items[2:])
    except BadForm:
        return inf.fresh()
    subject = form.items[1]
    matching = _Matching(inf, inf.infer(subject), "warning")
    if not any(_catches_all(inf, arm) for arm in arms):
        matching.severity = "error"
    result: Type = inf.fresh()
    first: Form | None = None
    agreed = True
    for arm in arms:
        outer = inf.scope
        inner = Scope(outer)
        matching.pattern(arm.pattern, matching.subject, inner)
        inf.scope = inner
        if arm.guard is not None:
            condition(inf, arm.guard, "a guard")
        term = inf.infer(arm.body)
        inf.scope = outer
        if not agreed:
            continue
        clash = inf.unify(result, term)
        if clash is None:
            inf.settle(arm.body)
            first = first or arm.body
        else:
            agreed = False
            differing(inf, clash, "the arms of this match", (first or arm.body, result), (arm.body, term))
    _completeness(inf, subject, matching.subject, arms)
    return result if agreed else inf.fresh()


def _catches_all(inf: Inference, arm: Case) -> bool:
    return arm.guard is None and isinstance(arm.pattern, Symbol) and not _constant(inf, arm.pattern.name)


def _constant(inf: Inference, name: str) -> bool:
    """Whether a symbol in a pattern is a constructor without fields, rather than a variable."""
    if not is_constructor(name) or not inf.is_global(name):
        return False
    held = inf.names.variant(name)
    return held is not None and held[1].is_constant


_LITERAL_TYPES: dict[type[Form], Type] = {
    syntax.IntLit: INT,
    syntax.FloatLit: FLOAT,
    syntax.BoolLit: BOOL,
    syntax.StringLit: STRING,
    KeywordLit: types.KEYWORD,
}


@dataclass(slots=True)
class _Matching:
    """The patterns of one match. ``severity``: of a pattern that cannot fit."""

    inf: Inference
    subject: Type
    severity: Literal["error", "warning"]

    def pattern(self, pattern: Form, subject: Type, scope: Scope) -> None:
        """Fit a pattern to a value's type; its variables go to ``scope``."""
        inf = self.inf
        match pattern:
            case Symbol(name="_"):
                return
            case Symbol(name=name):
                if _constant(inf, name):
                    self._constructor(pattern, pattern, (), subject, scope)
                else:
                    outer, inf.scope = inf.scope, scope
                    inf.bind(pattern, subject)
                    inf.scope = outer
            case ListForm(items=(Symbol(name=name) as head, *parts)) if is_constructor(name):
                self._constructor(pattern, head, tuple(parts), subject, scope)
            case ListForm(items=(_, *_)) | syntax.Interpolation():
                condition(inf, pattern, "a pattern that is an expression")
            case _:
                known = _LITERAL_TYPES.get(type(pattern))
                clash = None if known is None else inf.unify(subject, known)
                if clash is not None:
                    self._never(pattern, subject, known or subject, clash)

    def _constructor(
        self, pattern: Form, head: Symbol, parts: tuple[Form, ...], subject: Type, scope: Scope
    ) -> None:
        inf = self.inf
        held = inf.names.variant(head.name)
        if held is None:
            self._unknown(head)
            fields: list[Type] = [inf.fresh() for _ in parts]
        else:
            term = instance(held[1].pattern, inf.names.level)
            whole = term.result if isinstance(term, Fn) else term
            fields = [*term.params] if isinstance(term, Fn) else []
            clash = inf.unify(subject, whole)
            if clash is not None:
                self._never(pattern, subject, whole, clash)
            elif len(fields) != len(parts):
                self._field_count(pattern, head.name, len(fields), len(parts))
            inf.settle(pattern)
            fields += [inf.fresh() for _ in parts[len(fields) :]]
        for part, field in zip(parts, fields, strict=False):
            self.pattern(part, field, scope)

    def _never(self, pattern: Form, subject: Type, wanted: Type, clash: Clash) -> None:
        value, fits = worded_together([subject, wanted])
        if clash.kind == "circle":
            value, fits = worded(clash.given), worded(clash.wanted)
        self.inf.report(
            "E0200",
            f"this pattern fits {fits}, but the value is {value}",
            [(pattern, f"never fits {value}")],
            why="values of different types are never equal, so the arm is never taken",
            severity=self.severity,
        )

    def _field_count(self, pattern: Form, name: str, expected: int, given: int) -> None:
        self.inf.report(
            "E0202",
            f"{name} has {a_count(expected, 'field')}, but the pattern names {given}",
            [(pattern, "never fits")],
            fix="write _ for a field that does not matter",
            severity=self.severity,
        )

    def _unknown(self, head: Symbol) -> None:
        names = self.inf.all_names
        near = close_to(head.name, filter(is_constructor, names()))
        severity: Severity = self.severity
        self.inf.report(
            "E0201",
            f"{head.name} is no constructor",
            [(head, "not bound")],
            why="no value is made by it, so the arm is never taken",
            fix=did_you_mean(near, head.start, head.end) if near else "",
            severity=severity,
        )


def _completeness(inf: Inference, subject: Form, term: Type, arms: list[Case]) -> None:
    """Report constructors of the value's type that no arm names (§17.2).

    One counts as covered when it heads an arm, whatever its fields or its guard demand; a lower-case name,
    ``_``, and any name that is no constructor catch all.
    """
    term = prune(term)
    adt = inf.names.adt(term.name) if isinstance(term, Con) else None
    if adt is None or not adt.variants:
        return
    names = [variant.name for variant in adt.variants]
    covered = {_head(arm.pattern) for arm in arms}
    missing = [name for name in names if name not in covered]
    catching = [
        arm.pattern
        for arm in arms
        if isinstance(arm.pattern, Symbol) and arm.pattern.name not in names and arm.guard is None
    ]
    if missing and catching:
        _caught(inf, catching[0], adt, missing)
        return
    if missing:
        listed = _listed(missing)
        examples = " ".join([_example(adt, name) for name in missing[:_SHOWN]])
        inf.report(
            "E0206",
            f"this match on {adt.name} does not cover {listed}",
            [(subject, adt.name)],
            why="a value that no arm fits stops the program",
            fix=f"add {a_count(len(missing), 'arm')}: {examples}",
            severity="warning",
        )


_SHOWN = 4
"""Constructors that a finding names; a library's type may have dozens."""


def _listed(names: list[str]) -> str:
    beyond = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {beyond} more" if beyond > 0 else "")


def _head(pattern: Form) -> str:
    if isinstance(pattern, ListForm) and pattern.items:
        pattern = pattern.items[0]
    return pattern.name if isinstance(pattern, Symbol) else ""


def _caught(inf: Inference, pattern: Symbol, adt: Adt, missing: list[str]) -> None:
    near = close_to(pattern.name, missing) if is_constructor(pattern.name) else None
    inf.report(
        "W0100",
        f"{pattern.name} silently covers {_listed(missing)} of {adt.name}",
        [(pattern, "catches all")],
        why=f"a variant that is added to {adt.name} later would be caught here too, unnoticed",
        fix=did_you_mean(near, pattern.start, pattern.end)
        if near
        else "name the constructors, unless all others are meant",
        severity="warning",
    )


def _example(adt: Adt, name: str) -> str:
    """An arm for a constructor."""
    variant = next(candidate for candidate in adt.variants if candidate.name == name)
    if variant.is_constant:
        return f"{name} …"
    fields = [field or "_" for field in variant.names]
    return f"[{' '.join([name, *fields])}] …"


def _own(owners: Owners, form: ListForm) -> None:
    before, owners.only_checked = owners.only_checked, True
    owners.each(form.items[1:2])
    for pattern, guard, body in arms_of(form.items[2:], lambda operand: is_headed(operand, "when")):
        if body is None:
            break
        owners.variables.scopes.append({})
        _own_pattern(owners, pattern)
        if isinstance(guard, ListForm):
            owners.each(guard.items[1:])
        owners.visit(body)
        owners.variables.scopes.pop()
    owners.only_checked = before


def _own_pattern(owners: Owners, pattern: Form) -> None:
    match pattern:
        case Symbol(name=name) if not is_constructor(name):
            owners.bind(pattern)
        case ListForm(items=(Symbol(name=name), *parts)) if is_constructor(name):
            for part in parts:
                _own_pattern(owners, part)
        case ListForm():
            owners.visit(pattern)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    if len(form.items) < 2:
        raise BadForm("match needs a value: [match value pattern body …]")
    lower_arms(low, form.items[1], cases_of(form.items[2:]), destination, low.at(form))


MATCH = SpecialForm(
    entry=Chapter("Flow").form(
        "[match value pattern body …]",
        "Takes the first pattern that fits and evaluates its body. No arrows stand between them. [Some d] "
        "fits a value of that constructor and binds its field; a lower-case name fits everything and is "
        "bound, it is not compared; _ fits everything. pattern [when condition] body asks further. Vectors, "
        "maps and tuples are no patterns.",
        '[match [Some 6] [Some d] [when [> d 5]] "big" [Some d] "small" None "none"]',
        '"big"',
        "value: any expression",
        "pattern body …: in pairs, tried in order",
    ),
    purpose="control",
    words=("when",),
    first_line=on_first_line(2),
    lines=_lines,
    broken=True,
    holds=_holds,
    walks=_walk,
    expects=_expects,
    declares=_declare,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(
        lower=_lower,
        is_open=True,
        names=lambda operands: operands[1:],
        results=lambda operands: operands[2::2],
    ),
)
