"""Looking at Loon text before it is a part: checking, evaluating, measuring, exporting."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from notebook_ext.agents.arguments import Answer, Arguments, Changing
from notebook_ext.agents.calling import Call
from notebook_ext.agents.registry import Preview, Tool
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import own_folder

__all__ = ["tools"]


class _Looked(Arguments):
    source: str = Field(description="node, path or Loon code")


class _Checked(Arguments):
    source: str = Field(description="path or Loon code")


class _Code(Arguments):
    code: str


class _Export(Changing):
    source: str = Field(description="node, path or Loon code")
    format: Literal["dae", "obj", "stl", "3mf", "glb", "step"]
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
            "core",
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
    part = call.session.part(_named_or_text(arguments.source, call))
    figures = part.figures
    return _Figures(
        volume=figures.volume,
        surface_area=figures.surface_area,
        bbox=None if figures.bounds is None else [list(one) for one in figures.bounds],
        is_empty=figures.is_empty,
        part_count=len(part),
        exact=figures.exact,
        tolerance=figures.tolerance,
    )


def _eval(arguments: _Code, call: Call) -> _Display:
    result = call.session.eval_repl(arguments.code)
    shown = result.display
    if shown is None:
        shown = f"geometry: {', '.join(one.name for one in result.parts)}" if result.parts else "()"
    return _Display(display=shown, printed=result.stdout)


def _check(arguments: _Checked, call: Call) -> _Findings:
    text, name = _text(arguments.source, call)
    found = call.session.check(text, cell_id=f"file:{name}", name=name)
    return _Findings(diagnostics=[_Finding.model_validate(dict(one.to_json())) for one in found])


def _export(arguments: _Export, call: Call) -> _Exported:
    source = _named_or_text(arguments.source, call)
    _check_revision(arguments, source, call)
    path = call.files.path(_target(arguments, call), operation="vcad_export")
    if path.suffix.lower() != f".{arguments.format}":
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{arguments.output_path} does not end in .{arguments.format}",
            details={
                "path": "output_path",
                "expected": f"a name that ends in .{arguments.format}",
                "operation": "vcad_export",
            },
        )
    if arguments.output_path is None:
        own_folder(call.workspace)
    call.files.make_folder(path.parent, operation="vcad_export")
    written = call.session.export(source, path)
    return _Exported(path=call.relative(written), bytes=written.stat().st_size, format=arguments.format)


def _writes(arguments: _Export, call: Call) -> Preview:
    path = call.files.path(_target(arguments, call), operation="vcad_export")
    return Preview(objects=(call.relative(path),), paths=(str(path),))


def _target(arguments: _Export, call: Call) -> str:
    if arguments.output_path is not None:
        return arguments.output_path
    name = name_of(node_id_of(arguments.source))
    stem = node_id_of(name).replace(":", "_") if name in call.session.nodes() else "part"
    return str(call.workspace / ".vcad" / "exports" / f"{stem}.{arguments.format}")


def _check_revision(arguments: _Export, source: str, call: Call) -> None:
    """Raises: ServiceFailure REVISION_CONFLICT."""
    if arguments.expected_revision is None or source not in call.session.nodes():
        return
    current = call.session.revision(source)
    if current != arguments.expected_revision:
        raise ServiceFailure(
            ErrorCode.REVISION_CONFLICT,
            f"{source} is at revision {current} by now, not {arguments.expected_revision}",
            fix="measure it again",
            details={
                "node_id": source,
                "expected": arguments.expected_revision,
                "current": current,
                "operation": "vcad_export",
            },
        )


def _named_or_text(source: str, call: Call) -> str:
    """The name of a part, or Loon text: that of a file, where it is a path.

    Raises: PathRefused; FileMissing; NOT_A_FILE; NOT_TEXT.
    """
    name = name_of(node_id_of(source))
    return name if name in call.session.nodes() else _text(source, call)[0]


def _text(source: str, call: Call) -> tuple[str, str]:
    """Loon text and what findings call it."""
    if not _is_path(source):
        return source, "<text>"
    from notebook_ext.workspace.files import read_text

    file = read_text(call.files, source, operation="source")
    return file.text, file.shown


def _is_path(source: str) -> bool:
    """Whether it names a Loon file, rather than being Loon."""
    return source.endswith((".oo", ".loon")) and "\n" not in source and not source.startswith("[")
