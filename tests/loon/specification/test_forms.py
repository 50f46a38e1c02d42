"""Names and special forms (§4 to §10): scopes, let, functions, match, pipe."""

from __future__ import annotations

import pytest

from tests.loon.specification.rows import outcome, probes

SECTIONS = {
    "§4 truth": """
        [map [fn [x] [if x 1 0]] #[0 0.0 "" #[] {} () None #{} -1 :k]] ⇒ #[0 1 1 1 1 1 1 1 1 1]
        [map [fn [x] [if x 1 0]] #[false true [] -0.0]] ⇒ #[0 1 0 1]
        [let mut v #[1]] [push! v 2] v ⇒ #[1]
        [let m {:a 1}] [assoc m :a 2] m ⇒ {:a 1}
        [let s #{1}] [conj s 2] s ⇒ #{1}
    """,
    "§4 equality": """
        #[[= 1 1.0] [= 4 4.0] [= (1 2) #[1 2]] [= :a "a"] [= true 1] [= 0 false]] ⇒ #[false false false false false false]
        [let n [/ 0.0 0.0]] #[[= n n] [= 0.0 -0.0]] ⇒ #[false true]
        #[[= [Some 1] [Some 1]] [= [Some 1] [Ok 1]] [= None None] [= [Some 1] [Some 1.0]]] ⇒ #[true false true false]
        [let f [fn [] 1]] #[[= f f] [= + +] [= Some Some]] ⇒ #[false false false]
        #[[= #[f] 1] [= #[1 #[2]] #[1 #[2]]] [= {:a {:b 1}} {:a {:b 1}}]] ⇒ ! unbound-symbol
        #[[= #[1 #[2]] #[1 #[2]]] [= {:a {:b 1}} {:a {:b 1}}] [= #[1] #[1 2]]] ⇒ #[true true false]
        #[[= #{1 2} #{2 1}] [= {:a 1 :b 2} {:b 2 :a 1}] [= #{1} #{1.0}]] ⇒ #[true true false]
        #[[len #{1 1}] {:a 1 :b 2 :a 3} #{2 1 2}] ⇒ #[1 {:a 3 :b 2} #{2 1}]
        [type A [X Int]] [let old [X 1]] [type B [X Int]] [= old [X 1]] ⇒ true
    """,
    "§4 ordering": """
        #[[< 1 2] [< 2.0 1.0] [>= 2 2] [<= 3 2] [> 1.5 1.0]] ⇒ #[true false true false true]
        [< true false] ⇒ ! type
        [< :a :b] ⇒ ! type
        [> #[1] #[2]] ⇒ ! type
        [<= [] []] ⇒ ! type
        [sort #["b" "B" "a"]] ⇒ #["B" "a" "b"]
        [sort #[3 1 2]] ⇒ #[1 2 3]
        [sort #[:b :a]] ⇒ #[:b :a]
        [min #[2 "a" :k]] ⇒ 2
        [max #["a" "c" "b"]] ⇒ "c"
        [min #[1.5 0.5]] ⇒ 0.5
        [let n [/ 0.0 0.0]] #[[< n 1.0] [>= n 1.0] [<= n n]] ⇒ #[false false false]
    """,
    "§5 names": """
        [fn + [a b] 99] [+ 1 2] ⇒ 99
        [let if 5] #[if [if true 1 2]] ⇒ #[5 1]
        [fn f [] [if true [let t 8] 0] t] [f] ⇒ 8
        [do [let z 3] z] z ⇒ 3
        [fn f [] [pipe [let a 2] [+ a]]] [f] ⇒ 4
        [fn f [] #[[let a 2]] a] [f] ⇒ 2
        [let x 1] [let x 2] x ⇒ 2
        [let x 1] [fn f [] [let x 2] x] #[[f] x] ⇒ #[2 1]
        [if true [let g 4]] g ⇒ 4
        [let k 1] [let r [fn [] k]] [let k 2] [r] ⇒ 2
        [fn f [n] [let g [fn [] n]] [let n 9] [g]] [f 1] ⇒ 1
        [fn f [] [fn g [] 5]] [f] [g] ⇒ 5
        [fn even [n] [if [= n 0] true [odd [- n 1]]]] [fn odd [n] [if [= n 0] false [even [- n 1]]]] [even 10] ⇒ true
        [fn f [x] [match x y [do [let z y] z]] z] [f 1] ⇒ ! unbound-symbol
        [handle [E.a 1] [E.a v] [do [let q v] [resume q]]] q ⇒ ! unbound-symbol
        nope ⇒ ! unbound-symbol
        [nope [println 1]] ⇒ ! unbound-symbol
        [fn pick [] [println "head"] +] [fn arg [x] [println x] x] [[pick] [arg 1] [arg 2]] ⇒ 3 | head⏎1⏎2
        [and false [println 1]] ⇒ false | 1
        [fn f [x] [g]] [fn g [] x] [f 1] ⇒ ! unbound-symbol
        [fn f [a] [fn g [b] [+ a b]] [g 1]] [f 10] ⇒ 11
        [type V [V :x Int]] [let p [V 7]] p.x ⇒ 7
        [type V [V :x Int]] [let p [V [V 7]]] p.x.x ⇒ ! unbound-symbol
        [type V [V :x Int]] [let p [V 7]] [let p.x 1] p.x ⇒ 1
        [let m {:x 1}] m.x ⇒ ! unbound-symbol
        [type V [V Int]] [let p [V 7]] p.x ⇒ ! unbound-symbol
        [type V [V :f Int]] [let p [V [fn [n] [* 2 n]]]] [p.f 4] ⇒ 8
    """,
    "§6 values of forms": """
        [let x 5] ⇒ 5
        [let [a b] #[1 2]] ⇒ #[1 2]
        [fn f [] 1] ⇒ ()
        [if false 1] ⇒ ()
        [if true 1] ⇒ 1
        [do] ⇒ ()
        [do 1 2] ⇒ 2
        [type T A] ⇒ ()
        [test t [] 1] ⇒ ()
        [pub let x 5] ⇒ 5
        [pub fn f [] 1] [f] ⇒ 1
        [effect E [fn a []]] ⇒ ()
        [sig f : Int -> Int] ⇒ ()
        [trait T [fn m [self] -> Int]] ⇒ ()
        [impl T X [fn m [self] 1]] ⇒ ()
        [derive Copy [type P [P Int]]] ⇒ ()
        [mut [+ 1 2]] ⇒ 3
        [inspect [+ 1   2]] ⇒ 3 | [inspect] [+ 1 2] = 3
        [let mut k 1] [set! k 5] ⇒ 5
        [def x 1] ⇒ ! unbound-symbol
        [cond true 1] ⇒ ! unbound-symbol
        [quote a] ⇒ ! unbound-symbol
    """,
    "§6 malformed forms": """
        [let x] ⇒ ! bad-form
        [let] ⇒ ! bad-form
        [let 5 1] ⇒ ! bad-form
        [let "a" 1] ⇒ ! bad-form
        [let :a 1] ⇒ ! bad-form
        [let #[a] #[1]] ⇒ ! bad-form
        [let (a) (1)] ⇒ ! bad-form
        [let [a 5] #[1 2]] ⇒ ! bad-form
        [if true] ⇒ ! bad-form
        [if] ⇒ ! bad-form
        [fn] ⇒ ! bad-form
        [fn f] ⇒ ! bad-form
        [fn f 5 6] ⇒ ! bad-form
        [fn f ([x])] ⇒ ! bad-form
        [fn [5] 1] ⇒ ! bad-form
        [fn [& [a b]] a] ⇒ ! bad-form
        [fn [#[a]] a] ⇒ ! bad-form
        [pipe] ⇒ ! bad-form
        [type] ⇒ ! bad-form
        [handle] ⇒ ! bad-form
        [try 1] ⇒ ! bad-form
        [try] ⇒ ! bad-form
        [match] ⇒ ! bad-form
        [set! x] ⇒ ! bad-form
        [set! 5 1] ⇒ ! bad-form
    """,
    "§7 let": """
        [let x 1 y 2] ⇒ 1
        [let x 1 y 2] y ⇒ ! unbound-symbol
        [let _ 5] _ ⇒ ! unbound-symbol
        [let [x [y z]] #[1 (2 3)]] #[x y z] ⇒ #[1 2 3]
        [let [a b] (1 2 3)] #[a b] ⇒ #[1 2]
        [let [a b c] #[1 2]] c ⇒ ()
        [let [a _ c] #[1 2 3]] #[a c] ⇒ #[1 3]
        [let [a [b]] #[1 2]] ⇒ ! type
        [let [a b] "xy"] ⇒ ! type
        [let [a] {:a 1}] ⇒ ! type
        [let [a] #{1}] ⇒ ! type
        [let [] #[1]] ⇒ #[1]
        [let {w w depth [* 2 4]} {:w 3}] #[w depth] ⇒ #[3 8]
        [let {w w h h} {:w 3}] #[w h] ⇒ #[3 ()]
        [let {a 5} {:a []}] a ⇒ ()
        [let {w h} {:w 3}] w ⇒ 3
        [let {w h} {}] ⇒ ! unbound-symbol
        [let {a [println "default"]} {:a 1}] a ⇒ 1
        [let {a [do [println "default"] 4]} {}] a ⇒ 4 | default
        [let {a 1 b [+ a 1]} {:a 5}] b ⇒ 6
        [let {a a} #[1]] ⇒ ! type
        [let {a a} (1 2)] ⇒ ! type
        [let {w} {:w 1}] ⇒ ! E0101
        [let [a & b] #[1 2 3]] b ⇒ 3
        [let [{a 1} b] #[{:a 2} 3]] #[a b] ⇒ #[2 3]
        [let mut k 1] [set! k [+ k 41]] k ⇒ 42
        [let a 1] [let b [+ [let a 5] a]] #[a b] ⇒ #[5 10]
        [let [Some x] #[1 2]] x ⇒ 2
    """,
    "§8 functions": """
        [fn girth [w h] [* 2 [+ w h]]] [girth 1 2] ⇒ 6
        [fn f []] [f] ⇒ ()
        [fn f [] 1 2 3] [f] ⇒ 3
        [fn load [p] #{IO Fail} [+ p 1]] [load 1] ⇒ 2
        #[[fn [x] x] str] ⇒ #[<fn anonymous> <builtin str>]
        [let g [fn [x] x]] g ⇒ <fn anonymous>
        [fn f [] 1] f ⇒ <fn f>
        [fn scale ([v] [scale v 2]) ([v k] [* v k])] #[[scale 5] [scale 5 10]] ⇒ #[10 50]
        [fn adder [n] [fn [x] [+ x n]]] [[adder 3] 4] ⇒ 7
        [fn f [a & more] #[a more]] #[[f 1] [f 1 2 3]] ⇒ #[#[1 #[]] #[1 #[2 3]]]
        [fn f [& all] [len all]] #[[f] [f 1 2]] ⇒ #[0 2]
        [fn f [a & more] a] [f] ⇒ ! arity
        [fn f ([a & r] 1) ([a b] 2)] [f 1 2] ⇒ 1
        [fn f ([a b] 2) ([a & r] 1)] #[[f 1 2] [f 1] [f 1 2 3]] ⇒ #[2 1 1]
        [fn f ([a] 1) ([a b] 2)] [f] ⇒ ! arity
        [[fn [a & r] r] 1 2] ⇒ #[2]
        [fn f [a a] a] [f 1 2] ⇒ 2
        [fn f [[x y] {w 9}] #[x y w]] [f #[1 2] {}] ⇒ #[1 2 9]
        [fn f [x] x] [f] ⇒ ! arity
        [fn f [x] x] [f 1 2] ⇒ ! arity
        [map [fn [a b] a] #[1]] ⇒ ! arity
        [fold 0 [fn [a] a] #[1]] ⇒ ! arity
        [1 2] ⇒ ! not-callable
        ["a" 1] ⇒ ! not-callable
        [:k {:k 1}] ⇒ ! not-callable
        [{:a 1} :a] ⇒ ! not-callable
        [#[1] 0] ⇒ ! not-callable
        [#{1} 1] ⇒ ! not-callable
        [[] 1] ⇒ ! not-callable
        [None] ⇒ ! not-callable
        [true] ⇒ ! not-callable
        [(1 2) 0] ⇒ ! not-callable
        [fn f [x] x] [let g [fn [n] [g n]]] [let g 5] [g 1] ⇒ ! not-callable
        [fn f [n] [let go [fn [k] [go k]]] [go n]] [f 1] ⇒ ! unbound-symbol
        [let go [fn [n] [if [= n 0] :end [go [- n 1]]]]] [go 3] ⇒ :end
        [fn down [n] [if [= n 0] 0 [+ 1 [down [- n 1]]]]] [down 10000] ⇒ 10000
    """,
    "§9 match": """
        [fn f [n] [match n 0 "zero" k [when [< k 0]] "neg" _ "pos"]] [map f #[0 -3 4]] ⇒ #["zero" "neg" "pos"]
        [type S [Circle Float] [Rect Float Float] Point] [map [fn [s] [match s [Circle r] [* r r] [Rect w h] [* w h] Point 0.0]] #[[Circle 2.0] [Rect 2.0 3.0] Point]] ⇒ #[4 6 0]
        [match 5 [Some x] x other [* other 2]] ⇒ 10
        #[[match 1 1.0 :f _ :o] [match 1.0 1 :i _ :o] [match true 1 :i _ :o] [match "a" "a" 1 _ 2] [match :k :k 1 _ 2] [match "k" :k 1 _ 2]] ⇒ #[:o :o :o 1 1 2]
        [match -1 -1 :neg _ :no] ⇒ :neg
        [match 2.5 2.5 :y _ :n] ⇒ :y
        [match false false :y _ :n] ⇒ :y
        [match 1 2 3] ⇒ ! no-match
        [match 1] ⇒ ! no-match
        [match 1 1] ⇒ ! no-match
        [match 1 2 3 _] ⇒ ! no-match
        [let x 1] [match 2 x x] ⇒ 2
        [let keep 1] [match 5 keep keep] keep ⇒ 1
        [match None None :none x :other] ⇒ :none
        [match 5 None :none x x] ⇒ 5
        [match [Some None] [Some None] 1 _ 2] ⇒ 1
        [match [Some [Ok 3]] [Some [Err e]] e [Some [Ok v]] v] ⇒ 3
        [match [Some 1] [Some a b] 1 _ 2] ⇒ 2
        [type P [P Int Int]] [match [P 1 2] [P a a] a] ⇒ 2
        [type A [T Int]] [let v [T 1]] [type B [T Int]] [match v [T n] n] ⇒ 1
        [match #[1] #[1] 1 _ 2] ⇒ 2
        [match (1 2) (1 2) 1 _ 2] ⇒ 2
        [match {:a 1} {:a 1} 1 _ 2] ⇒ 2
        [match #{1} #{1} 1 _ 2] ⇒ 2
        [match 7 [> 2 1] :guard _ :no] ⇒ :guard
        [match 7 [> 1 2] :guard _ :no] ⇒ :no
        [fn ok [] []] [match 7 [ok] :guard _ :no] ⇒ :no
        [match 3 x [when 0] :zero x [when x] :x] ⇒ :x
        [match 3 x [when [println x]] 1 _ 2] ⇒ 2 | 3
        [match [do [println "once"] 1] 2 :a 1 :b] ⇒ :b | once
        [fn f [a b] [match a None [match b None 0 [Some y] y] [Some x] x]] #[[f None [Some 5]] [f None None] [f [Some 1] 2]] ⇒ #[5 0 1]
        [match None None [match 1 None 1 _ 0]] ⇒ 0
        [match [Some 1] [Some x] [match [Some 2] [Some x] x] _ 0] ⇒ 2
        [match 1 x [match 2 y [+ x y]]] ⇒ 3
        [match 5 _ _] ⇒ ! unbound-symbol
        [fn f [n] [match n 0 [do [let r 1] r] _ [do [let r 2] r]]] [f 0] ⇒ 1
    """,
    "§10 pipe": """
        [pipe 10 [- 3]] ⇒ -7
        [pipe 5] ⇒ 5
        [pipe #[1 2 3] [map [fn [x] [* x x]]] sum str] ⇒ "14"
        [pipe 4 [str]] ⇒ "4"
        [pipe 1 [[fn [a b] #[a b]] 10]] ⇒ #[10 1]
        [pipe 1 [if true 2]] ⇒ ! unbound-symbol
        [pipe 1 [fn [x] x]] ⇒ ! unbound-symbol
        [pipe 1 [Fail.fail]] ⇒ ! unbound-symbol
        [pipe 1 5] ⇒ ! bad-form
        [pipe 1 "x"] ⇒ ! bad-form
        [pipe 1 #[1]] ⇒ ! bad-form
        [pipe 1 []] ⇒ ! bad-form
        [fn s [x] [println x] x] [pipe [s 1] [[do [s :head] +] [s 2]] [- [s 10]]] ⇒ 7 | 1⏎:head⏎2⏎10
        [pipe [Some 1] [= [Some 1]]] ⇒ true
        [let fs {:f str}] [pipe 3 [[get fs :f]]] ⇒ "3"
    """,
}


@pytest.mark.parametrize(("section", "program", "expected"), probes(SECTIONS))
def test_a_statement_of_the_specification_holds(section: str, program: str, expected: str) -> None:
    assert outcome(program) == expected, section
