"""The Structs of what goes over wires and into files say what the schemas of `contracts/v1` say.

Each schema is made of what the code knows (`tools/contracts.py`), or is held here to the Struct or dataclass
that is written and read; `UNTYPED` has those that have none, and why.
"""

from __future__ import annotations

import json
from typing import Any, Final, Union

import pytest
from msgspec import Struct, convert, to_builtins
from msgspec.structs import fields

from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.design_model import (
    Bounds,
    Component,
    DesignModel,
    Execution,
    Instance,
    Removed,
    Source,
)
from notebook_ext.session.project.design_rules import Choice, DesignRules, Names, Sizes, rules_of
from notebook_ext.sketchup.bridge import answers
from notebook_ext.sketchup.trace import Operation
from notebook_ext.viewer.relay.messages import Said, heard
from tests.contracts.examples import example, examples
from tools.contracts import GENERATED
from vcad_kernel.contracts.messages import (
    CacheCount,
    CellNames,
    Hello,
    HelloAnswer,
    TakenBack,
    Timings,
    ToolCall,
)
from vcad_kernel.contracts.validation import BASE, schema, schema_names, validate
from vcad_kernel.errors import Place
from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.reference import Entry
from vcad_kernel.operations.scene import Material
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.requests import EvalCell, EvalCode
from vcad_kernel.service.wire import (
    diagnostics_json,
    document_json,
    figures_json,
    history_json,
    part_json,
    result_json,
)

FILES: Final[dict[str, type[Struct]]] = {
    "design_model": DesignModel,
    "design_model#source": Source,
    "design_model#component": Component,
    "design_model#execution": Execution,
    "design_model#instance": Instance,
    "design_model#removed": Removed,
    "design_model#operation": Operation,
    "common#bbox": Bounds,
    "design_rules": DesignRules,
    "design_rules#choice": Choice,
    "design_rules/size": Sizes,
    "design_rules/names": Names,
}
"""What the workbench writes and reads whole; by ``/``, a property's own schema."""

ANSWERS: Final[dict[str, type[Struct]]] = {
    "place_vcad_node": answers.DefinitionChange,
    "update_vcad_node": answers.DefinitionChange,
    "upsert_vcad_definition": answers.DefinitionChange,
    "remove_vcad_node": answers.RemovedNode,
    "place_vcad_instance": answers.InstanceChange,
    "set_vcad_instance": answers.InstanceChange,
    "remove_vcad_instance": answers.InstanceChange,
    "placement": answers.Placement,
    "get_vcad_node": answers.NodeRow,
    "vcad.observer_poll": answers.ObserverPoll,
    "undo": answers.StepsTaken,
    "redo": answers.StepsTaken,
    "ping": answers.Status,
}
SERVICE: Final[dict[str, Any]] = {
    "common#place": Place,
    "common#figures": figures_json.Form,
    "common#figures/notes": figures_json.NoteForm,
    "common#material": Material,
    "common#parameter": Parameter,
    "common#warning": Warning,
    "common#diagnostic": diagnostics_json.Finding,
    "common#diagnostic/labels": diagnostics_json.Stretch,
    "common#history_entry/0": history_json.Cell,
    "common#history_entry/1": TakenBack,
    "common#part": part_json.Form,
    "common#profile_row": NodeProfile,
    "common#definition": Definition,
    "common#definition/entry": Entry,
    "common#document": document_json.Form,
    "common#timings_ms": Timings,
    "common#evaluation_result": result_json.Form,
    "common#evaluation_result/cache": CacheCount,
    "common#evaluation_result/names": CellNames,
    "hello#params": Hello,
    "hello#result": HelloAnswer,
    "tools_call": ToolCall,
    "vcad.eval_code#arguments": EvalCode,
    "vcad.eval_cell#arguments": EvalCell,
}
"""What the service and its clients say to each other; by ``/``, a property, its items, or an alternative."""
_DELIVERY: Final = {"artifact", "defer_figures", "document", "drawn", "mesh_dtype"}
"""In which form a result is wanted."""
BESIDE: Final[dict[str, set[str]]] = {
    "common#evaluation_result": {
        *("request_id", "node_id", "revision"),  # of the request: the front adds them
        *("definitions_tag", "definitions_since", "definitions_gone"),  # in details of errors, too
    },
    "common#definition": {"name"},  # it is the key
    "common#timings_ms": {"read"},  # of services that call it so
    "vcad.eval_code#arguments": _DELIVERY,
    "vcad.eval_cell#arguments": _DELIVERY | {"allow_scene", "definitions_since"},  # a scene is always welcome
}
"""What the schemas have and no Struct."""
UNTYPED: Final = {
    "mesh_block": "a client reads it out of an answer of any kind (`contracts/mesh_block.py`)",
    "notifications": "a struct would be made and taken apart for each piece of text that is printed",
    "artifact_manifest": "fields of a result that the front passes on unread",
    "bridge.error": "tests/contracts/bridge holds both sides to it",
    "bridge.hello": "an older extension answers with anything",
}
"""Schemas without a Struct, and why; besides those of tools that take next to nothing (`_FEW`)."""

