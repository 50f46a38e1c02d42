"""Which cells are out of date, and why: by what each run has defined and used, and by nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.reactive.dependencies import Dependencies, Reason, Run, TakenOver
from tests.tiers import examples
from vcad_kernel.contracts.messages import CellNames


class Notebook:
    """Cells that define names; each run has the next number, by which its definitions differ."""

    def __init__(self) -> None:
        self.dependencies = Dependencies()
        self.owners: dict[str, str] = {}

    def run(self, cell: str, *uses: str, error: str = "", kept: bool = False, **defines: str) -> Any:
        """A cell runs. defines: name → digest. Returns: what it has taken over."""
        others = {name: owner for name, owner in self.owners.items() if owner != cell}
        names = CellNames(
            defines,
            {name: others.get(name, "") for name in uses},
            {name: others[name] for name in defines if name in others},
        )
        if not kept:
            self.owners = others | dict.fromkeys(defines, cell)
        return self.dependencies.ran(Run(cell, names, error=error, kept=kept), self.owners)

    def reason(self, cell: str) -> Reason | None:
        return self.dependencies.reason(cell)

    @property
    def due(self) -> list[str]:
        return list(self.dependencies.due())


def three() -> Notebook:
    """wall ← lid ← box."""
    notebook = Notebook()
    notebook.run("c1", wall="3")
    notebook.run("c2", "wall", lid="3+1")
    notebook.run("c3", "lid", box="3+1+1")
    return notebook


def test_nothing_is_out_of_date_that_has_just_run() -> None:
    notebook = three()
    assert notebook.dependencies.out_of_date() == {}
    assert notebook.reason("unheard of") is None
    assert notebook.dependencies.cells == ("c1", "c2", "c3")


def test_a_cell_that_is_in_no_notebook_any_more_is_out_of_date_and_stays_so() -> None:
    notebook = three()
    notebook.dependencies.leave_out({"c2"})
    notebook.run("c1", wall="4")
    assert notebook.reason("c2") == Reason("changed", "wall", "c1")
    assert notebook.due == []
    notebook.dependencies.leave_out(())
    assert notebook.due == ["c2"]


def test_a_changed_meaning_runs_those_that_use_it_and_one_that_is_changed_back_has_changed_nothing() -> None:
    notebook = three()
    notebook.run("c1", wall="4")
    assert notebook.reason("c2") == Reason("changed", "wall", "c1")
    assert notebook.reason("c3") is None  # lid is still what it was
    assert notebook.due == ["c2"]
    assert notebook.dependencies.below(["c2"]) == {"c3"}
    notebook.run("c1", wall="3")
    assert notebook.due == []


def test_a_run_that_changes_nothing_stops_there() -> None:
    notebook = three()
    notebook.run("c1", wall="4")
    notebook.run("c2", "wall", lid="3+1")
    assert notebook.due == []


def test_only_what_is_built_from_some_cells_is_looked_at_when_that_is_asked() -> None:
    notebook = three()
    notebook.run("d1", foot="1")
    notebook.run("d2", "foot", shoe="1")
    notebook.run("c1", wall="4")
    notebook.run("d1", foot="2")
    assert notebook.due == ["c2", "d2"]
    assert list(notebook.dependencies.due(["c1"])) == ["c2"]
    assert list(notebook.dependencies.due(["c3", "d2"])) == ["d2"]
    assert list(notebook.dependencies.due([])) == []
    assert list(notebook.dependencies.due(["unheard of"])) == []
    assert notebook.dependencies.before("c3") == ("c1", "c2", "c3")
    assert notebook.dependencies.before("d1") == ("d1",)


def test_a_name_that_is_gone_marks() -> None:
    notebook = three()
    notebook.run("c1", wand="3")
    assert notebook.reason("c2") == Reason("gone", "wall", "c1")
    assert notebook.due == []
    notebook.run("c1", wall="3")
    assert notebook.reason("c2") is None
    del notebook.owners["wall"]  # taken back by somebody
    notebook.dependencies.names_changed(notebook.owners)
    assert notebook.reason("c2") == Reason("gone", "wall", "c1")


def test_a_name_that_is_taken_over_marks_and_is_told() -> None:
    notebook = three()
    notebook.run("c4", "wall", door="1")
    assert notebook.run("c5", wall="3") == (TakenOver("wall", "c1", ("c2", "c4")),)
    assert notebook.reason("c2") == notebook.reason("c4") == Reason("taken_over", "wall", "c5")
    assert notebook.due == []
    assert notebook.run("c5", wall="9") == ()  # told once
    notebook.run("c2", "wall", lid="9+1")  # somebody runs it: now it is the other's
    assert notebook.reason("c2") is None
    notebook.run("c1", wall="3")
    assert notebook.reason("c2") == Reason("taken_over", "wall", "c1")


def test_who_takes_a_name_that_it_uses_itself_is_no_user_of_its_own() -> None:
    notebook = three()
    assert notebook.run("c4", "wall", wall="w+1") == (TakenOver("wall", "c1", ("c2",)),)
    assert notebook.reason("c4") is None  # it used the earlier one
    assert notebook.reason("c2") == Reason("taken_over", "wall", "c4")
    notebook.owners = notebook.owners | {"wall": "c4"}
    notebook.dependencies.ran(Run("c1", CellNames({"wall": "7"})), notebook.owners)
    assert notebook.reason("c4") == Reason("changed", "wall", "c1")


def test_a_name_that_was_unknown_and_is_defined_by_now_marks() -> None:
    notebook = Notebook()
    notebook.run("c1", "wall", error="unknown name wall")
    assert notebook.reason("c1") == Reason("failed", by="c1", error="unknown name wall")
    notebook.run("c2", wall="3")
    assert notebook.reason("c1") == Reason("appeared", "wall", "c2")
    assert notebook.due == []
    notebook.run("c1", "wall")
    assert notebook.reason("c1") is None


def test_a_change_that_comes_round_a_cycle_marks() -> None:
    notebook = Notebook()
    notebook.run("c1", a="1")
    notebook.run("c2", "a", b="1")
    notebook.run("c1", "b", a="2")
    assert notebook.dependencies.cycles_of("c1") == (("c1", "c2", "c1"),)
    assert notebook.dependencies.cycles_of("c2") == ()
    assert notebook.due == ["c2"]
    notebook.run("c2", "a", b="2")
    assert notebook.reason("c1") == Reason("cycle", "b", "c2")
    assert notebook.due == []
    notebook.run("c2", b="3")  # it uses it no more: no cycle is left
    assert notebook.reason("c1") == Reason("changed", "b", "c2")


def test_files_and_entities_run_who_is_made_from_them() -> None:
    notebook = Notebook()
    notebook.dependencies.ran(
        Run("c1", CellNames({"a": "1"}), ("dims.oo", "lib.oo"), ("pid:7",)), {"a": "c1"}
    )
    notebook.dependencies.ran(Run("c2", CellNames({}, {"a": "c1"})), {"a": "c1"})
    assert notebook.dependencies.files == {"dims.oo", "lib.oo"}
    assert notebook.dependencies.entities == {"pid:7"}
    assert notebook.dependencies.files_changed(["other.oo"]) == frozenset()
    assert notebook.dependencies.files_changed(["dims.oo", "other.oo"]) == {"c1"}
    assert notebook.reason("c1") == Reason("file", "dims.oo")
    notebook.dependencies.ran(Run("c1", CellNames({"a": "1"}), (), ("pid:7",)), {"a": "c1"})
    assert notebook.reason("c1") is None
    assert notebook.dependencies.files_changed(["dims.oo"]) == frozenset()
    assert notebook.dependencies.entities_changed(["pid:7", "pid:8"]) == {"c1"}
    assert notebook.reason("c1") == Reason("entity", "pid:7")
    assert notebook.reason("c2") is None


def test_a_cell_that_has_failed_marks_itself_and_all_that_is_built_from_it() -> None:
    notebook = three()
    notebook.run("c1", wall="4")
    notebook.run("c2", "wall", error="too thin", kept=True)
    assert notebook.reason("c2") == Reason("failed", by="c2", error="too thin")
    assert notebook.reason("c3") == Reason("waits", by="c2", error="too thin")
    assert notebook.due == []  # to try it again would fail again
    notebook.run("c1", wall="5")
    assert notebook.due == ["c2"]
    notebook.run("c2", "wall", lid="5+1")
    assert notebook.reason("c2") is None
    assert notebook.due == ["c3"]


def test_the_nearest_of_several_that_have_failed_is_named() -> None:
    notebook = three()
    notebook.run("c1", error="first", kept=True)
    assert notebook.reason("c3") == Reason("waits", by="c1", error="first")
    notebook.run("c2", "wall", error="second", kept=True)
    assert notebook.reason("c3") == Reason("waits", by="c2", error="second")
    assert notebook.reason("c2") == Reason("waits", by="c1", error="first")


def test_a_failure_is_past_once_all_is_as_it_was_before_it() -> None:
    notebook = three()
    notebook.run("c1", wall="4")
    notebook.run("c2", "wall", error="too thin", kept=True)
    notebook.run("c1", wall="3")  # what it stands for is what it would give
    assert notebook.dependencies.out_of_date() == {}


def test_a_failure_for_a_file_is_not_past_because_names_are_as_they_were() -> None:
    notebook = Notebook()
    notebook.run("c1", wall="3")
    names = CellNames({"lid": "3"}, {"wall": "c1"})
    owners = notebook.owners | {"lid": "c2"}
    notebook.dependencies.ran(Run("c2", names, ("dims.oo",)), owners)
    notebook.dependencies.files_changed(["dims.oo"])
    notebook.dependencies.ran(Run("c2", names, ("dims.oo",), error="no", kept=True), owners)
    assert notebook.reason("c2") == Reason("failed", by="c2", error="no")
    assert notebook.due == []
    notebook.dependencies.files_changed(["dims.oo"])
    assert notebook.due == ["c2"]


def test_a_cell_that_is_forgotten_is_nobodys_business() -> None:
    notebook = three()
    notebook.dependencies.forget("c2")
    notebook.run("c1", wall="4")
    assert notebook.due == []
    assert notebook.dependencies.run_of("c2") is None
    assert notebook.dependencies.cells == ("c1", "c3")
    notebook.dependencies.clear()
    assert notebook.dependencies.cells == ()
    assert notebook.dependencies.graph.vertices == ()


def test_of_cells_that_nobody_can_name_those_are_kept_whose_names_are_in_use() -> None:
    notebook = Notebook()
    dependencies = notebook.dependencies
    for number in range(50):
        dependencies.ran(Run(f"nameless:{number}", CellNames(), reacts=False), {})
    assert dependencies.cells == ()
    dependencies.ran(Run("nameless:a", CellNames({"wall": "1"}), reacts=False), {"wall": "nameless:a"})
    dependencies.ran(Run("c1", CellNames({}, {"wall": "nameless:a"}), reacts=True), {"wall": "nameless:a"})
    assert dependencies.cells == ("nameless:a", "c1")
    # taken by another; as long as c1 is built from it, it is known what that was
    dependencies.ran(Run("nameless:b", CellNames({"wall": "2"}), reacts=False), {"wall": "nameless:b"})
    assert dependencies.reason("c1") == Reason("taken_over", "wall", "nameless:b")
    assert dependencies.cells == ("nameless:a", "c1", "nameless:b")
    dependencies.ran(Run("c1", CellNames({}, {"wall": "nameless:b"})), {"wall": "nameless:b"})
    assert dependencies.cells == ("c1", "nameless:b")
    assert len(dependencies.graph.vertices) == 2


def test_a_cell_that_nobody_can_name_is_marked_and_never_runs() -> None:
    dependencies = Dependencies()
    owners = {"wall": "c1", "lid": "nameless:1"}
    dependencies.ran(Run("c1", CellNames({"wall": "1"})), owners)
    dependencies.ran(Run("nameless:1", CellNames({"lid": "1"}, {"wall": "c1"}), reacts=False), owners)
    dependencies.ran(Run("c1", CellNames({"wall": "2"})), owners)
    assert dependencies.out_of_date() == {"nameless:1": Reason("changed", "wall", "c1")}
    assert dependencies.due() == {}


NAMES = ("a", "b", "c", "d")
STEPS = st.lists(
    st.one_of(
        # a cell of this number runs: it defines the name of its number, from these
        st.tuples(st.just("edit"), st.integers(0, 3), st.sets(st.integers(0, 3)), st.integers(0, 2)),
        st.tuples(st.just("fails"), st.integers(0, 3)),
        st.tuples(st.just("file"), st.integers(0, 3)),
        st.tuples(st.just("forget"), st.integers(0, 3)),
        st.tuples(st.just("cascade")),
    ),
    max_size=16,
)


@examples(70)
@given(steps=STEPS)
def test_after_a_cascade_every_value_is_what_the_texts_say(steps: list[Any]) -> None:
    """Cells as sums: each is a number of its own plus those that it uses, which stand above it."""
    dependencies = Dependencies()
    texts: dict[int, tuple[frozenset[int], int, bool]] = {}
    values: dict[int, int] = {}
    owners: dict[str, str] = {}

    def run(cell: int, *, again: bool) -> None:
        used, own, fails = texts[cell]
        uses = {NAMES[each]: owners.get(NAMES[each], "") for each in used}
        error = "fails" if fails else "unknown" if any(each not in values for each in used) else ""
        if error and not again:
            values.pop(cell, None)
            owners.pop(NAMES[cell], None)
        if not error:
            values[cell] = own + sum(values[each] for each in used)
            owners[NAMES[cell]] = str(cell)
        defines = {} if error else {NAMES[cell]: str(values[cell])}
        dependencies.ran(
            Run(
                str(cell), CellNames(defines, uses), (f"{cell}.oo",), error=error, kept=bool(error) and again
            ),
            dict(owners),
        )

    def meaning(cell: int, seen: Mapping[int, int]) -> int:
        used, own, _ = texts[cell]
        return own + sum(seen[each] for each in used)

    for kind, *rest in steps:
        if kind == "edit":
            cell, used, own = rest
            texts[cell] = frozenset(each for each in used if each < cell), own, False
            run(cell, again=False)
        elif kind == "fails" and rest[0] in texts:
            used, own, _ = texts[rest[0]]
            texts[rest[0]] = used, own, True
            run(rest[0], again=False)
        elif kind == "file" and rest[0] in texts:
            dependencies.files_changed([f"{rest[0]}.oo"])
        elif kind == "forget":
            texts.pop(rest[0], None)
            values.pop(rest[0], None)
            owners.pop(NAMES[rest[0]], None)
            dependencies.names_changed(dict(owners))
            dependencies.forget(str(rest[0]))
        elif kind == "cascade":
            done: list[int] = []
            while due := dependencies.due():
                done.append(int(next(iter(due))))
                assert len(done) <= len(set(done)) == len(done), "evaluated twice"
                run(done[-1], again=True)
            assert done == sorted(done)
            reasons = dependencies.out_of_date()
            for cell in texts:
                if str(cell) not in reasons:
                    assert values[cell] == meaning(cell, values)
        # what was not looked at again is what it was
        looked_at = {cell: dependencies.reason(cell) for cell in dependencies.cells}
        assert dependencies.out_of_date() == {cell: why for cell, why in looked_at.items() if why}


def test_a_cell_that_has_read_a_file_as_it_is_now_is_up_to_date() -> None:
    dependencies = Dependencies()
    dependencies.ran(Run("c1", files=("dims.oo",)), {})
    assert dependencies.files_changed(["dims.oo"], lambda _cell_id, _path: True) == frozenset()
    assert dependencies.reason("c1") is None
    assert dependencies.files_changed(["dims.oo"], lambda _cell_id, path: path != "dims.oo") == {"c1"}
    assert dependencies.reason("c1") == Reason("file", "dims.oo")
