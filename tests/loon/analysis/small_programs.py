"""Small programs that run, full of the same few names: for what analysis and evaluation must agree on.

Names are bound and used at random. All are bound from the start, so most programs run to their end; the
others end with an error, which is an outcome too. Every top-level form is printed.
"""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["programs", "texts"]

_names = st.sampled_from(["a", "b", "c", "f"])
_functions = st.sampled_from(["f", "g", "h", "str"])
_atoms = st.one_of(_names, _names, st.integers(0, 9).map(str), st.sampled_from(['"s"', ":k", "true", "Pt"]))

_PRELUDE = """[macro twice [a] `[do ~a [str ~a]]]
[let a 1]
[let b "s"]
[let c [Some 2]]
[fn f [& a] [str a]]
[fn g [a] [fn [c] [str a c b]]]
[let h [fn [b] b]]
[type T [Box Int] Pt]"""


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def form(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda given: template.format(*given))

    pairs = form("[{} {}]", _names, _names)
    matched = st.one_of(_names, form("[Some {}]", _names), form("[f {}]", _names), st.sampled_from("_1"))
    return st.one_of(
        form("[let {} {}]", _names, inner),
        form("[let {} #[{} {}]]", pairs, inner, inner),
        form("[let {{{} {}}} {{}}]", _names, inner),
        form("[set! {} {}]", _names, inner),
        form("[do {} {}]", inner, inner),
        form("[if {} {} {}]", inner, inner, inner),
        form("[if {} {}]", inner, inner),
        form("[{} {} {}]", st.sampled_from(["str", "f"]), inner, inner),
        form("#[{} {}]", inner, inner),
        form("[[fn [{}] {} {}] {}]", _names, inner, inner, inner),
        form("[[fn [{}] {}] #[{} {}]]", pairs, inner, inner, inner),
        form("[let h [fn [{}] {}]]", _names, inner),
        form("[fn {} [{} & {}] {}]", _functions, _names, _names, inner),
        form("[{} {}]", _functions, inner),
        form("[pipe {} [{} {}] {}]", inner, _functions, inner, _functions),
        form("[match {} {} {} {} [when {}] {} _ 0]", inner, matched, inner, matched, inner, inner),
        form("[match [Box {}] Pt {} [Box {}] {}]", inner, inner, _names, inner),
        form("[handle {} [E.op {}] [resume {}]]", inner, _names, inner),
        form("[handle [str [E.op {}] {}] [E.op {}] [resume {}]]", inner, inner, _names, inner),
        form("[try {} [fn [{}] {}]]", inner, _names, inner),
        form("[try [do {} [Fail.fail {}]] [fn [{}] {}]]", inner, inner, _names, inner),
        form('"{{{}}} {{[str {}]}}"', _names, _names),
        form("[twice {}]", inner),
    )


_expressions = st.recursive(_atoms, _compound, max_leaves=8)

programs = st.lists(_expressions, min_size=1, max_size=5).map(
    lambda forms: "\n".join([_PRELUDE, *(f"[println {form}]" for form in forms), "[println a b c]"])
)
"""Programs over a handful of names."""

_HEADS = ("let", "fn", "match", "type", "handle", "use", "impl", "effect", "macro", "pub", "sig", "pipe")

texts = st.one_of(
    st.lists(st.sampled_from([*'[](){}#"\\;:?~`@.,ab \n12-!A😀', *(f"[{head} " for head in _HEADS)])).map(
        "".join
    ),
    st.tuples(programs, st.integers(0, 300), st.integers(0, 9)).map(
        lambda given: given[0][: given[1]] + given[0][given[1] + given[2] :]
    ),
)
"""Texts of all sorts: random brackets and quotes, and programs with a piece cut out."""
