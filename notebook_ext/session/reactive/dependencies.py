"""Which cells are out of date, and why: kept from what each run has defined and used.

    dependencies.ran(Run("c2", names, defined_by=…))       # after each run, be it failed
    dependencies.reason("c5")                              # Reason("changed", "wall", "c2")

It looks at the state, never at the way there: a cell is out of date when a name that it uses means something
else than at its last run (by digest), or when a file or an entity that it was made from has changed since. A
value that is changed back has changed nothing. Cells that were run meanwhile are up to date by
themselves. Pure: knows neither sessions nor services.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from notebook_ext.session.reactive import graph as vertices
from notebook_ext.session.reactive.graph import DependencyGraph
from vcad_kernel.contracts.messages import CellNames

__all__ = ["Dependencies", "Kind", "Reason", "Run", "TakenOver"]

Kind: TypeAlias = Literal[
    "changed",
    "file",
    "entity",
    "displaced",
    "gone",
    "taken_over",
    "appeared",
    "cycle",
    "failed",
    "waits",
]
"""Why a cell is out of date: a name, a file or an entity that it uses has changed;
a cell that was run before it has been evaluated again, and has its name; a name is defined no more,
is another cell's now, is defined by now; a change that came round a cycle; it has failed, or waits for a
cell that has."""

RUNS: Final = frozenset({"changed", "file", "entity", "displaced"})
"""The reasons for which a cell is evaluated again by itself; the others only mark it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a cell is out of date."""

    kind: Kind
    name: str = ""
    """The name, file or entity."""
    by: str = ""
    """The cell that has it, has failed, or that it waits for."""
    error: str = ""
    """Of a cell that has failed: what was said."""

    @property
    def runs(self) -> bool:
        """Whether it is evaluated again for it without being asked."""
        return self.kind in RUNS


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A cell has taken a name that another had."""

    name: str
    before: str
    """The cell that had it."""
    users: tuple[str, ...]
    """The cells that used it, in the order in which they came."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is kept of the last run of a cell."""

    cell_id: str
    names: CellNames | None = field(default_factory=CellNames)
    """None for one that has failed before it came to run."""
    files: tuple[str, ...] = ()
    """Modules and imported files that it was made from, from the workspace; a file's cell, its own text."""
    entities: tuple[str, ...] = ()
    """``pid:N`` or ``id:N`` of SketchUp."""
    reacts: bool = True
    """Whether it may be evaluated again by itself: not a cell without a name, nor one of whose names
    one was taken back."""
    of_notebook: bool = True
    """Whether its names are meant for other cells: not those of a file's part, or of a text for a node."""
    error: str = ""
    """Why it failed; empty where it did not."""
    kept: bool = False
    """Of one that failed: whether its names mean what they did before, as after a cascade."""
    seconds: float = 0.0
    """Of its evaluation."""
    begun: int = 0
    """When it began, by the clock that dates files, ns."""
    again: bool = False
    """Whether it was evaluated again, by itself or with another value, not run by a user."""


