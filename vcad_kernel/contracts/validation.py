"""Checks messages against the schemas in ``v1/``, and says what is wrong with them in one sentence.

    validate("vcad.eval_code#arguments", arguments, operation="vcad.eval_code")
    validate("artifact_manifest", manifest, operation="publish")

A schema's name is its file's, and after ``#`` one of its definitions. The files are JSON Schema of draft
2020-12, of which they use what draft 7 has, too, so that any checker can read them; unknown fields are
welcome everywhere, for newer peers. Each is compiled when it is first asked for. Imports no schema at
all until then.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Final

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ServiceFailure

__all__ = ["BASE", "VERSION", "prepare", "schema", "schema_names", "validate"]

VERSION: Final = "v1"
"""The folder of the schemas in force."""
BASE: Final = f"https://vcad-workbench.invalid/contracts/{VERSION}/"
"""Begins every schema's ``$id``; nothing is ever fetched from there."""
_SUFFIX: Final = ".schema.json"
_FOLDER: Final = files(__package__) / VERSION


def schema_names() -> tuple[str, ...]:
    """The names of all schemas."""
    entries = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in entries if name.endswith(_SUFFIX)))


@functools.cache
def schema(name: str) -> Mapping[str, Any]:
    """The schema of this name. Raises: KeyError when there is none."""
    file = _FOLDER / f"{name}{_SUFFIX}"
    if "/" in name or not file.is_file():
        raise KeyError(name)
    whole: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return whole


def validate(name: str, value: object, *, operation: str) -> None:
    """Let a value pass that fits a schema.

    operation: the call that the value belongs to.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED, whose details say where (``path``) and what should be
    there (``expected``); KeyError for a schema that does not exist.
    """
    from fastjsonschema import JsonSchemaValueException

    try:
        _checker(name)(value)
    except JsonSchemaValueException as wrong:
        path, expected = _fault(wrong)
        root = name.partition("#")[2] or name
        where = f"{root}{path}"
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{operation}: {where} must be {expected}",
            details={"path": where, "expected": expected, "operation": operation},
        ) from None


def prepare(*names: str) -> None:
    """Compile some schemas ahead, on a thread of the caller's choice: a result's takes 0.1 s.

    Raises: KeyError.
    """
    for name in names:
        _checker(name)


@functools.cache
def _checker(name: str) -> Callable[[object], object]:
    import fastjsonschema

    file, _, part = name.partition("#")
    if part and part not in schema(file).get("$defs", {}):
        raise KeyError(name)
    pointer = f"#/$defs/{part}" if part else "#"
    compiled: Callable[[object], object] = fastjsonschema.compile(
        {"$ref": f"{schema(file)['$id']}{pointer}"},
        handlers={"https": _referred},
        use_default=False,
        use_formats=False,
    )
    return compiled


def _referred(address: str) -> Mapping[str, Any]:
    """The schema that another refers to by its ``$id``."""
    return schema(address.removeprefix(BASE).removesuffix(_SUFFIX))


def _fault(wrong: Any) -> tuple[str, str]:
    """Where the fault is, from the root as ``.code`` or ``.items[2]``, and what should be there."""
    steps = list(wrong.path[1:])
    rule, wanted = wrong.rule, wrong.rule_definition
    if rule == "required":
        steps.append(next(key for key in wanted if key not in wrong.value))
        return _path(steps), "present"
    return _path(steps), _EXPECTED.get(rule, lambda _wanted: "of the form that its schema gives")(wanted)


def _path(steps: list[str]) -> str:
    return "".join(f"[{step}]" if str(step).isdigit() else f".{step}" for step in steps)


_KINDS: Final = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def _a_kind(wanted: str | list[str]) -> str:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(_KINDS[kind] for kind in kinds)


def _a_form(wanted: list[Mapping[str, Any]]) -> str:
    """What alternatives have in common when each is a kind, or demands one key."""
    kinds = [kind for alternative in wanted if isinstance(kind := alternative.get("type"), str)]
    if len(kinds) == len(wanted) and len(set(kinds)) > 1:
        return _a_kind(kinds)
    keys = [key for alternative in wanted for key in alternative.get("required", ())]
    if len(keys) == len(wanted):
        return f"an object with {' or '.join(keys)}"
    return "of one of the forms that its schema gives"


_EXPECTED: Final[Mapping[str, Callable[[Any], str]]] = {
    "type": _a_kind,
    "enum": lambda wanted: f"one of {', '.join(str(value) for value in wanted)}",
    "const": str,
    "minimum": lambda least: f"{least} or more",
    "exclusiveMinimum": lambda least: f"more than {least}",
    "maximum": lambda most: f"{most} or less",
    "minLength": lambda least: f"a text of at least {least} character{'' if least == 1 else 's'}",
    "minItems": lambda least: f"a list of at least {least}",
    "maxItems": lambda most: f"a list of at most {most}",
    "pattern": lambda pattern: f"a text like {pattern}",
    "anyOf": _a_form,
    "oneOf": _a_form,
}
