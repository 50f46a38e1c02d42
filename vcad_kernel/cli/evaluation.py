"""``vcad run`` and ``vcad repl``: evaluate Loon."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import structs

from vcad_kernel.cli.sources import FileArgument, ProjectOption, bytes_of, project_folder, source_of
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import CapabilityUnavailable, GeometryError, VcadError
from vcad_kernel.service.requests import EvalCode, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vcad_kernel.service.protocol import EvaluationResult, Output, PartResult

__all__ = ["repl", "run"]


def run(
    file: FileArgument,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write a file: .step .stl .obj .dae .glb .3mf .ops .html",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", "-t", min=1e-6, metavar="MM", help="Chord error of curved faces, mm."),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", "-x", help="Figures of the exact body, also where that is slow."),
    ] = False,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="Set what the program has by defparam."),
    ] = None,
    standard_records: Annotated[
        bool,
        typer.Option(
            "--standard-records",
            help="Write .ops files for foreign mesh engines: standard records only, arcs as chords.",
        ),
    ] = False,
    project: ProjectOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Evaluate a Loon file and print its figures, or its value when it is no geometry.

    A file that ends in .ops holds op records: a model that --output has written. Exit status 1 when the
    program or a file fails; errors and findings go to standard error.
    """
    from vcad_kernel.service.export import export, export_standard_records
    from vcad_kernel.service.parameter_text import settings_of

    try:
        parameters = settings_of(parameter or [])
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--param") from None
    is_model = file.suffix.lower() == _MODEL
    if is_model and parameters:
        raise typer.BadParameter("op records hold no program that could be run with it", param_hint="--param")
    if standard_records and not any(path.suffix.lower() == _MODEL for path in output or []):
        raise typer.BadParameter("no .ops file is to be written", param_hint="--standard-records")
    folder, title = project_folder(file, project), _title(file)
    try:
        if is_model:
            result = _model(file, Options(base_dir=folder, tolerance=tolerance, exact=exact))
        else:
            out = sys.stderr if as_json else sys.stdout
            options = Options(base_dir=folder, tolerance=tolerance, exact=exact, parameters=parameters)
            result = _program(file, options, out.write)
        for path in output or []:
            if standard_records and path.suffix.lower() == _MODEL:
                export_standard_records(path, result)
            elif (exporter := _brought(path.suffix)) is not None:
                exporter(path, title, result.parts, _line(title, result))
            else:
                export(path, result, tolerance=tolerance)
    except VcadError as error:
        if as_json:
            typer.echo(json.dumps(envelope(error, "vcad run")))
        else:
            typer.echo(error.render(), err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(json.dumps(_as_json(title, result)))
    else:
        _show(title, result)


_MODEL = ".ops"


def _brought(suffix: str) -> Callable[[Path, str, Sequence[PartResult], str], None] | None:
    """What writes a format that is not the kernel's own; None = nobody does.

    An entry point of the group ``vcad.exporters`` has the suffix as its name and takes the path, the name of
    the parts, them, and their line of figures.
    """
    from vcad_kernel.exchange.formats import SUFFIXES

    if suffix.lower() in SUFFIXES:
        return None
    from importlib.metadata import entry_points

    for point in entry_points(group="vcad.exporters", name=suffix[1:].lower()):
        exporter: Callable[[Path, str, Sequence[PartResult], str], None] = point.load()
        return exporter
    return None


def _line(title: str, result: EvaluationResult) -> str:
    from vcad_kernel.service.summary import result_line

    return result_line(title, result) or ""


def _program(file: Path, options: Options, output: Output) -> EvaluationResult:
    from vcad_kernel.service.direct import DirectService

    source = source_of(file)
    return DirectService().evaluate(
        EvalCode(
            source.text,
            file=source.name,
            base_dir=options.base_dir,
            tolerance=options.tolerance,
            exact=options.exact,
            parameters=options.parameters,
            allow_scene=True,
        ),
        output=output,
    )


def _model(file: Path, options: Options) -> EvaluationResult:
    from vcad_kernel.exchange.ops import decode
    from vcad_kernel.service.direct import DirectService

    try:
        model = decode(bytes_of(file))
    except (GeometryError, CapabilityUnavailable) as error:
        error.message = f"cannot read {file}: {error.message}"
        error.details = {**error.details, "path": str(file)}
        raise
    return DirectService().eval_document(model.document, model.names, options)


def _show(title: str, result: EvaluationResult) -> None:
    from vcad_kernel.service.summary import result_line, warning_line

    for finding in result.diagnostics:
        if finding.severity != "hint":
            typer.echo(finding.render(), err=True)
    for warning in result.all_warnings():
        typer.echo(warning_line(warning), err=True)
    line = result_line(title, result)
    if line is not None:
        typer.echo(line)


def _as_json(title: str, result: EvaluationResult) -> dict[str, object]:
    from vcad_kernel.service.summary import result_line, warning_line

    return {
        "summary": result_line(title, result),
        "display": result.display,
        "parts": [
            {
                "name": part.name,
                "volume_mm3": part.figures.volume,
                "area_mm2": part.figures.surface_area,
                "bounds_mm": part.figures.bounds,
                "exact": part.figures.exact,
                "triangles": len(part.mesh.indices),
            }
            for part in result.parts
        ],
        "stdout": result.stdout,
        "warnings": [warning_line(warning) for warning in result.all_warnings()],
        "diagnostics": [finding.to_json() for finding in result.diagnostics],
        "parameters": [structs.asdict(parameter) for parameter in result.parameters],
        "document_hash": result.document_hash,
    }


def _title(file: Path) -> str:
    """What the part of a file is called: ``bracket`` for bracket.oo and bracket.cmp.oo."""
    return "part" if str(file) == "-" else file.name.split(".")[0]


def repl(project: ProjectOption = None) -> None:
    """Model line by line: open brackets continue on the next line, Tab completes, history is kept."""
    from vcad_kernel.cli.repl.interactive import converse

    converse(project if project is not None else Path.cwd())
