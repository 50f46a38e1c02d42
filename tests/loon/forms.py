"""Arbitrary forms, and the text that reads as them."""

from __future__ import annotations

from hypothesis import strategies as st

from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    Quasi,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    Unquote,
    VectorForm,
)

__all__ = ["forms", "written"]

_names = st.from_regex(r"[a-zA-Z_+*!<>=&%][a-zA-Z0-9_\-?!.*%/+<>=]{0,6}", fullmatch=True).filter(
    lambda name: name not in ("true", "false")
)


def forms() -> st.SearchStrategy[Form]:
    """Forms of every kind that can be written."""
    atoms: st.SearchStrategy[Form] = st.one_of(
        _names.map(lambda name: Symbol(0, 0, name)),
        st.integers(-(1 << 63), (1 << 63) - 1).map(lambda value: IntLit(0, 0, value)),
        st.floats(allow_nan=False, allow_infinity=False).map(lambda value: FloatLit(0, 0, value)),
        st.booleans().map(lambda value: BoolLit(0, 0, value)),
        st.text(max_size=8).map(lambda value: StringLit(0, 0, value)),
        st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,6}", fullmatch=True).map(
            lambda name: KeywordLit(0, 0, name)
        ),
    )
    return st.recursive(atoms, _compound, max_leaves=12)


def _compound(inner: st.SearchStrategy[Form]) -> st.SearchStrategy[Form]:
    items = st.lists(inner, max_size=4).map(tuple)
    pairs = st.lists(st.tuples(inner, inner), max_size=3).map(
        lambda many: tuple(x for pair in many for x in pair)
    )
    return st.one_of(
        items.map(lambda held: ListForm(0, 0, held)),
        items.map(lambda held: VectorForm(0, 0, held)),
        items.map(lambda held: SetForm(0, 0, held)),
        items.map(lambda held: TupleForm(0, 0, held)),
        pairs.map(lambda held: MapForm(0, 0, held)),
        inner.map(lambda form: Quasi(0, 0, form)),
        inner.map(lambda form: Unquote(0, 0, form)),
    )


def written(form: Form) -> str:
    """A text that reads as the form; unlike printing, strings are escaped and tuples have no commas."""
    match form:
        case Symbol(name=name):
            return name
        case StringLit(value=text):
            for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("{", "\\{"), ("}", "\\}")):
                text = text.replace(plain, escaped)
            return f'"{text}"'
        case KeywordLit(name=name):
            return f":{name}"
        case BoolLit(value=truth):
            return "true" if truth else "false"
        case IntLit(value=value):
            return str(value)
        case FloatLit(value=value):
            return _float(value)
        case Quasi(form=inner):
            return "`" + written(inner)
        case Unquote(form=inner):
            return "~ " + written(inner)
        case ListForm(items=items):
            return "[" + " ".join(map(written, items)) + "]"
        case VectorForm(items=items):
            return "#[" + " ".join(map(written, items)) + "]"
        case SetForm(items=items):
            return "#{" + " ".join(map(written, items)) + "}"
        case MapForm(items=items):
            return "{" + " ".join(map(written, items)) + "}"
        case TupleForm(items=items):
            return "(" + " ".join(map(written, items)) + ")"
        case _:
            raise AssertionError(form)


def _float(value: float) -> str:
    text = repr(value)
    if "." not in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}.0e{exponent}"
    return text
