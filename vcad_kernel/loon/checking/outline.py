"""Where a text defines what: the first thing to know of it, and all that its shape alone tells.

Forms are counted from 0 in the order of the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.declared import Declared
from vcad_kernel.loon.checking.definitions import Trait
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.syntax import Form

__all__ = ["Outline"]


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
        for index, one in enumerate(declared):
            self._enter(index, one)
        for index, one in enumerate(declared):
            for name in one.sets:
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
        found = None
        for one in self.definers.get(name, ()):
            if one < asker:
                found = one
            elif deferred and found is None and one > asker:
                return one
        return found

    def arity(self, name: str) -> int:
        """The number of parameters of a type."""
        at = self.types.get(name)
        return self._known.arity(name) if at is None else len(self._declared[at].types[name].params)

    def trait(self, name: str) -> Trait | None:
        """A trait by name."""
        return self.traits.get(name) or self._known.trait(name)

    def signature(self, asker: int, name: str) -> tuple[Form, ...] | None:
        """The ``sig`` for a definition: the last above it, if no other definition came between."""
        earlier = [one for one in self.definers.get(name, ()) if one < asker]
        above = [one for one in self._signatures.get(name, ()) if one < asker]
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
        return name in self._opened or any(one.endswith(".") and name.startswith(one) for one in self._opened)
