"""``vcad run`` and ``vcad repl``: evaluate Loon."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcad_kernel.cli.sources import FileArgument, ProjectOption, project_folder, source_of
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import EvaluationResult

__all__ = ["repl", "run"]


def run(
    file: FileArgument,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Also write a file: .step .stl .obj .dae .glb .3mf"
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", "-t", min=1e-6, metavar="MM", help="Chord error of curved faces, mm."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="Set what the program has by defparam."),
    ] = None,
    project: ProjectOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Evaluate a Loon file and print its figures, or its value when it is no geometry.

    Exit status 1 when the program or a file fails; errors and findings go to standard error.
    """
    from vcad_kernel.service.direct import DirectService
    from vcad_kernel.service.export import export
    from vcad_kernel.service.parameter_text import settings_of

    try:
        parameters = settings_of(parameter or [])
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--param") from None
    try:
        source = source_of(file)
        result = DirectService().eval_code(
            source.text,
            file=source.name,
            base_dir=project_folder(file, project),
            tolerance=tolerance,
            parameters=parameters,
            allow_scene=True,
            output=sys.stderr.write if as_json else sys.stdout.write,
        )
        for path in output or []:
            export(path, result, tolerance=tolerance)
    except VcadError as error:
        if as_json:
            typer.echo(json.dumps(envelope(error, "vcad run")))
        else:
            typer.echo(error.render(), err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(json.dumps(_as_json(_title(file), result)))
    else:
        _show(_title(file), result)


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
        "parameters": [asdict(parameter) for parameter in result.parameters],
        "document_hash": result.document_hash,
    }


def _title(file: Path) -> str:
    """What the part of a file is called: ``bracket`` for bracket.oo and bracket.cmp.oo."""
    return "part" if str(file) == "-" else file.name.split(".")[0]


def repl(project: ProjectOption = None) -> None:
    """Model line by line: open brackets continue on the next line, Tab completes, history is kept."""
    from vcad_kernel.cli.interactive import converse

    converse(project if project is not None else Path.cwd())
