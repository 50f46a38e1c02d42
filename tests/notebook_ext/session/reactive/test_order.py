"""The rule of order: what cells that react have come to is what a run from top to bottom would give."""

from __future__ import annotations

from contextlib import redirect_stderr
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.display.failure import LoonCellFailed
from tests.notebook_ext.session.reactive.reacting import ReactingNotebook
from tests.tiers import examples
from vcad_kernel.errors import VcadError

CELLS = 4


@dataclass(frozen=True)
class Text:
    """What a cell says: it defines a name, and one of its own, as sums; a part, perhaps; or it fails."""

    own: int
    uses: tuple[str, ...] = ()
    defines: str = ""
    """Another name than its own, which other cells may define as well."""
    part: bool = False
    fails: bool = False
    limit: int = 10**6
    """It fails where its sum is not below."""

    def loon(self, cell: int) -> str:
        total = str(self.own)
        for name in (f"p{cell}", *self.uses):
            total = f"[+ {total} {name}]"
        lines = [f"[defparam p{cell} 0 {{:min 0 :max 9}}]", f"[let n{cell} {total}]"]
        lines += [f"[let {self.defines} [+ n{cell} 1]]"] if self.defines else []
        lines += [f"[cube [- {self.limit} n{cell}] 1 1]"] if self.limit < 10**6 else []
        lines += ["[never-heard-of 1]"] if self.fails else []
        lines += [f"[cube [+ 1 n{cell}] 1 1]"] if self.part else []
        return "\n".join(lines)


@dataclass
class Played:
    """A notebook that was edited, run and moved."""

    notebook: ReactingNotebook
    texts: dict[int, Text] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)
    """Cell → its slider, where that was moved since it was run."""
    last: list[int] = field(default_factory=list)
    """The cells in the order in which somebody ran them last."""

    def run(self, cell: int, text: Text, value: int | None = None) -> bool:
        """Returns: whether it has run through."""
        name = f"part{cell}"
        self.last = [*(each for each in self.last if each != cell), cell]
        self.texts[cell] = text
        parameters = None if value is None else {f"p{cell}": value}
        try:
            with redirect_stderr(StringIO()):
                self.notebook.run(f"c{cell}", text.loon(cell), name=name, parameters=parameters)
        except LoonCellFailed:
            return False
        return True


def played(steps: list[Any]) -> Played:
    state = Played(ReactingNotebook(Path(_FOLDER.name)))
    for kind, cell, *rest in steps:
        if kind == "run":
            state.values.pop(cell, None)
            state.run(cell, rest[0])
        elif kind == "again" and cell in state.texts:
            state.values.pop(cell, None)
            state.run(cell, state.texts[cell])
        elif kind == "slide" and f"c{cell}" in state.notebook.cells.parameters._declared:
            before = state.values.get(cell)
            state.values[cell] = rest[0]
            try:
                state.notebook.slide(f"c{cell}", **{f"p{cell}": float(rest[0])})
            except VcadError:  # it does not fit, and stays what it was
                del state.values[cell]
                if before is not None:
                    state.values[cell] = before
        elif kind == "follow":
            check_followed(state.notebook, state.notebook.follow())
    check_followed(state.notebook, state.notebook.follow())
    return state


def check_followed(notebook: ReactingNotebook, evaluated: list[str]) -> None:
    assert len(set(evaluated)) == len(evaluated), "evaluated twice"
    dependencies = notebook.cells.dependencies
    looked_at = {cell: dependencies.reason(cell) for cell in dependencies.cells}
    assert dependencies.out_of_date() == {cell: why for cell, why in looked_at.items() if why}


_FOLDER = TemporaryDirectory()


def texts(used_above: bool) -> st.SearchStrategy[tuple[int, Text]]:
    def of(cell: int) -> st.SearchStrategy[tuple[int, Text]]:
        names = [f"n{each}" for each in range(cell if used_above else CELLS) if each != cell]
        shared = [] if used_above else ["s", "t"]
        uses = (
            st.lists(st.sampled_from([*names, *shared]), max_size=2, unique=True)
            if names + shared
            else st.just([])
        )
        return st.builds(
            lambda own, used, defines, part, fails, limit: (
                cell,
                Text(own, tuple(used), defines, part, fails, limit),
            ),
            st.integers(0, 3),
            uses,
            st.sampled_from(["", *shared]),
            st.booleans(),
            st.sampled_from([False, False, False, True]) if not used_above else st.just(False),
            st.sampled_from([10**6, 10**6, 7]),
        )

    return st.integers(0, CELLS - 1).flatmap(of)


def steps(used_above: bool) -> st.SearchStrategy[list[Any]]:
    cells = st.integers(0, CELLS - 1)
    return st.lists(
        st.one_of(
            texts(used_above).map(lambda made: ("run", *made)),
            texts(used_above).map(lambda made: ("run", *made)),
            st.tuples(st.just("again"), cells),
            *([] if used_above else [st.tuples(st.just("slide"), cells, st.integers(0, 9))]),
            st.tuples(st.just("follow"), cells),
        ),
        min_size=2,
        max_size=12,
    )


def same(state: Played, order: list[int], *, but: set[int] = frozenset()) -> None:  # type: ignore[assignment]
    """A fresh run in this order comes to the same. but: cells that are out of date."""
    fresh = Played(ReactingNotebook(Path(_FOLDER.name)))
    for cell in order:
        fresh.run(cell, state.texts[cell], state.values.get(cell))
    cells = {f"c{cell}" for cell in order if cell not in but}
    here, there = state.notebook.meanings(), fresh.notebook.meanings()
    mine = {name: made for name, made in here.items() if made[0] in cells}
    theirs = {name: made for name, made in there.items() if made[0] in cells}
    assert mine == theirs
    parts, others = state.notebook.parts(), fresh.notebook.parts()
    for cell in order:
        if cell not in but:
            assert parts.get(f"part{cell}") == others.get(f"part{cell}")
    fresh.notebook.close()


@examples(25)
@given(steps=steps(used_above=True))
def test_what_is_used_below_its_definition_is_as_after_a_run_from_top_to_bottom(steps: list[Any]) -> None:
    state = played(steps)
    marked = {int(cell.removeprefix("c")) for cell in state.notebook.marks}
    same(state, sorted(state.texts), but=marked)
    state.notebook.close()


@examples(30)
@given(steps=steps(used_above=False))
def test_what_is_up_to_date_is_as_after_the_last_runs_in_their_order(steps: list[Any]) -> None:
    """Of cells that somebody has run until none is out of date; each comes after what it is built from."""
    state = played(steps)
    for _ in range(CELLS):
        for marked in list(state.notebook.marks):
            cell = int(marked.removeprefix("c"))
            state.values.pop(cell, None)
            state.run(cell, state.texts[cell])
            check_followed(state.notebook, state.notebook.follow())
    graph = state.notebook.session.graph()
    vertices = state.notebook.cells.dependencies.graph.order()
    order = [int(vertex.removeprefix("cell:c")) for vertex in vertices]
    shared = [
        [cell for cell in each if state.texts[cell].defines == name]
        for name in "st"
        for each in (order, state.last)
    ]
    # where a cell is built from the one that has taken its name, no order of single runs gives that
    orderly = shared[0][-1:] == shared[1][-1:] and shared[2][-1:] == shared[3][-1:]
    if not state.notebook.marks and not graph.cycles and orderly:
        same(state, order)
    state.notebook.close()
