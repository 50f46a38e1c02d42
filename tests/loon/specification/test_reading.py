"""What text means (§1 to §3): tokens, strings, brackets, and how a program goes."""

from __future__ import annotations

import pytest

from tests.loon.specification.rows import outcome, probes

SECTIONS = {
    "§1 program model": """
        [fn main [] 7] [println "x"] ⇒ 7 | x
        [fn main [n] n] ⇒ ! arity
        [fn main ([] 1) ([n] n)] ⇒ 1
        [let main 5] ⇒ 5
        [let main [fn [] 9]] 1 ⇒ 9
        [let main str] 1 ⇒ 1
        ⇒ ()
        ; only a comment ⇒ ()
        1 2 ⏎ 3 ⇒ 3
        [println "shown"] [/ 1 0] ⇒ ! zero-division
        [println 1 2] ⇒ () | 1 2
        [len "abc"] ⇒ 3
        [+ 1 2.5] ⇒ 3.5
        5 [macro m [] `1] ⇒ 5
        [fn f [] [g]] [fn g [] 1] [f] ⇒ 1
    """,
    "§2 tokens": """
        [+ 1, 2] ⇒ ! E0100
        -5 ⇒ -5
        [- 5 3] ⇒ 2
        [-5 3] ⇒ ! not-callable
        5-2 ⇒ -2
        #[5-2] ⇒ #[5 -2]
        [let n-1 10] n-1 ⇒ 10
        [let -x 3] -x ⇒ 3
        +8 ⇒ ! unbound-symbol
        [let +8 1] +8 ⇒ 1
        1e3 ⇒ ! unbound-symbol
        [let e3 7] #[1e3] ⇒ #[1 7]
        1.0e3 ⇒ 1000
        1.5E-2 ⇒ 0.015
        1.0e+2 ⇒ 100
        .5 ⇒ ! E0100
        5. ⇒ ! E0100
        -1.5 ⇒ -1.5
        [let ready? 3] ready? ⇒ 3
        [let x [Ok 3]] x? ⇒ ! unbound-symbol
        [let x? 4] x? ⇒ 4
        'a ⇒ ! E0100
        @ ⇒ ! E0100
        $ ⇒ ! E0100
        ^ ⇒ ! E0100
        a|b ⇒ ! E0100
        \\ ⇒ ! E0100
        é ⇒ ! E0100
        # ⇒ ! E0100
        # [1] ⇒ ! E0100
        [println "é"] ; é ⇒ () | é
        42i32 ⇒ 42
        -7i64 ⇒ -7
        7u64 ⇒ 7
        1.5f32 ⇒ 1.5
        #[7u32 2.0f64] ⇒ #[7 2]
        9223372036854775807 ⇒ 9223372036854775807
        -9223372036854775808 ⇒ -9223372036854775808
        9223372036854775808 ⇒ ! E0103
        -9223372036854775809 ⇒ ! E0103
        [let true? 1] [let truex 2] #[true? truex] ⇒ #[1 2]
        [let a.b 1] [let a->b 2] [let a/b 3] [let set!x 4] #[a.b a->b a/b set!x] ⇒ #[1 2 3 4]
        [let a!b?*%/+<>=c 1] a!b?*%/+<>=c ⇒ 1
        [let -> 1] [let : 2] [let / 3] [let & 4] #[-> : / &] ⇒ #[1 2 3 4]
        :a? ⇒ ! no-match
        [let b 1] #[:a/b] ⇒ #[:a <builtin /> 1]
        :a.b ⇒ ! E0100
        :a-b_9 ⇒ :a-b_9
        :3d ⇒ ! unbound-symbol
        "a;b" ; comment ⇒ "a;b"
        [+ 1 ; one ⏎ 2] ⇒ 3
        "open ⇒ ! E0100
        "two⏎lines" ⇒ "two⏎lines"
        #[1⏎2] ⇒ #[1 2]
    """,
    "§2.1 strings": r"""
        "a\nb" ⇒ "a⏎b"
        [len "\t\\\""] ⇒ 3
        "a\qb" ⇒ "a\qb"
        "\r\u0041" ⇒ "\r\u0041"
        [let w 30] "width={w}, area={[* w 2]}" ⇒ "width=30, area=60"
        "in: {[str \"a\" 1]}" ⇒ "in: a1"
        "\{not code\}" ⇒ "{not code}"
        "{{x}} {[+ 1 1]}" ⇒ "{x} 2"
        "plain } brace" ⇒ "plain } brace"
        "plain }} braces" ⇒ "plain }} braces"
        "\}" ⇒ "}"
        "{{x}}" ⇒ "{x}"
        "{1}}}" ⇒ "1}"
        "{1}\}" ⇒ "1}"
        "{ {:a 1} }" ⇒ "{:a 1}"
        "{[str \"<{1}>\"]}" ⇒ "<1>"
        "{\"x\"}" ⇒ "x"
        "{#[\"q\"]}" ⇒ "#["q"]"
        "{1" ⇒ ! E0102
        "{}" ⇒ ! E0101
        "{ }" ⇒ ! E0101
        "{1 2}" ⇒ ! E0101
        "{1} }" ⇒ ! E0101
        "} {1}" ⇒ ! E0101
        "{[}" ⇒ ! E0102
        "{]}" ⇒ ! E0101
        [fmt "v{[+ 1 1]}"] ⇒ "v2"
        [fmt "plain"] ⇒ "plain"
        [let str 5] "a{1}" ⇒ "a1"
        [fn f [str] "{str}!"] [f 2] ⇒ "2!"
        "{[let z 4]}{z}" ⇒ "44"
        "{nope}" ⇒ ! unbound-symbol
    """,
    "§3 brackets": r"""
        {:a} ⇒ ! E0101
        (1 2 ⇒ ! E0102
        #{1 ⇒ ! E0102
        [do [+ 1 2] ⇒ ! E0102
        ] ⇒ ! E0101
        [1) ⇒ ! E0101
        [] ⇒ ()
        () ⇒ ()
        [= () []] ⇒ false
        [= [] []] ⇒ true
        [if () 1 2] ⇒ 1
        [if [] 1 2] ⇒ 2
        [fn s [x] [println x] x] #[[s 1] {[s 2] [s 3] [s 4] [s 5]} (6 [s 7])] ⇒ #[1 {2 3 4 5} (6, 7)] | 1⏎2⏎3⏎4⏎5⏎7
        [Ok 3]? ⇒ 3
        [Ok 3] ? ⇒ 3
        [+ [Ok 3]? 1] ⇒ 4
        [Err "x"]? ⇒ ! unhandled-effect
        [try [+ 1 [Err "x"]?] [fn [m] [str "got " m]]] ⇒ "got x"
        [Some 3]? ⇒ ! no-match
        None ? ⇒ ! no-match
        5? ⇒ ! no-match
        "a"? ⇒ ! no-match
        (1)? ⇒ ! no-match
        {}? ⇒ ! no-match
        [Ok 1]?? ⇒ ! E0101
        [Ok [Ok 1]?]? ⇒ 1
        [fn f [] [Err 1]? 5] [try [f] [fn [m] [+ m 10]]] ⇒ 11
        [fn f [r] [+ 1 r]] [fn g [] [f [Ok 4]?]] [g] ⇒ 5
        [macroexpand [a (1 2) 2.0 "q\n" :k #[1] #{2} {:a 1} -5 1.0e21]] ⇒ "[a (1, 2) 2 "q⏎" :k #[1] #{2} {:a 1} -5 1000000000000000000000]"
        [macroexpand "a{x}b"] ⇒ "[str "a" x "b"]"
        [macroexpand [a]?] ⇒ "[match [a] [Ok __v] __v [Err __e] [Fail.fail __e]]"
    """,
}


@pytest.mark.parametrize(("section", "program", "expected"), probes(SECTIONS))
def test_a_statement_of_the_specification_holds(section: str, program: str, expected: str) -> None:
    assert outcome(program) == expected, section
