"""One cascade: the order of its steps, what ends it, and what is left of it. The cells are made up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from notebook_ext.session.reactive.cascades import Cascades
from notebook_ext.session.reactive.dependencies import Dependencies, Run
from notebook_ext.session.requests import RequestQueue
from vcad_kernel.contracts.messages import CellNames
from vcad_kernel.errors import VcadError

LIMIT = 60.0
"""Seconds after which a thread that should have ended counts as hanging."""


class MadeUp:
    """Cells c0 … c3, each built from the one before and made from a file; see `Evaluates`."""

    def __init__(self) -> None:
        self.queue = RequestQueue(lambda _thread: None)
        self.dependencies = Dependencies()
        self.owners = {f"n{number}": f"c{number}" for number in range(4)}
        self.did: list[str] = []
        self.meanwhile: Callable[[str], object] = lambda _: None
        self.fails: set[str] = set()
        self.cascades = Cascades(self.queue, self.dependencies, self, clock=iter(range(100)).__next__)
        for number in range(4):
            self.ran(f"c{number}", "old")

    def ran(self, cell_id: str, digest: str, error: str = "") -> None:
        number = int(cell_id[1:])
        uses = {f"n{number - 1}": f"c{number - 1}"} if number else {}
        defines = {} if error else {f"n{number}": digest}
        run = Run(
            cell_id, CellNames(defines, uses), (f"{cell_id}.oo",), error=error, kept=bool(error), again=True
        )
        self.dependencies.ran(run, self.owners)

    def again(self, cell_id: str) -> None:
        self.did.append(cell_id)
        self.meanwhile(cell_id)
        if cell_id in self.fails:
            self.ran(cell_id, "", "no")
            raise VcadError("no")
        self.ran(cell_id, "new")

    def push(self, cell_ids: Sequence[str]) -> None:
        self.did.append(f"push {' '.join(cell_ids)}")
        if "push" in self.fails:
            raise VcadError("SketchUp is not there")

    def mark(self) -> None:
        """Nobody looks."""


@pytest.fixture
def cells() -> Iterator[MadeUp]:
    made = MadeUp()
    yield made
    made.queue.close()


def test_what_is_due_is_evaluated_in_order_and_pushed_once(cells: MadeUp) -> None:
    cells.dependencies.files_changed(["c1.oo"])
    assert cells.cascades.bring_up_to_date() == ("c1", "c2", "c3")
    assert cells.did == ["c1", "c2", "c3", "push c1 c2 c3"]
    assert cells.cascades.last_ms == 1000.0  # one tick of the clock
    assert cells.cascades.bring_up_to_date() == ()
    assert cells.did[4:] == []
    assert not cells.cascades.is_running


def test_only_what_is_asked_for_is_done(cells: MadeUp) -> None:
    cells.dependencies.files_changed(["c0.oo", "c3.oo"])
    assert cells.cascades.bring_up_to_date(["c3"]) == ("c3",)
    assert cells.cascades.bring_up_to_date(only=["c0", "c1"]) == ("c0", "c1")
    assert list(cells.dependencies.due()) == ["c2"]


def test_a_cell_that_fails_ends_nothing_but_what_is_built_from_it(cells: MadeUp) -> None:
    cells.fails = {"c1"}
    cells.dependencies.files_changed(["c1.oo", "c0.oo"])
    assert cells.cascades.bring_up_to_date() == ("c0", "c1")
    assert cells.dependencies.out_of_date().keys() == {"c1", "c2", "c3"}
    assert cells.dependencies.due() == {}


def test_why_sketchup_could_not_be_brought_up_to_date_is_kept_until_it_can(cells: MadeUp) -> None:
    cells.fails = {"push"}
    cells.dependencies.files_changed(["c3.oo"])
    cells.cascades.bring_up_to_date()
    assert cells.cascades.failure is not None
    cells.fails = set()
    cells.dependencies.files_changed(["c3.oo"])
    cells.cascades.bring_up_to_date()
    assert cells.cascades.failure is None


def test_what_is_overtaken_does_not_go_on(cells: MadeUp) -> None:
    cells.dependencies.files_changed(["c0.oo"])
    assert cells.cascades.bring_up_to_date(overtaken=lambda: len(cells.did) == 2) == ("c0", "c1")
    assert list(cells.dependencies.due()) == ["c2"]


def test_two_cascades_are_never_under_way_at_once(cells: MadeUp) -> None:
    second = threading.Thread(target=cells.cascades.bring_up_to_date)

    def begin_another(cell_id: str) -> None:
        assert cells.cascades.running == cell_id
        assert cells.cascades.is_running
        if cell_id == "c1":
            second.start()

    cells.meanwhile = begin_another
    cells.dependencies.files_changed(["c1.oo"])
    cells.cascades.bring_up_to_date()
    second.join(LIMIT)
    assert not second.is_alive()
    assert cells.did == ["c1", "c2", "c3", "push c1 c2 c3"]


def test_what_somebody_does_comes_between_two_steps(cells: MadeUp) -> None:
    def ask(cell_id: str) -> None:
        if cell_id == "c1":  # a person runs the next cell: it is up to date when its turn would have come
            cells.queue.submit(lambda: cells.did.append("person") or cells.ran("c2", "new"))  # type: ignore[func-returns-value]

    cells.meanwhile = ask
    cells.dependencies.files_changed(["c1.oo"])
    cells.cascades.bring_up_to_date()
    assert cells.did == ["c1", "person", "c2", "c3", "push c1 c2 c3"] or cells.did == [
        "c1",
        "person",
        "c3",
        "push c1 c3",
    ]


def test_a_session_that_is_closed_ends_it_in_silence(cells: MadeUp) -> None:
    cells.queue.close()
    cells.dependencies.files_changed(["c1.oo"])
    assert cells.cascades.bring_up_to_date() == ()
