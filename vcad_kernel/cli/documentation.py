"""``vcad explain`` and ``vcad doc``: the lessons of the codes, and what there is to say about a name."""

from __future__ import annotations

import json
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcad_kernel.cli.sources import fail

if TYPE_CHECKING:
    from vcad_kernel.loon.lessons import Lesson

__all__ = ["doc", "explain", "lesson_on", "lesson_text"]


def explain(
    code: Annotated[
        str, typer.Argument(help="A code such as E0201; without it, all of them.", metavar="CODE")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Explain a code of an error or a finding, with a small program that has it and its repair."""
    if not code:
        from vcad_kernel.loon.lessons import codes, lesson

        titles = {one: lesson(one).title for one in codes()}
        if as_json:
            typer.echo(json.dumps(titles))
        else:
            typer.echo("\n".join(f"{one:18} {title}" for one, title in titles.items()))
        return
    found = lesson_on(code)
    if isinstance(found, str):
        raise fail(found, code="unknown-name", tells_tools=as_json)
    typer.echo(json.dumps(asdict(found)) if as_json else lesson_text(found))


def lesson_on(code: str) -> Lesson | str:
    """The lesson of a code, in capitals or not; else a sentence that says what was meant."""
    from vcad_kernel.loon.lessons import codes, lesson

    known = {one.upper(): one for one in codes()}
    found = known.get(code.upper())
    if found is None:
        return f"there is no lesson on {code}{_meant(code.upper(), list(known))}"
    return lesson(found)


def lesson_text(lesson: Lesson) -> str:
    """A lesson as terminals show it."""
    return f"{lesson.code}: {lesson.title}\n\n{lesson.text}"


def doc(
    name: Annotated[
        str, typer.Argument(help="A function, form or constant; without it, all names.", metavar="NAME")
    ] = "",
    write: Annotated[
        Path | None,
        typer.Option(
            "--write", metavar="FOLDER", help="Write the whole reference: a page and a picture each."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Say what a name of Loon or of the CAD library means."""
    from vcad_kernel.cad.reference import ALL
    from vcad_kernel.loon.reference import plain

    if write is not None:
        if name:
            raise typer.BadParameter("it writes all names; leave NAME away", param_hint="--write")
        from vcad_kernel.service.reference_pages import write_reference

        try:
            count = write_reference(write, ALL)
        except OSError as error:
            message = f"cannot write {error.filename or write}: {error.strerror}"
            raise fail(message, code="unwritable-file", tells_tools=as_json) from None
        written = {"pages": count, "folder": str(write)}
        typer.echo(json.dumps(written) if as_json else f"{count} pages in {write}")
        return
    if not name:
        if as_json:
            typer.echo(json.dumps([asdict(entry) for entry in ALL.values()]))
            return
        groups: dict[str, list[str]] = {}
        for one in ALL.values():
            groups.setdefault(one.group, []).append(one.name)
        typer.echo("\n".join(f"{group}: {' '.join(names)}" for group, names in groups.items()))
        return
    entry = ALL.get(name)
    if entry is None:
        meant = _meant(name, list(ALL))
        raise fail(f"there is nothing called {name}{meant}", code="unknown-name", tells_tools=as_json)
    typer.echo(json.dumps(asdict(entry)) if as_json else plain(entry))


def _meant(name: str, names: list[str]) -> str:
    close = get_close_matches(name, names, 3, 0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""