UNREAD: Final = {
    "success": "a result without it is an error, and was one before it came here",
    "node_id of remove_vcad_node": "the caller knows it",
    "queue_size of vcad.observer_poll": "nobody asks",
    "instances_used of get_vcad_node": "nobody asks",
    "status of ping": "there is one only",
}
"""What the schemas have and no Struct, and why."""


def _resolved(part: dict[str, Any], root: str) -> tuple[dict[str, Any], str]:
    while "$ref" in part:
        address, _, pointer = part["$ref"].partition("#")
        root = address.removeprefix(BASE).removesuffix(".schema.json") or root
        part = dict(schema(root))
        for step in filter(None, pointer.split("/")):
            part = part[step]
    return part, root


def _said(part: dict[str, Any], root: str) -> tuple[set[str], set[str]]:
    """The properties that a schema names, and those that it demands; of all of its ``allOf``."""
    part, root = _resolved(part, root)
    properties, required = set(part.get("properties", ())), set(part.get("required", ()))
    for inner in part.get("allOf", ()):
        if "if" not in inner:
            more, demanded = _said(inner, root)
            properties |= more
            required |= demanded
    return properties, required


def _schema(name: str) -> tuple[dict[str, Any], str]:
    name, _, place = name.partition("/")
    file, _, definition = name.partition("#")
    part = dict(schema(file))
    if definition:
        part = part["$defs"][definition]
    if place.isdigit():
        part = part["oneOf"][int(place)]
    elif place:
        part = part["properties"][place]
    return part.get("items", part), file


@pytest.mark.parametrize("name", FILES)
def test_a_struct_of_a_file_has_the_fields_of_its_schema_and_demands_no_others(name: str) -> None:
    kind = FILES[name]
    properties, required = _said(*_schema(name))
    known = {field.encode_name for field in fields(kind)} - {"extra"}
    assert known == properties - {"schema"}
    demanded = {field.encode_name for field in fields(kind) if field.required}
    assert demanded <= required
    if name.startswith("design_model"):
        # with nothing given but what must be, a value says all that its schema demands
        least = json_object(convert(dict.fromkeys(demanded), _unchecked(kind)))
        assert required <= least.keys()


@pytest.mark.parametrize("name", SERVICE)
def test_a_struct_of_the_service_has_the_fields_of_its_schema(name: str) -> None:
    kind = SERVICE[name]
    known = (
        {field.encode_name for field in fields(kind)}
        if issubclass(kind, Struct)
        else set(kind.__dataclass_fields__)
    )
    assert known == _said(*_schema(name))[0] - BESIDE.get(name, set())


