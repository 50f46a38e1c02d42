"""Looking at Loon text before it is a part: checking, evaluating, measuring, exporting."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from notebook_ext.agents.arguments import Answer, Arguments, Changing
from notebook_ext.agents.call import Call, Preview, Tool
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["tools"]

_SUFFIXES: Final = {"step": (".step", ".stp")}
"""Endings of a format that has others than its name."""


class _Looked(Arguments):
    source: str = Field(description="node, path or Loon code")


class _Checked(Arguments):
    source: str = Field(description="node, path or Loon code")


class _Code(Arguments):
    code: str


class _Export(Changing):
    source: str = Field(description="node, path or Loon code")
    format: Literal["dae", "obj", "stl", "3mf", "glb", "step", "ops"]
    output_path: str | None = Field(None, description="default .vcad/exports/NAME.FORMAT")


class _Figures(Answer):
    volume: float
    surface_area: float
    bbox: list[list[float]] | None
    is_empty: bool
    part_count: int
    exact: bool
    tolerance: float | None


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
            "vcad_inspect",
            "core",
            "R",
            True,
            "Measure a part or trial code: volume mm³, area mm², bounding box mm. Changes nothing.",
            _Looked,
            _Figures,
            _inspect,
        ),
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


def _inspect(arguments: _Looked, call: Call) -> _Figures:
    source, title = _named_or_text(arguments.source, call)
    part = call.session.part(source, title=title)
    figures = part.figures
    return _Figures(
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=None if figures.bounds is None else [list(corner) for corner in figures.bounds],
        is_empty=figures.is_empty,
        part_count=len(part),
        exact=figures.exact,
        tolerance=figures.tolerance,
    )


def _eval(arguments: _Code, call: Call) -> _Display:
    result = call.session.eval_repl(arguments.code)
    shown = result.display
    if shown is None:
        shown = f"geometry: {', '.join(part.name for part in result.parts)}" if result.parts else "()"
    return _Display(display=shown, printed=result.stdout)


def _check(arguments: _Checked, call: Call) -> _Findings:
    name = name_of(node_id_of(arguments.source))
    if name in call.session.nodes():
        return _of_node(name, call)
    text, title = _text(arguments.source, call)
    findings = call.session.check(text, file=title, name=title)
    return _findings(findings)


def _of_node(name: str, call: Call) -> _Findings:
    """What is found in a part's source: its file as it is now, or its cell's text."""
    component = call.session.standing.components.get(node_id_of(name))
    file = None if component is None else component.source.file
    if file is not None:
        text, title = _text(file, call)
        return _findings(call.session.check(text, file=title, name=title))
    part = call.session[name]
    return _findings(call.session.check(part.source, cell_id=f"name:{name}", name=name))


def _findings(diagnostics: Iterable[Diagnostic]) -> _Findings:
    return _Findings(
        diagnostics=[_Finding.model_validate(dict(diagnostic.to_json())) for diagnostic in diagnostics]
    )


def _export(arguments: _Export, call: Call) -> _Exported:
    source, title = _named_or_text(arguments.source, call)
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
    written = call.session.export(source, path, title=title)
    return _Exported(path=call.relative(written), bytes=written.stat().st_size, format=arguments.format)


def _writes(arguments: _Export, call: Call) -> Preview:
    path = call.files.path(_target(arguments, call), operation=call.tool)
    return Preview(objects=(call.relative(path),), paths=(str(path),))


def _target(arguments: _Export, call: Call) -> str:
    """Where to write, as the gate takes it."""
    if arguments.output_path is not None:
        return arguments.output_path
    name = name_of(node_id_of(arguments.source))
    if name in call.session.nodes():
        stem = node_id_of(name).replace(":", "_")
    elif _is_path(arguments.source):
        stem = PurePath(arguments.source).name.split(".")[0] or "part"
    else:
        stem = "part"
    return str(call.workspace / ".vcad" / "exports" / f"{stem}.{arguments.format}")


def _named_or_text(source: str, call: Call) -> tuple[str, str]:
    """The name of a part, or Loon text: that of a file, where it is a path; and what errors call it.

    Raises: PathRefused; FileMissing; NOT_A_FILE; NOT_TEXT.
    """
    name = name_of(node_id_of(source))
    return (name, name) if name in call.session.nodes() else _text(source, call)


def _text(source: str, call: Call) -> tuple[str, str]:
    """Loon text, and what errors call it."""
    if not _is_path(source):
        return source, "<text>"
    from notebook_ext.workspace.files.files import read_text

    file = read_text(call.files, source, operation=call.tool)
    return file.text, file.shown


def _is_path(source: str) -> bool:
    """Whether it names a Loon file, rather than being Loon."""
    return source.endswith((".oo", ".loon")) and "\n" not in source and not source.startswith("[")
