"""The tools for files: read, list, search, change lines, write, compare. All of them go through the gate.

`read_file` and `set_file_slice` belong to the core pack; those for Loon sources are in cad_sources.py.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from notebook_ext.agents.arguments import Answer, Arguments
from notebook_ext.agents.calling import Call
from notebook_ext.agents.packs import cad_sources
from notebook_ext.agents.registry import Preview, Tool
from notebook_ext.workspace.file_summary import summary_of
from notebook_ext.workspace.files import (
    TextFile,
    create,
    read_text,
    require_unchanged,
    rewrite,
    text_to_change,
)
from notebook_ext.workspace.git_diff import git_diff
from notebook_ext.workspace.slices import lines_of, slice_of, with_slice
from notebook_ext.workspace.text_diff import unified
from notebook_ext.workspace.tree import drawn_tree, found_files, kind_of

__all__ = ["tools"]

_INLINE = 60_000
"""Bytes of a file's text in an answer."""
_DEEPEST = 20


class PathOnly(Arguments):
    """A path and nothing else."""

    path: str


class OptionalFolder(Arguments):
    """A folder, by default the workspace."""

    path: str = "."


class ReadAnswer(Answer):
    """A text."""

    path: str
    content: str
    sha256: str
    line_count: int
    truncated: bool = False
    full_path: str | None = None


def _read_file(arguments: PathOnly, call: Call) -> ReadAnswer:
    file = read_text(call.files, arguments.path, operation="read_file")
    call.files.updates.seen(call.agent, file.path, file.data)
    content, truncated = _inline(file.text)
    return ReadAnswer(
        path=file.shown,
        content=content,
        sha256=file.sha256,
        line_count=len(lines_of(file.text)),
        truncated=truncated,
        full_path=file.shown if truncated else None,
    )


def _inline(text: str) -> tuple[str, bool]:
    """As many whole lines of a text as an answer takes, and whether that is less than all."""
    encoded = text.encode()
    if len(encoded) <= _INLINE:
        return text, False
    cut = encoded[:_INLINE].decode("utf-8", "ignore")
    return cut[: cut.rfind("\n") + 1] or cut, True


class SliceArguments(Arguments):
    """Lines of a file."""

    path: str
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=0)


class SliceAnswer(ReadAnswer):
    """Lines of a text."""

    start_line: int
    end_line: int


def _get_file_slice(arguments: SliceArguments, call: Call) -> SliceAnswer:
    file = read_text(call.files, arguments.path, operation="get_file_slice")
    call.files.updates.seen(call.agent, file.path, file.data)
    found = slice_of(file.text, arguments.start_line, arguments.end_line, operation="get_file_slice")
    content, truncated = _inline(found)
    return SliceAnswer(
        path=file.shown,
        content=content,
        sha256=file.sha256,
        line_count=len(lines_of(file.text)),
        truncated=truncated,
        full_path=file.shown if truncated else None,
        start_line=arguments.start_line,
        end_line=arguments.start_line - 1 + len(lines_of(content)),
    )


class SetSliceArguments(SliceArguments):
    """Lines of a file, and what takes their place."""

    new_content: str
    expect_sha256: str | None = None


class WrittenAnswer(Answer):
    """A file that was written."""

    path: str
    sha256: str
    line_count: int
    created: bool


def _sliced(arguments: SetSliceArguments, call: Call) -> tuple[TextFile, str]:
    operation = "set_file_slice"
    if (arguments.start_line, arguments.end_line) == (1, 0):
        file = text_to_change(call.files, arguments.path, operation=operation)
    else:
        file = read_text(call.files, arguments.path, operation=operation)
    # before the lines are counted: in another text they are other lines
    require_unchanged(file, arguments.expect_sha256, operation=operation)
    text = with_slice(
        file.text, arguments.start_line, arguments.end_line, arguments.new_content, operation=operation
    )
    return file, text


def _set_file_slice(arguments: SetSliceArguments, call: Call) -> WrittenAnswer:
    file, text = _sliced(arguments, call)
    return _rewritten(call, file, text, "set_file_slice", keep_endings=True)


