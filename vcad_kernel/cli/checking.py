"""``vcad check``: types, effects and ownership, without running anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli.sources import ProjectOption, loon_files, project_folder, source_of
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
    from vcad_kernel.cad.library import PRELUDE
    from vcad_kernel.loon.compile import Environment
    from vcad_kernel.loon.modules import Project

    found: list[Diagnostic] = []
    unreadable: list[str] = []
    for path in loon_files(paths):
        try:
            source = source_of(path)
        except VcadError as error:
            unreadable.append(error.message)
            typer.echo(error.message, err=True)
            continue
        files = Project(project_folder(path, project))
        environment = Environment(prelude=PRELUDE, project=files)
        findings = environment.check(source, folder=files.folder_of(path))
        found += findings
        if not as_json:
            for finding in findings:
                typer.echo(finding.render() + "\n")
    if as_json:
        told = {"diagnostics": [finding.to_json() for finding in found], "unreadable": unreadable}
        typer.echo(json.dumps(told))
    else:
        typer.echo(_summary(found))
    if unreadable or any(strict or finding.severity == "error" for finding in found):
        raise typer.Exit(1)


def _summary(found: list[Diagnostic]) -> str:
    counts = dict.fromkeys(("error", "warning", "hint"), 0)
    for finding in found:
        counts[finding.severity] += 1
    if not found:
        return "nothing found"
    return ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if count)
