"""What findings say, where they stand, and how bad they are."""

from __future__ import annotations

import pytest

from tests.loon.checking.pipeline import cad, checked, finding
from vcad_kernel.loon.diagnostics import Diagnostic, Label


def _marked(label: Label) -> str:
    return label.span.source.text[label.span.start : label.span.end]


def _place(found: Diagnostic) -> str:
    return _marked(found.labels[0])


_PLACES = [
    ('[println [+ 1 "two"]]', '"two"'),
    ("[let a #[1 2 :k]]", ":k"),
    ('[if true 1 "one"]', '"one"'),
    ("[if [+ 1 2] 1 2]", "[+ 1 2]"),
    ('[type S [Q Float [fn area [w] 1]] [P [fn area [] "x"]]]', '"x"'),
    ("[fn f [a b] a] [f 1]", "[f 1]"),
    ("[fn f [a b] a] [f 1 2 [+ 3 4]]", "[+ 3 4]"),
    ("[let x 1] [x 2]", "x"),
    ("[pipe #[1] [map [fn [a b] a]]]", "[fn [a b] a]"),
    ("[type C R G] [match [if true R G] R 1]", "[if true R G]"),
    ("[type C R G] [match R R 1 other 2]", "other"),
    ("[get {:width 1} :widht]", ":widht"),
    ('[str "a {[nope 1]} b"]', "nope"),
    ('[fn f [x] [+ x "s"]]', '"s"'),
    ("[impl Nope Int]", "Nope"),
    ("[sig f : Int] [let f true]", "f"),
    ("[fn load [p] #{IO} [Net.get p]]", "load"),
    ("[match 5 1 2 [Some x] 3 _ 4]", "[Some x]"),
    ("[macro twice [x] `[+ ~x ~x]] [twice [undefined 1]]", "undefined"),
]


@pytest.mark.parametrize(("text", "place"), _PLACES, ids=[text for text, _ in _PLACES])
def test_the_smallest_form_at_fault_is_marked(text: str, place: str) -> None:
    found = [one for one in checked(f"\n; a comment\n{text}").diagnostics if not one.code.startswith("E03")]
    assert _place(found[0]) == place


_SAID = [
    ('[fn inc [n] [+ n 1]] [inc "2"]', "inc wants Int for n, got String", "write 2 without the quotes"),
    ("[fn half [x] [* x 0.5]] [half 3]", "half wants Float for x, got Int", "write 3.0"),
    ("[prinln 1]", "prinln is not bound", "did you mean println?"),
    ("[get {:width 1} :widht]", "this map has no :widht; its keys: :width", "did you mean :width?"),
    ("[fn f [a b] a] [f 1]", "f takes 2 arguments (a b), got 1", "write [f a b]"),
    ("[let a b] [let b 1]", "b is not bound", "move the definition of b up"),
    (
        "[let r {:w 1}] r.w",
        "r.w is not bound: r is {w: Int}, which has no field w",
        "[get r :w] takes a value out of a map",
    ),
    (
        "[type V [V :wide Float]] [let p [V 1.0]] p.wid",
        "p.wid is not bound: p is V, which has no field wid",
        "did you mean p.wide?",
    ),
    ("[if 1 2 3]", "if asks for a Bool, got Int", "write true"),
    ("[type C R [G Int]] [match R R 1]", "this match on C does not cover G", "add 1 arm: [G _] …"),
    (
        "[fn f [] #{IO} [g]] [fn g [] [Net.get 1]]",
        "f performs Net.get through g, but its effect set #{IO} leaves Net out",
        "add Net to the set, or handle Net.get inside",
    ),
    (
        '[type S [Q Float [fn area [w] 1]] [P [fn area [] "x"]]]',
        "the method area gives Int for one variant and String for P",
        "[int …] reads an int from a string",
    ),
    (
        "[map [fn [a b] a] #[1]]",
        "map calls this function with 1 argument, but it takes 2 arguments",
        "give it 1 argument",
    ),
    ("[match [Some 1] [Sone x] x _ 0]", "Sone is no constructor", "did you mean Some?"),
    (
        "[+ 1 2.5]",
        "+ wants Int for b, got Float",
        "it runs, and gives a float; [float …] around the int makes both alike",
    ),
]


@pytest.mark.parametrize(("text", "what", "fix"), _SAID, ids=[text for text, _, _ in _SAID])
def test_a_finding_names_the_thing_and_says_what_to_write(text: str, what: str, fix: str) -> None:
    found = checked(text).diagnostics[0]
    assert (found.what, found.fix) == (what, fix)


