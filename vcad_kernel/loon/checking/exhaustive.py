"""Whether a ``match`` on a type of variants covers them all (§17.2).

A constructor counts as covered when it heads an arm, whatever its fields or its guard demand; a
lower-case name, ``_``, and any name that is no constructor catch all.
"""

from __future__ import annotations

from vcad_kernel.loon.checking.definitions import Adt
from vcad_kernel.loon.checking.findings import a_count, closest
from vcad_kernel.loon.checking.infer import Inference
from vcad_kernel.loon.checking.types import Con, Type, prune
from vcad_kernel.loon.shapes import Case
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, is_constructor

__all__ = ["completeness"]


def completeness(inf: Inference, subject: Form, term: Type, arms: list[Case]) -> None:
    """Report constructors of the value's type that no arm names."""
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
    near = closest(pattern.name, lambda: missing) if is_constructor(pattern.name) else None
    inf.report(
        "W0100",
        f"{pattern.name} silently covers {_listed(missing)} of {adt.name}",
        [(pattern, "catches all")],
        why=f"a variant that is added to {adt.name} later would be caught here too, unnoticed",
        fix=f"did you mean {near}?" if near else "name the constructors, unless all others are meant",
        severity="warning",
    )


def _example(adt: Adt, name: str) -> str:
    """An arm for a constructor."""
    variant = next(one for one in adt.variants if one.name == name)
    if variant.is_constant:
        return f"{name} …"
    fields = [field or "_" for field in variant.names]
    return f"[{' '.join([name, *fields])}] …"
