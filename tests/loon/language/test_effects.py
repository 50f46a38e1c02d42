"""Effects: performing, handling, one-shot resumption, Fail and try."""

from __future__ import annotations

import pytest
from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]

from tests.loon.evaluation import error_class, error_of, printed_by, shown, value_of
from tests.loon.new_objects import new_objects
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.effects import DEEPEST_HANDLE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[handle [+ 1 [Ask.it]] [Ask.it] [resume 41]]", "42"),
        ("[handle [+ 1 [Ask.it]] [Ask.it] 5]", "5"),
        ("[handle [+ [A.x] [A.x]] [A.x] [+ 100 [resume 1]]]", "202"),
        ("[handle [fold 0 [fn [a x] [+ a [A.get x]]] #[1 2 3]] [A.get x] [resume [* x 10]]]", "60"),
        ("[handle [map A.f #[1]] [A.f x] [resume x]]", None),
        ("[handle [handle [+ [A.x] [B.y]] [A.x] [resume [B.y]]] [B.y] [resume 7]]", "14"),
        ("[handle [handle [+ 1 [B.y]] [A.x] [resume 1]] [B.y] 9]", "9"),
        ("[handle [+ 1 [handle [+ 1 [B.y]] [A.x] [resume 1]]] [B.y] [+ 1 [resume 5]]]", "8"),
        ("[handle [A.x 1 2] [A.x a b c _] [resume #[a b c]]]", "#[1 2 ()]"),
        ("[handle [A.x] [A.x] [if true [resume 1] 0]]", "1"),
        ("[handle [do [A.x] [A.x]] [A.x] [match 1 1 [resume 4] _ 0]]", "4"),
        ("[fn f [n] [if [= n 0] 0 [do [A.x] [f [- n 1]]]]] [handle [f 20000] [A.x] [resume 1]]", "0"),
        ("[fn f [n] [if [= n 0] 0 [do [A.x] [f [- n 1]]]]] [handle [f 2000] [A.x] [+ 1 [resume 1]]]", "2000"),
        ("[handle [let z 5] [A.x] 0] z", "5"),
        ("[fn f [] [handle [do [let z 5] [A.x]] [A.x] 0] z] [let z 1] [f]", "5"),
        ("[handle [handle [A.x] [A.x] [resume [handle [+ 1 [B.y]] [B.y] [resume 1]]]] [C.z] 0]", "2"),
        ("[handle [handle [A.x] [A.x] [handle [resume 3] [B.y] 0]] [B.y] [resume 1]]", "3"),
        ("[handle [try [A.x] str] [A.x] [resume 1]]", "1"),
    ],
)
def test_the_innermost_handler_answers_and_stays_in_force(text: str, expected: str | None) -> None:
    if expected is None:
        assert error_class(text) == "unbound-symbol"
    else:
        assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[try [Fail.fail "bad"] [fn [m] [str "got " m]]]', '"got bad"'),
        ("[try [+ 1 2] [fn [m] 0]]", "3"),
        ("[try [try [Fail.fail 1] [fn [e] [Fail.fail [+ e 1]]]] [fn [e] [* e 100]]]", "200"),
        ("[try [map [fn [x] [Fail.fail x]] #[7 8]] [fn [m] m]]", "7"),
        ("[try [handle [do [A.x] [Fail.fail 2]] [A.x] [resume 1]] [fn [m] m]]", "2"),
        ("[try [handle [A.x] [A.x] [Fail.fail 3]] [fn [m] m]]", "3"),
        ("[handle [try [Fail.fail 1] [fn [m] [+ m 1]]] [Fail.fail m] 100]", "2"),
        ("[try [handle [Fail.fail 1] [Fail.fail m] [+ m 50]] [fn [m] 0]]", "51"),
        ("[handle [+ 1 [Fail.fail 1]] [Fail.fail m] [resume 10]]", "11"),
        ("[fn f [] [try [do [let z 5] [Fail.fail 1]] [fn [m] z]] ] [let z 3] [f]", "3"),
        ("[fn f [] [try [do [let z 5] [Fail.fail 1]] [fn [m] 0]] z] [let z 3] [f]", "5"),
        ("[+ [try [Fail.fail 1] [fn [m] m]] [try 2 str]]", "3"),
        ("[Ok 3]?", "3"),
        ('[try [+ 1 [Err "x"]?] [fn [m] m]]', '"x"'),
    ],
)
def test_a_failure_goes_to_the_nearest_try_or_handler(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[handle [+ 1 [A.x]] [A.x] [+ [resume 1] [resume 2]]]",
        "[let k [handle [A.x] [A.x] resume]] [k 5]",
        "[handle [A.x] [B.x] [resume 1]]",
        "[handle [A.x] [A.x] [A.x]]",
        "[try [Other.op] [fn [m] 1]]",
        "[Fail.fail 1]",
        "[IO.read-file \"/etc/hostname\"]",
        "[Process.exit 1]",
    ],
)  # fmt: skip
def test_what_nothing_handles_is_an_error(text: str) -> None:
    assert error_class(text) == "unhandled-effect"


