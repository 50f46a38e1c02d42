"""What a program may use: each limit has its own error, and the environment works on after it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from tests.loon.evaluation import error_of, value_of
from tests.loon.passing_time import PassingTime, passing_time
from vcad_kernel.errors import LoonError, VcadError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime import equality
from vcad_kernel.loon.runtime.limits.limits import STANDARD, Limits
from vcad_kernel.loon.source import Source

__all__ = ["passing_time"]

HASTY = Limits(seconds=0.1)
TIGHT = Limits(seconds=30, items=10_000)


@pytest.fixture(autouse=True)
def no_callbacks_of_the_collector() -> Iterator[None]:
    """Test tools keep one, in Python: what stops a program may hit it there, where nobody catches it."""
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = callbacks


def failure(text: str, limits: Limits) -> VcadError:
    """The error of a text under limits, in an environment that must go on working."""
    environment = Environment(limits=limits)
    value_of("[let before :kept]", environment)
    error = error_of(text, environment)
    assert display(value_of("[conj #[before] [fold 0 + [range 0 10]]]", environment)) == "#[:kept 45]"
    assert error.fix
    return error


@pytest.mark.parametrize(
    "text",
    [
        "[fn f [] [f]] [f]",
        "[fn f [n] [f [+ n 1]]] [f 0]",
        "[fn f [] [each [fn [i] [let x [* i i]]] [range 0 100000]] [f]] [f]",
        "[fn f [] [handle [A.x] [A.x] [resume 1]] [f]] [f]",
        "[fn f [] [A.x] [f]] [handle [f] [A.x] [resume 1]]",
        "[fn f [] [try [Fail.fail 1] [fn [m] m]] [f]] [f]",
        "[let [tx rx] [channel]] [fn f [] [send tx 1] [recv rx] [f]] [f]",
        "[fn f [] [sort-by [fn [x] [- 0 x]] :asc [range 0 1000]] [f]] [f]",
        "[fn f [m i] [f [assoc m [% i 7] i] [+ i 1]]] [f {} 0]",
    ],
)
def test_a_program_without_end_is_stopped_after_its_time(text: str, passing_time: PassingTime) -> None:
    environment = Environment(limits=HASTY)
    with passing_time.passes():
        error = error_of(text, environment)
    assert error.code == "time-limit"
    assert error.place is not None
    assert error.place.file == "test.oo"
    assert display(value_of("[+ 1 2]", environment)) == "3"


def test_the_error_of_an_endless_loop_names_the_limit_and_shows_the_loop(passing_time: PassingTime) -> None:
    environment = Environment(limits=HASTY)
    # compiled before, so that the time is the loop's however busy the machine is
    value_of("\n[fn loop [n]\n  [loop [+ n 1]]]", environment)
    with passing_time.passes():
        error = error_of("[loop 0]", environment)
    assert error.code == "time-limit"
    assert error.fix
    assert "0.1 seconds" in error.message
    assert error.place is not None
    assert error.place.line in (1, 2, 3)
    assert any(entry.name == "loop" for entry in error.stack)
    assert isinstance(error, LoonError)


def test_a_text_too_long_to_be_compiled_in_time_is_named() -> None:
    error = error_of("[+ 1 2]\n" * 100_000, Environment(limits=Limits(seconds=0.01)))
    assert error.code == "time-limit"
    assert error.place is not None
    assert (error.place.file, error.place.line) == ("test.oo", 1)


def test_a_call_from_outside_is_watched_too(passing_time: PassingTime) -> None:
    environment = Environment(limits=HASTY)
    spin = value_of("[fn spin [] [spin]] [do spin]", environment)
    with pytest.raises(LoonError) as caught, passing_time.passes():
        environment.call(spin, [])
    assert caught.value.code == "time-limit"


def test_a_program_on_another_thread_is_stopped_there() -> None:
    codes: list[str] = []

    def work() -> None:
        try:
            Environment(limits=HASTY).run(Source("thread.oo", "[fn f [] [f]] [f]"))
        except VcadError as error:
            codes.append(error.code)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == ["time-limit"] * 3


def test_an_endless_body_of_a_handle_leaves_no_handler_behind(passing_time: PassingTime) -> None:
    environment = Environment(limits=HASTY)
    text = "[fn f [] [f]] [handle [do [A.x] [f]] [A.x] [resume 1] [Fail.fail m] 0]"
    with passing_time.passes():
        error = error_of(text, environment)
    assert error.code == "time-limit"
    assert error_of("[A.x]", environment).code == "E0400"


@pytest.mark.parametrize(
    "text",
    [
        "[range 0 1000000000]",
        "[range -9000000000000000000 9000000000000000000]",
        "[fn f [s n] [if [= n 0] s [f [str s s] [- n 1]]]] [len [f \"ab\" 25]]",
        "[fn f [s n] [if [= n 0] s [f [push! s s] [- n 1]]]] [len [f \"ab\" 25]]",
        "[fn f [s n] [if [= n 0] s [f \"{s}{s}\" [- n 1]]]] [len [f \"ab\" 25]]",
        "[fn f [s n] [if [= n 0] s [f [join s #[s s]] [- n 1]]]] [len [f \"ab\" 25]]",
        "[fn f [s n] [if [= n 0] s [f [replace s \"a\" s] [- n 1]]]] [len [f \"aa\" 25]]",
        "[fn f [v n] [if [= n 0] v [f [flat-map [fn [x] #[x x]] v] [- n 1]]]] [len [f #[1] 25]]",
        "[fn f [v n] [if [= n 0] v [f [flatten #[v v]] [- n 1]]]] [len [f #[1] 25]]",
        "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]] [str [f #[1] 25]]",
        "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]] [println [f #[1] 25]]",
        "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]] [inspect [f #[1] 25]]",
        "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]] [join \"\" #[[f #[1] 25]]]",
        "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]] [IO.println [f #[1] 25]]",
        "[fn f [v n] [if [= n 0] v [f [conj v n] [- n 1]]]] [len [f #[] 20000]]",
        "[fn f [v n] [if [= n 0] v [f [cons n v] [- n 1]]]] [len [f #[] 20000]]",
        "[fn f [v n] [if [= n 0] v [f [assoc v n n] [- n 1]]]] [len [f {} 20000]]",
        "[fn f [v n] [if [= n 0] v [f [update v n str] [- n 1]]]] [len [f {} 20000]]",
        "[fn f [v n] [if [= n 0] v [f [conj v n] [- n 1]]]] [len [f #{} 20000]]",
    ],
)  # fmt: skip
def test_a_value_that_grows_too_large_is_refused(text: str) -> None:
    error = failure(text, TIGHT)
    assert error.code == "collection-size"
    assert "10,000" in error.message
    assert error.place is not None


def test_ten_million_items_are_allowed_unless_a_host_says_otherwise() -> None:
    assert "at most 10,000,000 are allowed" in failure("[range 0 1000000000]", STANDARD).message


def test_a_value_of_just_the_allowed_size_is_made() -> None:
    environment = Environment(limits=TIGHT)
    assert value_of("[len [range 0 10000]]", environment) == 10_000
    assert value_of("[len [fold #[] conj [range 0 10000]]]", environment) == 10_000
    assert error_of("[range 0 10001]", environment).code == "collection-size"


def test_a_key_of_endless_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equality, "_LONGEST_KEY", 10_000)
    doubled = "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]]"
    assert error_of(doubled + "{[f #[1] 25] 1}").code == "memory"
    assert error_of(doubled + "[conj #{} [f #[1] 25]]").code == "memory"
    assert value_of(doubled + "[len {[f #[1] 5] 1}]") == 1


def test_the_result_of_a_program_may_share_without_being_large() -> None:
    environment = Environment(limits=TIGHT)
    text = "[fn f [v n] [if [= n 0] v [f #[v v] [- n 1]]]] [let a [f #[1] 60]] [let b [f #[1] 60]] [= a b]"
    assert value_of(text, environment) is True


@pytest.mark.parametrize(
    "text",
    [
        "[fn down [n] [+ 1 [down [+ n 1]]]] [down 0]",
        "[fn down [n] [map [fn [x] [down x]] #[n]]] [down 0]",
        "[fn down [n] [fold 0 [fn [a x] [+ a [down x]]] #[n]]] [down 0]",
        "[fn down [n] [handle [+ 1 [down n]] [A.x] 0]] [down 0]",
    ],
)
def test_a_recursion_without_end_names_its_depth(text: str) -> None:
    error = failure(text, STANDARD)
    assert error.code == "recursion-depth"


def test_a_smaller_depth_may_be_set() -> None:
    text = "[fn down [n] [if [= n 0] 0 [+ 1 [down [- n 1]]]]] [down {n}]"
    environment = Environment(limits=Limits(depth=1000))
    assert value_of(text.replace("{n}", "500"), environment) == 500
    assert error_of(text.replace("{n}", "2000"), environment).code == "recursion-depth"


@pytest.mark.parametrize(
    "text",
    [
        "[macro m [] `[m]] [m]",
        "[macro m [x] `[+ [m ~x] [m ~x]]] [m 1]",
        "[macro twice [x] `#[~x ~x]] " + "[twice " * 30 + "1" + "]" * 30,
    ],
)
def test_a_runaway_macro_is_stopped(text: str) -> None:
    environment = Environment(limits=Limits(macro_expansions=2000))
    error = error_of(text, environment)
    assert error.code == "macro-expansions"
    assert error.place is not None
    assert value_of("[+ 1 2]", environment) == 3


def test_a_macro_that_computes_without_end_is_stopped(passing_time: PassingTime) -> None:
    environment = Environment(limits=HASTY)
    with passing_time.passes():
        error = error_of("[macro m [] [do [let f [fn [v] v]] [fold 0 [fn [a x] [+ a x]] [range 0 9999999]]"
                         " [fold 0 [fn [a x] [+ a x]] [range 0 9999999]] 1]] [m]", environment)  # fmt: skip
    assert "0.1 seconds" in error.message
    assert value_of("[+ 1 2]", environment) == 3


def test_limits_hold_for_each_run_anew(passing_time: PassingTime) -> None:
    environment = Environment(limits=Limits(seconds=0.4, items=100))
    for _ in range(30):
        assert value_of("[fold 0 + [range 0 100]]", environment) == 4950
    assert error_of("[range 0 101]", environment).code == "collection-size"
    assert value_of("[len [range 0 101]]") == 101, "another environment has its own limits"
