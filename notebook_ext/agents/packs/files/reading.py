"""Reading text files for agents: whole, some lines of them, what is in them, what git says has changed.

All of it goes through the gate. The tools are listed in files.py.
"""

from __future__ import annotations

import os

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call
from notebook_ext.workspace.files.files import read_text
from notebook_ext.workspace.files.git_diff import git_diff
from notebook_ext.workspace.files.slices import lines_of, slice_of
from notebook_ext.workspace.files.summary import summary_of
from vcad_kernel.errors import FileMissing

__all__ = [
    "DiffAnswer",
    "DiffArguments",
    "PathOnly",
    "ReadAnswer",
    "SliceAnswer",
    "SliceArguments",
    "SummaryAnswer",
    "get_file_slice",
    "get_file_summary",
    "get_git_diff",
    "read_file",
]

_INLINE = 60_000
"""Bytes of a file's text in an answer."""


class PathOnly(Arguments):
    """A path and nothing else."""

    path: str


class ReadAnswer(Answer):
    """A text."""

    path: str
    content: str
    sha256: str
    line_count: int
    truncated: bool = False
    full_path: str | None = None


def read_file(arguments: PathOnly, call: Call) -> ReadAnswer:
    """The text of a file, as much of it as an answer takes. Raises: VcadError."""
    if arguments.path.startswith("vcad://"):
        raise FileMissing(
            f"{arguments.path} is a resource, and no file",
            fix="vcad_reference has the pages of vcad://reference, vcad_node the source of a part",
            details={"path": arguments.path, "reason": "a resource"},
        )
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


def get_file_slice(arguments: SliceArguments, call: Call) -> SliceAnswer:
    """Some lines of a file. Raises: VcadError."""
    file = read_text(call.files, arguments.path, operation="get_file_slice")
    call.files.updates.seen(call.agent, file.path, file.data)
    lines = slice_of(file.text, arguments.start_line, arguments.end_line, operation="get_file_slice")
    content, truncated = _inline(lines)
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


def get_file_summary(arguments: PathOnly, call: Call) -> SummaryAnswer:
    """What is in a file. Raises: VcadError."""
    file = read_text(call.files, arguments.path, operation="get_file_summary")
    summary = summary_of(file.text, file.shown, operation="get_file_summary")
    return SummaryAnswer(
        path=file.shown,
        kind=summary.kind,
        line_count=len(lines_of(file.text)),
        bytes=len(file.data),
        contents={
            heading: [SummaryItem(name=item.name, line=item.line) for item in items]
            for heading, items in summary.contents.items()
        },
    )


class DiffArguments(Arguments):
    """What to compare; an empty head_rev is the files as they are now."""

    path: str = "."
    base_rev: str = "HEAD"
    head_rev: str = ""


class DiffAnswer(Answer):
    """A unified diff."""

    diff: str
    files: list[str]
    truncated: bool = False
    full_path: str | None = None


def get_git_diff(arguments: DiffArguments, call: Call) -> DiffAnswer:
    """What git says has changed. Raises: VcadError."""
    operation = "get_git_diff"
    path = call.files.path(arguments.path, operation=operation)
    # a file that is gone now can still differ; its folder must be there for git to start in
    if not os.path.lexists(path):
        call.files.folder(str(path.parent), operation=operation)
    comparison = git_diff(call.files, path, arguments.base_rev, arguments.head_rev, operation=operation)
    return DiffAnswer(diff=comparison.text, files=list(comparison.names), truncated=comparison.truncated)
