"""Which request of the protocol is answered by what.

    vcad lsp        python -m vcad_kernel.lsp

Speaks over standard input and output; what it has to say for itself goes to standard error.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Generator
from importlib.metadata import version
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.language_server import lsp_method

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.analysis.completion import complete
from vcad_kernel.loon.analysis.description import described
from vcad_kernel.loon.analysis.navigation import RenameRefused, references, renamable
from vcad_kernel.loon.analysis.signature import signature_at
from vcad_kernel.loon.analysis.symbols import outline
from vcad_kernel.loon.analysis.utf16 import Utf16
from vcad_kernel.loon.diagnostics import Diagnostic, helps
from vcad_kernel.loon.printing.formatter import format_source
from vcad_kernel.loon.reference import markdown
from vcad_kernel.lsp.conversion import (
    LEGEND,
    change_of,
    code_action,
    completion_list,
    diagnostic,
    document_symbol,
    range_of,
    semantic_tokens,
    signature_help,
    text_edit,
)
from vcad_kernel.lsp.documents import Change, OpenDocument, OpenDocuments
from vcad_kernel.lsp.navigation import rename_everywhere, target
from vcad_kernel.lsp.workspace import BUILTINS, Workspace

__all__ = ["LoonServer", "main"]

QUIET = 0.15
"""Seconds without a change after which a text is checked; a text that is opened is checked at once."""


class _Protocol(LanguageServerProtocol):
    """The protocol, with the one position encoding that every client must know, and our own texts.

    pygls keeps texts too, but splits lines where Python does, and moves a change that it takes to lie
    beyond a line's end before anyone else sees it.
    """

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None


class _Positioned(Protocol):
    """A request about a place in a text."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


class LoonServer(LanguageServer):
    """A language server for Loon with the CAD library.

    quiet: seconds without a change after which a text is checked.
    """

    def __init__(self, quiet: float = QUIET) -> None:
        super().__init__(
            "vcad",
            version("vcad-workbench"),
            protocol_cls=_Protocol,
            converter_factory=default_converter,
        )
        self.documents = OpenDocuments()
        self.loon = Workspace(self.documents)
        self._quiet = quiet
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def check_soon(self, uri: str) -> None:
        """Check a text when its editor pauses."""
        self._forget(uri)
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(self._quiet, self.check, uri)

    def check(self, uri: str) -> None:
        """Check a text and publish what is found, and nothing else than that."""
        self._forget(uri)
        document = self.documents.get(uri)
        if document is None:
            return
        diagnostics = [diagnostic(document.units, uri, finding) for finding in self.loon.findings(document)]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, document.version)
        )

    def close(self, uri: str) -> None:
        """Forget a text, and what was found in it."""
        self._forget(uri)
        self.documents.close(uri)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _forget(self, uri: str) -> None:
        timer = self._waiting.pop(uri, None)
        if timer is not None:
            timer.cancel()

    def at(self, params: _Positioned) -> tuple[OpenDocument, int] | None:
        """The open text that a request is about, and the offset in it."""
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return None
        return document, document.units.offset(params.position.line, params.position.character)


def _initialize(server: LoonServer, params: types.InitializeParams) -> None:
    folders = [folder.uri for folder in params.workspace_folders or ()]
    for uri in folders or ([params.root_uri] if params.root_uri else []):
        server.loon.add_folder(uri)


def _folders_changed(server: LoonServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    for folder in params.event.removed:
        server.loon.remove_folder(folder.uri)
    for folder in params.event.added:
        server.loon.add_folder(folder.uri)
    for document in server.documents:
        server.check_soon(document.uri)


def _did_open(server: LoonServer, params: types.DidOpenTextDocumentParams) -> None:
    opened = params.text_document
    server.documents.open(opened.uri, opened.text, opened.version)
    server.check(opened.uri)


def _did_change(server: LoonServer, params: types.DidChangeTextDocumentParams) -> None:
    changes = [change_of(change) for change in params.content_changes]
    document = params.text_document
    if server.documents.change(document.uri, changes, document.version) is not None:
        server.check_soon(document.uri)


def _did_close(server: LoonServer, params: types.DidCloseTextDocumentParams) -> None:
    server.close(params.text_document.uri)


def _completion(server: LoonServer, params: types.CompletionParams) -> types.CompletionList | None:
    place = server.at(params)
    if place is None:
        return None
    document, offset = place
    return completion_list(document.units, complete(document.text, offset, server.loon.knowledge(document)))


def _hover(server: LoonServer, params: types.HoverParams) -> types.Hover | None:
    place = server.at(params)
    if place is None:
        return None
    document, offset = place
    analysed = server.loon.analysed(document)
    entry = described(analysed, offset)
    if entry is None:
        return None
    mention = analysed.mention_at(offset)
    stretch = range_of(document.units, mention.start, mention.end) if mention is not None else None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown(entry)), stretch)


