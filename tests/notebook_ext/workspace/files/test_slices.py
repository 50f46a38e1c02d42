"""Lines by number: any slice put in is read back, and all others stay to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.workspace.files.slices import lines_of, slice_of, style_of, with_slice
from vcad_kernel.errors import ServiceFailure

_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=6)
_ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def _texts(draw: st.DrawFn) -> str:
    # any text at all: a lone \r before \n is one ending, as any editor has it
    lines = draw(st.lists(st.tuples(_WORDS, _ENDINGS), max_size=8))
    return "".join(text + ending for text, ending in lines) + draw(_WORDS)


def _set(text: str, start: int, end: int, new: str) -> str:
    return with_slice(text, start, end, new, operation="set_file_slice")


@given(st.data(), _texts(), _texts())
def test_a_slice_that_was_put_in_is_read_back(data: st.DataObject, text: str, new: str) -> None:
    lines = lines_of(text)
    start = data.draw(st.integers(1, len(lines) + 1))
    end = data.draw(st.integers(start - 1, len(lines)))
    changed = _set(text, start, end, new)
    put = [one.text for one in lines_of(new)]
    assert [one.text for one in lines_of(changed)] == (
        [one.text for one in lines[: start - 1]] + put + [one.text for one in lines[end:]]
    )
    if put:
        got = slice_of(changed, start, start - 1 + len(put), operation="get_file_slice")
        assert [one.text for one in lines_of(got)] == put
    # what stands around it, with its endings
    before = "".join(one.text + one.ending for one in lines[: start - 1])
    after = "".join(one.text + one.ending for one in lines[end:])
    # but where a lone \r and the \n behind it would become one
    assert changed.startswith(before if put or not after.startswith("\n") else before.removesuffix("\r"))
    assert changed.endswith(after)
    if lines:
        assert {one.ending for one in lines_of(changed)[start - 1 : start - 1 + len(put)]} <= {
            style_of(text),
            "\r\n" if "\r" in text else "",
            "",
        }


@given(st.data(), _texts())
def test_putting_a_slice_back_changes_nothing(data: st.DataObject, text: str) -> None:
    lines = lines_of(text)
    ending = style_of(text)
    uniform = "".join(one.text + (one.ending and ending) for one in lines)
    start = data.draw(st.integers(1, max(1, len(lines))))
    end = data.draw(st.integers(start - 1, len(lines)))
    found = slice_of(uniform, start, end, operation="get_file_slice")
    assert _set(uniform, start, min(end, len(lines)), found) == uniform


@given(_texts())
def test_lines_are_the_whole_text(text: str) -> None:
    assert "".join(one.text + one.ending for one in lines_of(text)) == text


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "expected"),
    [
        ("", 1, 0, "a\n", "a\n"),
        ("a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"),
        ("a\nb\nc\n", 2, 2, "B\n", "a\nB\nc\n"),
        ("a\r\nb\r\n", 2, 2, "x\ny", "a\r\nx\r\ny\r\n"),
        ("a\nb", 2, 2, "B", "a\nB"),
        ("a\nb", 2, 2, "B\n", "a\nB\n"),
        ("a\nb", 3, 2, "c", "a\nb\nc"),
        ("a\nb\n", 3, 2, "c", "a\nb\nc\n"),
        ("a\nb\n", 1, 0, "x", "x\na\nb\n"),
        ("a\nb\nc\n", 1, 3, "", ""),
        ("a\nb\n", 1, 1, "\n", "\nb\n"),
        ("a\nb\n", 2, 1, "\n", "a\n\nb\n"),
        ("a\rb\nc\n", 2, 1, "\n", "a\r\r\nb\nc\n"),
        ("a\u2028b\x0bc\n", 1, 1, "d", "d\n"),
    ],
)
def test_examples(text: str, start: int, end: int, new: str, expected: str) -> None:
    assert _set(text, start, end, new) == expected


@pytest.mark.parametrize(
    ("start", "end", "argument"), [(4, 3, "start_line"), (1, 3, "end_line"), (2, 0, "end_line")]
)
def test_lines_that_are_not_there_are_refused(start: int, end: int, argument: str) -> None:
    with pytest.raises(ServiceFailure) as caught:
        _set("a\nb\n", start, end, "x")
    assert caught.value.error_code == "INVALID_PARAMS"
    assert caught.value.details["path"] == argument