def _rewritten(
    call: Call, file: TextFile, text: str, operation: str, *, keep_endings: bool = False
) -> WrittenAnswer:
    written = rewrite(call.files, file, text, operation=operation, as_it_is=keep_endings)
    call.files.updates.seen(call.agent, written.path, written.data)
    return WrittenAnswer(
        path=written.shown,
        sha256=written.sha256,
        line_count=len(lines_of(written.text)),
        created=not file.exists,
    )


def _preview(file: TextFile, text: str) -> Preview:
    return Preview(
        diff=unified(file.text, text, file.shown),
        objects=(file.shown,),
        summary=f"{'Changes' if file.exists else 'Creates'} {file.shown}.",
        paths=(str(file.path),),
    )


class WriteArguments(Arguments):
    """A whole file."""

    path: str
    content: str
    expect_sha256: str | None = None


def _write_file(arguments: WriteArguments, call: Call) -> WrittenAnswer:
    file = text_to_change(call.files, arguments.path, operation="write_file")
    require_unchanged(file, arguments.expect_sha256, operation="write_file")
    return _rewritten(call, file, arguments.content, "write_file")


class CreateArguments(Arguments):
    """A new file."""

    path: str
    content: str = ""


def _create_file(arguments: CreateArguments, call: Call) -> WrittenAnswer:
    written = create(call.files, arguments.path, arguments.content, operation="create_file")
    call.files.updates.seen(call.agent, written.path, written.data)
    return WrittenAnswer(
        path=written.shown, sha256=written.sha256, line_count=len(lines_of(written.text)), created=True
    )


def _preview_slice(arguments: SetSliceArguments, call: Call) -> Preview:
    return _preview(*_sliced(arguments, call))


def _preview_write(arguments: WriteArguments, call: Call) -> Preview:
    file = text_to_change(call.files, arguments.path, operation="write_file")
    return _preview(file, arguments.content)


def _preview_create(arguments: CreateArguments, call: Call) -> Preview:
    path = call.files.path(arguments.path, operation="create_file")
    return Preview(
        diff=unified("", arguments.content, call.files.shown(path)),
        objects=(call.files.shown(path),),
        summary=f"Creates {call.files.shown(path)}.",
        paths=(str(path),),
    )


class Row(Answer):
    """One thing in a folder."""

    name: str
    type: Literal["file", "folder", "other"]
    size: int
    """Bytes."""


class ListAnswer(Answer):
    """What lies in a folder."""

    path: str
    entries: list[Row]
    truncated: bool = False


_MOST_ROWS = 2_000


def _list_directory(arguments: OptionalFolder, call: Call) -> ListAnswer:
    folder = call.files.folder(arguments.path, operation="list_directory")
    found = call.files.entries(folder, operation="list_directory")
    rows = [Row(name=one.name, type=kind_of(one), size=one.size) for one in found[:_MOST_ROWS]]
    return ListAnswer(path=call.files.shown(folder), entries=rows, truncated=len(found) > _MOST_ROWS)


class SearchArguments(OptionalFolder):
    """A folder, and a glob for what lies below it."""

    pattern: str


class SearchAnswer(Answer):
    """Files found."""

    paths: list[str]
    truncated: bool


def _search_files(arguments: SearchArguments, call: Call) -> SearchAnswer:
    operation = "search_files"
    folder = call.files.folder(arguments.path, operation=operation)
    found = found_files(
        call.files, folder, arguments.pattern, operation=operation, checkpoint=call.checkpoint
    )
    return SearchAnswer(paths=[call.files.shown(one) for one in found.paths], truncated=found.truncated)


class TreeArguments(OptionalFolder):
    """A folder, and how deep to look into it."""

    max_depth: int = Field(3, ge=1, le=_DEEPEST)


class TreeAnswer(Answer):
    """A drawn tree."""

    path: str
    tree: str
    files: int
    folders: int
    truncated: bool


