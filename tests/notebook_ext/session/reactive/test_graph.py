"""What is built from what: the operations of the graph, and all against a model that is slow and plain."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.reactive import graph as vertices
from notebook_ext.session.reactive.graph import DependencyGraph
from tests.tiers import examples
from vcad_kernel.errors import VcadError

WALL, LID, BOX, FOOT = (vertices.cell(name) for name in ("wall", "lid", "box", "foot"))
DIMS, BEAM = vertices.file("lib/dims.oo"), vertices.entity("pid:12")


@pytest.fixture
def graph() -> DependencyGraph:
    """dims.oo → wall → lid → box, beam → box."""
    made = DependencyGraph()
    made.refresh(WALL, [DIMS])
    made.refresh(LID, [WALL])
    made.refresh(BOX, [LID, BEAM])
    return made


def test_an_empty_graph_answers_everything() -> None:
    empty = DependencyGraph()
    assert (empty.vertices, empty.edges, empty.marking_edges, empty.cycles, empty.order()) == ((),) * 5
    assert WALL not in empty
    assert empty.sources(WALL) == empty.users(WALL) == ()
    assert empty.downstream([WALL]) == empty.upstream([WALL]) == frozenset()
    empty.remove(WALL)
    assert not empty.only_marks(WALL, LID)


def test_a_vertex_stands_for_what_it_is_of() -> None:
    assert [vertices.key_of(each) for each in (WALL, DIMS, BEAM)] == ["wall", "lib/dims.oo", "pid:12"]
    assert vertices.key_of(vertices.cell("file:legs.cmp.oo#leg")) == "file:legs.cmp.oo#leg"


def test_what_is_built_from_what(graph: DependencyGraph) -> None:
    assert graph.sources(BOX) == (LID, BEAM)
    assert graph.users(DIMS) == (WALL,)
    assert graph.downstream([DIMS]) == {WALL, LID, BOX}
    assert graph.downstream([BEAM, WALL]) == {LID, BOX}
    assert graph.upstream([LID]) == {WALL, DIMS}
    assert graph.downstream([BOX]) == graph.upstream([BEAM]) == frozenset()
    assert graph.downstream(["cell:unheard of"]) == frozenset()


def test_an_order_has_each_after_what_it_is_built_from_and_else_as_they_came(graph: DependencyGraph) -> None:
    assert graph.order() == (DIMS, WALL, LID, BEAM, BOX)
    assert graph.order([BOX, WALL, BEAM]) == (WALL, BEAM, BOX)
    graph.refresh(DIMS, [BEAM])  # now it comes before all of them
    assert graph.order() == (BEAM, DIMS, WALL, LID, BOX)


def test_what_a_vertex_is_built_from_is_another_after_each_run(graph: DependencyGraph) -> None:
    graph.refresh(LID, [DIMS])
    assert graph.sources(LID) == (DIMS,)
    assert graph.users(WALL) == ()
    graph.refresh(LID, [])
    assert graph.downstream([DIMS]) == {WALL}
    assert LID in graph


def test_a_vertex_that_is_taken_away_leaves_the_others(graph: DependencyGraph) -> None:
    graph.remove(LID)
    assert graph.vertices == (WALL, DIMS, BOX, BEAM)
    assert graph.sources(BOX) == (BEAM,)
    assert graph.downstream([DIMS]) == {WALL}
    graph.add(LID)
    assert graph.vertices[-1] == LID
    assert graph.sources(LID) == ()


def test_a_cycle_is_refused_by_name_and_nothing_changes(graph: DependencyGraph) -> None:
    before = graph.vertices, graph.edges
    with pytest.raises(VcadError) as caught:
        graph.refresh(WALL, [FOOT, BOX])
    assert caught.value.error_code == "DEPENDENCY_CYCLE"
    assert caught.value.details["cycle"] == ["wall", "lid", "box", "wall"]
    assert "wall → lid → box → wall" in caught.value.message
    assert caught.value.fix
    assert (graph.vertices, graph.edges) == before
    assert FOOT not in graph
    with pytest.raises(VcadError) as caught:
        graph.refresh(FOOT, [FOOT])
    assert caught.value.details["cycle"] == ["foot", "foot"]
    assert FOOT not in graph


def test_an_edge_that_would_close_a_cycle_may_mark(graph: DependencyGraph) -> None:
    assert graph.refresh(WALL, [DIMS, BOX], marks=True) == ((WALL, LID, BOX, WALL),)
    assert graph.only_marks(BOX, WALL)
    assert not graph.only_marks(DIMS, WALL)
    assert not graph.only_marks(LID, BOX)
    assert graph.marking_edges == ((BOX, WALL),)
    assert graph.cycles == ((WALL, LID, BOX, WALL),)
    assert graph.sources(WALL) == (DIMS, BOX)
    assert graph.downstream([BOX]) == frozenset()  # it runs nothing
    assert graph.order() == (DIMS, WALL, LID, BEAM, BOX)
    assert graph.refresh(WALL, [DIMS], marks=True) == ()
    assert graph.cycles == graph.marking_edges == ()


def test_a_marking_edge_goes_with_either_of_its_ends(graph: DependencyGraph) -> None:
    graph.refresh(WALL, [LID, BOX], marks=True)
    graph.remove(BOX)
    assert graph.marking_edges == ((LID, WALL),)
    graph.remove(WALL)
    assert graph.marking_edges == ()


def test_a_marking_edge_runs_once_nothing_closes_the_cycle_any_more(graph: DependencyGraph) -> None:
    graph.refresh(WALL, [LID], marks=True)
    assert graph.only_marks(LID, WALL)
    graph.refresh(LID, [])  # the other way is gone
    assert not graph.only_marks(LID, WALL)
    assert graph.cycles == ()
    assert graph.downstream([LID]) == {WALL, BOX}
    assert graph.order([WALL, LID]) == (LID, WALL)


@pytest.mark.process
def test_networkx_is_loaded_with_the_first_edge() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from notebook_ext.session.reactive.graph import DependencyGraph as G; g = G();"
        "print('networkx' in sys.modules, end=' '); g.refresh('cell:a', ());"
        "print('networkx' in sys.modules, g.order(), end=' ');"
        "g.refresh('cell:b', ['cell:a']); print('networkx' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "False", "('cell:a',)", "True"]


class Plain:
    """The same, by nothing but a list of edges."""

    def __init__(self) -> None:
        self.came: list[int] = []
        self.wanted: dict[int, tuple[int, ...]] = {}

    def refresh(self, vertex: int, sources: tuple[int, ...]) -> None:
        for each in (vertex, *sources):  # the user comes before what it is the first to use
            if each not in self.came:
                self.came.append(each)
        self.wanted[vertex] = sources

    def remove(self, vertex: int) -> None:
        if vertex in self.came:
            self.came.remove(vertex)
        self.wanted.pop(vertex, None)
        self.wanted = {
            user: tuple(each for each in sources if each != vertex) for user, sources in self.wanted.items()
        }

    def edges(self) -> set[tuple[int, int]]:
        return {(source, user) for user, sources in self.wanted.items() for source in sources}


def reached(edges: set[tuple[int, int]], start: int) -> set[int]:
    """All that can be come to from here by one step at least."""
    found: set[int] = set()
    while True:
        more = {user for source, user in edges if source == start or source in found} - found
        if not more:
            return found
        found |= more


def first_order(edges: set[tuple[int, int]], came: list[int]) -> list[int]:
    """Each after its sources, always the first that can go."""
    order: list[int] = []
    while len(order) < len(came):
        order.append(
            next(
                each
                for each in came
                if each not in order and all(s in order for s, user in edges if user == each)
            )
        )
    return order


NUMBERS = st.integers(0, 5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("refused"), NUMBERS, st.lists(NUMBERS, max_size=3, unique=True).map(tuple)),
        st.tuples(st.just("marks"), NUMBERS, st.lists(NUMBERS, max_size=3, unique=True).map(tuple)),
        st.tuples(st.just("remove"), NUMBERS, st.just(())),
    ),
    max_size=14,
)


@examples(120)
@given(steps=STEPS)
def test_it_is_what_a_list_of_edges_would_be(steps: list[Any]) -> None:
    graph, plain = DependencyGraph(), Plain()

    def of(pairs: Any) -> set[tuple[int, int]]:
        return {(int(vertices.key_of(a)), int(vertices.key_of(b))) for a, b in pairs}

    for kind, number, sources in steps:
        vertex, wanted = vertices.cell(str(number)), [vertices.cell(str(each)) for each in sources]
        if kind == "remove":
            graph.remove(vertex)
            plain.remove(number)
        else:
            # the edges along which changes run, but for those that this replaces
            others = {edge for edge in of(graph.edges) if edge[1] != number}
            closing = {each for each in sources if each == number or each in reached(others, number)}
            before = graph.vertices, graph.edges, graph.marking_edges, graph.cycles
            if closing and kind == "refused":
                with pytest.raises(VcadError) as caught:
                    graph.refresh(vertex, wanted)
                cycle = [int(each) for each in caught.value.details["cycle"]]
                assert cycle[0] == cycle[-1] == number
                assert set(pairwise(cycle)) <= others | {(cycle[-2], number)}
                assert (graph.vertices, graph.edges, graph.marking_edges, graph.cycles) == before
            else:
                cycles = graph.refresh(vertex, wanted, marks=kind == "marks")
                assert {int(vertices.key_of(cycle[-2])) for cycle in cycles} == closing
                plain.refresh(number, sources)
        running, marking = of(graph.edges), of(graph.marking_edges)
        assert running | marking == plain.edges()
        assert not running & marking
        assert [int(vertices.key_of(each)) for each in graph.vertices] == plain.came
        # no cycle runs, and no edge marks that could run
        assert all(number not in reached(running, number) for number in plain.came)
        assert all(source == user or source in reached(running, user) for source, user in marking)
        assert {(int(vertices.key_of(c[-2])), int(vertices.key_of(c[-1]))) for c in graph.cycles} == marking
        order = [int(vertices.key_of(each)) for each in graph.order()]
        assert order == first_order(running, plain.came)
        for number in range(6):
            name = vertices.cell(str(number))
            assert {int(vertices.key_of(each)) for each in graph.downstream([name])} == reached(
                running, number
            )
            back = {(user, source) for source, user in running}
            assert {int(vertices.key_of(each)) for each in graph.upstream([name])} == reached(back, number)
