"""The tools for files: list, search and look over folders; and the table of all of them.

Reading is in reading.py, writing in writing.py; those for Loon sources are in cad_sources.py.
`read_file` and `set_file_slice` belong to the core pack.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.packs.files import cad_sources
from notebook_ext.agents.packs.files.reading import (
    DiffAnswer,
    DiffArguments,
    PathOnly,
    ReadAnswer,
    SliceAnswer,
    SliceArguments,
    SummaryAnswer,
    get_file_slice,
    get_file_summary,
    get_git_diff,
    read_file,
)
from notebook_ext.agents.packs.files.writing import (
    CreateArguments,
    SetSliceArguments,
    WriteArguments,
    WrittenAnswer,
    create_file,
    preview_create,
    preview_slice,
    preview_write,
    set_file_slice,
    write_file,
)
from notebook_ext.workspace.files.files import read_text
from notebook_ext.workspace.files.tree import Found, drawn_tree, found_files, kind_of
from vcad_kernel.errors import VcadError

__all__ = ["tools"]

_DEEPEST = 20


class OptionalFolder(Arguments):
    """A folder, by default the workspace."""

    path: str = "."


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
    entries = call.files.entries(folder, operation="list_directory")
    rows = [Row(name=entry.name, type=kind_of(entry), size=entry.size) for entry in entries[:_MOST_ROWS]]
    return ListAnswer(path=call.files.shown(folder), entries=rows, truncated=len(entries) > _MOST_ROWS)


class SearchArguments(OptionalFolder):
    """A folder, and a glob for what lies below it."""

    pattern: str = Field(description="*, ?, [a-z] within a name, ** for any folders; no {a,b}")


class SearchAnswer(Answer):
    """Files found."""

    paths: list[str]
    truncated: bool


def _search_files(arguments: SearchArguments, call: Call) -> SearchAnswer:
    operation = "search_files"
    folder = call.files.folder(arguments.path, operation=operation)
    hits = found_files(call.files, folder, arguments.pattern, operation=operation, checkpoint=call.checkpoint)
    return SearchAnswer(paths=[call.files.shown(path) for path in hits.paths], truncated=hits.truncated)


class TextArguments(OptionalFolder):
    """What to look for, and in which files."""

    text: str = Field(min_length=1, description="as it stands in a line")
    pattern: str = Field("**/*", description="glob of the files")
    ignore_case: bool = False


class TextHit(Answer):
    """A line that has it."""

    path: str
    line: int
    column: int
    text: str


class TextHits(Answer):
    """Lines found."""

    hits: list[TextHit]
    files: int = Field(description="that were read")
    truncated: bool


_MOST_HITS: Final = 200
_LONGEST_LINE: Final = 240
"""Characters of a line that a hit shows."""
_LARGEST: Final = 1 << 20
"""Bytes of a file that is searched; larger ones are data."""


def _search_text(arguments: TextArguments, call: Call) -> TextHits:
    """Lines with a text, in the files that an agent may read; what is no text is passed over."""
    operation = "search_text"
    place = call.files.path(arguments.path, operation=operation)
    listing = (
        found_files(call.files, place, arguments.pattern, operation=operation, checkpoint=call.checkpoint)
        if place.is_dir()
        else Found((place,), False)
    )
    wanted = arguments.text.casefold() if arguments.ignore_case else arguments.text
    hits: list[TextHit] = []
    read = 0
    for path in listing.paths:
        call.checkpoint()
        try:
            file = read_text(call.files, str(path), operation=operation)
        except VcadError:
            if place == path:
                raise
            continue  # no text, too large or gone
        if len(file.data) > _LARGEST:
            continue
        read += 1
        for number, line in enumerate(file.text.splitlines(), 1):
            at = (line.casefold() if arguments.ignore_case else line).find(wanted)
            if at < 0:
                continue
            if len(hits) == _MOST_HITS:
                return TextHits(hits=hits, files=read, truncated=True)
            hits.append(TextHit(path=file.shown, line=number, column=at + 1, text=line[:_LONGEST_LINE]))
    return TextHits(hits=hits, files=read, truncated=listing.truncated)


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


def tools() -> tuple[Tool, ...]:
    """The tools for files, those of the core pack among them."""

    def reads(name: str, description: str, arguments: Any, result: Any, run: Any) -> Tool:
        return Tool(name, "files", "R", True, description, arguments, result, run)

    return (
        Tool(
            "read_file", "core", "R", True,
            "Read a text file of the workspace before you change it. sha256 goes back as expect_sha256.",
            PathOnly, ReadAnswer, read_file,
        ),
        Tool(
            "set_file_slice", "core", "W", False,
            "Replace lines start_line to end_line (1-based, inclusive) of a text file. "
            "end_line = start_line - 1 inserts; 1, 0 creates a missing file.",
            SetSliceArguments, WrittenAnswer, set_file_slice, preview_slice,
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
            "search_text", "Find the lines of text files that have a text; at most 200.",
            TextArguments, TextHits, _search_text,
        ),
        reads(
            "get_file_slice", "Read some lines of a long text file (1-based, inclusive).",
            SliceArguments, SliceAnswer, get_file_slice,
        ),
        Tool(
            "write_file", "files", "W", False,
            "Write a whole text file, new or in place of what it holds; line endings and BOM stay.",
            WriteArguments, WrittenAnswer, write_file, preview_write,
        ),
        Tool(
            "create_file", "files", "W", False,
            "Write a new text file; refused where there is one already.",
            CreateArguments, WrittenAnswer, create_file, preview_create,
        ),
        reads(
            "get_tree", "See how a folder is laid out, down to max_depth levels.",
            TreeArguments, TreeAnswer, _get_tree,
        ),
        reads(
            "get_file_summary",
            "See what is in a file without reading it: Python, Loon, TOML, Markdown, notebooks.",
            PathOnly, SummaryAnswer, get_file_summary,
        ),
        reads(
            "get_git_diff",
            "Compare two revisions of a file or folder, or one with the files as they are now.",
            DiffArguments, DiffAnswer, get_git_diff,
        ),
        *cad_sources.tools(),
    )  # fmt: skip
