"""``vcad test``: run the tests that Loon files define."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from vcad_kernel.cli.sources import ProjectOption, loon_files, project_folder, source_of
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError
from vcad_kernel.settings import Settings

__all__ = ["run_test_files"]


def run_test_files(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders; the working folder.", metavar="PATH…")
    ] = None,
    only: Annotated[
        str, typer.Option("--only", "-k", metavar="TEXT", help="Only tests with this in their name.")
    ] = "",
    project: ProjectOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Run the [test …] forms of Loon files, each file in an environment of its own.

    Exit status 1 when a test fails, when a file fails before its tests, and when there is no test at all.
    """
    from vcad_kernel.cad.library import PRELUDE
    from vcad_kernel.loon.modules.modules import Project
    from vcad_kernel.loon.program.environment import Environment
    from vcad_kernel.loon.program.testing import run_tests
    from vcad_kernel.loon.runtime.limits.limits import Limits
    from vcad_kernel.service.evaluation.imported import without_imports

    rows: list[dict[str, Any]] = []

    def report(file: str, test: str | None, seconds: float, failure: VcadError | None) -> None:
        rows.append(_row(file, test, seconds, failure))
        if not as_json:
            _say(rows[-1], failure)

    limits = Limits(seconds=Settings.load().eval_seconds)
    named = paths or [Path()]
    for path in loon_files(named):
        try:
            source = source_of(path)
            if path not in named and "[test" not in source.text:
                continue  # a part among the parts of a folder, not a file of tests
            files = Project(project_folder(path, project))
            printed = sys.stderr.write if as_json else sys.stdout.write
            environment = Environment(prelude=PRELUDE, stdout=printed, project=files, limits=limits)
            for verdict in run_tests(
                without_imports(source, {})[0],
                environment,
                folder=files.folder_of(path),
                wanted=lambda name: only.lower() in name.lower(),
            ):
                report(source.name, verdict.test.name, verdict.seconds, verdict.failure)
        except VcadError as error:
            report(str(path), None, 0.0, error)
    failed = sum(not row["passed"] for row in rows)
    if as_json:
        typer.echo(json.dumps({"passed": len(rows) - failed, "failed": failed, "tests": rows}))
    elif not rows:
        typer.echo(_none(only), err=True)
    else:
        typer.echo(f"{len(rows) - failed} passed, {failed} failed")
    if failed or not rows:
        raise typer.Exit(1)


def _none(only: str) -> str:
    return f"no test has {only} in its name" if only else "no tests: a test is written [test name [] …]"


def _row(file: str, name: str | None, seconds: float, failure: VcadError | None) -> dict[str, Any]:
    row: dict[str, Any] = {"file": file, "test": name, "passed": failure is None, "ms": seconds * 1e3}
    if failure is not None:
        row["error"] = envelope(failure, "vcad test")
    return row


def _say(row: dict[str, Any], failure: VcadError | None) -> None:
    name = f" {row['test']}" if row["test"] else ""
    verdict = "passed" if failure is None else "FAILED"
    typer.echo(f"{verdict}  {row['file']}{name}  {row['ms']:.1f} ms")
    if failure is not None:
        typer.echo("\n".join("    " + line for line in failure.render().splitlines()))
