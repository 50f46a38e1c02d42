"""The types of ``match``: patterns fit the value, and all bodies are of one type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vcad_kernel.loon import syntax
from vcad_kernel.loon.checking.declared import is_constructor
from vcad_kernel.loon.checking.display import worded, worded_together
from vcad_kernel.loon.checking.exhaustive import Arm, completeness
from vcad_kernel.loon.checking.findings import a_count, closest
from vcad_kernel.loon.checking.handlers import special
from vcad_kernel.loon.checking.infer import Inference, Scope
from vcad_kernel.loon.checking.infer_control import condition, differing
from vcad_kernel.loon.checking.types import BOOL, FLOAT, INT, KEYWORD, STRING, Fn, Type, instance
from vcad_kernel.loon.checking.unify import Clash
from vcad_kernel.loon.diagnostics import Severity
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["arms_of"]

_WHEN = Symbol(0, 0, "when")


def arms_of(forms: tuple[Form, ...]) -> list[Arm] | None:
    """The arms after the value of a ``match``; None when a guard is put together wrongly."""
    arms = []
    at = 0
    while at < len(forms):
        pattern, guard = forms[at], None
        at += 1
        after = forms[at] if at < len(forms) else None
        if isinstance(after, ListForm) and after.items and after.items[0] == _WHEN:
            if len(after.items) != 2:
                return None
            guard = after.items[1]
            at += 1
        if at < len(forms):  # a pattern at the end without a body is ignored
            arms.append(Arm(pattern, guard, forms[at]))
            at += 1
    return arms


@special("match")
def infer_match(inf: Inference, form: ListForm) -> Type:
    """``[match e pattern body …]``."""
    arms = arms_of(form.items[2:]) if len(form.items) > 1 else None
    if arms is None:
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
    completeness(inf, subject, matching.subject, arms)
    return result if agreed else inf.fresh()


def _catches_all(inf: Inference, arm: Arm) -> bool:
    return arm.guard is None and isinstance(arm.pattern, Symbol) and not _constant(inf, arm.pattern.name)


def _constant(inf: Inference, name: str) -> bool:
    """Whether a symbol in a pattern is a constructor without fields, rather than a variable."""
    if not is_constructor(name) or not inf.is_global(name):
        return False
    held = inf.names.variant(name)
    return held is not None and held[1].is_constant


_LITERALS: dict[type[Form], Type] = {
    syntax.IntLit: INT,
    syntax.FloatLit: FLOAT,
    syntax.BoolLit: BOOL,
    syntax.StringLit: STRING,
    syntax.KeywordLit: KEYWORD,
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
            case ListForm(items=(_, *_)):
                condition(inf, pattern, "a pattern that is an expression")
            case _:
                known = _LITERALS.get(type(pattern))
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
        near = closest(head.name, lambda: [one for one in names() if is_constructor(one)])
        severity: Severity = self.severity
        self.inf.report(
            "E0201",
            f"{head.name} is no constructor",
            [(head, "not bound")],
            why="no value is made by it, so the arm is never taken",
            fix=f"did you mean {near}?" if near else "",
            severity=severity,
        )
