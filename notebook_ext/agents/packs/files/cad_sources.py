"""The tools for Loon sources: outline, one definition, where a name is used, whether it can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from notebook_ext.agents.calls.arguments import Answer, Arguments, Changing
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.packs.files.writing import rewriting
from notebook_ext.workspace.files.files import TextFile, read_text, require_unchanged, rewrite
from notebook_ext.workspace.files.tree import found_files
from notebook_ext.workspace.sources.loon_outline import ENDINGS, LoonSource
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = ["tools"]


class SourceArguments(Arguments):
    """A Loon file."""

    path: str


class NameArguments(SourceArguments):
    """A name in a Loon file."""

    name: str


class UpdateArguments(NameArguments, Changing):
    """A definition, and what takes its place."""

    content: str
    expect_sha256: str | None = None


class OutlineItem(Answer):
    """One definition."""

    name: str
    kind: str
    usage: str
    line: int
    end_line: int
    depth: int
    summary: str


class OutlineAnswer(Answer):
    """The definitions of a file in order."""

    path: str
    definitions: list[OutlineItem]
    imports: list[str]


class DefinitionAnswer(Answer):
    """One definition."""

    path: str
    name: str
    kind: str
    usage: str
    doc: str
    definition: str
    line: int
    end_line: int
    sha256: str


class UpdatedAnswer(Answer):
    """A file that was written."""

    path: str
    sha256: str
    line: int
    end_line: int


class Fault(Answer):
    """Why a file cannot be read."""

    code: str
    message: str
    fix: str
    line: int | None
    column: int | None


class SyntaxAnswer(Answer):
    """Whether a file can be read, and the first reason why not."""

    path: str
    valid: bool
    fault: Fault | None = None


class UsageItem(Answer):
    """One place where a name stands."""

    path: str
    line: int
    column: int
    defines: bool
    text: str


class UsagesAnswer(Answer):
    """The places where a name stands."""

    usages: list[UsageItem]
    truncated: bool = False


def _opened(path: str, call: Call, operation: str) -> tuple[TextFile, LoonSource]:
    """A Loon file and its source. Raises: ServiceFailure UNSUPPORTED_TYPE; what reading raises."""
    file = read_text(call.files, path, operation=operation)
    if not file.shown.lower().endswith(ENDINGS):
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{file.shown!r} is no Loon source",
            fix=f"Loon sources end in {' or '.join(ENDINGS)}",
            details={"path": file.shown, "operation": operation},
        )
    return file, _source(file, call, operation)


def _source(file: TextFile, call: Call, operation: str) -> LoonSource:
    return LoonSource(file.text, file.shown, operation=operation, knowledge=call.session.knowledge)


def _get_outline(arguments: SourceArguments, call: Call) -> OutlineAnswer:
    file, source = _opened(arguments.path, call, "cad_get_outline")
    rows = [
        OutlineItem(
            name=definition.name,
            kind=definition.kind,
            usage=definition.usage,
            line=definition.line,
            end_line=definition.end_line,
            depth=definition.depth,
            summary=definition.summary,
        )
        for definition in source.outline()
    ]
    return OutlineAnswer(
        path=file.shown, definitions=rows, imports=[module for module, _ in source.imports()]
    )


def _get_definition(arguments: NameArguments, call: Call) -> DefinitionAnswer:
    file, source = _opened(arguments.path, call, "cad_get_definition")
    call.files.updates.seen(call.agent, file.path, file.data)
    definition = source.definition(arguments.name)
    return DefinitionAnswer(
        path=file.shown,
        name=definition.name,
        kind=definition.kind,
        usage=definition.usage,
        doc=definition.doc,
        definition=definition.text,
        line=definition.line,
        end_line=definition.end_line,
        sha256=file.sha256,
    )


def _changed(arguments: UpdateArguments, call: Call) -> tuple[TextFile, str, int]:
    """The file, its new text, and the line at which the definition begins."""
    operation = "cad_update_definition"
    file, source = _opened(arguments.path, call, operation)
    require_unchanged(file, arguments.expect_sha256, operation=operation)
    text = source.with_definition(arguments.name, arguments.content)
    return file, text, source.definition(arguments.name).line


def _update_definition(arguments: UpdateArguments, call: Call) -> UpdatedAnswer:
    file, text, line = _changed(arguments, call)
    written = rewrite(call.files, file, text, operation="cad_update_definition", as_it_is=True)
    call.files.updates.seen(call.agent, written.path, written.data)
    end_line = line + arguments.content.strip().count("\n")
    return UpdatedAnswer(path=written.shown, sha256=written.sha256, line=line, end_line=end_line)


def _preview_update(arguments: UpdateArguments, call: Call) -> Preview:
    file, text, _ = _changed(arguments, call)
    return rewriting(file, text, call, arguments.name)


def _check_syntax(arguments: SourceArguments, call: Call) -> SyntaxAnswer:
    file, source = _opened(arguments.path, call, "cad_check_syntax")
    wrong = source.fault()
    if wrong is None:
        return SyntaxAnswer(path=file.shown, valid=True)
    place = wrong.place
    fault = Fault(
        code=wrong.code,
        message=wrong.message,
        fix=wrong.fix or "",
        line=place.line if place is not None else None,
        column=place.column if place is not None else None,
    )
    return SyntaxAnswer(path=file.shown, valid=False, fault=fault)


_MOST = 1_000


def _find_usages(arguments: NameArguments, call: Call) -> UsagesAnswer:
    operation = "cad_find_usages"
    path = call.files.path(arguments.path, operation=operation)
    if not path.is_dir():
        file, source = _opened(arguments.path, call, operation)
        mentioned = [(file.shown, mention) for mention in source.usages(arguments.name)]
    else:
        mentioned = []
        for path_below in _sources_below(path, call, operation):
            call.checkpoint()
            try:
                file = read_text(call.files, str(path_below), operation=operation)
            except VcadError:
                continue  # no text, too large or gone: nothing is used in it that could be named
            mentions = _source(file, call, operation).mentions(arguments.name)
            mentioned += [(file.shown, mention) for mention in mentions]
    rows = [
        UsageItem(
            path=shown, line=mention.line, column=mention.column, defines=mention.defines, text=mention.text
        )
        for shown, mention in mentioned[:_MOST]
    ]
    return UsagesAnswer(usages=rows, truncated=len(mentioned) > _MOST)


def _sources_below(folder: Path, call: Call, operation: str) -> list[Path]:
    paths = [
        path
        for ending in ENDINGS
        for path in found_files(
            call.files, folder, f"**/*{ending}", operation=operation, checkpoint=call.checkpoint
        ).paths
    ]
    return sorted(paths)


def tools() -> tuple[Tool, ...]:
    """The tools for Loon sources; all of pack files."""

    def reads(name: str, description: str, arguments: Any, result: Any, run: Any) -> Tool:
        return Tool(name, "files", "R", True, description, arguments, result, run)

    return (
        reads(
            "cad_get_outline", "See what a Loon source defines, with lines, before reading it.",
            SourceArguments, OutlineAnswer, _get_outline,
        ),
        reads(
            "cad_get_definition", "Read one definition of a Loon source; Type.Constructor for one of a type.",
            NameArguments, DefinitionAnswer, _get_definition,
        ),
        Tool(
            "cad_update_definition", "files", "W", False,
            "Replace one definition of a Loon source by another form; comments above it stay. "
            "Nothing is written when the file could not be read then.",
            UpdateArguments, UpdatedAnswer, _update_definition, _preview_update,
        ),
        reads(
            "cad_check_syntax", "See whether a Loon source can be read; vcad_check finds more.",
            SourceArguments, SyntaxAnswer, _check_syntax,
        ),
        reads(
            "cad_find_usages", "Find where a name of a Loon file is used, in it, or in all below a folder.",
            NameArguments, UsagesAnswer, _find_usages,
        ),
    )  # fmt: skip
