"""Which cell each name of an environment belongs to, and what it meant before that cell took it.

    names = OwnedNames(environment)
    names.begin("cell 2")              # what its earlier run had defined is taken back
    environment.run(…)
    names.bound("cell 2", environment.last_defined)

Two cells may define one name: the last run has it, and when that is run again or taken back, the name means
what it meant before. So a cell that makes a name of another cell's own (``[let w [* w 2]]``) may be run any
number of times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.user_globals import Binding, Bindings
from vcad_kernel.loon.program.value_digest import value_digest

__all__ = ["OwnedNames"]

_NOBODYS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class _Covered:
    """A definition behind another of the same name."""

    cell_id: str
    binding: Binding
    given: str | None


class OwnedNames:
    """The names of one environment; every run of a cell is announced here."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        """Whose names they are."""
        self.owner: dict[str, str] = {}
        """Name → id of the cell that defined it last."""
        self.given: dict[str, str] = {}
        """Name that a host bound → what there is to say about it."""
        self._covered: dict[str, list[_Covered]] = {}
        """Name → what it meant before, the newest last."""
        self._before = Bindings(environment.user)
        self._owner_before: Mapping[str, str] = _NOBODYS
        self._given_before: Mapping[str, str] = _NOBODYS

    def of(self, cell_id: str) -> list[str]:
        """The names that a cell has defined and no other since."""
        return [name for name, owner in list(self.owner.items()) if owner == cell_id]

    def behind(self, cell_id: str) -> dict[str, Binding | None]:
        """The names that a cell has, and what each would mean without it."""
        covered = {name: self._covered.get(name) for name in self.of(cell_id)}
        return {name: None if not behind else behind[-1].binding for name, behind in covered.items()}

    def begin(self, cell_id: str) -> frozenset[str]:
        """A cell is about to run. Returns: the names of its earlier run, which are taken back."""
        for name, covered in list(self._covered.items()):
            kept = [binding for binding in covered if binding.cell_id != cell_id]
            if kept:
                self._covered[name] = kept
            else:
                del self._covered[name]
        gone = frozenset(self.of(cell_id))
        self.take_back(gone)
        self._before = Bindings(self.environment.user)
        self._owner_before, self._given_before = dict(self.owner), dict(self.given)
        return gone

    def bound(self, cell_id: str, names: Iterable[str]) -> None:
        """The text of the cell that runs has bound these names."""
        for name in names:
            self._own(cell_id, name)
            self.given.pop(name, None)

    def define(self, cell_id: str, name: str, value: object, doc: str) -> None:
        """Bind a name on behalf of the cell that runs."""
        self.environment.user.define(name, value)
        self._own(cell_id, name)
        self.given[name] = doc

    def taken_over(self, cell_id: str, imported: Collection[str] = ()) -> dict[str, str]:
        """The names that the cell which ran last has of another, each with the id of that.

        imported: those that it has from modules. Of these none whose value is the same: both cells use it.
        """
        now = Bindings(self.environment.user)
        return {
            name: before
            for name, before in self._owner_before.items()
            if before != cell_id
            and self.owner.get(name) == cell_id
            and not (name in imported and _means_the_same(self._before.of(name), now.of(name)))
        }

    def take_back(self, names: Iterable[str]) -> None:
        """Forget definitions; what they covered is back."""
        gone = {name for name in names if name in self.owner}
        self.environment.user.forget(gone)
        for name in gone:
            del self.owner[name]
            self.given.pop(name, None)
            covered = self._covered.get(name)
            if not covered:
                continue
            back = covered.pop()
            if not covered:
                del self._covered[name]
            self.environment.user.bring_back(name, back.binding)
            self.owner[name] = back.cell_id
            if back.given is not None:
                self.given[name] = back.given

    def _own(self, cell_id: str, name: str) -> None:
        before = self._owner_before.get(name)
        if before is not None and before != cell_id and self.owner.get(name) == before:
            covered = _Covered(before, self._before.of(name), self._given_before.get(name))
            self._covered.setdefault(name, []).append(covered)
        self.owner[name] = cell_id


def _means_the_same(first: Binding, second: Binding) -> bool:
    """Whether a name means the same by both; of functions and solids whether they are the same ones."""
    if first.macro is not None or second.macro is not None:
        return first.macro == second.macro
    return first.value is second.value or value_digest(first.value) == value_digest(second.value)