class Dependencies:
    """Of the cells of one session; not for several threads at once."""

    def __init__(self) -> None:
        self.graph = DependencyGraph()
        """Its vertices are cells, files and entities."""
        self._runs: dict[str, Run] = {}
        self._bound: dict[str, dict[str, tuple[str, str]]] = {}
        """Cell → name that it uses → the cell whose it was at its last run, and its digest then."""
        self._tried: dict[str, dict[str, tuple[str, str]]] = {}
        """Cell that has failed and is what it was before → as `_bound`, when it failed."""
        self._failed: set[str] = set()
        """The cells whose last run has failed."""
        self._lasting: set[str] = set()
        """Of those that are what they were before: those that failed for something else than a name: a file,
        an entity, their own text."""
        self._owners: Mapping[str, str] = MappingProxyType({})
        """Name → the cell whose it is now."""
        self._left_out: frozenset[str] = frozenset()
        """The cells that are in no notebook any more."""
        self._touched: dict[str, Reason] = {}
        """Cells for which something other than a name has changed since they ran."""
        self._displaced: set[str] = set()
        """Of those, the ones whose name another has until they are evaluated again."""
        self._reasons: dict[str, Reason] = {}
        """Cell → why it is out of date, as it was when that was last looked at."""
        self._doubtful: set[str] = set()
        """The cells of which that may be another by now."""

    # ---- what has happened -----------------------------------------------------------------

    def ran(self, run: Run, owners: Mapping[str, str]) -> tuple[TakenOver, ...]:
        """A cell has run. owners: name → the cell whose it is now.

        Returns: the names that it has taken over from others.
        Raises: nothing; a cycle is kept as an edge that only marks (see `cycles_of`).
        """
        cell_id, before = run.cell_id, self._runs.get(run.cell_id)
        made = CellNames() if before is None or before.names is None else before.names
        names = made if run.names is None else run.names
        taken: list[TakenOver] = []
        for name, owner in sorted(names.taken_over.items()):
            users = () if name in made.defines else self._users_of(owner, name, but=cell_id)
            if name not in made.defines and (users or run.of_notebook):
                taken.append(TakenOver(name, owner, users))
        uses = names.uses
        if run.error:  # what it defined last counts until it runs through again
            names = made if run.kept else CellNames(made.defines, uses)
        run = replace(run, names=names)
        self._runs[cell_id] = run
        self.names_changed(owners)
        self._doubt_users_of(cell_id)
        touched = self._touched.pop(cell_id, None)
        self._displaced.discard(cell_id)
        self._tried.pop(cell_id, None)
        self._lasting.discard(cell_id)
        used = {name: (owner, self._digest(owner, name)) for name, owner in uses.items()}
        if run.error:
            self._failed.add(cell_id)
        else:
            self._failed.discard(cell_id)
        if run.error and run.kept:
            self._tried[cell_id] = used
            bound = self._bound.get(cell_id, {})
            if touched is not None or bound == self._now(bound):
                self._lasting.add(cell_id)
        else:
            self._bound[cell_id] = used
        sources = [vertices.cell(owner) for owner in dict.fromkeys(uses.values()) if owner]
        sources += [vertices.file(path) for path in run.files]
        sources += [vertices.entity(reference) for reference in run.entities]
        vertex = vertices.cell(cell_id)
        if not run.again:
            self.graph.come_again(vertex)
        self._doubt_what_only_marks()
        self.graph.refresh(vertex, sources, marks=True)
        self._doubt_what_only_marks()
        if run.again:
            self._give_back(cell_id, names)
        self._forget_what_rests()
        return tuple(taken)

    def _give_back(self, cell_id: str, names: CellNames) -> None:
        """Of cells that define one name it is the last's that a user ran, whichever is evaluated again."""
        vertex = vertices.cell(cell_id)
        for name, owner in names.taken_over.items():
            if self._owners.get(name) != cell_id or owner not in self._runs:
                continue
            if not self._runs[owner].of_notebook and not self._users_of(owner, name, but=cell_id):
                continue  # it is not missed
            if self.graph.came_before(vertex, vertices.cell(owner)):
                self._touched.setdefault(owner, Reason("displaced", name, cell_id))
                self._displaced.add(owner)
                self._doubtful.add(owner)

    def _forget_what_rests(self) -> None:
        """Cells that never run again matter only as long as something that they define is in use."""
        resting = [cell_id for cell_id, run in self._runs.items() if not run.reacts]
        if resting:
            used = {owner for bound in self._bound.values() for owner, _ in bound.values()}
            used |= set(self._owners.values())
            for cell_id in resting:
                if cell_id not in used:
                    self.forget(cell_id)

    def cycles_of(self, cell_id: str) -> tuple[tuple[str, ...], ...]:
        """The cycles that the last run of a cell has closed, by cell ids."""
        closing = self.graph.marking.get(vertices.cell(cell_id))
        if not closing:
            return ()
        return tuple(tuple(map(vertices.key_of, cycle)) for cycle in closing.values())

    def names_changed(self, owners: Mapping[str, str]) -> None:
        """Names have been defined or taken back. owners: name → the cell whose it is now."""
        changed = {name for name, _ in owners.items() ^ self._owners.items()}
        self._owners = owners
        if changed:
            for cell_id, used in (*self._bound.items(), *self._tried.items()):
                if not changed.isdisjoint(used):
                    self._doubtful.add(cell_id)

    def files_changed(
        self, paths: Iterable[str], has_read: Callable[[str, str], bool] = lambda _cell_id, _path: False
    ) -> frozenset[str]:
        """Files of the workspace have changed. has_read: whether a cell ran last with a file as it is now.

        Returns: the cells that were made from what they were before.
        """
        return self._touch("file", {vertices.file(path): path for path in paths}, has_read)

    def entities_changed(self, references: Iterable[str]) -> frozenset[str]:
        """Entities of SketchUp have changed. Returns: the cells that import them."""
        return self._touch("entity", {vertices.entity(each): each for each in references})

    def forget(self, cell_id: str) -> None:
        """There is no such cell any more; others that use it stay as they are."""
        self._doubt_users_of(cell_id)
        self._doubt_what_only_marks()
        self._runs.pop(cell_id, None)
        self._bound.pop(cell_id, None)
        self._touched.pop(cell_id, None)
        self._displaced.discard(cell_id)
        self._tried.pop(cell_id, None)
        self._failed.discard(cell_id)
        self._lasting.discard(cell_id)
        self.graph.remove(vertices.cell(cell_id))

    def taken_back(self, cell_ids: Iterable[str]) -> None:
        """What these cells define is meant to be no more: by themselves they never bring it back."""
        for cell_id in cell_ids:
            if cell_id in self._runs:
                self._runs[cell_id] = replace(self._runs[cell_id], reacts=False)
        self._forget_what_rests()

    def leave_out(self, cell_ids: Collection[str]) -> None:
        """These cells, and no others, are in no notebook any more: they define what they did, and do not run.

        One that has been put back, by undo, is like any other.
        """
        self._left_out = frozenset(cell_ids)

    def clear(self) -> None:
        """No cell has run."""
        self.__init__()  # type: ignore[misc]

    # ---- what is so ------------------------------------------------------------------------

    def run_of(self, cell_id: str) -> Run | None:
        """The last run of a cell; None for one that has never run."""
        return self._runs.get(cell_id)

    @property
    def cells(self) -> tuple[str, ...]:
        """The ids of all cells, in the order in which they first ran."""
        return tuple(self._runs)

    @property
    def files(self) -> frozenset[str]:
        """The files that any cell was made from."""
        return frozenset(path for run in self._runs.values() for path in run.files)

    @property
    def entities(self) -> frozenset[str]:
        """The entities that any cell imports."""
        return frozenset(each for run in self._runs.values() for each in run.entities)

    def reason(self, cell_id: str) -> Reason | None:
        """Why a cell is out of date; None for one that is not. What runs it comes before what marks it."""
        return self._reason(cell_id, {})

    def _reason(self, cell_id: str, waiting: dict[str, Reason | None]) -> Reason | None:
        """As `reason`. waiting: what is known of the cells that wait for one that has failed."""
        run = self._runs.get(cell_id)
        if run is None:
            return None
        waits = self._waits(cell_id, waiting) if self._failed else None
        if waits is not None:
            return waits
        touched = self._touched.get(cell_id)
        if touched is not None:
            return touched
        marks = [Reason("failed", by=cell_id, error=run.error)] if self._has_failed(cell_id) else []
        if marks and self._tried.get(cell_id) == self._now(self._tried.get(cell_id, {})):
            return marks[0]  # to try it again would fail again
        for name, (owner, digest) in self._bound.get(cell_id, {}).items():
            reason = self._of_name(cell_id, name, owner, digest)
            if reason is not None and reason.runs:
                return reason
            if reason is not None:
                marks.append(reason)
        if not marks:
            return None
        return next((mark for mark in marks if mark.kind == "appeared"), marks[0])

    def out_of_date(self, among: Collection[str] | None = None) -> dict[str, Reason]:
        """The cells that are out of date, each with the reason, in the order in which they are to be run.

        among: only these and what is built from them, and who is to have a name back.
        """
        reasons = self._looked_at()
        if not reasons:
            return {}
        cells: Iterable[str] = reasons
        if among is not None:
            roots = {*among, *self._displaced}
            cells = reasons.keys() & (roots | self.below(roots))
        order = self.graph.order([vertices.cell(each) for each in cells])
        return {cell_id: reasons[cell_id] for cell_id in map(vertices.key_of, order)}

    def due(self, among: Collection[str] | None = None) -> dict[str, Reason]:
        """The cells that are to be evaluated again without being asked, in order. among: as `out_of_date`."""
        return {
            cell_id: reason
            for cell_id, reason in self.out_of_date(among).items()
            if reason.runs and self._runs[cell_id].reacts and cell_id not in self._left_out
        }

    def below(self, cell_ids: Iterable[str]) -> frozenset[str]:
        """The cells that are built from some, however far away."""
        reached = self.graph.downstream([vertices.cell(each) for each in cell_ids])
        return frozenset(vertices.key_of(each) for each in reached if each.startswith(vertices.CELL))

    def before(self, cell_id: str) -> tuple[str, ...]:
        """What a cell is built from, in order, itself at the end; cells only."""
        vertex = vertices.cell(cell_id)
        wanted = {vertex, *self.graph.upstream([vertex])}
        order = self.graph.order([each for each in wanted if each in self.graph])
        return tuple(vertices.key_of(each) for each in order if each.startswith(vertices.CELL))

    # ---- within ----------------------------------------------------------------------------

    def _looked_at(self) -> Mapping[str, Reason]:
        """Why cells are out of date; only those are looked at again for which something has changed."""
        if not self._doubtful:
            return self._reasons
        doubtful, waiting = self._doubtful, dict[str, Reason | None]()
        self._doubtful = set()
        if self._failed or any(reason.kind == "waits" for reason in self._reasons.values()):
            doubtful |= self.below(doubtful)  # they may wait for them
        for cell_id in doubtful:
            reason = self._reason(cell_id, waiting)
            if reason is None:
                self._reasons.pop(cell_id, None)
            else:
                self._reasons[cell_id] = reason
        return self._reasons

    def _doubt_users_of(self, cell_id: str) -> None:
        """A cell means something else by now, and so may those that use what it defines."""
        self._doubtful.add(cell_id)
        self._doubtful.update(map(vertices.key_of, self.graph.users(vertices.cell(cell_id))))
        for user, used in (*self._bound.items(), *self._tried.items()):
            if any(owner == cell_id for owner, _ in used.values()):
                self._doubtful.add(user)

    def _doubt_what_only_marks(self) -> None:
        """Which edges only mark changes with the graph."""
        self._doubtful.update(map(vertices.key_of, self.graph.marking))

    def _has_failed(self, cell_id: str) -> bool:
        """Whether a cell is not what it would be: also a failure is past once all is as it was before it."""
        if cell_id not in self._failed:
            return False
        if cell_id not in self._tried or cell_id in self._lasting:
            return True
        bound = self._bound.get(cell_id, {})
        return bound != self._now(bound)

    def _now(self, used: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
        """The same names with the digests that they have by now."""
        return {name: (owner, self._digest(owner, name)) for name, (owner, _) in used.items()}

    def _waits(self, cell_id: str, known: dict[str, Reason | None]) -> Reason | None:
        """The failed cell that a cell is built from, however far away. known: of cells looked at before."""
        pending = [cell_id]
        while pending:
            current = pending[-1]
            if current in known:
                pending.pop()
                continue
            sources = [
                vertices.key_of(vertex)
                for vertex in self.graph.sources(vertices.cell(current))
                if vertex.startswith(vertices.CELL)
                and not self.graph.only_marks(vertex, vertices.cell(current))
            ]
            unknown = [source for source in sources if source not in known]
            if unknown:
                pending += unknown
                continue
            failed = next((source for source in sources if self._has_failed(source)), None)
            if failed is not None:
                known[current] = Reason("waits", by=failed, error=self._runs[failed].error)
            else:
                known[current] = next((reason for source in sources if (reason := known[source])), None)
            pending.pop()
        return known[cell_id]

    def _of_name(self, cell_id: str, name: str, owner: str, digest: str) -> Reason | None:
        now = self._owners.get(name, "")
        if not owner:
            appeared = now and now != cell_id
            return Reason("appeared", name, now) if appeared else None
        if name.startswith("node:"):
            now = owner
        own = cell_id in (now, owner) and now == cell_id
        if not now and not own:
            return Reason("gone", name, owner)
        current = self._digest(owner, name)
        of_one_module = "." in name and self._digest(now, name) == current
        if now not in (owner, cell_id) and not of_one_module:
            return Reason("taken_over", name, now)
        if not current:
            return None if own else Reason("gone", name, owner)
        if current == digest:
            return None
        marks = self.graph.only_marks(vertices.cell(owner), vertices.cell(cell_id))
        return Reason("cycle" if marks else "changed", name, owner)

    def _digest(self, owner: str, name: str) -> str:
        run = self._runs.get(owner)
        return "" if run is None or run.names is None else run.names.defines.get(name, "")

    def _users_of(self, owner: str, name: str, *, but: str) -> tuple[str, ...]:
        return tuple(
            cell_id
            for cell_id, bound in self._bound.items()
            if cell_id != but and bound.get(name, ("", ""))[0] == owner
        )

    def _touch(
        self,
        kind: Literal["file", "entity"],
        changed: Mapping[str, str],
        has_read: Callable[[str, str], bool] = lambda _cell_id, _key: False,
    ) -> frozenset[str]:
        touched = set()
        for vertex, key in changed.items():
            for user in self.graph.users(vertex):
                cell_id = vertices.key_of(user)
                if user.startswith(vertices.CELL) and not has_read(cell_id, key):
                    self._touched[cell_id] = Reason(kind, key)
                    self._doubtful.add(cell_id)
                    touched.add(cell_id)
        return frozenset(touched)
