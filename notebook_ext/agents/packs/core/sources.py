"""Looking at Loon text before it is a part: checking, evaluating, measuring, exporting."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments, Changing
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.packs.core.solids import is_path, meant, text_of
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["source_of", "tools"]

_SUFFIXES: Final = {"step": (".step", ".stp")}
"""Endings of a format that has others than its name."""


class _Checked(Arguments):
    source: str = Field(description="node, path or Loon code")


class _Code(Arguments):
    code: str


class _Export(Changing):
    source: str = Field(description="node, path or Loon code")
    format: Literal["dae", "obj", "stl", "3mf", "glb", "step", "ops"]
    output_path: str | None = Field(None, description="default .vcad/exports/NAME.FORMAT")


class _Display(Answer):
    display: str
    printed: str


class _Exported(Answer):
    path: str
    bytes: int
    format: str


class _Finding(Answer):
    code: str
    severity: str
    what: str
    why: str
    fix: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class _Findings(Answer):
    diagnostics: list[_Finding]


def tools() -> tuple[Tool, ...]:
    """Those that look at text or at parts."""
    return (
        Tool(
            "vcad_eval",
            "files",
            "R",
            True,
            "Try a Loon expression; gives its value as text and leaves nothing behind.",
            _Code,
            _Display,
            _eval,
        ),
        Tool(
            "vcad_check",
            "core",
            "R",
            True,
            "Find mistakes in a source without building it; do so after each edit.",
            _Checked,
            _Findings,
            _check,
        ),
        Tool(
            "vcad_export",
            "core",
            "W",
            False,
            "Write a part to a file for other programs; gives its path.",
            _Export,
            _Exported,
            _export,
            _writes,
        ),
    )


def _eval(arguments: _Code, call: Call) -> _Display:
    result = call.session.eval_repl(arguments.code)
    shown = result.display
    if shown is None:
        shown = f"geometry: {', '.join(part.name for part in result.parts)}" if result.parts else "()"
    return _Display(display=shown, printed=result.stdout)


def _check(arguments: _Checked, call: Call) -> _Findings:
    text, title = source_of(arguments.source, call)
    name = name_of(node_id_of(arguments.source.removeprefix("node:")))
    if title == name:  # a cell's: what it has defined itself is not known to it
        return _findings(call.session.check(text, cell_id=f"name:{name}", name=name))
    return _findings(call.session.check(text, file=title, name=title))


def source_of(source: str, call: Call) -> tuple[str, str]:
    """The text of a node, of a file, or Loon; and what errors call it: the file, or the node's name.

    Of a node that is made from a file it is the file as it is now.
    Raises: PathRefused; FileMissing; NOT_A_FILE; NOT_TEXT.
    """
    name = name_of(node_id_of(source.removeprefix("node:")))
    component = call.session.standing.components.get(node_id_of(name))
    if component is not None and component.source.file is not None:
        return text_of(component.source.file, call)
    if name in call.session.nodes():
        return call.session[name].source, name
    if component is not None:
        return component.source.text or "", name
    return text_of(source, call)


def _findings(diagnostics: Iterable[Diagnostic]) -> _Findings:
    return _Findings(
        diagnostics=[_Finding.model_validate(dict(diagnostic.to_json())) for diagnostic in diagnostics]
    )


def _export(arguments: _Export, call: Call) -> _Exported:
    path = call.files.path(_target(arguments, call), operation=call.tool)
    if path.suffix.lower() not in _SUFFIXES.get(arguments.format, (f".{arguments.format}",)):
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{arguments.output_path} does not end in .{arguments.format}",
            fix="leave output_path out, or give it the ending of its format",
            details={
                "path": "output_path",
                "expected": f"a name that ends in .{arguments.format}",
                "operation": call.tool,
            },
        )
    if arguments.output_path is None:
        own_folder(call.workspace)
    call.files.make_folder(path.parent, operation=call.tool)
    part = meant(arguments.source, call).part
    written = call.session.on_project(lambda _linked: part.export(path))
    call.files.persons.made(written)
    return _Exported(path=call.relative(written), bytes=written.stat().st_size, format=arguments.format)


def _writes(arguments: _Export, call: Call) -> Preview:
    path = call.files.path(_target(arguments, call), operation=call.tool)
    own = path.is_relative_to(call.workspace / ".vcad")
    return Preview(
        objects=(call.relative(path),),
        summary=f"Writes a part to {call.relative(path)}.",
        takes_away=() if own else call.files.persons.overwritten(path),
        paths=(str(path),),
    )


def _target(arguments: _Export, call: Call) -> str:
    """Where to write, as the gate takes it."""
    if arguments.output_path is not None:
        return arguments.output_path
    node_id = node_id_of(arguments.source.removeprefix("node:"))
    model = call.session.standing
    if name_of(node_id) in call.session.nodes() or node_id in {*model.components, *model.instances}:
        stem = node_id.replace(":", "_")
    elif is_path(arguments.source):
        stem = PurePath(arguments.source).name.split(".")[0] or "part"
    else:
        stem = "part"
    return str(call.workspace / ".vcad" / "exports" / f"{stem}.{arguments.format}")
