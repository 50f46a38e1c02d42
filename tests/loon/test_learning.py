"""Knowing of cells what running them would tell, without running them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

_BODIES = (
    "[let a 1]",
    '[let a "x"]',
    "[let b [+ a 1]]",
    "[fn f [x] [+ x 1]]",
    "[fn f [x y] x]",
    "[macro m [x] `[+ ~x 1]]",
    "[type Shape [Circle r] Point]",
    "[fn area [s] [match s [Circle r] r Point 0]]",
    "[sig g : Int -> Int]",
    "[fn g [x] x]",
    "[trait Named [fn title [self]]]",
    "[nth #[] 0]",
    "[let a",
    "[let mut n 0]",
    "[set! n 3]",
    "[defparam w 4.0]",
    "[use plates]",
    "[use plates [plate]]",
    "[use missing]",
)
_PROBES = (
    "a",
    "[uppercase a]",
    "[+ b 1]",
    "[f 1]",
    "[f 1 2]",
    "[m 1]",
    "[area Point]",
    "[match Point [Circle r] r]",
    "[g 1]",
    "n",
    "w",
    "[plates.plate 1]",
    "[plate 1]",
    "[impl Named Shape [fn title [self] 1]]",
)
_CELLS = st.lists(st.lists(st.sampled_from(_BODIES), min_size=1, max_size=3).map("\n".join), max_size=5)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder: Path = tmp_path_factory.mktemp("project")
    (folder / "plates.oo").write_text("[pub fn plate [w] [+ w 1]]", "utf-8")
    return Project(folder)


def environment(project: Project | None = None) -> Environment:
    return Environment(stdout=lambda _: None, project=project)


@given(_CELLS)
@examples(40)
def test_what_is_found_after_learning_is_what_is_found_after_running(
    project: Project, cells: list[str]
) -> None:
    ran, learned = environment(project), environment(project)
    for number, text in enumerate(cells):
        source = Source(f"cell {number}", text)
        finished = False
        with suppress(VcadError):
            ran.run(source, cell=True)
            finished = True
        bound = learned.learn(source, None if finished and number % 2 else ran.last_defined)
        assert bound >= ran.last_defined
        if not finished or number % 2 == 0:
            assert bound == ran.last_defined
    for probe in (*_PROBES, *_BODIES):
        source = Source("probe", probe)
        expected = [one.render() for one in ran.check(source)]
        assert [one.render() for one in learned.check(source)] == expected
    entries = {name: one for name, one in ran.user.entries().items() if "." not in name and name != "plate"}
    for name, entry in entries.items():
        assert learned.user.entries()[name] == entry


def test_learning_runs_nothing() -> None:
    printed: list[str] = []
    learner = Environment(stdout=printed.append)
    assert learner.learn(Source("cell", '[println "loud"] [let a 1]')) == {"a"}
    assert printed == []
    with pytest.raises(VcadError):
        learner.user.lookup("a")


def test_a_text_that_cannot_be_read_teaches_nothing() -> None:
    learner = environment()
    assert learner.learn(Source("cell", "[let a")) == frozenset()
    assert [one.code for one in learner.check(Source("probe", "a"))] == ["E0201"]


def test_a_value_is_learned_by_its_type_and_forgotten_like_any_other() -> None:
    runner, learner = environment(), environment()
    runner.user.define("body", "text")
    learner.user.learn("body", runner.user.type_of("body"))
    probe = Source("probe", "[+ body 1]")
    found = [one.render() for one in runner.check(probe)]
    assert found
    assert [one.render() for one in learner.check(probe)] == found
    learner.user.forget(["body"])
    assert [one.code for one in learner.check(probe)] == ["E0201"]


def test_nothing_is_known_of_the_type_of_a_name_that_is_not_bound() -> None:
    assert environment().user.type_of("nobody") == ""
