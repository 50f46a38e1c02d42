"""Writing text files for agents: some lines, all of a file, a new one; and what a person sees before.

All of it goes through the gate. The tools are listed in files.py.
"""

from __future__ import annotations

from notebook_ext.agents.calls.arguments import Answer, Changing
from notebook_ext.agents.calls.call import Call, Preview
from notebook_ext.agents.packs import truth
from notebook_ext.agents.packs.core.pictures.thumbnails import of_text
from notebook_ext.agents.packs.files.reading import SliceArguments
from notebook_ext.workspace.files.files import (
    TextFile,
    create,
    read_text,
    require_unchanged,
    rewrite,
    text_to_change,
)
from notebook_ext.workspace.files.slices import lines_of, with_slice
from notebook_ext.workspace.files.text_diff import unified

__all__ = [
    "CreateArguments",
    "SetSliceArguments",
    "WriteArguments",
    "WrittenAnswer",
    "create_file",
    "preview_create",
    "preview_slice",
    "preview_write",
    "rewriting",
    "set_file_slice",
    "write_file",
]


class SetSliceArguments(SliceArguments, Changing):
    """Lines of a file, and what takes their place."""

    content: str
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
        file.text, arguments.start_line, arguments.end_line, arguments.content, operation=operation
    )
    return file, text


def set_file_slice(arguments: SetSliceArguments, call: Call) -> WrittenAnswer:
    """Put other lines in the place of some. Raises: VcadError; nothing is written then."""
    file, text = _sliced(arguments, call)
    return _rewritten(call, file, text, "set_file_slice", keep_endings=True)


def _rewritten(
    call: Call, file: TextFile, text: str, operation: str, *, keep_endings: bool = False
) -> WrittenAnswer:
    if _is_truth(file, call):
        truth.change(lambda _: truth.content_of(text, call), None, call)
        written = read_text(call.files, file.shown, operation=operation)
        call.files.updates.seen(call.agent, written.path, written.data)
        return _answer(written, created=not file.exists)
    written = rewrite(call.files, file, text, operation=operation, as_it_is=keep_endings)
    call.files.updates.seen(call.agent, written.path, written.data)
    return _answer(written, created=not file.exists)


def _answer(written: TextFile, *, created: bool) -> WrittenAnswer:
    return WrittenAnswer(
        path=written.shown, sha256=written.sha256, line_count=len(lines_of(written.text)), created=created
    )


def _is_truth(file: TextFile, call: Call) -> bool:
    """Whether it is the project's own file: what is written there is a change of the project."""
    return file.path == call.workspace / truth.FILE_NAME


def rewriting(file: TextFile, text: str, call: Call, what: str = "") -> Preview:
    """What giving a file another text would do. what: of it is changed, in words; by default the file.

    Raises: VcadError for a text that the project's own file cannot have.
    """
    summary = f"{'Changes' if file.exists else 'Creates'} {what}{' in ' if what else ''}{file.shown}."
    if _is_truth(file, call):
        return truth.preview(truth.content_of(text, call), summary, call)
    lost = call.files.persons.lost(file.path, file.data, text.encode()) if file.exists else ()
    return Preview(
        diff=unified(file.text, text, file.shown),
        objects=(file.shown,),
        summary=summary,
        takes_away=lost,
        undo="The file as it is now is kept in .vcad/kept." if lost else "",
        digests=((file.shown, file.sha256),),
        paths=(str(file.path),),
        picture=of_text(text, file.shown, call),
    )


class WriteArguments(Changing):
    """A whole file."""

    path: str
    content: str
    expect_sha256: str | None = None


def write_file(arguments: WriteArguments, call: Call) -> WrittenAnswer:
    """Write all of a file. Raises: VcadError; nothing is written then."""
    file = text_to_change(call.files, arguments.path, operation="write_file")
    require_unchanged(file, arguments.expect_sha256, operation="write_file")
    return _rewritten(call, file, arguments.content, "write_file")


class CreateArguments(Changing):
    """A new file."""

    path: str
    content: str = ""


def create_file(arguments: CreateArguments, call: Call) -> WrittenAnswer:
    """Write a file that is not there yet. Raises: VcadError; nothing is written then."""
    file = text_to_change(call.files, arguments.path, operation="create_file")
    if not file.exists and _is_truth(file, call):
        return _rewritten(call, file, arguments.content, "create_file")
    written = create(call.files, arguments.path, arguments.content, operation="create_file")
    call.files.updates.seen(call.agent, written.path, written.data)
    return _answer(written, created=True)


def preview_slice(arguments: SetSliceArguments, call: Call) -> Preview:
    """What `set_file_slice` would change. Raises: as it does."""
    return rewriting(*_sliced(arguments, call), call)


def preview_write(arguments: WriteArguments, call: Call) -> Preview:
    """What `write_file` would change. Raises: as it does."""
    file = text_to_change(call.files, arguments.path, operation="write_file")
    return rewriting(file, arguments.content, call)


def preview_create(arguments: CreateArguments, call: Call) -> Preview:
    """What `create_file` would write. Raises: PathRefused."""
    path = call.files.path(arguments.path, operation="create_file")
    return rewriting(TextFile(path, call.files.shown(path), "", False, "", b""), arguments.content, call)
