"""The rules of §17 one by one: types as they are displayed, and codes of what is refused."""

from __future__ import annotations

import pytest

from tests.loon.checking.pipeline import checked, codes, type_of

_TYPES = [
    # literals and collections
    ("[let a 1]", "Num"),
    ('[let a "x{1}"]', "String"),
    ("[let a ()]", "()"),
    ("[let a {}]", "∀a b. Map a b"),
    ('[let a {1 "x"}]', "Map Num String"),
    ("[let a {:w 1 :w 2.5}]", "{w: Float}"),
    ('[let a (1 "x" #[2.5])]', "(Num, String, Vec Float)"),
    ("[let a #[(1 2)]]", "Vec (Num, Num)"),
    ("[let a #{}]", "∀a. Set a"),
    ("[let a #[[fn [x] [+ x 1]]]]", "Vec (Num → Num)"),
    ("[let a ([fn [x] x] 1)]", "∀a. (a → a, Num)"),
    ("[let a {:f [fn [x] x]}]", "∀a. {f: a → a}"),
    ("[let a HashMap.new]", "∀a b. Map a b"),
    ("[let a [HashMap.new]]", "∀a. a"),
    # let and fn
    ("[let id [fn [x] x]] [let a ([id 1] [id true])]", "(Num, Bool)"),
    ("[let mut a 1]", "Num"),
    ("[pub fn a [x] [+ x 1.5]]", "Float → Float"),
    ("[pub let a 1]", "Num"),
    ("[fn a []]", "()"),
    ("[fn a [f] [f 1 2]]", "∀a. (Num → Num → a) → a"),
    ("[fn a [f] [f [fn [x] [+ x 1]]]]", "∀a. ((Num → Num) → a) → a"),
    ("[fn a [x y] [if [< x y] x y]]", "∀a. Ord a => a → a → a"),
    ("[fn a [x y] [if [< x y] [+ x y] x]]", "∀a. Ord a, Add a => a → a → a"),
    ("[fn a [x y z] [do [+ x x] [= y y] [+ z z] y]]", "∀a b c. Add a, Eq b, Add c => a → b → c → b"),
    ("[fn a [x] [do [+ x x] [+ x x]]]", "∀a. Add a => a → a"),
    ("[fn a [[p q]] [+ p q]]", "∀a. Add a => (a, a) → a"),
    ("[fn a [[p [q r]]] q]", "∀a b c. (a, (b, c)) → b"),
    ("[fn a [{w w h 2}] [* w h]]", "Map Keyword Num → Num"),
    ("[fn a [x & more] [fold x [fn [s y] [+ s y]] more]]", "∀a. Add a => a → & a → a"),
    ("[fn a ([x] [+ x 1]) ([x y] [str x y])]", "∀a b. Num → Num | a → b → String"),
    ("[fn a [x] [do [let y x] [+ y 1]]]", "Num → Num"),
    ("[fn a [] [if true [let t 8] 0] t]", "Num"),
    ("[fn a [x] [fn b [y] [+ x y]] [b 1]]", "Num → Num"),
    # destructuring and set!
    ("[let [x y] #[1 2]] [let a y]", "Num"),
    ('[let [x [y z]] (1 (true "s"))] [let a z]', "String"),
    ("[let [x y] (1 2.5 3)] [let a y]", "Float"),
    ("[let [x y] (1)] [let a y]", "()"),
    ("[let {w w d [* 2 4]} {:w 1.5}] [let a d]", "Num"),
    ("[let {w w d 7} {:w 1.5}] [let a w]", "Float"),
    ("[let [f g] ([fn [x] x] 1)] [let a ([f 1] [f true])]", "(Num, Bool)"),
    ("[let mut v #[]] [set! v #[1]] [let a v]", "∀a. Vec a"),
    ("[fn a [] [let mut v #[]] [set! v #[1]] v]", "Vec Num"),
    ("[set! q 5] [let a q]", "Num"),
    # control
    ("[let a [if true 1]]", "Num"),
    ("[let a [do 1 true]]", "Bool"),
    ("[let a [do]]", "()"),
    ("[let a [pipe 10 [- 3]]]", "Num"),
    ('[let a [pipe #[1 2] [map [fn [x] [str x]]] [join ","]]]', "String"),
    ("[let a [pipe 1 [[fn [p q] (p q)] true]]]", "(Bool, Num)"),
    ("[let a [pipe 1 str]]", "String"),
    ('[let a [try [+ 1 [Fail.fail "x"]] [fn [m] 0]]]', "Num"),
    ("[let a [handle [+ 1 [Ask.x]] [Ask.x] [resume 1]]]", "Num"),
    ("[let a [Ask.x 1]]", "∀a. a"),
    ("[let a [inspect [mut 1]]]", "Num"),
    ('[let a [catch-errors "1"]] [let b [len a]]', "Num"),
    ("[test a [] 1]\n[let b [a]]", "Num"),
    # match
    ("[fn a [o] [match o [Some x] [+ x 1] None 0]]", "Option Num → Num"),
    ("[fn a [r] [match r [Ok x] x [Err e] e]]", "∀a. Result a a → a"),
    ('[fn a [n] [match n 0 "z" k [when [< k 0]] "neg" _ "pos"]]', "Num → String"),
    ("[fn a [n] [match n [= 1 2] 1 _ 2]]", "∀a. a → Num"),
    ("[fn a [x] [[Ok x]?]]", "∀a. (a) → a"),
    # records
    ("[fn a [r] [get r :x]] [let b [a {:x 1 :y 2}]]", "Num"),
    ("[let r [assoc {:w 1} :h 2]]", "Map Keyword Num"),
    ("[let r [keys {:w 1}]]", "Vec Keyword"),
    ("[let r [entries {:w 1}]]", "Vec (Keyword, Num)"),
    ("[let r [merge {:w 1} {:h 2}]] [let a [get r :h]]", "Num"),
    ("[fn a [f r] [f [get r :x] [get r :y]]]", "∀a b c d. (a → b → c) → {x: a, y: b, d} → c"),
    # types
    ("[type T a [A a] B] [let x [A 1]]", "T Num"),
    ("[type T a b [A a b]] [let x [A 1]]", None),
    ("[type T [A T] E] [let x [A [A E]]]", "T"),
    ("[type T a E [N T a T]] [let x [N E 1 E]]", "T Num"),
    ("[type T a [A [Vec a]]] [let x [A #[1]]]", "T Num"),
    ("[type T [A (Int String)]] [let x A]", "(Num, String) → T"),
    ("[type V [V :x Float :y Int]] [let v [V 1.0 2]] [let a v.y]", "Num"),
    ("[type V [V :x Float :y Int]] [let v [V {:y 2 :x 1.0}]]", "V"),
    ("[type V [V :x Float]] [fn a [p] [* p.x 2.0]]", "V → Float"),
    ("[type V a [V :x a]] [fn a [p] p.x]", "∀a. V a → a"),
    ("[type V [V :x Int]] [type W [W :x Float]] [fn a [p] p.x]", "∀a b. a → b"),
    ("[type S [Q Float [fn area [w] [* w w]]] [P [fn area [] 0.0]]] [let a area]", "S → Float"),
    (
        "[trait Ar [fn area [self] -> Float]] [type S [Q Float]] [impl Ar S [fn area [self] 2.0]]"
        "[let a S.area]",
        "S → Float",
    ),
    (
        "[trait Sm [fn same [self o] -> Self]] [type S [Q Float]] [impl Sm S [fn same [self o] self]]"
        "[let a S.same]",
        "∀a. S → a → S",
    ),
    ("[derive Copy [type P [Pt Int]]] [let a [Pt 1]]", "P"),
    # sig
    (
        "[sig f : (Int -> Bool) -> [Vec Int] -> (Int Bool)] [fn f [p xs] (1 [any? p xs])]",
        "(Num → Bool) → Vec Num → (Num, Bool)",
    ),
    ("[sig f : Int -> Int -> Int] [fn f [a] [fn [b] [+ a b]]]", "Num → Num → Num"),
    ("[sig f : Vec Int] [let f #[]]", "Vec Num"),
    ('[sig f : String] [fn f [] "x"]', "String"),
    ("[sig f : a -> a -> a] [fn f [x y] [+ x y]]", "∀a. Add a => a → a → a"),
    # names
    (
        "[fn even [n] [if [= n 0] true [odd [- n 1]]]] [fn odd [n] [if [= n 0] false [even [- n 1]]]]",
        "Num → Bool",
    ),
    ("[fn f [x] [g x]] [fn g [y] y]", "∀a. a → a"),
    ("[fn f [x] [g x]] [fn g [y] y] [let a ([f 1] [f true])]", "(Num, Bool)"),
    ("[fn f [] k] [let k 1] [let a [f]]", "Num"),
    ("[let x 1] [let x [str x]]", "String"),
    ('[fn + [a b] 99] [let a [+ true "x"]]', "Num"),
    ("[let if 5] [let a if]", "Num"),
    ("[let f [fn [n] [if [= n 0] 0 [f [- n 1]]]]]", "Num → Num"),
    ("[do [let z 3] [let w z]] [let a w]", "Num"),
    ("[let [tx rx] [channel]] [let a [try-recv rx]]", "∀a. Option a"),
]


