"""``vcad check``: types, effects and ownership, without running anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli.sources import ProjectOption, loon_files, project_folder, source_of
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

    Exit status 1 when something is found that fails if it is reached; with --strict for any finding.
    """
    from vcad_kernel.cad.library import PRELUDE
    from vcad_kernel.loon.compile import Environment
    from vcad_kernel.loon.modules import Project

    found: list[Diagnostic] = []
    for path in loon_files(paths):
        source = source_of(path)
        folder = project_folder(path, None)
        environment = Environment(prelude=PRELUDE, project=Project(project or folder))
        findings = environment.check(source, folder=folder)
        found += findings
        if not as_json:
            for finding in findings:
                typer.echo(finding.render() + "\n")
    wrong = [finding for finding in found if strict or finding.severity == "error"]
    if as_json:
        typer.echo(json.dumps({"diagnostics": [finding.to_json() for finding in found]}))
    else:
        typer.echo(_summary(found))
    if wrong:
        raise typer.Exit(1)


def _summary(found: list[Diagnostic]) -> str:
    counts = dict.fromkeys(("error", "warning", "hint"), 0)
    for finding in found:
        counts[finding.severity] += 1
    if not found:
        return "nothing found"
    return ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if count)