_SEVERITIES = [
    # runs all the same
    ("[println 1 2]", "hint"),
    ('[len "abc"]', "hint"),
    ("[+ 1 2.5]", "hint"),
    ("[+ 1 2 3]", "hint"),
    ("[map #[1] [fn [x] x]]", "hint"),
    ("[map [fn [x] x]]", "hint"),
    ("[fold #[1] 0 [fn [a x] [+ a x]]]", "hint"),
    ("[get #[1] 0]", "hint"),
    ("[get {:a 1} :b 0]", "hint"),
    ("[nth #[1] 5 0]", "hint"),
    ("[if 0 1 2]", "hint"),
    ('[if true 1 "one"]', "hint"),
    ('#[1 "two"]', "hint"),
    ("[= #[1] #[1]]", "hint"),
    ('[= 1 "a"]', "hint"),
    ("[not 5]", "hint"),
    ("[sum #[1.5]]", "hint"),
    ('[join #["a"] ","]', "hint"),
    ('[assoc {"a" 1} "b" 2]', "hint"),
    ('[type P [Pt Int]] [Pt "x"]', "hint"),
    ('[type S [Q Float [fn area [w] 1]] [P [fn area [] "x"]]]', "hint"),
    ("[fn f [[a b]] a] [f #[1 2]]", "hint"),
    # may do what nobody meant
    ("[type C R G] [match R R 1]", "warning"),
    ("[type C R G] [match R R 1 _ 2]", "warning"),
    ("[sig f : Int] [let f true]", "warning"),
    ("[fn f [] #{} [Ask.x]]", "warning"),
    ("[get {:a 1} :b]", "warning"),
    ('[match "x" 1 2 _ 3]', "warning"),
    # fails if it is reached
    ("[nope]", "error"),
    ('[+ 1 "a"]', "error"),
    ('[< "a" "b"]', "error"),
    ("[nth #[1] 1.0]", "error"),
    ("[map 5 6]", "error"),
    ("[take #[1] 1]", "error"),
    ("[let x 1] [x 2]", "error"),
    ("[fn f [a b] a] [f 1]", "error"),
    ("[fn f [a] [+ a 1]] [f true]", "error"),
    ("[fn f [a] [+ a 1]] [f 2.5]", "hint"),
    ("[fn f [a] [if a 1 2]] [f 5]", "hint"),
    ('[fn f [a] [+ a 1]] [f "1"]', "error"),
    ("[let [a b] 5]", "error"),
    ("[try 1 5]", "error"),
    ('["x"]?', "error"),
]


@pytest.mark.parametrize(("text", "severity"), _SEVERITIES, ids=[text for text, _ in _SEVERITIES])
def test_how_bad_a_finding_is_says_what_happens_when_it_runs(text: str, severity: str) -> None:
    found = checked(text).diagnostics[0]
    assert found.severity == severity, found.render()


_ONCE = [
    '[let a [+ 1 "x"]] [let b [+ a 1]] [let c [str a b]]',
    "[let a [nope 1]] [a 2] [+ a 3] [get a :k]",
    '[fn f [x] [+ x "s"]] [f 1] [f true]',
    "[let v #[1 true]] [map [fn [x] [+ x 1]] v] [str [nth v 0]]",
    '[let r [if true 1 "x"]] [+ r 1] [uppercase r]',
    "[fn g [a b] a] [let x [g 1]] [+ x 1] [str x]",
    "[let [a b] 5] [+ a b]",
    "[fn a [x] [b x]] [fn b [y] [nope y]] [a 1] [b true]",
]


@pytest.mark.parametrize("text", _ONCE)
def test_one_fault_has_one_finding(text: str) -> None:
    found = [one for one in checked(text).diagnostics if not one.code.startswith("E03")]
    assert len(found) == 1, [one.render() for one in found]


def test_both_sides_of_a_disagreement_are_marked() -> None:
    found = finding('[if true 1 "one"]')
    assert [(_marked(one), one.text) for one in found.labels] == [('"one"', "String"), ("1", "Int")]


def test_a_library_function_says_in_its_own_words_what_it_wants() -> None:
    found = finding('[fillet "2" [cube 1 1 1]]', cad())
    assert (found.code, found.what) == ("E0200", "fillet wants a number (mm) for r, got String")
    assert found.fix == "write 2 without the quotes"
    assert _place(found) == '"2"'
    assert found.severity == "error"


def test_each_argument_at_fault_has_its_finding() -> None:
    found = checked('[cube "a" 2 true]', cad()).diagnostics
    assert [_place(one) for one in found] == ['"a"', "true"]


def test_types_come_before_ownership() -> None:
    found = checked("[fn eat [x] x] [let a #[1]] [eat a] [eat a] [nope]").diagnostics
    assert [one.code for one in found] == ["E0201", "E0300"]
    assert found[1].severity == "hint"


def test_a_finding_can_be_shown_with_its_place() -> None:
    shown = finding('[println\n  [+ 1 "a"]]').render()
    assert "test.oo:2:8" in shown
    assert "^^^" in shown


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("[fn f [x] [if true 1 [f x x]]]", "E0202", "x"),
        ('[fn f [x] [if [< x 1] "a" [+ 1 [f 2]]]]', "E0200", "[+ 1 [f 2]]"),
        ("[fn f [x] [if [< x 1] 0 [f true]]]", "E0200", "true"),
        ("[fn f [x] [do [str [uppercase [f 1]]] 5]]", "E0200", "[do [str [uppercase [f 1]]] 5]"),
        ("[fn f [] f]", "E0203", "f"),
        ("[let f [fn [n] [if true 0 [f]]]]", "E0202", "[f]"),
        ("[fn f ([a] [f a a a]) ([a b] a)]", "E0202", "a"),
        ("[fn even [n] [odd n n]] [fn odd [n] [even n]]", "E0202", "n"),
        ("[fn even [n] [odd n]] [fn odd [n] [if [= n 0] 1 [even true]]]", "E0200", "n"),
        ("[type S [B Float [fn face [w] [face 5]]]]", "E0200", "5"),
        ("[trait T [fn m [self] -> Int]] [impl T Int [fn m [self] [+ 1 [map Int.m 5]]]]", "E0200", "5"),
    ],
)
def test_a_definition_uses_itself_as_what_it_is(text: str, code: str, place: str) -> None:
    found = checked(text).diagnostics[0]
    assert (found.code, _place(found)) == (code, place), found.render()
