"""The lossless tree: every character has its place, whatever the text is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.forms import soup
from tests.tiers import examples
from vcad_kernel.loon.reading.concrete import Node, parse


def spelled(text: str) -> str:
    return "".join([leaf.text for leaf in parse(text).leaves()])


def shape(node: Node) -> str:
    """Kinds of forms, as ``list(symbol int)``."""
    inner = " ".join(shape(child) for child in node.forms())
    return f"{node.kind}({inner})" if inner else node.kind


@given(soup())
@examples(400)
def test_the_leaves_are_the_text(text: str) -> None:
    tree = parse(text)
    assert spelled(text) == text
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        assert text[node.start : node.end] == node.spelling()
        at = node.start
        for child in node.children:
            assert child.start == at
            at = child.end
        assert at == node.end or not node.children
        waiting.extend(node.children)


@given(st.text(max_size=30))
def test_any_text_at_all_has_a_tree(text: str) -> None:
    assert spelled(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[+ 1 2.5] ; sum", "program(list(symbol int float))"),
        ("#[1] #{2} {3 4} (5)", "program(vector(int) set(int) map(int int) tuple(int))"),
        ("`[a ~b ~@ c]", "program(quasi(list(symbol unquote(symbol) splice(symbol))))"),
        ("[f] ?", "program(propagate(list(symbol)))"),
        ("~[f]??", "program(propagate(unquote(propagate(list(symbol)))))"),
        ('"a{[f x]}b"', "program(interpolated(interpolation(list(symbol symbol))))"),
        (r'"{[f \"q\"]}"', "program(interpolated(interpolation(list(symbol string))))"),
        ('"plain"', "program(string)"),
        ("true :k", "program(boolean keyword)"),
    ],
)
def test_whole_text_has_the_shape_of_its_forms(text: str, expected: str) -> None:
    assert shape(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[let x [+ 1", "program(list(symbol symbol list(symbol int)))"),
        ("[a (b] c", "program(list(symbol tuple(symbol)) symbol)"),
        ("a ] b", "program(symbol symbol)"),
        ("[a ~]", "program(list(symbol unquote))"),
        ("? a", "program(symbol)"),
        ('[f "abc', "program(list(symbol))"),
        ('"a{wi"', "program(interpolated(interpolation(symbol)))"),
        ('"a{[f wi"', "program(interpolated(interpolation(list(symbol symbol))))"),
    ],
)
def test_half_typed_text_keeps_what_can_be_told(text: str, expected: str) -> None:
    assert shape(parse(text)) == expected


def test_a_half_typed_form_does_not_swallow_the_ones_below() -> None:
    tree = parse("[fn f [x]\n  [+ x \n\n[fn g [y] y]\n[let k 1]")
    assert [form.head() for form in tree.forms()] == ["fn", "fn", "let"]
    assert [form.closed for form in tree.forms()] == [False, True, True]


def test_brackets_at_the_beginning_of_a_line_are_fine_inside_a_whole_form() -> None:
    tree = parse("[do\n[f 1]\n[g 2]]")
    assert [form.head() for form in tree.forms()] == ["do"]


def test_depth_is_no_danger() -> None:
    text = "[" * 20_000 + "~" * 20_000
    assert spelled(text) == text
