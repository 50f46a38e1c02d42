"""What an approval is bound to: this tool, these arguments, this state of the model.

    >>> approval_hash("run_shell", {"b": 1, "a": 2}, 7) == approval_hash("run_shell", {"a": 2, "b": 1}, 7)
    True
    >>> approval_hash("run_shell", {"a": 2}, 7) == approval_hash("run_shell", {"a": 2}, 8)
    False

The order of keys means nothing, everything else does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook_ext.approval.calls import Preview

__all__ = ["approval_hash", "arguments_hash", "changed_names", "shown_hash"]


def approval_hash(tool: str, arguments: Mapping[str, Any], model_revision: int | str) -> str:
    """Of what a person says yes to; hexadecimal SHA-256."""
    return _hash([tool, arguments, model_revision])


def arguments_hash(arguments: Mapping[str, Any]) -> str:
    """Of arguments alone, for the log, which does not repeat what may be secret."""
    return _hash(arguments)


def shown_hash(preview: Preview | None) -> str:
    """Of what a person was shown of a call's effects: a yes to one list of walls is none to another."""
    if preview is None:
        return ""
    return _hash([preview.summary, preview.diff, preview.code, preview.objects, preview.paths])


def changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the arguments that differ, also those that only one side has, in alphabetical order."""
    missing = object()
    names = sorted(before.keys() | after.keys())
    return tuple(name for name in names if before.get(name, missing) != after.get(name, missing))


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
