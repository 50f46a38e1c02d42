"""What is said of a message that does not fit."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.examples import second_opinion
from tests.tiers import examples
from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.contracts.validation import prepare, validate
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError


@pytest.mark.parametrize(
    ("schema", "value", "path", "expected"),
    [
        ("vcad.eval_code#arguments", {}, "arguments.code", "present"),
        ("vcad.eval_code#arguments", {"code": 3}, "arguments.code", "a text"),
        ("vcad.eval_code#arguments", [], "arguments", "an object"),
        ("vcad.eval_code#arguments", {"code": "", "tolerance": 0}, "arguments.tolerance", "more than 0"),
        ("vcad.eval_code#arguments", {"code": "", "exact": 1}, "arguments.exact", "true or false"),
        (
            "vcad.eval_code#arguments",
            {"code": "", "mesh_dtype": "f16"},
            "arguments.mesh_dtype",
            "one of f32, f64",
        ),
        ("vcad.eval_cell#arguments", {"code": "", "prelude": {}}, "arguments.prelude", "a list or null"),
        ("vcad.modules#arguments", {}, "arguments", "an object with node_id or path"),
        ("vcad.release#arguments", {"block": ""}, "arguments.block", "a text of at least 1 character"),
        ("vcad.ask#arguments", {"question": "clearance", "document_hash": "x"}, "arguments.other", "present"),
        (
            "vcad.watch_poll#result",
            {"changes": [{"path": "a", "kind": "b"}]},
            "result.changes[0].change",
            "present",
        ),
        (
            "hello#params",
            {"name": "a", "workspace": "/w", "version": "1"},
            "params.protocol_version",
            "present",
        ),
        ("tools_call", {"name": "vcad.cancel", "revision": -1}, "tools_call.revision", "0 or more"),
        ("common#vec3", [1, 2], "vec3", "a list of at least 3"),
        ("common#vec3", [1, 2, 3, 4], "vec3", "a list of at most 3"),
    ],
)
def test_a_complaint_says_where_the_fault_is_and_what_belongs_there(
    schema: str, value: object, path: str, expected: str
) -> None:
    with pytest.raises(VcadError) as refused:
        validate(schema, value, operation="vcad.call")
    assert refused.value.error_code == ErrorCode.SCHEMA_VALIDATION_FAILED
    assert refused.value.message == f"vcad.call: {path} must be {expected}"
    details = envelope(refused.value, "other")["details"]
    assert (details["path"], details["expected"], details["operation"]) == (path, expected, "vcad.call")


def test_a_superseded_call_needs_no_figures() -> None:
    validate("vcad.eval_code#result", {"status": "superseded"}, operation="test")
    with pytest.raises(VcadError, match=r"result\.obj_path"):
        validate("vcad.eval_code#result", {"status": "evaluated"}, operation="test")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    ["code", "path", "prelude", "question", "other", "block", "cell_id", "node_id", "imports"]
)


@examples(200)
@given(
    st.sampled_from(tuple(TOOLS)), st.dictionaries(_NAMES | st.text(max_size=6), _JSON, max_size=5) | _JSON
)
def test_both_checkers_are_of_one_mind_about_any_arguments(tool: str, arguments: object) -> None:
    try:
        validate(f"{tool}#arguments", arguments, operation=tool)
    except VcadError:
        fits = False
    else:
        fits = True
    assert fits == second_opinion(f"{tool}#arguments").is_valid(arguments)


def test_nothing_is_changed_by_the_check() -> None:
    arguments = {"code": "1"}
    validate("vcad.eval_code#arguments", arguments, operation="test")
    assert arguments == {"code": "1"}


def test_a_value_may_be_as_deep_as_its_reader_allows() -> None:
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    validate("vcad.eval_cell#arguments", {"code": "", "bindings": {"x": deep}}, operation="test")


def test_a_schema_can_be_made_ready_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare("hello#params", "vcad.eval_code#result")
    # what was made ready is not compiled a second time
    monkeypatch.setattr("fastjsonschema.compile", None)
    validate("vcad.eval_code#result", {"status": "superseded"}, operation="test")
    with pytest.raises(KeyError):
        prepare("vcad.nothing")


def test_the_contracts_load_no_checker_before_it_is_needed() -> None:
    ask = (
        "import sys, vcad_kernel.contracts.validation, vcad_kernel.contracts.messages\n"
        "assert not {'fastjsonschema', 'numpy', 'jsonschema'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", ask], check=True)