def _get_tree(arguments: TreeArguments, call: Call) -> TreeAnswer:
    folder = call.files.folder(arguments.path, operation="get_tree")
    drawn = drawn_tree(call.files, folder, arguments.max_depth, operation="get_tree")
    return TreeAnswer(
        path=call.files.shown(folder),
        tree=drawn.text,
        files=drawn.files,
        folders=drawn.folders,
        truncated=drawn.truncated,
    )


class SummaryItem(Answer):
    """One thing in a file, with its line, or the number of its cell."""

    name: str
    line: int


class SummaryAnswer(Answer):
    """What is in a file."""

    path: str
    kind: str
    line_count: int
    bytes: int
    contents: dict[str, list[SummaryItem]]


def _get_file_summary(arguments: PathOnly, call: Call) -> SummaryAnswer:
    file = read_text(call.files, arguments.path, operation="get_file_summary")
    found = summary_of(file.text, file.shown, operation="get_file_summary")
    return SummaryAnswer(
        path=file.shown,
        kind=found.kind,
        line_count=len(lines_of(file.text)),
        bytes=len(file.data),
        contents={
            heading: [SummaryItem(name=one.name, line=one.line) for one in items]
            for heading, items in found.contents.items()
        },
    )


class DiffArguments(OptionalFolder):
    """What to compare; an empty head_rev is the files as they are now."""

    base_rev: str = "HEAD"
    head_rev: str = ""


class DiffAnswer(Answer):
    """A unified diff."""

    diff: str
    files: list[str]


def _get_git_diff(arguments: DiffArguments, call: Call) -> DiffAnswer:
    operation = "get_git_diff"
    path = call.files.path(arguments.path, operation=operation)
    # a file that is gone now can still differ; its folder must be there for git to start in
    if not path.exists():
        call.files.folder(str(path.parent), operation=operation)
    diff, names = git_diff(call.files, path, arguments.base_rev, arguments.head_rev, operation=operation)
    return DiffAnswer(diff=diff, files=list(names))


def tools() -> tuple[Tool, ...]:
    """The tools for files, those of the core pack among them."""

    def reads(name: str, description: str, arguments: Any, result: Any, run: Any) -> Tool:
        return Tool(name, "files", "R", True, description, arguments, result, run)

    return (
        Tool(
            "read_file", "core", "R", True,
            "Read a text file of the workspace before you change it. sha256 goes back as expect_sha256.",
            PathOnly, ReadAnswer, _read_file,
        ),
        Tool(
            "set_file_slice", "core", "W", False,
            "Replace lines start_line to end_line (1-based, inclusive) of a text file. "
            "end_line = start_line - 1 inserts; 1, 0 creates a missing file.",
            SetSliceArguments, WrittenAnswer, _set_file_slice, _preview_slice,
        ),
        reads(
            "list_directory", "See what lies in a folder: name, type, size in bytes.",
            OptionalFolder, ListAnswer, _list_directory,
        ),
        reads(
            "search_files", "Find files by glob below a folder, such as **/*.loon; at most 1000.",
            SearchArguments, SearchAnswer, _search_files,
        ),
        reads(
            "get_file_slice", "Read some lines of a long text file (1-based, inclusive).",
            SliceArguments, SliceAnswer, _get_file_slice,
        ),
        Tool(
            "write_file", "files", "W", False,
            "Write a whole text file, new or in place of what it holds; line endings and BOM stay.",
            WriteArguments, WrittenAnswer, _write_file, _preview_write,
        ),
        Tool(
            "create_file", "files", "W", False,
            "Write a new text file; refused where there is one already.",
            CreateArguments, WrittenAnswer, _create_file, _preview_create,
        ),
        reads(
            "get_tree", "See how a folder is laid out, down to max_depth levels.",
            TreeArguments, TreeAnswer, _get_tree,
        ),
        reads(
            "get_file_summary",
            "See what is in a file without reading it: Python, Loon, TOML, Markdown, notebooks.",
            PathOnly, SummaryAnswer, _get_file_summary,
        ),
        reads(
            "get_git_diff",
            "Compare two revisions of a file or folder, or one with the files as they are now.",
            DiffArguments, DiffAnswer, _get_git_diff,
        ),
        *cad_sources.tools(),
    )  # fmt: skip
