"""Types as text, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.checking.types.display import shown, worded
from vcad_kernel.loon.checking.types.notation import scheme_of
from vcad_kernel.loon.checking.types.types import (
    BOOL,
    GENERIC,
    INT,
    STRING,
    Con,
    Fn,
    Record,
    Scheme,
    Type,
    Var,
    mapping_of,
    tuple_of,
    vector_of,
)

_ARITY = Known.base().arity


def _terms() -> st.SearchStrategy[Type]:
    variables = [Var(GENERIC) for _ in range(4)]
    variables[3].bounded("Ord")
    atoms = st.sampled_from([INT, BOOL, STRING, Con("()"), *variables])
    return st.recursive(atoms, _compound, max_leaves=10)


def _compound(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        inner.map(vector_of),
        st.builds(mapping_of, inner, inner),
        inner.map(lambda one: Con("Option", (one,))),
        several.filter(lambda held: len(held) > 1).map(tuple_of),
        st.builds(lambda params, result: Fn(params, result), several, inner),
        st.dictionaries(st.sampled_from(["w", "h", "d"]), inner, min_size=1).map(
            lambda held: Record(held, None)
        ),
    )


@given(_terms())
def test_a_displayed_type_reads_as_itself(term: Type) -> None:
    text = shown(Scheme(term))
    assert shown(scheme_of(text, _ARITY)) == text


@pytest.mark.parametrize(
    ("text", "display"),
    [
        ("Add a => a -> a -> a", "∀a. Add a => a → a → a"),
        ("Vec Vec a", "∀a. Vec Vec a"),
        ("Vec (Vec a) -> Vec a", "∀a. Vec Vec a → Vec a"),
        ("-> Int", "Num"),
        ("(-> a) -> a", "∀a. (a) → a"),
        ("Real -> Real -> Solid", "∀a b. Real a, Real b => a → b → Solid"),
        ("a -> & b -> String", "∀a b. a → & b → String"),
        ("{w: Int, r} -> Int", "∀a. {w: Num, a} → Num"),
        ("Vec a -> a | Ord a => a -> a -> a", "∀a b. Ord b => Vec a → a | b → b → b"),
        ("() -> (Int, String)", "() → (Num, String)"),
        ("Nowhere -> Int", "Nowhere → Num"),
    ],
)
def test_the_notation_of_the_reference(text: str, display: str) -> None:
    assert shown(scheme_of(text, _ARITY)) == display


@pytest.mark.parametrize("text", ["", "->", "a ->", "(a", "{w: }", "Vec", "a b", "a => a", "$"])
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        scheme_of(text, _ARITY)


def test_an_endless_display_is_cut_short() -> None:
    term: Type = INT
    for _ in range(2000):
        term = vector_of(term)
    assert worded(term).endswith("…")