def test_a_program_may_print_through_the_effect() -> None:
    assert printed_by('[IO.println "a" 1]') == "a 1\n"
    assert printed_by("[handle [IO.println 1] [IO.println x] [println :caught x]]") == ":caught 1\n"


def test_the_handler_of_a_try_is_evaluated_first_and_must_be_a_function() -> None:
    text = "[try [println :body] [do [println :handler] str]]"
    assert printed_by(text) == ":handler\n:body\n"
    assert error_class("[try [println 1] 5]") == "type"


def test_handles_within_each_other_are_limited_with_a_clear_error() -> None:
    text = "[fn f [n] [if [= n 0] [A.x] [handle [f [- n 1]] [B.y] 0]]] [handle [f {n}] [A.x] [resume :end]]"
    assert shown(text.replace("{n}", str(DEEPEST_HANDLE - 2))) == ":end"
    assert error_of(text.replace("{n}", "5000")).code == "recursion-depth"


def test_abandoned_bodies_run_no_further() -> None:
    text = "[println [handle [do [println 1] [A.x] [println 2]] [A.x] :left]] [println 3]"
    assert printed_by(text) == "1\n:left\n3\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [] [handle [let b 4] [E.x] 1] b] [f]", "4"),
        ("[fn f [a] [handle [let a 2] [E.x] 1] a] [f 1]", "2"),
        ("[fn f [] [handle [if true [let b 4] 0] [E.x] 1] b] [f]", "4"),
        ("[fn f [] [handle [handle [let b 4] [E.y] 0] [E.x] 1] b] [f]", "4"),
        ("[fn f [] [handle [E.x] [E.x] [do [handle [let b 4] [E.y] 1] [resume b]]]] [f]", "4"),
        ("[let b 7] [fn f [] [handle [match 1 x [let b 4]] [E.x] 1] b] [f]", "7"),
    ],
)
def test_a_let_that_ends_the_body_of_a_handle_binds_around_it(text: str, expected: str) -> None:
    assert shown(text) == expected


