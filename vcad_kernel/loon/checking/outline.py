"""The top-level forms of a text: what is kept of each by its text, and where the text defines what.

Checking a form again can be spared when its text is the same and everything it asked about its
surroundings has the same answer. Plain dict operations only, so threads may share what is kept. Forms are
counted from 0 in the order of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcad_kernel.loon.checking.declared import Declared, Declaring
from vcad_kernel.loon.checking.definitions import Adt, Performs, Trait
from vcad_kernel.loon.checking.findings import Finding
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.checking.types.types import Scheme
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.shapes import behind_pub
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["Answer", "KeptForm", "Outcome", "Outline", "Question", "kept_forms", "same_answer"]

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


def kept_forms(text: str, forms: Sequence[Form], only_calls: bool) -> tuple[KeptForm, ...]:
    """What is kept of a chunk; ``forms`` are its forms with macros expanded.

    only_calls: it is known that no form declares anything.
    """
    versions = _chunks.get(text)
    if versions is not None:
        for version in versions:
            if len(version) == len(forms) and all(
                kept.form is form for kept, form in zip(version, forms, strict=True)
            ):
                return version
        for version in versions:
            if len(version) == len(forms) and all(
                kept.form == form for kept, form in zip(version, forms, strict=True)
            ):
                return version
    made = tuple([KeptForm(form, Declared() if only_calls else declared_by(form)) for form in forms])
    _chunks.keep(text, [*(versions or [])[-(_VERSIONS - 1) :], made])
    return made


_DECLARES: Final = {name: form.declares for name, form in FORMS.items()}
_ANNOUNCES: Final = {name: form.announces for name, form in FORMS.items() if form.announces is not None}


def declared_by(form: Form) -> Declared:
    """What a top-level form, with macros expanded, declares."""
    form = behind_pub(form)
    declaring = Declaring(_DECLARES)
    match form:
        case ListForm(items=(Symbol(name=head), *operands)) if head in _ANNOUNCES:
            _ANNOUNCES[head](declaring.found, tuple(operands))
    declaring.walk(form, at_top=True)
    return declaring.found


def same_answer(answer: Answer, other: Answer) -> bool:
    """Whether two answers of the surroundings mean the same."""
    if answer is other:
        return True
    if isinstance(answer, Scheme) and isinstance(other, Scheme):
        return answer.key == other.key
    if isinstance(answer, tuple) and isinstance(other, tuple):
        return len(answer) == len(other) and all(
            same_answer(a, b) for a, b in zip(answer, other, strict=True)
        )
    if isinstance(answer, str | int | Form):
        return type(answer) is type(other) and answer == other
    return False


class Outline:
    """An index of the top-level forms of a text; what the text does not define is looked up outside."""

    def __init__(self, declared: Sequence[Declared], known: Known) -> None:
        self._declared = declared
        self._known = known
        self.definers: dict[str, list[int]] = {}
        """By global name, the forms that may bind it."""
        self.types: dict[str, int] = {}
        """By type, the form that defines it last."""
        self.fields: dict[str, list[str]] = {}
        """By field name, the types that have such a field."""
        self.traits: dict[str, Trait] = {}
        self.impls: set[tuple[str, str]] = set()
        self._signatures: dict[str, list[int]] = {}
        self._opened: dict[str, None] = {}
        for index, names in enumerate(declared):
            self._enter(index, names)
        for index, names in enumerate(declared):
            for name in names.sets:
                if name not in self.definers and known.scheme(name) is None:
                    self.definers[name] = [index]

    def _enter(self, index: int, declared: Declared) -> None:
        for name in declared.names:
            self.definers.setdefault(name, []).append(index)
        for name, form in declared.types.items():
            self.types[name] = index
            for variant in form.variants:
                for label in filter(None, variant.names):
                    self.fields.setdefault(label, []).append(name)
        for name, methods in declared.traits.items():
            self.traits[name] = Trait(name, methods)
        for name in declared.signatures:
            self._signatures.setdefault(name, []).append(index)
        self.impls |= declared.impls
        self._opened.update(declared.opened)

    def meant(self, asker: int, name: str, *, deferred: bool) -> int | None:
        """The form whose definition of a global is meant at another: the last above it; for what a
        function looks up when it runs, else the first below it. None where the text has none."""
        latest = None
        for definer in self.definers.get(name, ()):
            if definer < asker:
                latest = definer
            elif deferred and latest is None and definer > asker:
                return definer
        return latest

    def arity(self, name: str) -> int:
        """The number of parameters of a type."""
        at = self.types.get(name)
        return self._known.arity(name) if at is None else len(self._declared[at].types[name].params)

    def trait(self, name: str) -> Trait | None:
        """A trait by name."""
        return self.traits.get(name) or self._known.trait(name)

    def signature(self, asker: int, name: str) -> tuple[Form, ...] | None:
        """The ``sig`` for a definition: the last above it, if no other definition came between."""
        earlier = [index for index in self.definers.get(name, ()) if index < asker]
        above = [index for index in self._signatures.get(name, ()) if index < asker]
        if above:
            if earlier and earlier[-1] > above[-1]:
                return None
            return self._declared[above[-1]].signatures[name]
        return None if earlier else self._known.signature(name)

    def open_signatures(self) -> dict[str, tuple[Form, ...]]:
        """The signatures whose definitions are still to come, in another text."""
        return {
            name: self._declared[at[-1]].signatures[name]
            for name, at in self._signatures.items()
            if self.definers.get(name, [-1])[-1] < at[-1]
        }

    def is_opened(self, name: str) -> bool:
        """Whether a ``use`` may bring in a name that is not known."""
        return name in self._opened or any(
            opened.endswith(".") and name.startswith(opened) for opened in self._opened
        )
