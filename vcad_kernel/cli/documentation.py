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

        titles = {known: lesson(known).title for known in codes()}
        if as_json:
            typer.echo(json.dumps(titles))
        else:
            typer.echo("\n".join(f"{known:18} {title}" for known, title in titles.items()))
        return
    explained = lesson_on(code)
    if isinstance(explained, str):
        raise fail(explained, code="unknown-name", tells_tools=as_json)
    typer.echo(json.dumps(asdict(explained)) if as_json else lesson_text(explained))


def lesson_on(code: str) -> Lesson | str:
    """The lesson of a code, in capitals or not; else a sentence that says what was meant."""
    from vcad_kernel.loon.lessons import codes, lesson

    known = {spelled.upper(): spelled for spelled in codes()}
    spelled = known.get(code.upper())
    if spelled is None:
        return f"there is no lesson on {code}{_meant(code.upper(), list(known))}"
    return lesson(spelled)


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
            typer.echo(json.dumps([asdict(listed) for listed in ALL.values()]))
            return
        groups: dict[str, list[str]] = {}
        for listed in ALL.values():
            groups.setdefault(listed.group, []).append(listed.name)
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
