"""An editor as the server sees it: pygls' own client, talking to a real process over its pipes.

The client lives on an event loop in a thread, so tests are plain functions that wait for answers with a
limit.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.warm_processes import command
from vcad_kernel.loon.analysis.utf16 import Utf16

__all__ = ["LIMIT", "Editor", "Text", "editor"]

LIMIT = 60.0
"""Seconds that any answer may take; a slow machine is no failure, a silent server is."""

_T = TypeVar("_T")


class Editor:
    """A connection to a server."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.client = LanguageClient("tests", "1")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._findings: dict[str, Queue[types.PublishDiagnosticsParams]] = {}
        self.capabilities: types.ServerCapabilities

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.findings_of(params.uri).put(params)

    def wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        """The result of something that the client does."""
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, LIMIT), self._loop).result(LIMIT + 5)

    def findings_of(self, uri: str) -> Queue[types.PublishDiagnosticsParams]:
        """What was published about a text and nobody has looked at yet."""
        return self._findings.setdefault(uri, Queue())

    def start(self) -> None:
        self._thread.start()
        self.wait(self.client.start_io(*command("vcad_kernel.lsp")))
        folders = (
            [types.WorkspaceFolder(self.folder.as_uri(), "project")] if self.folder is not None else None
        )
        encodings = [types.PositionEncodingKind.Utf32, types.PositionEncodingKind.Utf16]
        started = self.wait(
            self.client.initialize_async(
                types.InitializeParams(
                    capabilities=types.ClientCapabilities(
                        general=types.GeneralClientCapabilities(position_encodings=encodings)
                    ),
                    workspace_folders=folders,
                )
            )
        )
        self.capabilities = started.capabilities
        self.tell(self.client.initialized, types.InitializedParams())

    def tell(self, notify: Any, params: Any) -> None:
        """Send a notification from the client's own thread."""

        async def send() -> None:
            notify(params)

        self.wait(send())

    def stop(self) -> tuple[int, str]:
        """Say goodbye; the server's exit status and what it wrote to standard error."""
        server = self.client._server
        assert server is not None

        async def goodbye() -> tuple[int, str]:
            await self.client.shutdown_async(None)
            self.client.exit(None)
            assert server.stderr is not None
            said = (await server.stderr.read()).decode()
            status = await server.wait()
            await self.client.stop()
            return status, said

        try:
            return self.wait(goodbye())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(LIMIT)
            self._loop.close()

    def open(self, name: str, text: str) -> Text:
        """Open a text; a name with a folder given is a file of it, which need not exist."""
        uri = (self.folder / name).as_uri() if self.folder is not None else f"untitled:{name}"
        opened = types.TextDocumentItem(uri, "loon", 1, text)
        self.tell(self.client.text_document_did_open, types.DidOpenTextDocumentParams(opened))
        return Text(self, uri, text)


class Text:
    """An open text."""

    def __init__(self, editor: Editor, uri: str, text: str) -> None:
        self._editor = editor
        self.client = editor.client
        self.uri = uri
        self.text = text
        self.version = 1
        self.identifier = types.TextDocumentIdentifier(uri)

    def code_actions(self, stretch: types.Range) -> list[types.CodeAction]:
        """What the server offers to do about a stretch."""
        params = types.CodeActionParams(self.identifier, stretch, types.CodeActionContext([]))
        answer = self._editor.wait(self.client.text_document_code_action_async(params))
        return [action for action in answer or () if isinstance(action, types.CodeAction)]

    def findings(self) -> list[types.Diagnostic]:
        """What the server says about the present version."""
        while True:
            try:
                params = self._editor.findings_of(self.uri).get(timeout=LIMIT)
            except Empty:
                raise AssertionError(f"nothing was published about {self.uri}") from None
            if params.version in (self.version, None):
                return list(params.diagnostics)

    def position(self, word: str, after: int = 0) -> types.Position:
        """The place of a word's first occurrence, ``after`` code points further on."""
        return self.at(self.text.index(word) + after)

    def at(self, offset: int) -> types.Position:
        return types.Position(*Utf16(self.text).position(offset))

    def within(self, stretch: types.Range) -> str:
        """The text of a range."""
        return self.text[slice(*self._offsets(stretch))]

    def _offsets(self, stretch: types.Range) -> tuple[int, int]:
        units = Utf16(self.text)
        return (
            units.offset(stretch.start.line, stretch.start.character),
            units.offset(stretch.end.line, stretch.end.character),
        )

    def edit(self, old: str, new: str) -> None:
        """Replace the first occurrence of a stretch, as one incremental change."""
        start = self.text.index(old)
        stretch = types.Range(self.at(start), self.at(start + len(old)))
        self.text = self.text[:start] + new + self.text[start + len(old) :]
        self.version += 1
        self._editor.tell(
            self.client.text_document_did_change,
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangePartial(stretch, new)],
            ),
        )

    def edited(self, edits: Sequence[types.TextEdit]) -> str:
        """The text with the server's edits made."""
        text = self.text
        for edit in sorted(edits, key=lambda one: self._offsets(one.range), reverse=True):
            start, end = self._offsets(edit.range)
            text = text[:start] + edit.new_text + text[end:]
        return text

    def ask(self, request: Any, params: Any) -> Any:
        """The server's answer to a request about this text."""
        return self._editor.wait(request(params))


@contextmanager
def editor(folder: Path | None = None) -> Iterator[Editor]:
    """An editor with a server of its own, which must leave in good order."""
    one = Editor(folder)
    one.start()
    yield one
    status, said = one.stop()
    assert status == 0, said