# Model D: a clause that does not resume gives the body up; a continuation goes on at most once.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # resume is not the last act of the clause: what follows runs when the body has ended
        ("[handle [do [A.x] 5] [A.x] [* 10 [resume 1]]]", "50"),
        ("[handle [+ [A.x] [A.x]] [A.x] [do [let r [resume 1]] [* r 10]]]", "200"),
        ("[handle [A.x] [A.x] #[[resume 1] :after]]", "#[1 :after]"),
        # a stored resume, used within the clause by way of a binding, a vector, a channel, a closure
        ("[handle [+ 1 [A.x]] [A.x] [do [let k resume] [k 41]]]", "42"),
        ("[handle [+ 1 [A.x]] [A.x] [do [let ks #[resume]] [[nth ks 0] 41]]]", "42"),
        ("[let [tx rx] [channel]] [handle [+ 1 [A.x]] [A.x] [do [send tx resume] [[recv rx] 41]]]", "42"),
        ("[handle [+ 1 [A.x]] [A.x] [do [let later [fn [v] [resume v]]] [later 41]]]", "42"),
        ("[fn call [k] [k 41]] [handle [+ 1 [A.x]] [A.x] [call resume]]", "42"),
        ("[handle [+ 1 [A.x]] [A.x] [nth [map resume #[41]] 0]]", "42"),
        ("[handle [+ 1 [A.x]] [A.x] [fold 41 [fn [v k] [k v]] #[resume]]]", "42"),
        # resumed from the clause of another handler, around which the first one's clause waits
        ("[let [tx rx] [channel]]"
         " [handle [handle [+ 1 [A.x]] [A.x] [do [send tx resume] [B.y]]] [B.y] [[recv rx] 10]]", "11"),
        # resume without an argument continues with unit
        ("[handle #[[A.x]] [A.x] [resume]]", "#[()]"),
    ],
)  # fmt: skip
def test_a_clause_may_use_its_resume_as_any_value(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[handle [map [fn [x] [+ x [A.get]]] #[1 2]] [A.get] [resume 10]]", "#[11 12]"),
        ("[handle [filter [fn [x] [A.keep? x]] #[1 2 3]] [A.keep? x] [resume [> x 1]]]", "#[2 3]"),
        ("[handle [sort-by [fn [x] [A.rank x]] :asc #[1 2 3]] [A.rank x] [resume [- 0 x]]]", "#[3 2 1]"),
        ("[handle [fold 0 [fn [a x] [A.add a x]] #[1 2 3]] [A.add a x] [+ 100 [resume [+ a x]]]]", "306"),
        ("[handle [flat-map [fn [x] [A.more x]] #[1 2]] [A.more x] [resume #[x x]]]", "#[1 1 2 2]"),
        ("[handle [find [fn [x] [A.ok x]] #[1 2 3]] [A.ok x] [resume [= x 2]]]", "[Some 2]"),
        ("[handle [group-by [fn [x] [A.key x]] #[1 2 3]] [A.key x] [resume [% x 2]]]", "{1 #[1 3] 0 #[2]}"),
        ("[handle [update {:a 1} :a [fn [x] [A.new x]]] [A.new x] [resume [+ x 1]]]", "{:a 2}"),
        ("[handle [any? [fn [x] [A.at x]] #[1 2 3]] [A.at x] [if [= x 2] :left [resume false]]]", ":left"),
        ("[fn tree [n] [if [= n 0] [A.leaf] [+ [tree [- n 1]] [tree [- n 1]]]]]"
         " [handle [tree 6] [A.leaf] [resume 1]]", "64"),
    ],
)  # fmt: skip
def test_operations_come_out_of_callbacks_and_go_back_into_them(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # both bodies perform both effects
        ("[handle [handle [do [A.x] [B.y] [+ [A.x] [B.y]]] [A.x] [resume [B.y]]] [B.y] [resume 7]]", "14"),
        ("[handle [+ [handle [+ [A.x] [B.y]] [A.x] [resume [+ 1 [A.x]]]] [B.y]]"
         " [A.x] [resume 10] [B.y] [resume 100]]", "211"),
        # the same operation at two levels: a clause runs outside its own handler
        ("[handle [handle [A.x] [A.x] [resume [* 2 [A.x]]]] [A.x] [resume 21]]", "42"),
        # a handler around the resume, within the clause, is in force for the rest of the body
        ("[handle [handle [+ [A.x] [B.y]] [A.x] [handle [resume 3] [B.y] [resume 10]]]"
         " [B.y] [resume 1]]", "13"),
        ("[handle [+ [B.y] [handle [do [A.x] [B.y]] [A.x] [handle [resume 0] [B.y] [resume 5]]]]"
         " [B.y] [resume 100]]", "105"),
        # a clause that leaves an outer handle gives up the inner one's clause and body
        ("[handle [+ 1 [handle [+ 1 [A.x]] [A.x] [+ 1 [B.y]]]] [B.y] :out]", ":out"),
        # handlers in functions are found by who is calling, not by where they are written
        ("[fn ask [] [A.x]] [fn with [n] [handle [ask] [A.x] [resume n]]] [+ [with 1] [with 2]]", "3"),
        ("[let f [handle [fn [] [A.x]] [A.x] [resume 1]]] [handle [f] [A.x] [resume 2]]", "2"),
    ],
)  # fmt: skip
def test_handlers_within_handlers_answer_what_is_theirs(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[handle [try [do [A.x] [Fail.fail 1]] [fn [m] [+ m [A.x]]]] [A.x] [resume 10]]", "11"),
        ("[try [handle [+ 1 [Fail.fail 2]] [A.x] 0] [fn [m] [* m 10]]]", "20"),
        ("[handle [do [A.x] [Fail.fail 1]] [A.x] [try [resume 1] [fn [m] [str \"around resume \" m]]]]",
         "\"around resume 1\""),
        ("[try [handle [do [A.x] [Fail.fail 1]] [A.x] [+ 1 [resume 1]]] [fn [m] [str \"outside \" m]]]",
         "\"outside 1\""),
        ("[handle [try [A.x] [fn [m] :inner]] [A.x] [Fail.fail 1] [Fail.fail m] :never]", None),
        ("[handle [handle [try [A.x] [fn [m] :inner]] [A.x] [Fail.fail 1]] [Fail.fail m] :outer]", ":outer"),
        ("[try [handle [A.x] [A.x] [try [Fail.fail 1] [fn [m] [resume [+ m 1]]]]] [fn [m] 0]]", "2"),
        ("[fn f [n] [try [if [= n 0] [Fail.fail 0] [handle [f [- n 1]] [A.x] 0]]"
         " [fn [m] [Fail.fail [+ m 1]]]]] [try [f 20] [fn [m] m]]", "21"),
        ("[handle [map [fn [x] [try [A.check x] [fn [m] m]]] #[1 2]]"
         " [A.check x] [if [= x 1] [resume :fine] [resume [Err x]]]]", "#[:fine [Err 2]]"),
    ],
)  # fmt: skip
def test_failures_cross_handlers_and_operations_cross_tries(text: str, expected: str | None) -> None:
    if expected is None:
        assert error_class(text) == "unhandled-effect"
    else:
        assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[handle [+ [A.x] 1] [A.x] [do [resume 1] [resume 2]]]",
        "[let [tx rx] [channel]] [handle [A.x] [A.x] [do [send tx resume] :left]] [[recv rx] 1]",
        "[let [tx rx] [channel]] [handle [A.x] [A.x] [do [send tx resume] [resume 1]]] [[recv rx] 1]",
        "[handle [do [A.x] [A.x]] [A.x] [do [resume 1] [resume 2]]]",
        "[handle [A.x] [A.x] [map resume #[1 2]]]",
    ],
)
def test_a_second_resume_or_one_after_the_handle_fails_cleanly(text: str) -> None:
    error = error_of(text)
    assert error.code == "E0400"
    assert "resume of A.x" in error.message
    assert error.why == "a computation continues from an operation at most once"
    assert error.place is not None


