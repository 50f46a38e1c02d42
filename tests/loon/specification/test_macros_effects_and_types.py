"""Macros, effects, types and errors (§12 to §15.4)."""

from __future__ import annotations

import pytest

from tests.loon.specification.rows import outcome, probes

SECTIONS = {
    "§12 template macros": """
        [macro unless [c & body] `[if ~c None [do ~@body]]] [unless [> 1 2] [println "shown"] 5] ⇒ 5 | shown
        [macro unless [c & body] `[if ~c None [do ~@body]]] [macroexpand [unless ok 1 2]] ⇒ "[if ok None [do 1 2]]"
        [macro my-or [a b] `[if ~a true ~b]] [my-or true [println "lazy"]] ⇒ true
        [macro m [p] `[+ p 1]] [m 2] ⇒ 3
        [macro m [p] `[+ ~p p]] [m 2] ⇒ 4
        [macro m [] `~[+ 1 2]] [m] ⇒ 3
        [macro m [x] `#[~x (~x) {~x ~x} #{~x} "s{x}"]] [m 1] ⇒ #[1 (1) {1 1} #{1} "s1"]
        [macro m [x] `{:k ~x}] [m 5] ⇒ {:k 5}
        [macro m [& r] `#[~@r]] #[[m] [m 1] [m 1 2]] ⇒ #[#[] #[1] #[1 2]]
        [macro m [& r] `[f ~r]] [macroexpand [m 1 2]] ⇒ "[f [1 2]]"
        [macro m [& r] `[f ~r]] [macroexpand [m 1]] ⇒ "[f 1]"
        [macro m [& r] `[f ~r]] [macroexpand [m]] ⇒ "[f []]"
        [macro m [& r] `(~@r)] [m 1] ⇒ ! macro
        [macro m [& r] `{~@r}] [m 1 2] ⇒ ! E0101
        [macro m [& r] `{:a ~@r}] [m 1] ⇒ ! macro
        [macro m [a] `[~@a]] [m 1] ⇒ ! macro
        [macro m [a] `[~@zzz]] [m 1] ⇒ ! macro
        [macro m [a] `~@a] [m 1] ⇒ ! macro
        [macro m [x] `[+ ~x 1]] [m] ⇒ ! arity
        [macro m [x] `[+ ~x 1]] [m 1 [println 9]] ⇒ 2
        [macro m [x] `[let y ~x]] [let y 1] [m 5] y ⇒ 5
        [macro m [x] `[do [let t 1] [+ t ~x]]] [let t 10] [m t] ⇒ 2
        [macro if [c a b] `[do ~b]] [if true 1 2] ⇒ 2
        [macro + [a b] `[- ~a ~b]] [+ 5 3] ⇒ 2
        [macro len [x] `:macro] #[[len 1] [map len #["ab"]]] ⇒ #[:macro #[2]]
        [macro a [x] `[b ~x]] [macro b [x] `[* ~x 10]] [a 4] ⇒ 40
        [macro inc [x] `[+ ~x 1]] [inc [inc [inc 1]]] ⇒ 4
        [macro inc [x] `[+ ~x 1]] "{[inc 1]}" ⇒ "2"
        [macro inc [x] `[+ ~x 1]] [fn f [n] [match n 0 [inc n] k [when [= [inc k] 3]] :two _ {:v [inc n]}]] #[[f 0] [f 2] [f 4]] ⇒ #[1 :two {:v 5}]
        [macro inc [x] `[+ ~x 1]] [handle [E.a 1] [E.a v] [resume [inc v]]] ⇒ 2
        [macro inc [x] `[+ ~x 1]] [let {a [inc 1]} {}] a ⇒ 2
        [macro mk [nm] `[fn ~nm [x] [* x 3]]] [mk triple] [triple 4] ⇒ 12
        [macro two [a b] `[do [fn ~a [] 1] [fn ~b [] 2]]] [two p q] #[[p] [q]] ⇒ #[1 2]
        [later 1] [macro later [x] `[+ ~x 1]] ⇒ ! unbound-symbol
        [fn f [] [later 1]] [macro later [x] `[+ ~x 1]] [f] ⇒ ! unbound-symbol
        [macro m [] `1] [macro m [] `2] [m] ⇒ 2
        [do [macro m [] `1]] ⇒ ()
        [fn wrap [] [macro inner [x] `~x] [inner 1]] [wrap] ⇒ ! unbound-symbol
        [do [macroexpand [a]]] ⇒ ()
        [macro add2 [] `[+ 2]] [pipe 5 [add2]] ⇒ 7
        [macro inc [x] `[+ ~x 1]] [pipe 5 [inc]] ⇒ ! arity
        [macro m [] `[m]] [m] ⇒ ! macro
        `a ⇒ ! macro
        [do ~a] ⇒ ! macro
        [println 1] [macro m [x] `~@x] [m 1] ⇒ ! macro
        [macro+ t [x] `x] 5 ⇒ 5
        [macro+ t [x] `x] [t 1] ⇒ ! unbound-symbol
    """,
    "§12 definitions of macros": """
        [macro] ⇒ ! macro
        [macro m] ⇒ ! macro
        [macro m x] ⇒ ! macro
        [macro "s" [x] x] ⇒ ! macro
        [macro m [[a b]] `1] ⇒ ! macro
        [macro m [x] #{Foo} `1] ⇒ ! macro
        [macro m [x] #{IO Env Print Net} `[+ ~x 1]] [m 1] ⇒ 2
    """,
    "§12 procedural macros": """
        [macro m [x] [+ 100 [get x :value]]] [m 5] ⇒ 105
        [macro m [x] [str [get x :kind]]] #[[m a] [m 1] [m "s"] [m true] [m :k] [m [f]] [m #[1]] [m 1.5] [m {}] [m (1)]] ⇒ #[":symbol" ":int" ":str" ":bool" ":keyword" ":list" ":vec" ":str" ":str" ":str"]
        [macro m [x] [get x :name]] [m foo] ⇒ "foo"
        [macro m [x] [get x :value]] #[[m 2.50] [m {:a 1}] [m (1 2)] [m :k]] ⇒ #["2.5" "{:a 1}" "(1, 2)" "k"]
        [macro m [x] [len [get x :items]]] [m [f 1 2]] ⇒ 3
        [macro m [x] x] [m [+ 1 2]] ⇒ 3
        [macro m [& xs] [len xs]] #[[m] [m a] [m a b]] ⇒ #[0 1 2]
        [macro m [a b] {:kind :list}] ⇒ ! macro
        [macro m [] [do {:kind :int :value 3}]] [m] ⇒ 3
        [macro m [] [do {:kind :list :items #[{:kind :symbol :name "+"} {:kind :int :value 1} {:kind :int :value 2}]}]] [m] ⇒ 3
        [macro m [] [do {:kind :vec :items #[{:kind :str :value "a"} {:kind :bool :value true}]}]] [m] ⇒ #["a" true]
        #[[do [macro n [] 1]]] ⇒ #[()]
        [macro m [] :k] [m] ⇒ :k
        [macro m [] 1.5] [m] ⇒ ! macro
        [macro m [] []] [m] ⇒ ! macro
        [macro m [] #[1]] [m] ⇒ ! macro
        [fn h [] 1] [macro m [] [h]] [m] ⇒ ! macro
        [macro one [] `1] [macro m [] [one]] [m] ⇒ ! macro
        [macro m [x] [/ 1 0]] [m 1] ⇒ ! macro
    """,
    "§13 performing and handling": """
        [Ask.it] ⇒ ! unhandled-effect
        [handle [+ 1 [Ask.it]] [Ask.it] [resume 41]] ⇒ 42
        [handle [+ 1 [Ask.it]] [Ask.it] 5] ⇒ 5
        [handle 5 [Ask.it] 6] ⇒ 5
        [handle [A.mix 1 2] [A.mix a b] [resume [+ a [* 10 b]]]] ⇒ 21
        [handle [A.mix 1 2] [A.mix _ b] [resume b]] ⇒ 2
        [handle [A.mix 1 2] [A.mix a] [resume a]] ⇒ 1
        [handle [A.x] [B.x] [resume 1]] ⇒ ! unhandled-effect
        [handle [A.y] [A.x] [resume 1]] ⇒ ! unhandled-effect
        [handle [handle [A.x] [A.x] [resume 1]] [A.x] [resume 2]] ⇒ 1
        [handle [handle [A.y] [A.x] [resume 1]] [A.y] [resume 2]] ⇒ 2
        [handle [handle [B.y] [B.y] [resume [+ 1 [A.x]]]] [A.x] [resume 2]] ⇒ 3
        [handle [A.b.c] [A.b.c] [resume 1]] ⇒ 1
        [handle #[[A.x] [A.x]] [A.x] [resume 9]] ⇒ #[9 9]
        [handle [do [println "once"] [A.x]] [A.x] [resume 1]] ⇒ 1 | once
        [let k 5] [handle [A.x] [A.x] [resume k]] ⇒ 5
        [fn f [n] [handle [A.x] [A.x] [resume n]]] [f 3] ⇒ 3
        [effect Cfg [fn get [k]]] [fn volume [] [* [Cfg.get :w] [Cfg.get :h]]] [handle [volume] [Cfg.get k] [resume [get {:w 6 :h 7} k]]] ⇒ 42
        [handle [Fail.fail "no stock"] [Fail.fail m] [str "caught " m]] ⇒ "caught no stock"
        [fn fail [x] x] [Fail.fail 1] ⇒ ! unhandled-effect
        [let A.x 5] [handle A.x [A.x] [resume 1]] ⇒ 5
        [resume 1] ⇒ ! unbound-symbol
        [handle [A.x [do [println "argument"] 1]] [A.x v] [resume v]] ⇒ 1 | argument
    """,
    "§13 fail and try": """
        [try [Fail.fail "m"] [fn [m] [str "got " m]]] ⇒ "got m"
        [try [Fail.fail #[1]] [fn [m] m]] ⇒ #[1]
        [try 5 [fn [m] 0]] ⇒ 5
        [try [Fail.fail 1] str] ⇒ "1"
        [try [do [println "body"] 1] [do [println "first"] [fn [m] 0]]] ⇒ 1 | first⏎body
        [try 1 5] ⇒ ! type
        [try [/ 1 0] [fn [m] 0]] ⇒ ! zero-division
        [try [Other.op] [fn [m] 0]] ⇒ ! unhandled-effect
        [try [try [Fail.fail 1] [fn [e] [Fail.fail [+ e 1]]]] [fn [e] [* e 100]]] ⇒ 200
        [try [do [Fail.fail 1] [println "never"]] [fn [m] m]] ⇒ 1
        [fn f [] [let t 1] [Fail.fail 2]] [try [f] [fn [m] t]] ⇒ ! unbound-symbol
        [Fail.fail "top"] ⇒ ! unhandled-effect
        [IO.println "a" 1] ⇒ () | a 1
        [handle [IO.println 1] [IO.println x] [resume [* 2 x]]] ⇒ 2
        [handle [do [IO.println 1] [A.x]] [A.x] [resume 7]] ⇒ 7 | 1
    """,
    "§14.1 types": """
        [type T a [N a] E] #[[N 1] E N] ⇒ #[[N 1] E <builtin N>]
        [type T [P Int Int]] [P 1] ⇒ ! arity
        [type T [P Int Int]] [P 1 2 3] ⇒ ! arity
        [type T [P Int]] [P "any"] ⇒ [P "any"]
        [type T A] T ⇒ ! unbound-symbol
        [type T [Dd]] #[[Dd] Dd] ⇒ #[Dd <builtin Dd>]
        [type T A] [A] ⇒ ! not-callable
        #[[Some 1] None [Ok 2] [Err 3]] ⇒ #[[Some 1] None [Ok 2] [Err 3]]
        [Some] ⇒ ! arity
        [Some 1 2] ⇒ ! arity
        [map Some #[1 2]] ⇒ #[[Some 1] [Some 2]]
        [type V [V3 :x Float :y Float]] #[[V3 1.0 2.0] [V3 {:y 2.0 :x 1.0}] [V3 {:x 1 :z 9}]] ⇒ #[[V3 1 2] [V3 1 2] [V3 1 ()]]
        [type V [V3 :x Float :y Float]] [let v [V3 {:y 2.0 :x 1.0}]] #[v.x v.y [match v [V3 a b] #[a b]]] ⇒ #[1 2 #[1 2]]
        [type V [V3 :x Float :y Float]] [V3 1.0] ⇒ ! arity
        [type V [V3 :x Float]] [let v [V3 1.0]] v.z ⇒ ! unbound-symbol
        [type W [W :m Int]] [W {:m 3}] ⇒ [W 3]
        [type W [W Map]] [W {:m 3}] ⇒ [W {:m 3}]
        [type Color Red] [type Light Red Green] #[Red Green] ⇒ #[Red Green]
        [type A [P Int]] [type B [P Int Int]] [P 1] ⇒ ! arity
        [let Some 5] Some ⇒ 5
        [fn f [] [type L [Q Int]] [Q 1]] [f] ⇒ [Q 1]
    """,
    "§14.2 methods": """
        [type Solid [Box Float Float [fn face [w h] [* w h]]] [Ball Float [fn face [r] [* 3.0 [* r r]]]]] [map face #[[Box 2.0 3.0] [Ball 1.0]]] ⇒ #[6 3]
        [type S [A Int [fn m [x] [* 2 x]]] [B Int]] #[[m [A 4]] [m [A 1] :ignored 9]] ⇒ #[8 2]
        [type S [A Int [fn m [x] x]] [B Int]] [m [B 1]] ⇒ ! type
        [type S [A Int [fn m [x] x]]] [m 5] ⇒ ! type
        [type S [A Int [fn m [x] x]]] [m] ⇒ ! arity
        [let k 3] [type S [A Int [fn m [x] [+ k x]]]] [fn f [k] [m [A 1]]] [f 100] ⇒ 4
        [type A [P :x Int [fn dbl [x] [* 2 x]]]] [dbl [P 4]] ⇒ 8
    """,
    "§14.3 traits": """
        [impl Area Sq [fn area [s] [* s s]]] #[[map Sq.area #[2 3]] [pipe 4 [Sq.area]]] ⇒ #[#[4 9] 16]
        [impl Area Sq [fn area [s] [* s s]]] [Sq.area 2] ⇒ ! unhandled-effect
        [impl Area Sq [fn area [s] [* s s]]] [let f Sq.area] [f 5] ⇒ 25
        [trait Area [fn area [self] -> Float]] [area 1] ⇒ ! unbound-symbol
        [derive Copy [type Pair [Pr Int Int]]] [Pr 1 2] ⇒ [Pr 1 2]
        [sig area : Float -> Float] [fn area [w] w] [area 2.0] ⇒ 2
    """,
    "§15.4 catch-errors": r"""
        [catch-errors "[* 4 5]"] ⇒ #[]
        [catch-errors "[println 1]"] ⇒ #[]
        [map [fn [d] [get d :code]] [catch-errors "[+ 1 \"a\"] nope [fn e [x] x] [let a #[1]] [e a] [e a]"]] ⇒ #["E0200" "E0201" "E0300"]
        [map [fn [d] [get d :code]] [catch-errors "[+ 1"]] ⇒ #["E0000"]
        [keys [nth [catch-errors "nope"] 0]] ⇒ #[:code :what :why :fix :spans]
        [let s [nth [get [nth [catch-errors " nope"] 0] :spans] 0]] #[[keys s] [get s :start] [get s :end]] ⇒ #[#[:start :end :label] 1 5]
        [let s [nth [get [nth [catch-errors "\"é\" nope"] 0] :spans] 0]] #[[get s :start] [get s :end]] ⇒ #[5 9]
    """,
}


@pytest.mark.parametrize(("section", "program", "expected"), probes(SECTIONS))
def test_a_statement_of_the_specification_holds(section: str, program: str, expected: str) -> None:
    assert outcome(program) == expected, section
