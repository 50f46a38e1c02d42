"""``vcad sessions``: which sessions run, in which notebooks and folders."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from notebook_ext.session_records import SessionRecord

__all__ = ["sessions"]


def sessions(
    as_json: Annotated[bool, typer.Option("--json", help="Print the sessions as JSON.")] = False,
) -> None:
    """List the running sessions, the newest first: what `vcad mcp --session` may name.

    A session appears with the first %loon of its notebook. Tokens are not shown.
    """
    from notebook_ext.session_records import live_records

    records = live_records()
    if as_json:
        shown = [record.without_token() for record in records]
        typer.echo(json.dumps({"sessions": shown}, ensure_ascii=False, indent=2))
        return
    if not records:
        typer.echo("no session runs; one begins with the first %loon cell of a notebook")
        return
    for line in _table(records):
        typer.echo(line)


def _table(records: tuple[SessionRecord, ...]) -> list[str]:
    """A line for each session, in columns below their names."""
    rows = [("SESSION", "NOTEBOOK", "WORKSPACE", "KERNEL", "PROCESS", "SINCE")]
    rows += [
        (
            record.session_id,
            record.notebook or ("-" if record.kernel_id else "(none: headless)"),
            record.workspace,
            record.kernel_id or "-",
            str(record.pid),
            f"{datetime.fromisoformat(record.started_at).astimezone():%Y-%m-%d %H:%M:%S}",
        )
        for record in records
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
