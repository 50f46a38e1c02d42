"""The builtins (§11), display forms (§16), channels (§20.3)."""

from __future__ import annotations

import pytest

from tests.loon.specification.rows import outcome, probes

SECTIONS = {
    "§11.1 arithmetic": """
        #[[+ 1 2 3] [* 2 3 4] [- 5 3] [+ 1 2.5] [* 2 0.5] [- 1.5 1]] ⇒ #[6 24 2 3.5 1 0.5]
        [+] ⇒ ! arity
        [+ 1] ⇒ ! arity
        [*] ⇒ ! arity
        [- 5] ⇒ ! arity
        [/ 5] ⇒ ! arity
        [% 5] ⇒ ! arity
        [< 5] ⇒ ! arity
        [= 5] ⇒ ! arity
        [not] ⇒ ! arity
        [- 9 3 2] ⇒ 6
        #[[< 1 2 0] [= 1 1 2] [not 0 1] [/ 9 3 2]] ⇒ #[true true true 3]
        [+ 1 "a"] ⇒ ! type
        [+ 1 2 :k] ⇒ ! type
        [* true 2] ⇒ ! type
        [- #[1] 1] ⇒ ! type
        #[[/ 7 2] [/ -7 2] [/ 7 -2] [/ -7 -2] [/ 7.0 2] [/ 1 4.0]] ⇒ #[3 -3 -3 3 3.5 0.25]
        [/ 1 0] ⇒ ! zero-division
        #[[/ 1.0 0] [/ -1 0.0] [/ 0.0 0] [/ 1.0 -0.0]] ⇒ #[inf -inf NaN -inf]
        #[[% 7 3] [% -7 3] [% 7 -3] [% -7 -3]] ⇒ #[1 -1 1 -1]
        [% 5 0] ⇒ ! zero-division
        [% 5.0 2] ⇒ ! type
        [% 5 2.0] ⇒ ! type
        [+ 9223372036854775807 1] ⇒ -9223372036854775808
        [- -9223372036854775808 1] ⇒ 9223372036854775807
        [* 9223372036854775807 2] ⇒ -2
        [* 4611686018427387904 2 2] ⇒ 0
        [/ -9223372036854775808 -1] ⇒ -9223372036854775808
        [% -9223372036854775808 -1] ⇒ 0
        [* 3037000500 3037000500] ⇒ -9223372036709301616
        [!= 1 2] ⇒ ! unbound-symbol
        #[[not 0] [not []] [not false] [not 0.0] [not None] [not ""]] ⇒ #[true true true false false false]
        #[[and] [or] [and 1] [or 0] [and 1 0 2] [and 1 2] [or 0 false "x" 3] [or 0 []]] ⇒ #[true false 1 0 0 2 "x" ()]
        [or true [println "eager"]] ⇒ true | eager
    """,
    "§11.1 names that are free": """
        [first #[1]] ⇒ ! unbound-symbol
        [rest #[1]] ⇒ ! unbound-symbol
        [last #[1]] ⇒ ! unbound-symbol
        [concat #[1] #[2]] ⇒ ! unbound-symbol
        [apply + #[1 2]] ⇒ ! unbound-symbol
        [inc 1] ⇒ ! unbound-symbol
        [identity 1] ⇒ ! unbound-symbol
        [slice #[1] 0 1] ⇒ ! unbound-symbol
        [repeat 3 1] ⇒ ! unbound-symbol
        [fn abs [x] [if [< x 0] [- 0 x] x]] [fn mod [a b] :mine] #[[abs -5] [mod 7 3]] ⇒ #[5 :mine]
    """,
    "§11.2 strings": r"""
        [str "a" 1 2.0 :k #["b"] None [Some "c"] (1 "d") []] ⇒ "a12:k#["b"]None[Some "c"](1, "d")()"
        [str] ⇒ ""
        #[[len "aé😀"] [len ""]] ⇒ #[3 0]
        [split "a,b;;c" ",;"] ⇒ #["a" "b" "" "c"]
        #[[split "" ","] [split "abc" ""] [split ",a," ","] [split "a-b]c^d" "]^-"]] ⇒ #[#[""] #["abc"] #["" "a" ""] #["a" "b" "c" "d"]]
        [split "a" 1] ⇒ ! type
        [split 1 "a"] ⇒ ! type
        #[[join "-" #[1 "a" :k 2.0]] [join #["p" "q"] "/"] [join "," #[]]] ⇒ #["1-a-:k-2" "p/q" ""]
        [join 5 #["a"]] ⇒ ! type
        [join "a" "b"] ⇒ ! type
        #[[trim " a b\n"] [uppercase "straße é"] [lowercase "ÀB"]] ⇒ #["a b" "STRASSE É" "àb"]
        [trim 5] ⇒ ! type
        [uppercase :a] ⇒ ! type
        #[[replace "banana" "an" "<>"] [replace "aaa" "aa" "b"] [replace "a" "x" "y"] [replace "ab" "" "-"]] ⇒ #["b<><>a" "ba" "a" "-a-b-"]
        [replace "a" 1 "b"] ⇒ ! type
        [replace "a" "b"] ⇒ ! arity
        #[[starts-with? "abc" "ab"] [ends-with? "abc" "bc"] [starts-with? "a" "ab"] [contains? "abc" "bc"] [contains? "" ""]] ⇒ #[true true false true true]
        [contains? "abc" 1] ⇒ ! type
        [starts-with? "a" :a] ⇒ ! type
        #[[char-at "añb" 1] [char-at "añb" 0]] ⇒ #["ñ" "a"]
        [char-at "abc" 3] ⇒ ! index
        [char-at "abc" -1] ⇒ ! index
        [char-at "abc" 1.0] ⇒ ! type
        #[[substring "añbc" 1 3] [substring "abc" 0 0] [substring "abc" 3 3]] ⇒ #["ñb" "" ""]
        [substring "abc" 2 1] ⇒ ! index
        [substring "abc" 0 4] ⇒ ! index
        [substring "abc" -1 2] ⇒ ! index
        #[[index-of "hello" "l"] [index-of "a" "x"] [index-of "äb" "b"] [index-of "abc" ""]] ⇒ #[2 -1 1 0]
        #[[reverse "añb"] [push! "a" 1 "b" :c]] ⇒ #["bña" "a1b:c"]
        #[[int 3] [int 2.9] [int -2.9] [int " 12 "] [int "+5"] [int "-7"]] ⇒ #[3 2 -2 12 5 -7]
        #[[int 1.0e30] [int -1.0e30] [int [/ 1.0 0.0]]] ⇒ #[9223372036854775807 -9223372036854775808 9223372036854775807]
        [int "1.5"] ⇒ ! conversion
        [int ""] ⇒ ! conversion
        [int "1_0"] ⇒ ! conversion
        [int "- 5"] ⇒ ! conversion
        [int "0x10"] ⇒ ! conversion
        [int "99999999999999999999"] ⇒ ! conversion
        [int true] ⇒ ! type
        [int :a] ⇒ ! type
        [int #[1]] ⇒ ! type
        #[[float 2.5] [float 3] [float " 2.5 "] [float "1e3"] [float "-inf"] [float "nan"] [float "7"]] ⇒ #[2.5 3 2.5 1000 -inf NaN 7]
        [= [float 3] 3.0] ⇒ true
        [float "abc"] ⇒ ! conversion
        [float "1_0.0"] ⇒ ! conversion
        [float ""] ⇒ ! conversion
        [float None] ⇒ ! type
        #[[name :wide] [name "s"]] ⇒ #["wide" "s"]
        [name 5] ⇒ ! type
    """,
    "§11.3 vectors": """
        #[[len #[1 2]] [len {:a 1}] [len #{1 2}] [len #[]]] ⇒ #[2 1 2 0]
        [len (1 2)] ⇒ ! type
        [len 5] ⇒ ! type
        #[[empty? #[]] [empty? ""] [empty? {}] [empty? #{}] [empty? #[0]]] ⇒ #[true true true true false]
        [empty? ()] ⇒ ! type
        [empty? 0] ⇒ ! type
        #[[nth #[1 2] 1] [nth (1 2) 0] [nth #[1] 5 :d] [nth (1) -1 :d]] ⇒ #[2 1 :d :d]
        [nth #[1] 1] ⇒ ! index
        [nth #[1] -1] ⇒ ! index
        [nth (1) 1] ⇒ ! index
        [nth "abc" 0] ⇒ ! type
        [nth #[1] 0.0] ⇒ ! type
        [nth {:a 1} 0] ⇒ ! type
        #[[get #[5 6] 1] [get #[5 6] 2] [get #[5 6] 2 0] [get #[5] -1]] ⇒ #[6 () 0 ()]
        [get (1 2) 0] ⇒ ! type
        [get "abc" 0] ⇒ ! type
        [get #{1} 0] ⇒ ! type
        #[[conj #[1] 2 3] [conj #{1} 1 2] [conj #[1]] [push! #[1] 2 3]] ⇒ #[#[1 2 3] #{1 2} #[1] #[1 2 3]]
        [conj {:a 1} 2] ⇒ ! type
        [conj 1 2] ⇒ ! type
        #[[cons 1 #[2]] [cons #[1] #[]]] ⇒ #[#[1 2] #[#[1]]]
        [cons 1 2] ⇒ ! type
        #[[range 0 3] [range 2 2] [range 3 1] [range -2 1]] ⇒ #[#[0 1 2] #[] #[] #[-2 -1 0]]
        [range 0 2.5] ⇒ ! type
        [range 0.0 2] ⇒ ! type
        #[[map str #[1 2]] [map #[1 2] str] [[map str] #[1 2]] [map [fn [x] x] #[]]] ⇒ #[#["1" "2"] #["1" "2"] #["1" "2"] #[]]
        [map str {:a 1}] ⇒ ! type
        [map str "ab"] ⇒ ! type
        [map 5 #[1]] ⇒ ! type
        [map] ⇒ ! arity
        [let odd [fn [x] [% x 2]]] #[[filter odd #[1 2 3]] [filter #[1 2 3] odd] [[filter odd] #[1 2 3]]] ⇒ #[#[1 3] #[1 3] #[1 3]]
        [filter [fn [x] x] #[0 0.0 [] None false]] ⇒ #[0 None]
        [each println #[1 2]] ⇒ () | 1⏎2
        [each #[1 2] println] ⇒ () | 1⏎2
        [[each println] #[3]] ⇒ () | 3
        #[[fold 10 - #[1 2]] [fold #[1 2] 10 -] [[fold 10 -] #[1 2]] [fold 5 - #[]]] ⇒ #[7 7 7 5]
        #[[fold #[1 2] #[] [fn [a x] [cons x a]]] [fold #[] [fn [a x] [conj a x]] #[1 2]]] ⇒ #[#[2 1] #[1 2]]
        [fold 0 + 5] ⇒ ! type
        [fold 0] ⇒ ! arity
        #[[flat-map [fn [x] #[x x]] #[1 2]] [flat-map [fn [x] x] #[1 #[2 3]]] [[flat-map [fn [x] #[x]]] #[1]]] ⇒ #[#[1 1 2 2] #[1 2 3] #[1]]
        #[[find [fn [x] [> x 1]] #[1 2 3]] [find [fn [x] false] #[1]]] ⇒ #[[Some 2] None]
        [find [fn [x] [println x]] #[1 2]] ⇒ None | 1⏎2
        [any? [fn [x] [println x] [= x 1]] #[1 2]] ⇒ true | 1
        [all? [fn [x] [println x] [= x 2]] #[1 2]] ⇒ false | 1
        #[[any? [fn [x] x] #[]] [all? [fn [x] x] #[]] [all? [fn [x] x] #[1 "a"]]] ⇒ #[false true true]
        [find str] ⇒ ! arity
        [any? str] ⇒ ! arity
        #[[take 2 #[1 2 3]] [take 9 #[1]] [drop 2 #[1 2 3]] [drop 9 #[1]] [[take 1] #[1 2]] [[drop 1] #[1 2]]] ⇒ #[#[1 2] #[1] #[3] #[] #[1] #[2]]
        #[[take -1 #[1]] [drop -1 #[1]]] ⇒ #[#[] #[1]]
        [take "a" #[1]] ⇒ ! type
        [take 1 "abc"] ⇒ ! type
        [drop 1.0 #[1]] ⇒ ! type
        #[[reverse #[1 2 3]] [reverse #[]]] ⇒ #[#[3 2 1] #[]]
        [reverse (1 2)] ⇒ ! type
        [sort 5] ⇒ ! type
        #[[sort-by [fn [x] x] :asc #[3 1 2]] [sort-by [fn [x] x] :desc #[3 1 2]] [[sort-by [fn [x] x] :up] #[2 1]]] ⇒ #[#[1 2 3] #[3 2 1] #[1 2]]
        [sort-by [fn [p] [nth p 0]] :desc #[(1 :a) (2 :b) (1 :c) (2 :d)]] ⇒ #[(2, :b) (2, :d) (1, :a) (1, :c)]
        #[[group-by [fn [x] [% x 2]] #[1 2 3]] [[group-by [fn [x] 0]] #[1]] [group-by str #[]]] ⇒ #[{1 #[1 3] 0 #[2]} {0 #[1]} {}]
        #[[zip #[1 2 3] #["a" "b"]] [zip #[] #[1]]] ⇒ #[#[(1, "a") (2, "b")] #[]]
        [zip #[1] (1)] ⇒ ! type
        [flatten #[1 #[2 #[3]] (4)]] ⇒ #[1 2 #[3] (4)]
        [flatten 5] ⇒ ! type
        #[[chunk 2 #[1 2 3]] [chunk 5 #[1]] [chunk 1 #[]]] ⇒ #[#[#[1 2] #[3]] #[#[1]] #[]]
        [chunk 0 #[1]] ⇒ ! type
        #[[contains? #[1 2] 2] [contains? #[1] 1.0] [contains? #{1} 1] [contains? {:a 1} :a] [contains? {:a 1} 1]] ⇒ #[true false true true false]
        [contains? 5 1] ⇒ ! type
        [contains? (1 2) 1] ⇒ ! type
        #[[min #[3 1 2]] [max #[3 1 2]] [max #[1.5]]] ⇒ #[1 3 1.5]
        [min #[]] ⇒ ! empty
        [max #[]] ⇒ ! empty
        [min 1 2] ⇒ ! type
        #[[sum #[1 2]] [sum #[1 2.5]] [sum #[]] [sum #[0.5 0.5]]] ⇒ #[3 3.5 0 1]
        [sum #["a"]] ⇒ ! type
        [sum #[1 true]] ⇒ ! type
        #[[collect #[1]] [collect 5] [vec? #[1]] [vec? (1)] [map? {}] [map? #{}]] ⇒ #[#[1] 5 true false true false]
        [map [fn [x] [/ 1 x]] #[1 0 [println "never"]]] ⇒ ! zero-division
    """,
    "§11.4 maps": """
        #[[get {:a 1} :a] [get {:a 1} :b] [get {:a 1} :b 2] [get {1 :i 1.0 :f} 1.0] [get {true :t 1 :o} 1]] ⇒ #[1 () 2 :f :o]
        #[[assoc {:a 1 :b 2} :a 9] [assoc {} "k" #[]]] ⇒ #[{:a 9 :b 2} {"k" #[]}]
        [assoc #[1] 0 2] ⇒ ! type
        #[[update {:a 1} :a [fn [x] [+ x 1]]] [update {} :a [fn [x] x]]] ⇒ #[{:a 2} {:a ()}]
        [update {:a 1} :a 5] ⇒ ! type
        #[[remove {:a 1 :b 2} :a] [remove {:a 1} :z]] ⇒ #[{:b 2} {:a 1}]
        [remove #[1] 0] ⇒ ! type
        #[[keys {:a 1 "b" 2}] [values {:a 1 :b 2}] [entries {:a 1}]] ⇒ #[#[:a "b"] #[1 2] #[(:a, 1)]]
        [keys #[1]] ⇒ ! type
        [entries #{1}] ⇒ ! type
        #[[merge {:a 1 :b 2} {:b 3 :c 4}] [merge {:a 1} {} {:z 9}]] ⇒ #[{:a 1 :b 3 :c 4} {:a 1}]
        [merge {:a 1} #[1]] ⇒ ! type
        [merge {:a 1}] ⇒ ! arity
        #[[into-map #[(1 2) (:a 3)]] [into-map #[(1 2) (3 4) (1 5)]]] ⇒ #[{1 2 :a 3} {1 5 3 4}]
        [into-map #[#[:a 1]]] ⇒ ! type
        [into-map #[(1 2 3)]] ⇒ ! type
        [into-map {:a 1}] ⇒ ! type
        [get {#[1] :v (1 2) :t [Some 1] :s} (1 2)] ⇒ :t
        [get {{:a 1} 2} {:a 1}] ⇒ 2
        [len {1 :a 1.0 :b true :c "1" :d :one :e}] ⇒ 5
        [HashMap.new] ⇒ ! unhandled-effect
    """,
    "§11.5 output": """
        [println "a" 1 :k #["s"] 2.0] ⇒ () | a 1 :k #["s"] 2
        [println] 1 ⇒ 1 |
        [do [print "a" 1] [print "b"] 5] ⇒ 5 | a 1b
        [assert-eq [+ 1 1] 2] ⇒ ()
        [assert-eq 1 2] ⇒ ! assertion
        [assert-eq 1 1.0] ⇒ ! assertion
        [assert-eq 1] ⇒ ! arity
        [assert true] ⇒ ! unbound-symbol
    """,
    "§16 display": """
        #[4.0 1.0e21 1.0e-7 -0.0 0.1 100.0 1.5e25] ⇒ #[4 1000000000000000000000 0.0000001 -0 0.1 100 15000000000000000000000000]
        #[[/ 1.0 3.0] [/ 2.0 3] 123456789.125 1234567890123456789.0] ⇒ #[0.3333333333333333 0.6666666666666666 123456789.125 1234567890123456800]
        ("a" #["b"] {:k "c"} #{"d"} [Some "e"]) ⇒ ("a", #["b"], {:k "c"}, #{"d"}, [Some "e"])
        #[() (7) (1 2)] ⇒ #[() (7) (1, 2)]
        #[#[] #{} {} [Some #[]] None] ⇒ #[#[] #{} {} [Some #[]] None]
        [str "q\\"q"] ⇒ "q"q"
        [str #["a"] "a"] ⇒ "#["a"]a"
        [type T [Rect Int Float] [Pt :x Int] E] #[[Rect 2 3.5] [Pt 1] E] ⇒ #[[Rect 2 3.5] [Pt 1] E]
        #[println + Some [map str] [filter str] [take 1] [fold 0 +]] ⇒ #[<builtin println> <builtin +> <builtin Some> <builtin map-partial> <builtin filter-partial> <builtin take-partial> <builtin fold-partial>]
        [fn f ([] 1) ([a] a)] #[f [fn [] 1]] ⇒ #[<fn f> <fn anonymous>]
    """,
    "§20.3 channels": """
        [let [tx rx] [channel]] [send tx 1] [send tx 2] #[[recv rx] [recv rx]] ⇒ #[1 2]
        [let [tx rx] [channel]] [send tx :m] #[[try-recv rx] [try-recv rx]] ⇒ #[[Some :m] None]
        [let [tx rx] [channel]] [send tx 1] ⇒ ()
        [vec? [channel]] ⇒ false
        [let [tx rx] [channel]] [send rx 1] ⇒ ! type
        [send 5 1] ⇒ ! type
    """,
}


@pytest.mark.parametrize(("section", "program", "expected"), probes(SECTIONS))
def test_a_statement_of_the_specification_holds(section: str, program: str, expected: str) -> None:
    assert outcome(program) == expected, section


def test_a_failed_assertion_shows_both_values_in_three_lines() -> None:
    from tests.loon.evaluation import error_of

    lines = error_of("[assert-eq #[1 \"a\"] 2.0]").message.splitlines()
    assert lines == ["assert-eq failed:", "  expected: 2", '  actual:   #[1 "a"]']
