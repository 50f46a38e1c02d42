"""Environments: programs and cells, libraries, call sites, and what is kept between runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.loon.evaluation import error_of
from vcad_kernel.errors import LoonNameError, Place, VcadError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment, Library
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.loon.source import Source


def cell(environment: Environment, text: str) -> str:
    return display(environment.run(Source("cell", text), cell=True))


def test_a_program_calls_main_and_a_cell_does_not() -> None:
    text = "[fn main [] 7] 3"
    assert Environment().run(Source("a", text)) == 7
    assert Environment().run(Source("a", text), cell=True) == 3
    assert Environment().run(Source("a", "[let main 5] 3")) == 3
    assert Environment().run(Source("a", "[let main [fn [] 8]] 3")) == 8


def test_later_cells_see_and_replace_earlier_definitions() -> None:
    session = Environment()
    cell(session, "[fn area [w] [* w depth]] [let depth 2]")
    assert cell(session, "[area 3]") == "6"
    cell(session, "[let depth 10]")
    assert cell(session, "[area 3]") == "30"
    cell(session, "[macro twice [e] `[do ~e ~e]]")
    assert cell(session, "[twice [area 1]]") == "10"
    assert session.user.user_names() == {"area", "depth"}


def test_a_failing_cell_keeps_what_it_defined_before() -> None:
    session = Environment()
    with pytest.raises(VcadError):
        cell(session, "[let kept 1] [let lost [/ 1 0]]")
    assert session.user.user_names() == {"kept"}
    assert session.last_defined == {"kept"}
    with pytest.raises(VcadError):
        cell(session, "[macro m [] `1] [let unread")
    assert error_of("[m]", session).code == "E0201"


def test_a_run_tells_the_names_it_defined_also_those_with_the_same_value() -> None:
    session = Environment()
    text = "[let a 1] [fn f [] [fn inner [] 2]] [type T [Ctor x] Nullary] [macro m [] `1] [let b a]"
    for _ in range(2):
        cell(session, text)
        assert session.last_defined == {"a", "f", "Ctor", "Nullary", "m", "b"}
    cell(session, "[f]")
    assert "inner" in session.user.user_names()
    cell(session, "1")
    assert session.last_defined == frozenset()


def test_forgetting_a_name_brings_back_what_it_shadowed() -> None:
    session = Environment(prelude=[Library("shapes", "[fn box [a] [* a 2]] [type Solid Hollow]")])
    cell(session, "[fn len [x] 0] [fn box [a] 0] [let None 3] [let own 1] [let Hollow 4] [macro m [] `1]")
    assert cell(session, "#[[len #[1]] [box 4] None own Hollow]") == "#[0 0 3 1 4]"
    session.user.forget(["len", "box", "None", "own", "Hollow", "m", "never-there"])
    assert cell(
        session, "#[[len #[1]] [box 4] None [match None None :none] [match Hollow Hollow :hollow]]"
    ) == ("#[1 8 None :none :hollow]")
    for name in ("own", "[m]"):
        assert error_of(name, session).code == "E0201"
    assert session.user.user_names() == frozenset()


def test_forgetting_a_type_leaves_other_types_their_methods_of_the_same_name() -> None:
    session = Environment()
    square = "[type Square [Sq Float [fn area [a] [* a a]]]]"
    disc = "[type Disc [Di Float [fn area [r] [* 3.0 [* r r]]]]]"
    cell(session, square)
    cell(session, disc)
    for _ in range(2):
        session.user.forget(["Di", "area"])
        assert cell(session, "[area [Sq 2.0]]") == "4"
        assert session.check(Source("cell", "[area [Sq 2.0]]")) == ()
        assert error_of("[Di 1.0]", session).code == "E0201"
        cell(session, disc)
        assert cell(session, "#[[area [Sq 2.0]] [area [Di 1.0]]]") == "#[4 3]"
    session.user.forget(["Di", "area", "Sq"])
    assert error_of("area", session).code == "E0201"


def test_forgetting_a_function_that_took_a_methods_name_brings_the_method_back() -> None:
    session = Environment()
    cell(session, "[type Square [Sq Float [fn area [a] [* a a]]]]")
    cell(session, "[type Disc [Di Float [fn area [r] r]]] [fn area [x] 0]")
    assert cell(session, "[area [Sq 2.0]]") == "0"
    session.user.forget(["Di", "area"])
    assert cell(session, "[area [Sq 2.0]]") == "4"


def test_a_check_knows_what_would_be_taken_back_first() -> None:
    session = Environment()
    cell(session, "[macro m [x] `~x] [let k 1] [m k]")
    found = session.check(Source("cell", "[m k]"), without={"m": None, "k": None})
    assert [(one.code, one.place.text) for one in found] == [("E0201", "[m k]")] * 2
    assert session.check(Source("cell", "[m k]")) == ()


def test_findings_are_those_of_the_last_text_also_when_it_cannot_be_read() -> None:
    session = Environment()
    for text in ("nowhere", "[let x"):
        with pytest.raises(VcadError):
            cell(session, text)
    assert session.diagnostics == ()


def test_names_from_the_host_are_visible_but_not_the_users_own() -> None:
    session = Environment()
    session.user.define("width", 40)
    assert cell(session, "[* 2 width]") == "80"
    assert session.user.user_names() == frozenset()
    session.user.define("width", 50)
    assert session.user.lookup("width") == 50
    cell(session, "[let width 1]")
    assert session.user.user_names() == {"width"}
    with pytest.raises(LoonNameError):
        session.user.lookup("height")


def test_a_library_is_not_disturbed_by_redefinitions_of_the_users() -> None:
    session = Environment(
        prelude=[Library("shapes", "[fn double [a] [+ a a]] [fn four [a] [double [double a]]]")]
    )
    assert cell(session, "[fn + [a b] 99] [fn double [a] 0] #[[four 1] [double 1] [+ 1 2]]") == "#[4 0 99]"


SHAPES = Library(
    "shapes",
    "[type Solid [Box a b] [Moved s x] [Named :w a :h b]]\n"
    "[fn box [a b] [do [let w [float a]] [Box w [float b]]]]\n"
    "[fn move [x s] [Moved s x]]\n"
    "[fn named [a] [Named a a]]",
)


def place_of(value: object) -> Place:
    assert isinstance(value, Adt)
    assert value.site is not None
    place = value.site.place()
    assert place is not None
    return place


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("[box 1\n  2]", "[box 1\n  2]"),
        ("[pipe [box 1 2]\n  [move 3]]", "[move 3]"),
        ("[fn part [n]\n  [box n 2]]\n[part 1]", "[box n 2]"),
        ("[let f [fn [n] [box n n]]]\n[nth [map f #[1]] 0]", "[box n n]"),
        ("[let b [box 1 2]]\n[fold b [fn [s x] [move x s]] #[1 2]]", "[move x s]"),
        ("[fold 1 box #[2]]", "[fold 1 box #[2]]"),
        ("[Box 1 2]", "[Box 1 2]"),
        ("[named 3]", "[named 3]"),
        ("[handle [box [A.x] 2] [A.x] [resume 1]]", "[box [A.x] 2]"),
    ],
)
def test_a_librarys_value_knows_the_users_call_that_made_it(text: str, marked: str) -> None:
    for lead in ("\n", "\n\n; moved\n  ", "[let first 1] "):
        session = Environment(prelude=[SHAPES])
        whole = Source("cell", lead + text)
        place = place_of(session.run(whole))
        start, end = whole.offset(place.line, place.column), whole.offset(place.end_line, place.end_column)
        assert whole.text[start:end] == marked
        assert place.file == "cell"


def test_a_site_is_no_part_of_the_value() -> None:
    session = Environment(prelude=[SHAPES])
    one, other = session.run(Source("a", "[box 1 2]")), session.run(Source("b", "\n\n[box 1 2]"))
    assert one == other
    assert hash(one) == hash(other)
    assert place_of(one) != place_of(other)


def test_users_own_types_carry_no_site() -> None:
    value = Environment().run(Source("a", "[type T [A x]] [A 1]"))
    assert isinstance(value, Adt)
    assert value.site is None


def test_an_unchanged_source_is_neither_read_nor_compiled_again() -> None:
    session = Environment()
    source = Source("cell", "[fn unchanged [a] [* a 2]] [unchanged 21]")
    session.run(source)
    assert session.timings.read > 0
    assert session.run(Source("cell", source.text)) == 42
    timings = session.timings
    assert (timings.read, timings.expand, timings.compile) == (0, 0, 0)
    assert timings.run > 0


def test_kept_code_depends_on_the_macros_in_force() -> None:
    session = Environment()
    assert cell(session, "[macro m [] `1] [m]") == "1"
    assert cell(session, "[m]") == "1"
    assert cell(session, "[macro m [] `2]") == "()"
    assert cell(session, "[m]") == "2"
    assert error_of("[m]").code == "E0201"


def test_functions_can_be_called_from_the_host() -> None:
    session = Environment()
    cell(session, "[fn half [n] [/ 10 n]]")
    assert session.call(session.user.lookup("half"), [5]) == 2
    with pytest.raises(VcadError) as caught:
        session.call(session.user.lookup("half"), [0])
    assert caught.value.place is not None


def test_the_hosts_recursion_limit_is_restored() -> None:
    before = sys.getrecursionlimit()
    Environment().run(Source("a", "[fn f [n] [if [= n 0] 0 [+ 1 [f [- n 1]]]]] [f 5000]"))
    assert sys.getrecursionlimit() == before


def test_environments_do_not_share_definitions() -> None:
    one, other = Environment(), Environment()
    cell(one, "[let a 1] [type T Red] [type S [B x [fn show [x] x]]]")
    assert cell(one, "[show [B 4]]") == "4"
    for text in ("a", "Red", "[show 1]"):
        assert error_of(text, other).code == "E0201"
    assert cell(other, "[match 5 Red :bound]") == ":bound"


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_an_editor_may_ask_while_cells_run_and_are_taken_back() -> None:
    session = Environment()
    ended = Event()

    def ask() -> int:
        count = 0
        while not ended.is_set():
            session.check(
                Source("asked", f"[m {count}] [f {count}]"), without={"f": None}, given={"w": [1, 2]}
            )
            session.user.entries()
            count += 1
        return count

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(ask) for _ in range(3)]
        try:
            for number in range(200):
                names = [f"{word}{number % 7}" for word in ("m", "f", "T")]
                macro, function, variant = names
                cell(session, f"[macro {macro} [x] `~x] [fn {function} [] {number}] [type A [{variant} Int]]")
                session.user.forget(names)
        finally:
            ended.set()
        assert all(one.result() > 0 for one in asked)


def test_runs_in_several_threads_share_the_room_and_give_it_back() -> None:
    session, before = Environment(), sys.getrecursionlimit()
    cell(session, "[fn f [n] [if [= n 0] 0 [+ 1 [f [- n 1]]]]]")
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: cell(session, "[f 20000]"), range(16)))
    assert values == ["20000"] * 16
    assert sys.getrecursionlimit() == before


def test_a_builtin_that_a_host_binds_anew_is_noticed_by_the_next_call() -> None:
    session = Environment()
    session.run(Source("cell", "[fn triple [n] [* n 3]]"), cell=True)
    assert session.call(session.user.lookup("triple"), [2]) == 6
    session.user.define("*", lambda a, b: 99)
    assert session.call(session.user.lookup("triple"), [2]) == 99


def test_what_is_said_of_a_name_is_kept_until_its_text_or_its_type_changes() -> None:
    session = Environment()
    cell(session, "; how far\n[fn reach [] depth] [let depth 2]")
    before = session.user.entries()
    cell(session, "[let other 1]")
    assert {name: session.user.entries()[name] is one for name, one in before.items()} == {
        "reach": True,
        "depth": True,
    }
    cell(session, '[let depth "deep"]')
    after = session.user.entries()
    assert (after["depth"].type, before["depth"].type) == ("String", "Num")
    session.user.forget(["depth"])
    assert session.user.entries().keys() == {"reach", "other"}
    session.user.define("reach", 5)
    assert session.user.entries().keys() == {"other"}
