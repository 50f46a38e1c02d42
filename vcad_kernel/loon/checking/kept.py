"""What is kept of chunks that have been checked, by their text.

Checking a form again can be spared when its text is the same and everything it asked about its
surroundings has the same answer. Plain dict operations only, so threads may share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcad_kernel.loon.checking.declared import Declared, Declaring
from vcad_kernel.loon.checking.definitions import Adt
from vcad_kernel.loon.checking.effects import Performs
from vcad_kernel.loon.checking.findings import Finding
from vcad_kernel.loon.checking.types import Scheme
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.shapes import is_headed
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["Answer", "KeptForm", "Outcome", "Question", "kept_forms", "same_answer"]

Question: TypeAlias = tuple[str, ...]
"""Something asked about the surroundings: the kind of question and the names in it."""

Answer: TypeAlias = object

_CHUNKS: Final = 4096
_VERSIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of checking a form."""

    findings: tuple[Finding, ...]
    defined: Mapping[str, Scheme]
    parameters: Mapping[str, tuple[str, ...]]
    performs: Mapping[str, Performs]
    promises: tuple[tuple[Symbol, frozenset[str], Performs], ...]
    owned: frozenset[int]
    """The identities of the symbols that bind variables whose values are not copied."""
    answers: Mapping[Question, Answer]
    """What the surroundings said."""


@dataclass(slots=True)
class KeptForm:
    """A top-level form and what is known of it by itself."""

    form: Form
    declared: Declared
    outcomes: list[Outcome] = field(default_factory=list)
    """The latest last."""
    adts: dict[str, tuple[Mapping[str, int], Adt]] = field(default_factory=dict)
    """The types it defines, with the numbers of parameters of other types that were asked for."""

    def keep(self, outcome: Outcome) -> None:
        """Remember an outcome; the oldest is forgotten."""
        self.outcomes = [*self.outcomes[-(_VERSIONS - 1) :], outcome]


_chunks: Recent[str, list[tuple[KeptForm, ...]]] = Recent(_CHUNKS)


def kept_forms(text: str, forms: Sequence[Form]) -> tuple[KeptForm, ...]:
    """What is kept of a chunk; ``forms`` are its forms with macros expanded."""
    versions = _chunks.get(text)
    if versions is not None:
        for version in versions:
            if len(version) == len(forms) and all(
                one.form is form for one, form in zip(version, forms, strict=True)
            ):
                return version
        for version in versions:
            if len(version) == len(forms) and all(
                one.form == form for one, form in zip(version, forms, strict=True)
            ):
                return version
    made = tuple([KeptForm(form, declared_by(form)) for form in forms])
    _chunks.keep(text, [*(versions or [])[-(_VERSIONS - 1) :], made])
    return made


_DECLARES: Final = {name: form.declares for name, form in FORMS.items()}
_ANNOUNCES: Final = {name: form.announces for name, form in FORMS.items() if form.announces is not None}


def declared_by(form: Form) -> Declared:
    """What a top-level form, with macros expanded, declares."""
    while is_headed(form, "pub"):
        assert isinstance(form, ListForm)
        rest = form.items[1:]
        form = rest[0] if len(rest) == 1 else ListForm(form.start, form.end, rest)
    declaring = Declaring(_DECLARES)
    match form:
        case ListForm(items=(Symbol(name=head), *operands)) if head in _ANNOUNCES:
            _ANNOUNCES[head](declaring.found, tuple(operands))
    declaring.walk(form, at_top=True)
    return declaring.found


def same_answer(one: Answer, other: Answer) -> bool:
    """Whether two answers of the surroundings mean the same."""
    if one is other:
        return True
    if isinstance(one, Scheme) and isinstance(other, Scheme):
        return one.key == other.key
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(same_answer(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, str | int | Form):
        return type(one) is type(other) and one == other
    return False
