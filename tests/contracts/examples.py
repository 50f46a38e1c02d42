"""The golden examples, and a second opinion on them: another checker than the one that is used."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import referencing
import referencing.jsonschema

import vcad_kernel.contracts
from vcad_kernel.contracts.messages import Hello
from vcad_kernel.contracts.validation import VERSION, schema, schema_names

__all__ = ["EXAMPLES", "FULL_HELLO", "RELEASED", "example", "examples", "second_opinion"]

EXAMPLES = Path(vcad_kernel.contracts.__file__).parent / VERSION / "examples"
RELEASED = Path(__file__).parent / "released"
"""Examples as they stood when a version of the protocol was released, a folder each."""


FULL_HELLO = Hello(
    name="client",
    version="1",
    workspace="/w",
    agent="x",
    pid=7,
    token="t",
    requested_capabilities=("eval",),
)
"""A hello that says all that one may say."""


def examples(folder: Path = EXAMPLES) -> Iterator[str]:
    """The names of all examples, ``schema/name``."""
    for file in sorted(folder.glob("*/*.json")):
        yield f"{file.parent.name}/{file.stem}"


def example(name: str, folder: Path = EXAMPLES) -> Any:
    """One example."""
    return json.loads((folder / f"{name}.json").read_text("utf-8"))


@functools.cache
def second_opinion(name: str) -> jsonschema.Draft202012Validator:
    """A checker of the full draft 2020-12 for the schema of this name; ``#`` names one of its definitions."""
    file, _, part = name.partition("#")
    address = schema(file)["$id"]
    reference = {"$ref": f"{address}#/$defs/{part}" if part else address}
    return jsonschema.Draft202012Validator(reference, registry=_registry())


@functools.cache
def _registry() -> Any:
    return referencing.Registry().with_resources(
        (schema(name)["$id"], referencing.jsonschema.DRAFT202012.create_resource(dict(schema(name))))
        for name in schema_names()
    )