@pytest.mark.parametrize(
    "text",
    [
        "[fn f [i] [handle [do [A.x] [A.y]] [A.x] :left]] [each f [range 0 300]]",
        "[fn f [i] [handle [handle [do [A.x] 1] [B.y] 2] [A.x] :left]] [each f [range 0 300]]",
        "[fn f [i] [handle [handle [handle [A.x] [B.y] 2] [C.z] 3] [A.x] [D.w]]]"
        " [each [fn [i] [handle [f i] [D.w] 0]] [range 0 300]]",
        "[let ks [map [fn [i] [handle [A.x] [A.x] resume]] [range 0 300]]]",
        "[fn f [n] [if [= n 0] 0 [do [A.x] [f [- n 1]]]]] [handle [f 300] [A.x] [+ 1 [resume 1]]]",
        "[fn f [n] [if [= n 0] [B.y] [do [A.x] [f [- n 1]]]]]"
        " [handle [handle [f 300] [A.x] [+ 1 [resume 1]]] [B.y] :left]",
        "[fn f [n] [if [= n 0] [/ 1 0] [do [A.x] [f [- n 1]]]]] [handle [f 300] [A.x] [+ 1 [resume 1]]]",
        "[try [handle [do [A.x] [Fail.fail 1]] [A.x] [+ 1 [resume 1]]] [fn [m] m]]",
    ],
)
def test_given_up_bodies_leave_nothing_behind(text: str) -> None:
    environment = Environment()
    with new_objects() as held:
        if "[/ 1 0]" in text:
            assert error_of(text, environment).code == "zero-division"
        else:
            value_of(text, environment)
        living = [one for one in held() if isinstance(one, greenlet) and not one.dead]
        assert [one for one in living if one is not getcurrent()] == []


def test_many_operations_need_no_deeper_stack() -> None:
    loop = "[fn f [n a] [if [= n 0] a [f [- n 1] [+ a [A.x]]]]] [handle [f {n} 0] [A.x] [resume 2]]"
    assert shown(loop.replace("{n}", "50000")) == "100000"
    nested = "[fn f [n] [if [= n 0] 0 [do [A.x] [f [- n 1]]]]] [handle [f {n}] [A.x] [+ 1 [resume 1]]]"
    assert shown(nested.replace("{n}", "10000")) == "10000"


@pytest.mark.parametrize(
    "operation",
    [
        "IO.read-file", "IO.write-file", "IO.read-line", "IO.list-dir", "IO.mkdir", "IO.copy-file",
        "IO.mtime", "IO.millis", "IO.sleep", "IO.parse-json", "Process.args", "Process.env", "Process.exit",
        "Async.spawn", "Async.await", "Async.sleep", "Async.loop",
    ],
)  # fmt: skip
def test_operations_on_the_world_are_refused_with_a_reason_but_may_be_handled(operation: str) -> None:
    error = error_of(f'[{operation} "x"]')
    assert error.code == "E0400"
    assert operation in error.message
    assert error.why is not None
    assert error.why.startswith("a program ")
    assert shown(f'[handle [{operation} "x"] [{operation} name] [resume #[name]]]') == '#["x"]'


def test_an_operation_of_the_language_runs_in_place_within_any_handle() -> None:
    text = (
        '[handle [do [IO.println "in"] [A.x]] [A.x] [do [IO.println "clause"] [resume 5]]] [println "after"]'
    )
    assert printed_by(text) == "in\nclause\nafter\n"
