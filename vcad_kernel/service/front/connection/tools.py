"""What a call of a tool (contracts/tools.py) asks of the worker, with every path in its arguments checked.

Starts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from vcad_kernel.contracts.messages import CellSource, ToolCall
from vcad_kernel.contracts.tools import TOOLS, Tool
from vcad_kernel.contracts.validation import schema
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.service.front.files.path_policy import PathPolicy
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.job import Answer, Task

__all__ = ["Asker", "Repl", "find_tool", "is_path", "listed", "task_of"]


# ---- the lines of one connection's REPL: what each builds on, though workers come and go -----
# A line runs in the environment that the lines before it have made; the front remembers them and sends them
# along, and the worker runs again what it lacks. Lines that were stopped or crashed the worker are not
# among them: they have left nothing.


class Repl:
    """Of one connection. folder: where its lines look for modules."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[CellSource] = []
        self._count = 0

    def next_line(self) -> str:
        """The id of another line."""
        self._count += 1
        return f"repl-{self._count}"

    def arguments(self, cell_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the worker needs to run a line. given: the tool's arguments."""
        prelude = [
            {"cell_id": line.cell_id, "source_hash": line.hash, "source": line.source} for line in self._lines
        ]
        return {"base_dir": str(self._folder), **given, "cell_id": cell_id, "prelude": prelude}

    def ended(self, cell_id: str, code: str, outcome: Answer | Exception) -> None:
        """A line has run: what it defined before it failed stays, and what nothing needs any more goes."""
        if isinstance(outcome, Refused):
            details: Mapping[str, Any] = outcome.envelope["details"]
            if "defined" not in details:
                return
        elif isinstance(outcome, Exception):
            return
        else:
            details = outcome
        self._lines.append(CellSource(cell_id, code))
        gone = set(details.get("obsolete") or ())
        self._lines = [line for index, line in enumerate(self._lines) if index not in gone]


# ---- What a call of a tool (contracts/tools.py) asks of the worker, with every path in its arguments checked


@dataclass(frozen=True, slots=True)
class Asker:
    """What of its connection a task needs."""

    policy: PathPolicy
    repl: Repl
    mesh_shm: bool
    staging: Path | None
    key: object
    """Stands for the connection; unlike for any other."""


_ENDINGS: Final = (".oo", ".loon")
"""Of files with models."""


def find_tool(name: str) -> Tool:
    """The tool of a name. Raises: ServiceFailure, TOOL_NOT_FOUND."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ServiceFailure(
            ErrorCode.TOOL_NOT_FOUND,
            f"there is no tool {name!r}",
            fix="tools/list names them",
            details={"operation": "tools/call", "path": "$.params.name", "expected": "a tool's name"},
        )
    return tool


def listed(tool: Tool) -> dict[str, Any]:
    """A tool as ``tools/list`` names it."""
    arguments = schema(tool.name)["$defs"]["arguments"]
    return {"name": tool.name, "description": tool.description, "inputSchema": arguments}


def is_path(code_or_path: str) -> bool:
    """Whether a text names a file: no program is one line that ends in ``.oo`` or ``.loon``."""
    return code_or_path.endswith(_ENDINGS) and "\n" not in code_or_path


def task_of(tool: Tool, call: ToolCall, asker: Asker) -> Task:
    """What the worker is to do for a call whose arguments are valid by their schema.

    Raises: VcadError, PATH_NOT_ALLOWED.
    """
    policy = asker.policy
    arguments = dict(call.arguments)
    script = _script(arguments, policy)
    _check_folders(arguments, policy)
    if "output_path" in arguments:
        arguments["output_path"] = str(policy.check_output(arguments["output_path"]))
    build: Callable[[], Mapping[str, Any]] = partial(dict, arguments)
    ended: Callable[[Answer | Exception], None] | None = None
    if tool.name == "vcad.eval_repl":
        line = asker.repl.next_line()
        build = partial(asker.repl.arguments, line, arguments)
        ended = partial(asker.repl.ended, line, arguments["code"])
    return Task(
        tool=tool.name,
        arguments=build,
        workspace=policy.root,
        script_path="" if script is None else str(script),
        request_id=call.request_id or "",
        node_id=call.node_id,
        revision=call.revision,
        supersedes=tool.supersedes,
        mesh_shm=asker.mesh_shm,
        artifact=_artifact(tool, call, script),
        staging=asker.staging,
        owner=asker.key,
        depends=() if script is None else _state_of(script),
        ended=ended,
    )


def _script(arguments: dict[str, Any], policy: PathPolicy) -> Path | None:
    """The file that is meant; its argument holds the real path from now on."""
    for name in ("path", "code_or_path"):
        text = arguments.get(name)
        if isinstance(text, str) and (name == "path" or is_path(text)):
            real = policy.check(text)
            arguments[name] = str(real)
            return real
    return None


def _check_folders(arguments: dict[str, Any], policy: PathPolicy) -> None:
    """Every other path in some arguments, checked and made real."""
    if isinstance(arguments.get("base_dir"), str):
        arguments["base_dir"] = str(policy.check(arguments["base_dir"]))
    other = arguments.get("other")
    if isinstance(other, dict) and isinstance(other.get("base_dir"), str):
        arguments["other"] = {**other, "base_dir": str(policy.check(other["base_dir"]))}
    parts = arguments.get("parts")
    if isinstance(parts, list):
        arguments["parts"] = [
            {**part, "base_dir": str(policy.check(part["base_dir"]))}
            if isinstance(part, dict) and isinstance(part.get("base_dir"), str)
            else part
            for part in parts
        ]
    imports = arguments.get("imports")
    if isinstance(imports, dict):
        arguments["imports"] = {name: _checked_import(given, policy) for name, given in imports.items()}


def _checked_import(given: Any, policy: PathPolicy) -> Any:
    if isinstance(given, dict) and isinstance(given.get("mesh_file"), str):
        return {**given, "mesh_file": str(policy.check(given["mesh_file"]))}
    return given


def _artifact(tool: Tool, call: ToolCall, script: Path | None) -> str | None:
    """The name of the mesh to be published, where one is wanted."""
    if not tool.supersedes or call.arguments.get("artifact") is not True:
        return None
    return call.node_id or (script.stem if script is not None else "part")


def _state_of(file: Path) -> tuple[object, ...]:
    """What changes when a file does."""
    try:
        state = file.stat()
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_size, state.st_ino
