"""Cells that share one Loon environment, and how that environment is made again when it is lost.

An environment is nothing but the outcome of a history of cells, and of names taken back between
them. A request names the history it builds on; where the live environment has exactly that history it
is used as it is, otherwise a fresh one runs the history again, silently. Running a cell again first
takes back what its earlier run defined, so that no name outlives the text that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from operator import is_
from pathlib import Path
from typing import Any

from vcad_kernel.cad.imports import ExtractedImports, checked, extract_imports, shown_as
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.parameters import Declarations
from vcad_kernel.cad.scene_value import root_values
from vcad_kernel.contracts.messages import CellNames, CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import LoonNameError, VcadError
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.mentions import (
    changes_in_place,
    has_lasting_forms,
    looked_up,
    may_change_in_place,
    uses,
)
from vcad_kernel.loon.program.private_names import PrivateNames
from vcad_kernel.loon.program.program import CodeStep, Program
from vcad_kernel.loon.program.value_digest import value_digest
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.runtime.limits.limits import STANDARD, Limits
from vcad_kernel.loon.runtime.values import UNIT
from vcad_kernel.loon.source import Source
from vcad_kernel.service.evaluation.bindings import known_of, to_loon
from vcad_kernel.service.evaluation.history import Ran, obsolete, was_stopped
from vcad_kernel.service.evaluation.imported import found_for, imported_values
from vcad_kernel.service.evaluation.owned_names import OwnedNames
from vcad_kernel.service.protocol import Definition, Output

__all__ = ["CellEnvironment"]

_SHORT = 200
"""Characters of a value that a definition shows."""

_NOTHING = object()
"""The value of a name that is bound to none: a macro, a type."""


def _silent(_text: str) -> None:
    """Output of a replayed cell: it was shown when the cell first ran."""


class CellEnvironment:
    """One environment and the history that made it.

    folder: where ``use`` looks for modules; None lets no module be used. limits: what one cell may use.
    """

    def __init__(self, folder: Path | None = None, limits: Limits = STANDARD) -> None:
        self._output: Output = _silent
        self.folder = folder
        """Where ``use`` looks for modules."""
        self.loon = Environment(
            prelude=PRELUDE,
            stdout=self._print,
            project=None if folder is None else Project(folder),
            limits=limits,
            declare=lambda name, default, options: self._declarations.declare(name, default, options),
        )
        """The Loon environment itself, for looking names up."""
        self._declarations = Declarations()
        """Of the cell that is running, or that ran last."""
        self._last: tuple[CellSource, ExtractedImports, Mapping[str, str]] | None = None
        """The cell that ran last, its program as it ran, and whose the names of others were then."""
        self._history: list[Ran] = []
        """What has made it, as far as it matters."""
        self._whole_history: list[Ran] = []
        """The same as its keeper sends it: with what has become needless since."""
        self.defined: tuple[str, ...] = ()
        """The names that the text of the cell that ran last has bound, in alphabetical order."""
        self._names = OwnedNames(self.loon)
        """Which cell has defined which name."""
        self._models: dict[str, tuple[str, object]] = {}
        """Name that a cell's value was to get → the cell's id and the value; also where the name itself means
        something else."""
        self._said: dict[str, tuple[tuple[object, ...], Definition]] = {}
        """Name → what its definition was made of, and that: values never change, and most stay."""
        self._definitions: Mapping[str, Definition] | None = None
        """All of them since the last run; None until they are asked for."""
        self._symbols: set[str] = set()
        """The names that stand for imports: functions look them up later, and no other code sees them."""

    def _print(self, text: str) -> None:
        self._output(text)

    def shared_with(self, history: Sequence[HistoryEntry]) -> int | None:
        """How many entries of a history this environment is the outcome of; None when it is of others.

        A history from which nothing was dropped will do as well.
        """
        for own in (self._history, self._whole_history):
            if len(own) <= len(history) and all(map(_is_same, own, history)):
                self._whole_history = list(own)
                return len(own)
        return None

    def replay(self, entries: Sequence[HistoryEntry], before: Callable[[int], object] | None = None) -> None:
        """Do again what was done before, without the output; its failures were reported then.

        before: called with the number of each entry before it runs.
        Raises: what stops a run from outside; the environment is of no use then.
        """
        for number, entry in enumerate(entries):
            if before is not None:
                before(number)
            if isinstance(entry, TakenBack):
                self.take_back(entry.names)
                continue
            try:
                self.run(entry, _silent)
            except VcadError as error:
                if was_stopped(error):
                    raise

    def run(self, cell: CellSource, output: Output) -> object:
        """Run a cell and give its Loon value.

        Raises: VcadError; what the cell defined before it failed stays, and it is in the history.
        """
        gone = self._names.begin(cell.cell_id)
        self._symbols -= gone
        self._models = {name: made for name, made in self._models.items() if made[0] != cell.cell_id}
        others = dict(self._names.owner)
        self.defined = ()
        environment = self.loon
        self._output = output
        self._declarations = Declarations(cell.parameters)
        program = ExtractedImports(cell.source, ())
        try:
            for name, given in cell.bindings.items():
                self._names.define(cell.cell_id, name, to_loon(given, name), "A value from Python.")
            # a function that another cell has made looks up what that cell has found
            program = extract_imports(Source(cell.title, cell.source), self._symbols)
            for symbol, given in imported_values(program, cell.imports, self._model).items():
                self._names.define(cell.cell_id, symbol, given, "")
                self._symbols.add(symbol)
            text = Source(cell.title, program.transformed_source)
            try:
                value = environment.run(shown_as(text, cell.source), cell=True, private=self._private(cell))
                self._declarations.finish()
            finally:
                self.defined = tuple(sorted(environment.last_defined))
                self._names.bound(cell.cell_id, self.defined)
            if cell.bind and value is not UNIT and self._may_bind(cell.bind, cell.cell_id):
                doc = "The value of the cell that has this name."
                self._names.define(cell.cell_id, cell.bind, value, doc)
            if cell.bind and root_values(value, profiles=True):
                self._models[cell.bind] = (cell.cell_id, value)
            return value
        finally:
            self._output = _silent
            if cell.private:
                own = self._names.of(cell.cell_id)
                self._names.take_back([name for name in own if name not in {cell.bind, *self._symbols}])
            left = set(self._names.of(cell.cell_id))
            if left <= self._symbols and not any(made[0] == cell.cell_id for made in self._models.values()):
                self._names.take_back(left)  # nothing is there that could look them up
                self._symbols -= left
            self._last = cell, program, others
            self._note(self._ran(cell, program, gone, others))

    def _private(self, cell: CellSource) -> PrivateNames | None:
        """The names that a cell keeps to itself; None where it keeps none."""
        if not cell.private:
            return None
        return PrivateNames(cell.cell_id, {cell.bind} if cell.bind else (), cell.bindings)

    def _model(self, name: str) -> object:
        """What the cell of this name has given; None where there is none."""
        made = self._models.get(name)
        return None if made is None else made[1]

    def _ran(
        self, cell: CellSource, text: ExtractedImports, gone: frozenset[str], others: Collection[str]
    ) -> Ran:
        """What a run did.

        text: its program as it ran. gone: what it took back. others: the names that other cells had when it
        began.
        """
        environment = self.loon
        # without the runs between, it would have taken back what those did
        gone = gone.union(*(earlier.defined for earlier in self._history if earlier.cell_id == cell.cell_id))
        defined = frozenset(self._names.of(cell.cell_id))
        # a solid that others may import is left behind, too, whatever its name means
        defined |= {f"node:{name}" for name, (owner, _) in self._models.items() if owner == cell.cell_id}
        asked = defined | cell.bindings.keys() | ({cell.bind} if cell.bind else set())
        asked |= _parts_of(cell, text)
        lasting = any(name in others or environment.user.covers(name) for name in defined)
        stateful = any(may_change_in_place(module.text) for module in environment.linker.files)
        program = environment.program
        if program.source.text == text.transformed_source:  # else the text could not be read
            asked |= looked_up(program)
            lasting = lasting or has_lasting_forms(program)
            stateful = stateful or changes_in_place(program)
        return Ran(cell, cell.hash, defined, gone, asked, lasting, stateful)

    def names_of_last(self) -> CellNames:
        """What the run of the cell that ran last has to do with names, be it failed or not."""
        if self._last is None:
            return CellNames()
        cell, program, others = self._last
        defines = {
            name: self._digest(name) for name in self._names.of(cell.cell_id) if name not in self._symbols
        }
        for name, (owner, value) in self._models.items():
            if owner == cell.cell_id:
                defines[f"node:{name}"] = value_digest(value)
        used = {name: self._maker(name) for name in _parts_of(cell, program)}
        mentioned = self._used(program, others) - cell.bindings.keys() - self._symbols
        modules = {name.partition(".")[0] for name in (*mentioned, *self.defined) if "." in name}
        for name in mentioned:
            if name in others:
                used[name] = others[name]
            elif name not in {*defines, *modules} and "." not in name and self._value(name) is _NOTHING:
                used[name] = ""
        return CellNames(defines, used, self._names.taken_over(cell.cell_id, self._imported(program)))

    def _used(self, text: ExtractedImports, others: Mapping[str, str]) -> frozenset[str]:
        """The names that a text uses from outside; none of one that could not be read."""
        program = self.loon.program
        if program.source.text != text.transformed_source:
            return frozenset()
        used = uses(program, [name for name in others if name in self.loon.user.macros])
        return used - self._imported(text) - _of_modules(program, used)

    def _imported(self, text: ExtractedImports) -> frozenset[str]:
        """The names that the cell which ran last has from modules; none of one that could not be read."""
        program = self.loon.program
        if not self.defined or program.source.text != text.transformed_source:
            return frozenset()
        written = {name for step in program.steps if isinstance(step, CodeStep) for name in step.code.defines}
        return frozenset(self.defined) - written - program.defines_macros

    def _maker(self, entity_ref: str) -> str:
        """The cell that has made what an import names; "" where it is none of a cell's."""
        made = self._models.get(entity_ref.removeprefix("node:"))
        return "" if made is None else made[0]

    def _digest(self, name: str) -> str:
        """What tells one meaning of a name from another."""
        value = self._value(name)
        if value is _NOTHING:  # a macro, whose text is all that it is
            value = repr(self.loon.user.macros.get(name))
        return value_digest(value)

    def drop_obsolete(self) -> tuple[int, ...]:
        """Shorten the history by what the last run has made needless.

        Returns: where that stood, and all that was found needless before and is reported all the same.
        """
        needless = set(obsolete(self._history))
        self._history = [ran for index, ran in enumerate(self._history) if index not in needless]
        needed = {id(ran) for ran in self._history}
        return tuple(index for index, ran in enumerate(self._whole_history) if id(ran) not in needed)

    def _note(self, ran: Ran) -> None:
        self._definitions = None
        self._history.append(ran)
        self._whole_history.append(ran)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What the cell that ran last declared with ``defparam``."""
        return self._declarations.declared

    def check(self, cell: CellSource) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text; nothing is run or changed, so any thread may ask."""
        source = Source(cell.title, cell.source)
        check = partial(self.loon.check, without=self._names.behind(cell.cell_id))
        return checked(source, check, known_of(cell))

    def take_back(self, names: Collection[str]) -> None:
        """Forget definitions; what they shadowed is back."""
        self._names.take_back(names)
        self._note(Ran(TakenBack(frozenset(names))))

    def _may_bind(self, name: str, cell_id: str) -> bool:
        """Whether a cell's value may take this name: not from the cell itself, nor from Loon.

        ``%%loon sphere`` names a part for Python; it must not take `sphere` from all later cells.
        """
        if name in self._names.owner:
            return self._names.owner[name] != cell_id
        return self._value(name) is _NOTHING

    def values(self) -> dict[str, object]:
        """The values that cells have defined or been given and not taken back, by name."""
        values = {name: self._value(name) for name in self._names.owner.keys() - self._symbols}
        return {name: value for name, value in values.items() if value is not _NOTHING}

    def _value(self, name: str) -> Any:
        try:
            return self.loon.user.lookup(name)
        except LoonNameError:
            return _NOTHING

    def definitions(self) -> Mapping[str, Definition]:
        """All names, macros too, and what there is to say of each; later runs leave this answer as it is."""
        if self._definitions is not None:
            return self._definitions
        user, given = self.loon.user, self._names.given
        entries, said = user.entries(), {}
        for name, owner in self._names.owner.items():
            if name in self._symbols:
                continue
            doc = given.get(name)
            known = None if doc is None else user.known.scheme(name)
            entry = entries.get(name)
            about = self._value(name), entry, owner, doc, known
            there = self._said.get(name)
            if there is None or not all(map(is_, there[0], about)):
                there = about, self._definition(name, owner, entry)
            said[name] = there
        self._said = said
        self._definitions = {
            definition.entry.name: definition
            for definition in sorted((known for _, known in said.values()), key=self._order())
        }
        return self._definitions

    def _definition(self, name: str, owner: str, entry: Entry | None) -> Definition:
        doc = self._names.given.get(name)
        if entry is None or doc is not None:
            entry = Entry(name, "variable", name, doc=doc or "")
        known = "" if doc is None else self.loon.user.type_of(name)
        return Definition(entry, owner, self._display(name), doc is not None, known)

    def _order(self) -> Callable[[Definition], tuple[int, int, int, str]]:
        """Definitions by the order in which their cells ran last, and of one cell as they stand in it."""
        ran = {cell: number for number, cell in enumerate(dict.fromkeys(self._names.owner.values()))}

        def key(definition: Definition) -> tuple[int, int, int, str]:
            place = definition.entry.place
            line, column = (0, 0) if place is None else (place.line, place.column)
            return ran[definition.cell_id], line, column, definition.entry.name

        return key

    def _display(self, name: str) -> str:
        """The beginning of a name's value; empty for a function, whose display says nothing more."""
        value = self._value(name)
        return "" if value is _NOTHING or callable(value) else _shortened(value)


def _of_modules(program: Program, names: Collection[str]) -> frozenset[str]:
    """Those of some names that a program takes from modules, also where one of these cannot be used."""
    taken = {symbol.name for step in program.uses for symbol in step.use.names or ()}
    behind = tuple(f"{step.use.alias}." for step in program.uses if step.use.names is None)
    return frozenset(name for name in names if name in taken or name.startswith(behind))


def _parts_of(cell: CellSource, program: ExtractedImports) -> set[str]:
    """The parts whose models a cell imports, however its text calls them: ``node:NAME`` each."""
    if not program.imports:
        return set()
    values = (found_for(form, cell.imports) for form in program.imports)
    return {f"node:{value.node}" for value in values if value is not None and value.node is not None}


def _is_same(ran: Ran, entry: HistoryEntry) -> bool:
    """Whether an entry would do what was done; equal Python values may differ in Loon, as 1 and 1.0 do."""
    if ran.entry is entry:
        return True
    if isinstance(entry, TakenBack):
        return ran.entry == entry
    return entry.cell_id == ran.cell_id and entry.hash == ran.hash


def _shortened(value: object) -> str:
    text = display(value, _SHORT)
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"