def _signature_help(server: LoonServer, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    place = server.at(params)
    if place is None:
        return None
    document, offset = place
    signature = signature_at(document.text, offset, server.loon.knowledge(document))
    return signature_help(signature) if signature is not None else None


def _definition(server: LoonServer, params: types.DefinitionParams) -> types.Location | None:
    place = server.at(params)
    where = target(server.loon, *place) if place is not None else None
    if where is None:
        return None
    return types.Location(where.uri, range_of(Utf16(where.text), where.start, where.end))


def _references(server: LoonServer, params: types.ReferenceParams) -> list[types.Location] | None:
    place = server.at(params)
    if place is None:
        return None
    document, offset = place
    return [
        types.Location(document.uri, range_of(document.units, mention.start, mention.end))
        for mention in references(server.loon.analysed(document), offset)
        if params.context.include_declaration or not mention.defines
    ]


def _prepare_rename(
    server: LoonServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    place = server.at(params)
    if place is None:
        return None
    document, offset = place
    try:
        mention = renamable(server.loon.analysed(document), offset)
    except RenameRefused as error:
        raise JsonRpcInvalidParams(_sentence(error)) from None
    stretch = range_of(document.units, mention.start, mention.end)
    return types.PrepareRenamePlaceholder(stretch, document.text[mention.start : mention.end])


def _rename(server: LoonServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    place = server.at(params)
    if place is None:
        return None
    try:
        changed = rename_everywhere(server.loon, *place, params.new_name)
    except RenameRefused as error:
        raise JsonRpcInvalidParams(_sentence(error)) from None
    return types.WorkspaceEdit(
        {file.uri: [text_edit(Utf16(file.text), edit) for edit in file.edits] for file in changed}
    )


def _sentence(error: RenameRefused) -> str:
    return ". ".join(part for part in (error.message, error.why, error.fix) if part)


def _formatting(server: LoonServer, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return None
    try:
        text = format_source(document.text)
    except LoonError:
        return []  # a text that cannot be read stays as it is; its finding says why
    if text == document.text:
        return []
    return [types.TextEdit(range_of(document.units, 0, len(document.text)), text)]


def _code_action(server: LoonServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of the findings in a stretch that are changes of the text.

    Each is tried first: it is offered if the finding is gone by it and no other error has come.
    """
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return []
    start, end = (
        document.units.offset(at.line, at.character) for at in (params.range.start, params.range.end)
    )
    findings = server.loon.findings(document)

    def check(text: str) -> tuple[Diagnostic, ...]:
        return server.loon.findings(document.changed(Change(text), document.version))

    return [
        code_action(document.units, document.uri, finding)
        for finding in findings
        if finding.labels[0].span.start <= end
        and start <= finding.labels[0].span.end
        and helps(finding, document.text, findings, check)
    ]


def _document_symbol(
    server: LoonServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return None
    return [document_symbol(document.units, symbol) for symbol in outline(server.loon.analysed(document))]


def _semantic_tokens(server: LoonServer, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    document = server.documents.get(params.text_document.uri)
    return semantic_tokens(document.units, BUILTINS) if document is not None else None


def make_server(quiet: float = QUIET) -> LoonServer:
    """A server with all that it answers."""
    server = LoonServer(quiet)
    completion = types.CompletionOptions(trigger_characters=["[", ":", ".", "{"])
    signature = types.SignatureHelpOptions(trigger_characters=["[", " "])
    actions = types.CodeActionOptions([types.CodeActionKind.QuickFix])
    for method, answer, options in (
        (types.INITIALIZE, _initialize, None),
        (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, _folders_changed, None),
        (types.TEXT_DOCUMENT_DID_OPEN, _did_open, None),
        (types.TEXT_DOCUMENT_DID_CHANGE, _did_change, None),
        (types.TEXT_DOCUMENT_DID_CLOSE, _did_close, None),
        (types.TEXT_DOCUMENT_COMPLETION, _completion, completion),
        (types.TEXT_DOCUMENT_HOVER, _hover, None),
        (types.TEXT_DOCUMENT_SIGNATURE_HELP, _signature_help, signature),
        (types.TEXT_DOCUMENT_DEFINITION, _definition, None),
        (types.TEXT_DOCUMENT_REFERENCES, _references, None),
        (types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename, None),
        (types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
        (types.TEXT_DOCUMENT_FORMATTING, _formatting, None),
        (types.TEXT_DOCUMENT_CODE_ACTION, _code_action, actions),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _document_symbol, None),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _semantic_tokens, LEGEND),
    ):
        server.feature(method, options)(answer)
    return server


def main() -> None:
    """Serve an editor on standard input and output until it says exit."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    make_server().start_io()
