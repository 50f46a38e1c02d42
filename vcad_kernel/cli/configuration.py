"""``vcad config``: every setting as it is in force, and where its value comes from."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from vcad_kernel.settings import SettingRow, Settings, config_path

__all__ = ["config"]


def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False,
) -> None:
    """Show every setting: its value, where that comes from, and what it is for.

    A value comes from the environment, else from the file named last, else it is the default. Tokens are
    not shown.
    """
    rows = Settings.load().describe()
    file = config_path()
    if as_json:
        shown = {"file": str(file), "settings": [asdict(row) for row in rows]}
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    for line in _table(rows):
        typer.echo(line)
    typer.echo(f"\nfile: {file}{'' if file.is_file() else ' (not there)'}")


def _table(rows: tuple[SettingRow, ...]) -> list[str]:
    """A line for each setting, in columns."""
    cells = [(row.name, f"{row.value or '-'} {row.unit}".strip(), row.source, row.doc) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    return [
        "  ".join(
            [*(text.ljust(width) for text, width in zip(row[:3], widths, strict=True)), row[3]]
        ).rstrip()
        for row in cells
    ]
