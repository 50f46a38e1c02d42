"""Ownership (§18): which use of a name is reported, and where the value went before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.forms import forms
from tests.tiers import examples
from vcad_kernel.loon.checking.ownership.ownership import Finding, moves
from vcad_kernel.loon.checking.ownership.variables import BORROWS, Mode, Modes
from vcad_kernel.loon.reading.reader import forget, read
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Form, Symbol


def _findings(
    text: str, copies: str = "", known: dict[str, Modes] | None = None
) -> tuple[list[Finding], dict[str, Modes]]:
    """Findings and modes; ``copies`` names the variables whose type is Copy."""
    parts = [chunk.forms for chunk in read(Source("test.oo", text))]
    return moves(parts, lambda symbol: symbol.name in copies.split(), known or {})


def _found(text: str, copies: str = "", known: dict[str, Modes] | None = None) -> list[str]:
    """The code of each finding with the name that it is about."""
    findings, _ = _findings(text, copies, known)
    names = []
    for finding in findings:
        form = finding.marks[0].form
        assert isinstance(form, Symbol)
        names.append(f"{finding.code} {form.name}")
    return names


def _modes(text: str, name: str = "f") -> tuple[tuple[Mode, ...], ...]:
    return _findings(text)[1][name].clauses


EAT = "[fn eat [x] x] "
LOOK = "[fn look [x] [len x]] "


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (EAT + "[let a #[1]] [eat a] [eat a]", ["E0300 a"]),
        (LOOK + "[let a #[1]] [look a] [look a]", []),
        ("[let v #[1]] [push! v 2]", ["E0301 v"]),
        ("[let mut v #[1]] [push! v 2]", []),
        ("[let mut v #[1]] [push! v 2] [push! v 3]", ["E0302 v"]),
        ("[let v #[1 2]] [map [fn [x] x] v] [println v]", ["E0300 v"]),
        ("[let v #[1 2]] [println v] [len v] [get v 0] v", []),
        ("[let a #[1]] [let b a] [println a] [println b]", []),
        ("[let a #[1]] [Some a] [println a]", ["E0300 a"]),
        ("[let a #[1]] [conj a 2] [conj #[3] a]", ["E0300 a"]),
        ("[let a #[1]] [Log.note a] [println a]", ["E0300 a"]),
        ("[let a #[1]] [conj a a]", ["E0300 a"]),
        ("[let a #[1]] [[fn [x] x] a] [println a]", ["E0300 a"]),
        ("[let b #[1]] [unknown b] [println b]", ["E0300 b"]),
        ('[let s "a"] [conj #[] s] "{s}"', ["E0300 s"]),
        ("[let p #[1]] [conj p 1] [println p.x]", ["E0300 p.x"]),
        ("[let [tx rx] [channel]] [let v #[1]] [send tx v] [send tx 2] [recv rx] [recv rx] v", ["E0300 v"]),
        ("[let p [Some 1]] [conj #[] p.x] [println p]", []),
    ],
)
def test_a_name_is_borrowed_moved_or_lent_as_its_callee_says(text: str, found: list[str]) -> None:
    assert _found(text) == found


def test_values_of_copy_types_never_move() -> None:
    assert _found(EAT + "[let n 5] [eat n] [eat n] [conj #[1] n]", copies="n") == []


@pytest.mark.parametrize(
    "text",
    [
        "[let a #[1]] [pipe a [map f]] [pipe a [map f]]",
        "[let a #[1]] [pipe 1 [conj a]] [println a]",
        "[let a #[1]] #[a a] (a a) {:k a} a",
        "[let a #[1]] #[[conj a 1]] [println a]",
        "[let a #[1]] [match a x x] [match 1 _ [conj a 1]] [println a]",
    ],
)
def test_arguments_inside_pipes_matches_and_literals_are_not_moved(text: str) -> None:
    assert _found(text) == []


def test_arguments_inside_pipes_matches_and_literals_are_checked() -> None:
    moved = "[let a #[1]] [conj a 1] "
    for use in (
        "[pipe a len]",
        "[pipe 1 [conj a]]",
        "[match a _ 1]",
        "[match 1 _ [len a]]",
        "#[a]",
        "{:k a}",
    ):
        assert _found(moved + use) == ["E0300 a"], use


def test_both_branches_of_an_if_are_walked_one_after_the_other() -> None:
    assert _found("[let a #[1]] [if true [conj a 1] [conj a 2]]") == ["E0300 a"]


def test_rebinding_makes_a_name_alive_again() -> None:
    assert _found(EAT + "[let a #[1]] [eat a] [let a #[2]] [eat a]") == []
    assert _found("[let mut a #[1]] [conj a 1] [set! a #[2]] [println a]") == []
    assert _found("[let mut v #[1]] [let mut v [push! v 2]] [let mut v [push! v 3]]") == []


def test_the_value_of_a_rebinding_is_still_the_old_variable() -> None:
    assert _found("[let a #[1]] [conj a 1] [let a a]") == ["E0300 a"]


def test_a_local_name_hides_the_outer_one() -> None:
    assert _found("[let a #[1]] [conj a 1] [fn f [a] [len a]]") == []
    assert _found("[let a #[1]] [conj a 1] [match 1 a [println a]]", copies="") == []
    assert _found("[let a #[1]] [conj a 1] [handle [f] [Eff.op a] [resume [len a]]]") == []


def test_an_inner_name_ends_with_its_scope() -> None:
    assert _found("[let a #[1]] [fn f [a] [conj a 1] 0] [println a]") == []


def test_a_parameter_is_a_variable_too() -> None:
    assert _found("[fn f [v] [conj v 1] [len v]]") == ["E0300 v"]
    assert _found("[fn f [[v w]] [conj v w] [len w]]") == ["E0300 w"]
    assert _found("[fn f [{v v}] [conj v 1] [len v]]") == ["E0300 v"]
    assert _found("[fn f [a & v] [conj v a] [len v]]") == ["E0300 v"]
    assert _found("[map [fn [v] [conj v 1] [len v]] #[]]") == ["E0300 v"]


def test_what_a_closure_captures_is_moved_where_it_stands() -> None:
    assert _found("[let a #[1]] [let f [fn [x] [conj a x]]] [println a]") == ["E0300 a"]


def test_a_named_function_takes_nothing_from_around_it_before_it_is_called() -> None:
    assert _found("[let a #[1]] [fn f [x] [conj a x]] [fn g [x] [conj a x]] [println a]") == []
    assert _found("[let a #[1]] [fn f [] [conj a 1] [conj a 2]]") == ["E0300 a"]


def test_destructured_names_are_followed_one_by_one() -> None:
    assert _found("[let [a b] #[#[1] #[2]]] [conj a 1] [len b] [len a]") == ["E0300 a"]


def test_a_variable_in_the_callees_place_may_do_anything() -> None:
    assert _found("[let len [fn [x] x]] [let a #[1]] [len a] [println a]") == ["E0300 a"]
    assert _found("[fn f [look a] [look a] [len a]]" + LOOK) == ["E0300 a"]


def test_a_function_defined_over_a_builtin_counts_by_its_own_body() -> None:
    assert _found("[fn len [x] x] [let a #[1]] [len a] [println a]") == ["E0300 a"]
    assert _found("[fn conj [x y] [len x]] [let a #[1]] [conj a 1] [conj a 2]") == []


@pytest.mark.parametrize(
    ("text", "modes"),
    [
        ("[fn f [a b] a]", ((Mode.MOVE, Mode.BORROW),)),
        ("[fn f [a b c] [if a b [do [println a] c]]]", ((Mode.BORROW, Mode.MOVE, Mode.MOVE),)),
        ("[fn f [a] [let b #[a]] [len b]]", ((Mode.MOVE,),)),
        ("[fn f [a] [println {:k a}]]", ((Mode.MOVE,),)),
        ("[fn f [a] [sort a] 0]", ((Mode.MOVE,),)),
        ("[fn f [a] [push! a 1] 0]", ((Mode.MUTATE,),)),
        ("[fn f [a] [set! a 1] 0]", ((Mode.MUTATE,),)),
        ("[fn f [a] [match a b b]]", ((Mode.BORROW,),)),
        ("[fn f [a] [pipe a sort]]", ((Mode.BORROW,),)),
        ("[fn f [a] [let a #[1]] a]", ((Mode.BORROW,),)),
        ("[fn f [[a b]] b]", ((Mode.MOVE,),)),
        ("[fn f ([a] [len a]) ([a b] b)]", ((Mode.BORROW,), (Mode.BORROW, Mode.MOVE))),
        ("[fn f [a] #{IO} [len a]]", ((Mode.BORROW,),)),
        ("[pub fn f [a] a]", ((Mode.MOVE,),)),
        ("[pub [fn f [a] a]]", ((Mode.MOVE,),)),
        ("[fn f [a] [fn [] a] 0]", ((Mode.BORROW,),)),
    ],
)
def test_a_functions_mode_is_what_its_body_does_with_the_parameter(
    text: str, modes: tuple[tuple[Mode, ...], ...]
) -> None:
    assert _modes(text) == modes


def test_modes_pass_from_function_to_function() -> None:
    assert _modes(EAT + "[fn f [a] [eat a] 0]") == ((Mode.MOVE,),)
    assert _modes(LOOK + "[fn f [a] [look a] 0]") == ((Mode.BORROW,),)


def test_modes_are_known_above_the_definition_and_in_recursion() -> None:
    assert _modes("[fn f [a] [g a] 0] [fn g [b] [len b]]") == ((Mode.BORROW,),)
    assert _modes("[fn f [a] [g a] 0] [fn g [b] b]") == ((Mode.MOVE,),)
    assert _modes("[fn f [n a] [if [= n 0] [len a] [f [- n 1] a]]]") == ((Mode.BORROW, Mode.BORROW),)
    assert _modes("[fn f [n a b] [if [= n 0] a [f [- n 1] b a]]]")[0][1:] == (Mode.MOVE, Mode.MOVE)
    both = "[fn f [n a] [if [= n 0] a [g n a]]] [fn g [n b] [f [- n 1] b]]"
    assert _modes(both, "g") == ((Mode.BORROW, Mode.MOVE),)


def test_the_clause_for_the_number_of_arguments_decides() -> None:
    two = "[fn f ([a] [len a]) ([a b] a)] [let v #[1]] "
    assert _found(two + "[f v] [println v]") == []
    assert _found(two + "[f v 1] [println v]") == ["E0300 v"]


def test_a_rest_parameter_keeps_its_arguments() -> None:
    assert _found("[fn f [a & more] [len a]] [let v #[1]] [f v v] [println v]") == ["E0300 v"]


def test_a_function_that_changes_its_parameter_needs_a_mutable_variable() -> None:
    add = "[fn add [v] [push! v 1] 0] "
    assert _found(add + "[let a #[1]] [add a]") == ["E0301 a"]
    assert _found(add + "[let mut a #[1]] [add a]") == []
    assert _found(add + "[let mut a #[1]] [add a] [add a]") == ["E0302 a"]


def test_a_method_that_gives_a_field_away_takes_the_whole_value() -> None:
    named = "[type Part [Plate String Float [fn label [s t] s]] [Pin Float [fn label [t] [str t]]]] "
    assert _found(named + '[let p [Plate "a" 1.0]] [label p] [label p]', copies="t") == ["E0300 p"]
    sized = "[type Part [Plate Float [fn size [t] t]]] "
    assert _found(sized + "[let p [Plate 1.0]] [size p] [size p]", copies="t") == []


def test_functions_from_outside_the_text_count_by_what_is_known_of_them() -> None:
    text = '[let m "steel"] [root a m] [root b m]'
    assert _found(text, known={"root": BORROWS}) == []
    assert _found(text) == ["E0300 m"]


def test_names_bound_outside_the_text_are_not_followed() -> None:
    assert _found("[sort sizes] [println sizes]") == []


@pytest.mark.parametrize(
    "text",
    [
        *("[let]", "[let mut]", "[let 3 4]", "[set!]", "[fn]", "[fn f]", "[fn f 3]", "[fn f ()]"),
        *("[pub]", "[match]", "[pipe]", "[pipe 1 2]", "[handle]", "[handle 1 2]", "[try]", "[test]"),
        *("[type]", "[type T 3]", "[impl]"),
    ],
)
def test_malformed_forms_are_passed_over(text: str) -> None:
    assert _found(text + " [let a #[1]] [conj a 1] a") == ["E0300 a"]


def test_a_finding_shows_the_use_and_the_first_move() -> None:
    findings, _ = _findings("\n[let a #[1]]\n[sort a]\n[println a]")
    (finding,) = findings
    use, move = finding.marks
    assert (use.part, move.part) == (2, 1)
    assert "sort" in finding.what
    assert "sort" in move.text
    assert "let" in finding.fix


@given(st.lists(forms(), max_size=4))
def test_whatever_can_be_read_can_be_walked(program: list[Form]) -> None:
    moves([program], lambda _: False, {})


@given(st.lists(forms(), max_size=4))
def test_nothing_is_found_where_all_values_are_plain_data_and_none_is_pushed_to(program: list[Form]) -> None:
    found, _ = moves([program], lambda _: True, {"push!": BORROWS})
    assert {finding.code for finding in found} <= {"E0301", "E0302"}


_PIECES = (
    "[fn eat [x] x]",
    "[fn eat [x] [len x]]",
    "[fn eat [x] [look x]]",
    "[pub fn look [x] [len x]]",
    "[fn look [x] [eat x]]",
    "[fn both [x y] [do [eat x] [look a] [eat y]]]",
    "[fn lend [x] [push! x 1]]",
    "[fn outer [] [push! a 2]]",
    "[fn uses [] [eat a]]",
    "[fn inner [x] [fn eat [y] [len y]] [eat x]]",
    "[fn ever [x n] [if [= n 0] x [ever x [- n 1]]]]",
    "[fn local [x] [let a x] [eat a] a]",
    "[fn binds [x] [let b x] [set! a b] [look b]]",
    "[let a #[1]]",
    "[let mut a #[1]]",
    "[eat a]",
    "[look a]",
    "[lend a]",
    "[both a a]",
    "[let eat look]",
)


@given(
    st.lists(st.tuples(st.lists(st.sampled_from(range(len(_PIECES))), max_size=9), st.booleans()), max_size=4)
)
@examples(200)
def test_what_is_kept_of_functions_changes_nothing(texts: list[tuple[list[int], bool]]) -> None:
    """Texts of pieces that stay the same objects, as those of a cell do, against pieces read afresh."""
    kept = [_read(piece) for piece in _PIECES]
    for chosen, copied in texts:
        known = {"look": BORROWS} if len(chosen) % 2 else {}
        found, modes = moves([kept[at] for at in chosen], lambda _, copied=copied: copied, known)
        fresh, expected = moves([_read(_PIECES[at]) for at in chosen], lambda _, copied=copied: copied, known)
        assert modes == expected
        assert [(one.code, one.what, [mark.part for mark in one.marks]) for one in found] == [
            (one.code, one.what, [mark.part for mark in one.marks]) for one in fresh
        ]


def _read(text: str) -> tuple[Form, ...]:
    """The forms of a text, made anew each time."""
    forget()
    return read(Source("piece", text))[0].forms