def test_every_schema_is_generated_or_held_to_what_is_written_and_read() -> None:
    held = {name.partition("/")[0].partition("#")[0] for name in (*FILES, *SERVICE)} | {"bridge.results"}
    small = {
        name
        for name in schema_names()
        if name.startswith("vcad.") and len(_said(*_schema(f"{name}#arguments"))[0] - _OPTIONS) <= _FEW
    }
    assert set(schema_names()) == {*GENERATED, *held, *small, *UNTYPED}


_FEW: Final = 4
"""Arguments, beside the options of evaluation, that are read where they are used."""
_OPTIONS: Final = frozenset(schema("common")["$defs"]["evaluation_options"]["properties"])


def _unchecked(kind: type[Struct]) -> type[Struct]:
    """The Struct with anything for its required fields."""
    free = {field.name: Any for field in fields(kind) if field.required}
    return type(kind.__name__, (kind,), {"__annotations__": free}, frozen=True)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_struct_of_an_answer_has_the_fields_of_its_schema_and_demands_no_others(name: str) -> None:
    properties, required = _said(dict(schema("bridge.results"))["$defs"][name], "bridge.results")
    kind = ANSWERS[name]
    known = {field.encode_name for field in fields(kind)}
    unread = {key for key in properties if key in UNREAD or f"{key} of {name}" in UNREAD}
    assert properties - unread <= known
    assert {field.encode_name for field in fields(kind) if field.required} <= required
    of_any = {key for other, answer in ANSWERS.items() if answer is kind for key in _answered(other)}
    assert known <= of_any, "a field that no answer has"


def _answered(name: str) -> set[str]:
    return _said(dict(schema("bridge.results"))["$defs"][name], "bridge.results")[0]


@pytest.mark.parametrize("name", [name for name in examples() if name.startswith("design_model/")])
def test_each_example_of_the_truth_is_read_and_written_back(name: str) -> None:
    shown = example(name)
    model = DesignModel.from_json(shown)
    written = model.to_json()
    validate("design_model", written, operation="test")
    assert DesignModel.from_json(written) == model
    _is_part(shown, written)


@pytest.mark.parametrize("name", [name for name in examples() if name.startswith("bridge.results/")])
def test_each_example_of_an_answer_is_read_whole(name: str) -> None:
    shown = example(name)
    tool, result = shown["tool"], shown["result"]
    if tool == "list_vcad_nodes":
        for row, value in zip(result, answers.rows(result, tool), strict=True):
            _is_read(row, value)
    elif tool in ANSWERS:
        kind = ANSWERS[tool]
        _is_read(result, answers.read(kind, result, tool))


def test_the_example_of_rules_is_read_whole() -> None:
    for name in examples():
        if name.startswith("design_rules/"):
            rules = rules_of(json.dumps(example(name)), operation="test")
            _is_part({**example(name), "schema": ...}, {**json_object(rules), "schema": ...})


@pytest.mark.parametrize("name", [name for name in examples() if name.startswith("viewer_relay/")])
def test_each_example_of_a_viewers_message_is_read_whole(name: str) -> None:
    shown = example(name)
    if name.startswith("viewer_relay/viewer-"):
        _is_part(shown, to_builtins(heard(shown)))
    else:
        validate("viewer_relay#session", shown, operation="test")
        said = to_builtins(convert(shown, Union[tuple(Said.__subclasses__())]))  # noqa: UP007 - of a list
        _is_part({**shown, "view_id": ..., "buffers": ...}, {**said, "view_id": ..., "buffers": ...})


def _is_read(row: dict[str, Any], value: Struct) -> None:
    written = json_object(value)
    for field in fields(type(value)):
        if field.encode_name in row:
            _is_part(row[field.encode_name], written[field.encode_name])


def _is_part(shown: Any, written: Any) -> None:
    """Everything shown stands in what was written; more may stand there, as null or nothing."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            if key in written or value not in (None, False):  # what is the default may be left out
                _is_part(value, written[key])
    elif isinstance(shown, list):
        assert len(shown) == len(written)
        for item, kept in zip(shown, written, strict=True):
            _is_part(item, kept)
    else:
        assert shown == written
