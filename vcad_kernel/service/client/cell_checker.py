"""What is known of a session's cells without running them: their text is checked here, at once.

The service may be computing, or not even be there; a finding on what is being typed cannot wait for it. An
environment of this process learns each cell that the service has evaluated, as far as its text says
what it defines, and only when asked. Values stay in the service: of what a cell's value was
bound to, and of large values from Python, nothing is known here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ServiceFailure

if TYPE_CHECKING:
    from vcad_kernel.contracts.messages import HistoryEntry, TakenBack
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.loon.program.environment import Environment
    from vcad_kernel.service.evaluation.owned_names import OwnedNames

__all__ = ["CellChecker"]


@dataclass(frozen=True, slots=True)
class _Ran:
    """A cell that has been evaluated."""

    cell: CellSource
    defined: frozenset[str] | None
    """The names that it has bound; None where only its text can say."""
    given: Mapping[str, str] | None
    """The names that a host has bound for it, each with its type; None where that is not known."""


_UNLEARNED: Final = 256
"""Runs that wait to be learned besides those that matter still: a kernel may run for weeks unasked."""

_Entry: TypeAlias = "_Ran | TakenBack"


class CellChecker:
    """Knows the cells of one session. May be asked from any thread.

    folder: where ``use`` looks for modules.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lock = Lock()
        self._folder = folder
        self._entries: list[_Entry] = []
        """What has made the service's environment, in order."""
        self._unlearned: list[_Entry] = []
        """The last of it, and what has become obsolete since: what is not learned yet."""
        self._names: OwnedNames | None = None
        """Of the environment that has learned the cells; None before anybody asks."""

    def evaluated(
        self,
        prelude: Sequence[HistoryEntry],
        cell: CellSource,
        defined: Collection[str] | None,
        *,
        given: Mapping[str, str] | None = None,
        obsolete: Collection[int] = (),
        folder: Path | None = None,
    ) -> None:
        """A cell has been evaluated after those of ``prelude``, perhaps not to its end.

        defined: the names that its text has bound. given: those that a host has bound for it, with their
        types in the checker's notation. Each is None where it is not known. obsolete: which entries of the
        prelude, the cell at its end, matter no more.
        """
        with self._lock:
            if folder != self._folder or [_history_entry(entry) for entry in self._entries] != list(prelude):
                self._start_over(prelude, folder)
            ran = _Ran(cell, None if defined is None else frozenset(defined), given)
            self._unlearned.append(ran)
            entries = [*self._entries, ran]
            self._entries = [entry for index, entry in enumerate(entries) if index not in obsolete]
            if len(self._unlearned) > len(self._entries) + _UNLEARNED:
                # it was not asked for long: what is left of it all says the same
                self._begin_anew()

    def taken_back(self, names: Collection[str]) -> None:
        """Definitions have been taken back."""
        from vcad_kernel.contracts.messages import TakenBack

        entry = TakenBack(frozenset(names))
        with self._lock:
            self._entries.append(entry)
            self._unlearned.append(entry)

    def check(self, cell: CellSource) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text after all that has been evaluated."""
        from vcad_kernel.cad.imports import checked
        from vcad_kernel.loon.source import Source
        from vcad_kernel.service.evaluation.bindings import known_of

        with self._lock:
            names = self._learned()
            source = Source(cell.title, cell.source)
            check = partial(names.environment.check, without=names.behind(cell.cell_id))
            return checked(source, check, known_of(cell))

    def _start_over(self, prelude: Sequence[HistoryEntry], folder: Path | None) -> None:
        """The service works from another history than the one that is known here."""
        from vcad_kernel.contracts.messages import TakenBack

        known = {
            (entry.cell.cell_id, entry.cell.hash): entry for entry in self._entries if isinstance(entry, _Ran)
        }
        self._entries = [
            entry
            if isinstance(entry, TakenBack)
            else known.get((entry.cell_id, entry.hash), _Ran(entry, None, None))
            for entry in prelude
        ]
        self._folder = folder
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Know nothing yet of the entries."""
        self._unlearned = list(self._entries)
        self._names = None

    def _learned(self) -> OwnedNames:
        """The names of the environment, with all that it has not learned yet."""
        from vcad_kernel.service.evaluation.owned_names import OwnedNames

        names = self._names
        if names is None:
            names = self._names = OwnedNames(_environment(self._folder))
        while self._unlearned:
            entry = self._unlearned[0]
            if isinstance(entry, _Ran):
                _learn(names, entry)
            else:
                names.take_back(entry.names)
            del self._unlearned[0]
        return names


def _learn(names: OwnedNames, ran: _Ran) -> None:
    """As `CellEnvironment.run` does, but for the running."""
    from vcad_kernel.cad.imports import known_imports
    from vcad_kernel.loon.source import Source
    from vcad_kernel.service.evaluation.bindings import outline

    cell, environment = ran.cell, names.environment
    names.begin(cell.cell_id)
    given = dict.fromkeys(cell.bindings, "") if ran.given is None else ran.given
    for name, value in cell.bindings.items():
        if name in given:
            _give(names, cell, name, outline(value, name), given[name])
    source = Source(cell.title, cell.source)
    with suppress(ServiceFailure):  # the cell has failed at once
        source, examples = known_imports(source)
        for symbol, example in examples.items():
            environment.user.define(symbol, example)
    environment.learn(source, ran.defined)
    names.bound(cell.cell_id, _names_of(environment, cell) if ran.defined is None else ran.defined)
    if cell.bind is not None and cell.bind in given:
        _give(names, cell, cell.bind, _ANY, given[cell.bind])


def _give(names: OwnedNames, cell: CellSource, name: str, value: object, notation: str) -> None:
    """Bind a name as a host does. value: as far as it is known here. notation: its type, if known."""
    names.define(cell.cell_id, name, value, "")
    if notation:
        names.environment.user.learn(name, notation)


_ANY = object()
"""Stands for a value of which nothing is known."""


def _history_entry(entry: _Entry) -> HistoryEntry:
    return entry.cell if isinstance(entry, _Ran) else entry


def _names_of(environment: Environment, cell: CellSource) -> set[str]:
    """The names that stand in a cell's text, as far as the environment knows."""
    places = {name: entry.place for name, entry in environment.user.entries().items()}
    return {name for name, place in places.items() if place is not None and place.file == cell.title}


def _environment(folder: Path | None) -> Environment:
    """One in which the library is known and nothing ever runs."""
    from vcad_kernel.cad.library import PRELUDE
    from vcad_kernel.loon.modules.modules import Project
    from vcad_kernel.loon.program.environment import Environment

    return Environment(
        prelude=PRELUDE,
        stdout=lambda _: None,
        project=None if folder is None else Project(folder),
    )
