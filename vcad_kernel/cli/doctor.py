"""``vcad doctor``: what the workbench needs of this machine, and what to do about what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from vcad_kernel.cli.examination import Row

__all__ = ["doctor"]


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Look at all that the workbench needs on this machine, and say what to do about what is missing.

    Exit status 1 when something is missing that is needed. What only one feature wants is marked optional.
    """
    from vcad_kernel.cli.examination import examined

    rows = list(examined())
    well = all(row.state != "missing" for row in rows)
    if as_json:
        shown = {"ok": well, "checks": [asdict(row) for row in rows]}
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        for line in _table(rows):
            typer.echo(line)
        typer.echo("\nall that is needed is there" if well else "\nsomething that is needed is missing")
    if not well:
        raise typer.Exit(1)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    width = max(len(row.name) for row in rows)
    for row in rows:
        yield f"{row.state:<8}  {row.name:<{width}}  {row.found}"
        if row.fix is not None:
            yield f"{'':8}  {'':{width}}  → {row.fix}"
