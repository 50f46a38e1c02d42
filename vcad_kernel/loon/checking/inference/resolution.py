"""The forms of one text, each inferred when it is first asked for.

Global names are looked up late, so a function may use what is defined further down. Code that asks for
the type of such a name has its form inferred first. Forms that need each other are one group: within
it their types are those of the moment, and when its first form is finished all of them are generalised
(strongly connected components, found as Tarjan does).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from vcad_kernel.loon.checking.definitions import Adt, Performs, Trait, Variant, adt_of, is_copyable
from vcad_kernel.loon.checking.inference.calls import call
from vcad_kernel.loon.checking.inference.infer import Inference, Rules
from vcad_kernel.loon.checking.inference.numbers import never_equal
from vcad_kernel.loon.checking.inference.values import COLLECTIONS, not_bound
from vcad_kernel.loon.checking.known import Known, Origin
from vcad_kernel.loon.checking.outline import Answer, KeptForm, Outcome, Outline, Question, same_answer
from vcad_kernel.loon.checking.types.types import Scheme, Type, generalised, unconstrained
from vcad_kernel.loon.checking.types.unify import Unifier
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.guesses import Guesses
from vcad_kernel.loon.program.library import LibraryTrait
from vcad_kernel.loon.reference import Entry, fitting
from vcad_kernel.loon.syntax import Form

__all__ = ["Item", "Resolution"]

_NEW, _COMPARING, _RUNNING, _WAITING, _DONE = range(5)
_ANYTHING: Final = unconstrained()
_RULES: Final = Rules({name: form.infers for name, form in FORMS.items()}, call, COLLECTIONS, not_bound)
_A = TypeVar("_A")


@dataclass(eq=False, slots=True)
class Item:
    """A top-level form of the text. ``part`` is the index of its chunk."""

    index: int
    part: int
    kept: KeptForm
    line: int = 0
    """The line that it begins on."""
    state: int = _NEW
    depth: int = 0
    """How many forms were under way when it began."""
    low: int = 0
    """The depth of the outermost form under way that it needs."""
    inference: Inference | None = None
    answers: dict[Question, Answer] = field(default_factory=dict)
    outcome: Outcome | None = None


class Resolution:
    """The forms of a text and the order in which they are inferred."""

    def __init__(self, forms: Sequence[tuple[int, int, KeptForm]], known: Known) -> None:
        self.known = known
        self.level = 0
        self.unifier = Unifier({name: trait.types for name, trait in known.traits.items()})
        self.items = [Item(index, part, kept, line) for index, (part, line, kept) in enumerate(forms)]
        self.outline = Outline([kept.declared for _, _, kept in forms], known)
        self._under_way: list[Item] = []
        self._waiting: list[Item] = []

    def run(self) -> None:
        """Infer all that has not been inferred yet."""
        for item in self.items:
            self.demand(item)

    def demand(self, item: Item) -> None:
        """Have an item inferred, or at least begun."""
        if item.state == _NEW:
            item.state = _COMPARING
            outcome = self._kept_outcome(item)
            if item.state == _COMPARING and outcome is not None:
                item.outcome = outcome
                item.state = _DONE
                return
        if item.state in (_NEW, _COMPARING):
            self._infer(item)

    def _kept_outcome(self, item: Item) -> Outcome | None:
        """A kept outcome for which the surroundings are the same as they were."""
        view = View(self, item)
        for outcome in reversed(item.kept.outcomes):
            fits = True
            for question, answer in outcome.answers.items():
                if not same_answer(answer, view.ask(question)) or item.state != _COMPARING:
                    fits = False
                    break
            if fits:
                return outcome
            if item.state != _COMPARING:
                return None
        item.answers = {}
        return None

    def _infer(self, item: Item) -> None:
        item.state = _RUNNING
        item.answers = {}
        item.depth = item.low = len(self._under_way)
        self._under_way.append(item)
        before = len(self._waiting)
        self.level += 1
        inference = item.inference = self.inference(item)
        inference.infer(item.kept.form)
        never_equal(inference)
        self.unifier.due.clear()
        self.level -= 1
        self._under_way.pop()
        # nothing is inferred between a mark and its undo, so nothing goes back to before here
        self.unifier.forget()
        item.state = _WAITING
        self._waiting.append(item)
        if item.low < item.depth:
            asker = self._under_way[-1]
            asker.low = min(asker.low, item.low)
            return
        group = self._waiting[before:]
        del self._waiting[before:]
        for member in group:
            self._finish(member, alone=len(group) == 1)

    def inference(self, item: Item) -> Inference:
        """An inference of an item, to be begun."""
        return Inference(View(self, item), _RULES, item.kept.declared.names)

    def _finish(self, item: Item, *, alone: bool) -> None:
        inference = item.inference
        assert inference is not None
        defined: dict[str, Scheme] = {}
        for name, held in inference.defined.items():
            closed = isinstance(held, Scheme) and held.is_closed
            term = held.type if isinstance(held, Scheme) else held
            defined[name] = held if closed else generalised(term, self.level)  # type: ignore[assignment]
        view = View(self, item)
        owned = [id(symbol) for symbol, term in inference.binders if not is_copyable(term, view.adt)]
        item.outcome = Outcome(
            tuple(inference.findings),
            defined,
            inference.parameters,
            inference.performs,
            tuple(inference.promises),
            frozenset(owned),
            item.answers,
        )
        item.inference = None
        item.state = _DONE
        # A name that is not bound is explained by names around it, which are not asked for one by one.
        if alone and not any(finding.code == "E0201" for finding in inference.findings):
            item.kept.keep(item.outcome)

    # What names mean

    def scheme(self, asker: Item, name: str, *, deferred: bool) -> Scheme | Type | None:
        """The type of a global at an item: the latest definition above it; for what a function looks up
        when it runs, else the first below it."""
        at = self.outline.meant(asker.index, name, deferred=deferred)
        return self.known.scheme(name) if at is None else self._of(asker, self.items[at], name)

    def _of(self, asker: Item, item: Item, name: str) -> Scheme | Type:
        self.demand(item)
        if item.outcome is not None:
            return item.outcome.defined.get(name, _ANYTHING)
        assert item.inference is not None
        asker.low = min(asker.low, item.depth if item.state == _RUNNING else item.low)
        return item.inference.meanwhile(name)

    def hidden(self, asker: Item, name: str) -> int:
        """See View.hidden."""
        at = self.outline.meant(asker.index, name, deferred=True)
        if at is None:
            return 0 if self.known.covers(name) else -1
        return self.items[at].line if self.known.without([name]).scheme(name) is not None else -1

    def definition(self, name: str) -> Item | None:
        """The form that defines a name last."""
        definers = self.outline.definers.get(name)
        return None if definers is None else self.items[definers[-1]]

    def adt(self, name: str) -> Adt | None:
        """A type of the text, or from outside it."""
        at = self.outline.types.get(name)
        return self.known.adt(name) if at is None else self._adt_in(self.items[at], name)

    def _adt_in(self, item: Item, name: str) -> Adt:
        kept = item.kept.adts.get(name)
        if kept is not None and all(
            self.outline.arity(adt_name) == count for adt_name, count in kept[0].items()
        ):
            return kept[1]
        asked: dict[str, int] = {}

        def arity(adt_name: str) -> int:
            asked[adt_name] = self.outline.arity(adt_name)
            return asked[adt_name]

        made = adt_of(item.kept.declared.types[name], arity)
        item.kept.adts[name] = (asked, made)
        return made

    def variant(self, asker: Item, name: str) -> tuple[Adt, Variant] | None:
        """The constructor that a name means at an item."""
        definers = self.outline.definers.get(name)
        if definers is None:
            return self.known.variant(name)
        above = [definer for definer in definers if definer <= asker.index]
        item = self.items[above[-1] if above else definers[0]]
        for type_name, form in item.kept.declared.types.items():
            if any(variant.name.name == name for variant in form.variants):
                adt = self._adt_in(item, type_name)
                return next((adt, variant) for variant in adt.variants if variant.name == name)
        return None

    def owners(self, label: str) -> Iterator[tuple[Adt, Variant]]:
        """The variants with a field of that name."""
        adts = [self.adt(name) for name in dict.fromkeys(self.outline.fields.get(label, ()))]
        outer = [adt for adt in self.known.adts() if adt.name not in self.outline.types]
        for adt in [*adts, *outer]:
            for variant in adt.variants if adt is not None else ():
                if label in variant.names:
                    assert adt is not None
                    yield adt, variant

    def performs(self, name: str) -> Performs | None:
        """What a named function performs and calls."""
        item = self.definition(name)
        if item is None:
            return self.known.performs(name)
        return item.outcome.performs.get(name) if item.outcome is not None else None


class View:
    """The surroundings of one item; what is asked of them is noted with its answer."""

    __slots__ = ("_item", "_resolution", "unifier")

    def __init__(self, resolution: Resolution, item: Item) -> None:
        self._resolution = resolution
        self._item = item
        self.unifier = resolution.unifier

    @property
    def level(self) -> int:
        """How many definitions are under way."""
        return self._resolution.level

    @level.setter
    def level(self, level: int) -> None:
        self._resolution.level = level

    @property
    def guesses(self) -> Guesses:
        """What people write for these names who know others: it comes with the libraries, as names do."""
        return self._resolution.known.guesses

    @property
    def tolerant(self) -> bool:
        """Whether what runs all the same is no finding."""
        return self._noted(("tolerant",), self._resolution.known.tolerant)

    def ask(self, question: Question) -> Answer:
        """Answer a question as it was asked when it was noted."""
        match question:
            case ("tolerant",):
                return self.tolerant
            case ("scheme", name, deferred):
                return self.scheme(name, deferred=bool(deferred))
            case ("implements", trait, owner):
                return self.implements(trait, owner)
            case (kind, name):
                answer: Any = _QUESTIONS[kind](self, name)
                return answer
        raise AssertionError(question)

    def _noted(self, question: Question, answer: _A) -> _A:
        self._item.answers[question] = answer
        return answer

    def scheme(self, name: str, *, deferred: bool) -> Scheme | Type | None:
        """The type of a global."""
        answer = self._resolution.scheme(self._item, name, deferred=deferred)
        return self._noted(("scheme", name, "deferred" if deferred else ""), answer)

    def opened(self, name: str) -> bool:
        """Whether a ``use`` may bring in a name."""
        return self._noted(("opened", name), self._resolution.outline.is_opened(name))

    def variant(self, name: str) -> tuple[Adt, Variant] | None:
        """A constructor by name."""
        return self._noted(("variant", name), self._resolution.variant(self._item, name))

    def adt(self, name: str) -> Adt | None:
        """A type by name."""
        return self._noted(("adt", name), self._resolution.adt(name))

    def arity(self, name: str) -> int:
        """The number of parameters of a type."""
        return self._noted(("arity", name), self._resolution.outline.arity(name))

    def owners(self, field: str) -> tuple[tuple[Adt, Variant], ...]:
        """The variants with a field of that name."""
        return self._noted(("owners", field), tuple(self._resolution.owners(field)))

    def trait(self, name: str) -> Trait | None:
        """A trait by name."""
        return self._noted(("trait", name), self._resolution.outline.trait(name))

    def implements(self, trait: str, owner: str) -> bool:
        """Whether a program implements a trait for a type."""
        resolution = self._resolution
        answer = (trait, owner) in resolution.outline.impls or resolution.known.implements(trait, owner)
        return self._noted(("implements", trait, owner), answer)

    def signature(self, name: str) -> tuple[Form, ...] | None:
        """The ``sig`` for this item's definition of a name."""
        return self._noted(("signature", name), self._resolution.outline.signature(self._item.index, name))

    def is_method(self, name: str) -> bool:
        """Whether a global, as it was before this item, is a method of other types."""
        resolution = self._resolution
        at = resolution.outline.meant(self._item.index, name, deferred=False)
        if at is None:
            answer = resolution.known.is_method(name)
        else:
            answer = name in resolution.items[at].kept.declared.methods
        return self._noted(("is_method", name), answer)

    def origin(self, name: str) -> Origin:
        """Whose a global is."""
        resolution = self._resolution
        answer: Origin = "own" if name in resolution.outline.definers else resolution.known.origin(name)
        return self._noted(("origin", name), answer)

    def hidden(self, name: str) -> int:
        """The line of this text on which a name of the language or of a library got another meaning; 0 if it
        did in another text, -1 if it did not."""
        return self._noted(("hidden", name), self._resolution.hidden(self._item, name))

    def ways(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The names of a function's parameters, for each way to call it."""
        item = self._resolution.definition(name)
        if item is None:
            answer = self._resolution.known.ways(name)
        else:
            defined = item.outcome or item.inference
            names = defined.parameters.get(name, ()) if defined is not None else ()
            answer = (names,) if names else ()
        return self._noted(("ways", name), answer)

    def parameters(self, name: str, count: int = -1) -> tuple[str, ...]:
        """The names of a function's parameters, for a call of so many arguments."""
        return fitting(self.ways(name), count)

    def library_entry(self, name: str) -> Entry | None:
        """What a library says of one of its functions."""
        resolution = self._resolution
        return None if name in resolution.outline.definers else resolution.known.library_entry(name)

    def unqualified(self, name: str) -> str:
        """The library's word that a name with a prefix stands for."""
        return self._resolution.known.unqualified(name)

    def qualified(self, name: str) -> str:
        """The name that a library's word always has."""
        return self._resolution.known.qualified(name)

    @property
    def traits(self) -> Mapping[str, LibraryTrait]:
        """The traits of libraries."""
        return self._resolution.known.traits

    def names(self) -> Iterator[str]:
        """All global names."""
        yield from self._resolution.outline.definers
        yield from self._resolution.known.names()


_QUESTIONS: Final = {
    "opened": View.opened,
    "variant": View.variant,
    "adt": View.adt,
    "arity": View.arity,
    "owners": View.owners,
    "trait": View.trait,
    "is_method": View.is_method,
    "signature": View.signature,
    "origin": View.origin,
    "ways": View.ways,
    "hidden": View.hidden,
}
"""By kind, the questions about one name."""
