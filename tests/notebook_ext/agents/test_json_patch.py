"""RFC 6902, by its own examples where it gives any."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from notebook_ext.agents.json_patch import LARGEST, at, patched
from vcad_kernel.errors import ServiceFailure

DOCUMENT: Any = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, "deep": {"x": {"y": [1, 2]}}}


@pytest.mark.parametrize(
    ("value", "patch", "expected"),
    [
        ({"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"foo": "bar", "baz": "qux"}),
        ({"foo": ["a"]}, [{"op": "add", "path": "/foo/0", "value": "b"}], {"foo": ["b", "a"]}),
        ({"foo": ["a"]}, [{"op": "add", "path": "/foo/-", "value": ["b"]}], {"foo": ["a", ["b"]]}),
        ({"foo": ["a"]}, [{"op": "add", "path": "/foo/1", "value": "b"}], {"foo": ["a", "b"]}),
        ({"a": 1, "b": 2}, [{"op": "remove", "path": "/b"}], {"a": 1}),
        ({"a": [1, 2, 3]}, [{"op": "remove", "path": "/a/1"}], {"a": [1, 3]}),
        ({"a": 1}, [{"op": "replace", "path": "/a", "value": 2}], {"a": 2}),
        ({"a": 1}, [{"op": "replace", "path": "", "value": [1]}], [1]),
        (
            {"a": {"x": 1}, "b": {}},
            [{"op": "move", "from": "/a/x", "path": "/b/y"}],
            {"a": {}, "b": {"y": 1}},
        ),
        ({"a": [1, 2, 3]}, [{"op": "move", "from": "/a/0", "path": "/a/2"}], {"a": [2, 3, 1]}),
        ({"a": [1]}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": [1], "b": [1]}),
        ({"a": 1}, [{"op": "test", "path": "/a", "value": 1.0}], {"a": 1}),
        ({"a/b": 1, "m~n": 2}, [{"op": "remove", "path": "/a~1b"}, {"op": "remove", "path": "/m~0n"}], {}),
        ({"a": None}, [{"op": "test", "path": "/a", "value": None}], {"a": None}),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/a"}], {"a": 1}),
    ],
)
def test_a_patch_is_applied(value: Any, patch: list[dict[str, Any]], expected: Any) -> None:
    before = copy.deepcopy(value)
    assert patched(value, patch) == expected
    assert value == before


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({"op": "remove", "path": "/nothing"}, "no 'nothing'"),
        ({"op": "replace", "path": "/nothing", "value": 1}, "no 'nothing'"),
        ({"op": "add", "path": "/foo/3", "value": 1}, "no element '3'"),
        ({"op": "add", "path": "/foo/01", "value": 1}, "no element '01'"),
        ({"op": "add", "path": "/foo/-1", "value": 1}, "no element '-1'"),
        ({"op": "remove", "path": "/foo/-"}, "no element '-'"),
        ({"op": "add", "path": "/m~0n/x", "value": 1}, "nothing can have"),
        ({"op": "remove", "path": "/m~0n/x"}, "nothing has a 'x' there"),
        ({"op": "add", "path": "/m~0n/x/y", "value": 1}, "nothing has a 'x' there"),
        ({"op": "add", "path": "foo", "value": 1}, "no JSON pointer"),
        ({"op": "add", "path": "/x"}, "no 'value'"),
        ({"op": "move", "from": "/deep", "path": "/deep/x/z"}, "into itself"),
        ({"op": "test", "path": "/foo", "value": ["bar"]}, "not what"),
        ({"op": "test", "path": "/a~1b", "value": True}, "not what"),
        ({"op": "spam", "path": "/foo"}, "no operation 'spam'"),
        ({"op": "remove", "path": ""}, "cannot be removed"),
        ({"op": "remove", "path": "/a~b"}, "stands for nothing"),
        ({"op": "add", "path": "/a~", "value": 1}, "stands for nothing"),
        ({"op": "copy", "path": "/x"}, "no 'from'"),
        ({"op": "copy", "from": "/nothing", "path": "/x"}, "no 'nothing'"),
        ({"op": "move", "from": "/foo/-", "path": "/x"}, "no element '-'"),
        ({"op": "test", "path": "/nothing", "value": None}, "no 'nothing'"),
        ({"op": "test", "path": "/foo"}, "no 'value'"),
        ({"op": "add", "path": "/nothing/x", "value": 1}, "no 'nothing'"),
        ({"op": "add", "path": 5, "value": 1}, "no JSON pointer"),
        ({"path": "/foo"}, "no operation None"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused_whole(operation: dict[str, Any], said: str) -> None:
    before = copy.deepcopy(DOCUMENT)
    first = {"op": "replace", "path": "/foo/0", "value": "changed"}
    with pytest.raises(ServiceFailure, match=said) as refused:
        patched(DOCUMENT, [first, operation], operation="project_patch")
    assert refused.value.details["path"] == "patch/1"
    assert before == DOCUMENT


def test_a_patch_has_as_many_operations_as_are_allowed_and_no_more() -> None:
    one = {"op": "add", "path": "/-", "value": 0}
    assert patched([], [one] * 1000) == [0] * 1000
    with pytest.raises(ServiceFailure, match="it has 1001 operations, and at most 1000") as refused:
        patched([], [one] * 1001)
    assert refused.value.error_code == "PAYLOAD_TOO_LARGE"


def test_copies_of_copies_are_refused_before_they_are_made() -> None:
    """Each takes all that there is, so 40 of them would be a million million bytes."""
    doubling = [{"op": "copy", "from": "", "path": f"/{index}"} for index in range(40)]
    with pytest.raises(ServiceFailure, match="nothing was changed") as refused:
        patched({"text": 100 * "x"}, doubling)
    details = refused.value.details
    assert refused.value.error_code == "PAYLOAD_TOO_LARGE"
    assert details["limit"] == LARGEST < details["size"] < 4 * LARGEST
    assert details["path"] == "patch/15"  # 2 ** 15 times 111 bytes, and what was put in before
    there_and_back = [{"op": "copy", "from": "/a", "path": "/b"}, {"op": "remove", "path": "/b"}]
    with pytest.raises(ServiceFailure, match="patch/6"):
        patched({"a": (LARGEST // 4) * "x"}, 20 * there_and_back)


def test_what_is_too_large_may_be_made_smaller_and_not_larger() -> None:
    large = {"a": LARGEST * "x", "b": 100 * "y"}
    assert patched(large, [{"op": "replace", "path": "/b", "value": 1}])["b"] == 1
    assert patched(large, [{"op": "remove", "path": "/a"}]) == {"b": large["b"]}
    with pytest.raises(ServiceFailure, match=f"at most {LARGEST} are"):
        patched(large, [{"op": "add", "path": "/c", "value": 1}])


def test_what_is_copied_is_another_value() -> None:
    found = patched({"a": {"x": 1}}, [{"op": "copy", "from": "/a", "path": "/b"}])
    found["b"]["x"] = 2
    assert found["a"] == {"x": 1}
    given: dict[str, Any] = {"y": []}
    found = patched(
        {}, [{"op": "add", "path": "/a", "value": given}, {"op": "add", "path": "/a/y/-", "value": 1}]
    )
    assert given == {"y": []}


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [("", DOCUMENT), ("/foo/1", "baz"), ("/", 0), ("/a~1b", 1), ("/m~0n", 8), ("/deep/x/y/0", 1)],
)
def test_a_pointer_finds(pointer: str, expected: Any) -> None:
    assert at(DOCUMENT, pointer) == expected
