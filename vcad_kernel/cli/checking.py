"""``vcad check``: types, effects and ownership, without running anything."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli.sources import ProjectOption, failure_row, loon_files, project_folder, source_of
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["check"]


def check(
    paths: Annotated[
        list[Path], typer.Argument(help="Files, folders, or - for standard input.", metavar="PATH…")
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Warnings and hints make the exit status 1, too.")
    ] = False,
    project: ProjectOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Look for mistakes in Loon files without evaluating them.

    Exit status 1 when something is found that fails if it is reached, with --strict for any finding, and
    when a file cannot be read.
    """
    from vcad_kernel.cad.imports import checked
    from vcad_kernel.cad.library import PRELUDE
    from vcad_kernel.loon.modules.modules import Project
    from vcad_kernel.loon.program.environment import Environment

    diagnostics: list[Diagnostic] = []
    failed: list[dict[str, str]] = []
    for path in loon_files(paths):
        try:
            source = source_of(path)
        except VcadError as error:
            failed.append(failure_row(path, error))
            typer.echo(error.message, err=True)
            continue
        files = Project(project_folder(path, project))
        environment = Environment(prelude=PRELUDE, project=files)
        findings = checked(source, partial(environment.check, folder=files.folder_of(path)))
        diagnostics += findings
        if not as_json:
            for finding in findings:
                typer.echo(finding.render() + "\n")
    if as_json:
        rows = [finding.to_json() for finding in diagnostics]
        typer.echo(json.dumps({"diagnostics": rows, "failed": failed}))
    else:
        typer.echo(_summary(diagnostics, len(failed)))
    if failed or any(strict or finding.severity == "error" for finding in diagnostics):
        raise typer.Exit(1)


def _summary(findings: list[Diagnostic], unreadable: int) -> str:
    counts = dict.fromkeys(("error", "warning", "hint"), 0)
    for finding in findings:
        counts[finding.severity] += 1
    parts = [_counted(count, kind) for kind, count in counts.items() if count]
    if unreadable:
        parts.append(f"{_counted(unreadable, 'file')} not read")
    return ", ".join(parts) or "nothing found"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