@pytest.mark.parametrize(("text", "display"), _TYPES, ids=[text for text, _ in _TYPES])
def test_what_a_program_binds_last_has_the_type_of_the_rules(text: str, display: str | None) -> None:
    if display is None:
        assert codes(text) == ["E0202"]
    else:
        assert type_of(text) == display


_CODES = [
    # unification
    ("#[1 2.5]", ["E0200"]),
    ('{:a 1 "b" 2}', ["E0200"]),
    ('{1 2 3 "x"}', ["E0200"]),
    ("[if 1 2 3]", ["E0200"]),
    ("[if true 1 2]", []),
    ("[if true 1 [println 2]]", ["E0200"]),
    ('[match 1 1 "a" _ 2]', ["E0200"]),
    ("[+ 1 2.5]", ["E0200"]),
    ('[+ "a" 1]', ["E0200"]),
    ("[1 2]", ["E0200"]),
    ('["f" 2]', ["E0200"]),
    ("[nth #[1] 1.0]", ["E0200"]),
    ("[/ 1.0 2.0]", ["E0200"]),
    ("[range 0 2.0]", ["E0200"]),
    ("[let [a b] 5]", ["E0200"]),
    ("[let {w w} #[1]]", ["E0200"]),
    ("[fn f [[a b]] a] [f #[1 2]]", ["E0200"]),
    ('[let mut n 1] [set! n "x"]', ["E0200"]),
    ("[try 1 5]", ["E0200"]),
    ("[match 5 [Some x] x other [* other 2]]", ["E0200"]),
    # names
    ("[let a b] [let b 1]", ["E0201"]),
    ("[let a a]", ["E0201"]),
    ("[f 1] [fn f [x] x]", ["E0201"]),
    ("[fn f [] [g]] [fn g [] [f]]", []),
    ("[pipe 1 [if true]]", ["E0201"]),
    ("+8", ["E0201"]),
    ("[let p {:w 1}] p.w", ["E0201"]),
    ("[type V [V :x Float]] [let p [V 1.0]] p.z", ["E0201"]),
    ("[match 1 [Nope x] x _ 0]", ["E0201"]),
    ("[fn f [] [let g [fn [] y]] [let y 1] [g]]", ["E0201"]),
    ("[match 1 n n] n", ["E0201"]),
    ("[use geo :as g] [g.f 1] [h.f]", ["E0201"]),
    ("[use geo] [geo.f 1]", []),
    ("[use geo [f]] [f 1]", []),
    # counts
    ("[println 1 2]", ["E0202"]),
    ("[+ 1 2 3]", ["E0202"]),
    ("[map inc]", ["E0201", "E0202"]),
    ("[fn f [a & b] a] [f]", ["E0202"]),
    ("[fn f [a & b] a] [f 1] [f 1 2 3]", []),
    ("[fn f ([a] a) ([a b] b)] [f 1] [f 1 2]", []),
    ("[fn f ([a] a) ([a b] b)] [f 1 2 3]", ["E0202"]),
    ("[map [fn [a b] a] #[1]]", ["E0202"]),
    ("[get {:a 1} :a 0]", ["E0202"]),
    ('[str] [str 1 true "x"]', []),
    ("[type V [V :x Float :y Float]] [V 1.0]", ["E0202"]),
    # circles
    ("[fn f [a] [a a]]", ["E0203"]),
    ("[fn f [x] #[x #[x]]]", ["E0203"]),
    ("[fn f [r] [get r :x] [= r [get r :x]]]", ["E0203"]),
    # sig
    ("[sig f : Int -> String] [fn f [x] [+ x 1]]", ["E0204"]),
    ("[sig f : a -> a] [fn f [x] [+ x 1]]", ["E0204"]),
    ("[sig f : a -> b] [fn f [x] x]", ["E0204"]),
    ('[sig f : Int] [let f 1] [let f "x"]', []),
    ("[sig f : Int -> Int] [fn f [x y] x]", ["E0204"]),
    # traits
    ('[< "a" "b"]', ["E0205"]),
    ("[+ true false]", ["E0205"]),
    ("[+ :a :b]", ["E0205"]),
    ("[= None None]", ["E0205"]),
    ("[= #{1} #{1}]", ["E0205"]),
    ("[= [] []]", ["E0205"]),
    ("[= (1 2) (1 2)]", []),
    ("[= {:a 1} {:a 1}]", []),
    ("[= [fn [x] x] [fn [x] x]]", []),
    ('[= :a :b] [= true false] [= "a" "b"] [= 1.0 2.0]', []),
    ('[fn add [p q] [+ p q]] [add "a" "b"]', ["E0205"]),
    ("[type P [Pt Int]] [impl Add P [fn add [a b] a]] [+ [Pt 1] [Pt 2]]", []),
    ("[impl Nope Int [fn m [self] 1]]", ["E0205"]),
    ("[trait Sh [fn show [self]]] [impl Sh Int [fn show [self] [println self]]]", []),
    ("[trait Sh [fn show [self]]] [impl Sh Int [fn show [self] 5]]", ["E0200"]),
    ("[trait Sh [fn to [self] -> Self]] [impl Sh Int [fn to [self] self]]", []),
    # matches
    ("[type C R G] [match R R 1]", ["E0206"]),
    ("[type C R G] [match R R [when false] 1 G 2]", []),
    ("[type C R G] [match R R 1 x 2]", ["W0100"]),
    ("[type C R G] [match R _ 1]", ["W0100"]),
    ("[type C R G] [match R R 1 G 2 _ 3]", []),
    ("[type C R G] [match R R 1 _ [when false] 2]", ["E0206"]),
    ("[match [Some 1] [Some x] x]", ["E0206"]),
    ("[match 5 1 2]", []),
    ("[fn f [o] [match o [Some x] x]]", ["E0206"]),
    ("[type S [A Int] [B Int]] [match [A 1] [A 1] 2 [B _] 3]", []),
    ("[type S [A Int] [B Int]] [match [A 1] [A x y] 2 _ 3]", ["E0202", "W0100"]),
    ('[match "x" [Ok v] v [Err e] e]', ["E0200"]),
    ("[fn f [] [Ok 3]?]", []),
    # records
    ("#[{:a 1} {:b 2}]", ["E0207"]),
    ("#[{:a 1} {:a 1 :b 2}]", ["E0207"]),
    ("#[{:b 2 :a 1} {:a 1 :b 2}]", []),
    ("[fn w [p] [get p :w]] [w {:h 1}]", ["E0207"]),
    ("[type V [V :x Float :y Float]] [V {:x 1.0}]", ["E0207"]),
    ('[keys {:a 1 :b "x"}]', ["E0200"]),
    # effects
    ("[fn f [] #{IO} [IO.println 1] [Fail.fail 2]]", ["E0401"]),
    ("[fn f [] #{IO Fail} [IO.println 1] [Fail.fail 2]]", []),
    ("[fn f [] #{} [try [Fail.fail 1] [fn [m] m]]]", []),
    ("[fn f [] #{} [[Ok 1]?]]", ["E0200", "E0401"]),
    ("[fn f [] #{} [try [[fn [] [Ok 1]?]] [fn [m] m]]]", []),
    ("[fn f [] #{} [handle [Ask.y] [Ask.x] [resume 1]]]", ["E0401"]),
    ("[fn f [] #{} [handle [g] [Ask.x] [resume 1]]] [fn g [] [Ask.x]]", []),
    ("[fn f [] #{Log} [handle [Ask.x] [Ask.x] [Log.say 1]]]", []),
    ("[fn f [] #{} [handle [Ask.x] [Ask.x] [Log.say 1]]]", ["E0401"]),
    ("[fn f [n] #{} [g n]] [fn g [n] [h n]] [fn h [n] [if [= n 0] [IO.mtime n] [g [- n 1]]]]", ["E0401"]),
    ("[fn f [xs] #{} [each [fn [x] [IO.println x]] xs]]", ["E0401"]),
    ("[fn f [xs] #{} [each g xs]] [fn g [x] [IO.println x]]", ["E0401"]),
    ("[fn f [] #{} [fn [] [IO.println 1]]]", []),
    ("[fn f [] #{} [let g [fn [] [Ask.x]]] 1]", []),
    ("[fn f [] #{} [let g [fn [] [Ask.x]]] [g]]", ["E0401"]),
    ("[fn f [] [IO.println 1] [Net.get 2]]", []),
    ("[effect Store [fn get [k]] [fn put [k v]]] [Store.put 1 [Store.get 2]]", []),
    # forms that quirk 15 names
    ("[test adds [] [assert-eq [+ 1 2] 3]]", []),
    ('[test "adds" [] [assert-eq [+ 1 2] 3]]', []),
    ("[let [x [y z]] (1 (2 3))] [+ x [+ y z]]", []),
    ("[fn f [a & more] [+ a [len more]]] [f 1 true false]", []),
    ("[type S [B Float [fn face [w] [* w w]]]] [map face #[[B 2.0]]]", []),
    # malformed forms fail when they run
    ("[let x] [if true] [fn] [pipe] [type] [handle] [try 1] [match]", []),
]


@pytest.mark.parametrize(("text", "expected"), _CODES, ids=[text for text, _ in _CODES])
def test_a_program_is_refused_with_the_codes_of_the_rules(text: str, expected: list[str]) -> None:
    found = [one.code for one in checked(text).diagnostics if not one.code.startswith("E03")]
    assert list(dict.fromkeys(found)) == expected
