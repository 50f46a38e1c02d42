"""The variables that a script sees: a short list of the person's own, and what ``tool_env.toml`` adds.

    [path]
    prepend = ["tools/bin"]          # before PATH; relative to the workspace
    [env]
    OUT = "${HOME}/out"              # from what the script sees, never from all that the session has

Nothing of the session gets through, so no token does. Knows no files: the table comes parsed or as bytes.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["ALLOWED", "TOOL_ENV", "ScriptEnvironment", "script_environment"]

TOOL_ENV: Final = "tool_env.toml"
"""The file's name, in the workspace."""

ALLOWED: Final = ("PATH", "HOME", "LANG", "TMPDIR", "SystemRoot")
"""What a script takes over from the session's own environment."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class ScriptEnvironment:
    """The variables of one script."""

    variables: Mapping[str, str]
    unknown: tuple[str, ...]
    """Names that a value referred to and that there were none of; each became nothing."""


def script_environment(
    inherited: Mapping[str, str],
    file: bytes | None,
    given: Mapping[str, str],
    *,
    workspace: Path,
    operation: str,
) -> ScriptEnvironment:
    """The environment of a script.

    inherited: the session's own. file: the content of ``tool_env.toml``, None where there is none.
    given: what the call adds, taken as it is.
    Raises: ServiceFailure SETTING_INVALID for a file that is not as described above, INVALID_PARAMS for a
    name or value that no variable can have.
    """
    variables = {name: inherited[name] for name in ALLOWED if name in inherited}
    variables.setdefault("PATH", os.defpath)
    unknown: list[str] = []

    def expanded(text: str) -> str:
        def value(match: re.Match[str]) -> str:
            if match[1] not in variables:
                unknown.append(match[1])
            return variables.get(match[1], "")

        return _REFERENCE.sub(value, text)

    prepend, added = _tables(file, operation)
    folders = [str(workspace / expanded(folder)) for folder in prepend]
    variables["PATH"] = os.pathsep.join([*folders, variables["PATH"]])
    for name, text in added.items():
        variables[name] = expanded(text)
    for name, text in given.items():
        if not _NAME.fullmatch(name) or "\0" in text:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"{name!r} cannot be a variable with that value",
                fix="letters, digits and _ for the name, text without NUL for the value",
                details={
                    "path": f"env.{name}",
                    "expected": "a variable and its text",
                    "operation": operation,
                },
            )
        variables[name] = text
    return ScriptEnvironment(variables, tuple(dict.fromkeys(unknown)))


def _tables(file: bytes | None, operation: str) -> tuple[list[str], dict[str, str]]:
    """``path.prepend`` and ``env`` of the file. Raises: ServiceFailure SETTING_INVALID."""
    if file is None:
        return [], {}
    try:
        tables: dict[str, Any] = tomllib.loads(file.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise _invalid(f"it is not a TOML file: {wrong}", operation) from wrong
    strange = sorted(set(tables) - {"path", "env"})
    if strange:
        raise _invalid(f"there is no table {strange[0]!r} in it", operation)
    path, added = tables.get("path", {}), tables.get("env", {})
    prepend = path.get("prepend", []) if isinstance(path, dict) else None
    if not isinstance(prepend, list) or not all(_plain(folder) for folder in prepend):
        raise _invalid("path.prepend must be a list of folders", operation)
    if not isinstance(added, dict) or not all(
        _NAME.fullmatch(name) and _plain(text) for name, text in added.items()
    ):
        raise _invalid('every line of [env] must be NAME = "value"', operation)
    return prepend, added


def _plain(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _invalid(why: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SETTING_INVALID,
        f"{TOOL_ENV} cannot be used: {why}",
        fix='write [path] prepend = ["folder"] and [env] NAME = "value ${OTHER}"',
        details={"operation": operation},
    )
