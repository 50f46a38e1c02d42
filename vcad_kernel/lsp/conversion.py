"""Our answers in the words of the language server protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lsprotocol import types

from vcad_kernel.loon.analysis.completion import Completion, CompletionKind, Completions
from vcad_kernel.loon.analysis.navigation import Edit
from vcad_kernel.loon.analysis.signature import Signature
from vcad_kernel.loon.analysis.symbols import OutlineSymbol
from vcad_kernel.loon.analysis.utf16 import Utf16
from vcad_kernel.loon.diagnostics import Diagnostic, Severity
from vcad_kernel.loon.highlighting import tokenize
from vcad_kernel.loon.reference import arrows
from vcad_kernel.loon.scoping.bindings import DefinitionKind
from vcad_kernel.lsp.documents import Change

__all__ = [
    "LEGEND",
    "change_of",
    "code_action",
    "completion_list",
    "diagnostic",
    "document_symbol",
    "range_of",
    "semantic_tokens",
    "signature_help",
    "text_edit",
]

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Hint,
}

_Item = types.CompletionItemKind
_COMPLETIONS: dict[CompletionKind, types.CompletionItemKind] = {
    "form": _Item.Keyword,
    "function": _Item.Function,
    "constructor": _Item.EnumMember,
    "constant": _Item.Constant,
    "effect": _Item.Event,
    "macro": _Item.Snippet,
    "module": _Item.Module,
    "variable": _Item.Variable,
    "parameter": _Item.Variable,
    "keyword": _Item.Property,
    "key": _Item.Field,
    "type": _Item.Class,
}

_SYMBOLS: dict[DefinitionKind, types.SymbolKind] = {
    "function": types.SymbolKind.Function,
    "variable": types.SymbolKind.Variable,
    "macro": types.SymbolKind.Function,
    "type": types.SymbolKind.Enum,
    "constructor": types.SymbolKind.EnumMember,
    "method": types.SymbolKind.Method,
    "test": types.SymbolKind.Method,
    "effect": types.SymbolKind.Interface,
    "operation": types.SymbolKind.Method,
    "trait": types.SymbolKind.Interface,
    "module": types.SymbolKind.Module,
    "import": types.SymbolKind.Variable,
}


def range_of(units: Utf16, start: int, end: int) -> types.Range:
    """A stretch of a text."""
    return types.Range(types.Position(*units.position(start)), types.Position(*units.position(end)))


def change_of(change: types.TextDocumentContentChangeEvent) -> Change:
    """A change that the editor reports."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        start, end = change.range.start, change.range.end
        return Change(change.text, (start.line, start.character), (end.line, end.character))
    return Change(change.text)


def diagnostic(units: Utf16, uri: str, finding: Diagnostic) -> types.Diagnostic:
    """A finding; what it says besides its first sentence follows on lines of its own."""
    first, *others = finding.labels
    start, end = first.span.start, first.span.end
    if end <= start:
        end = min(start + 1, len(units.text))
        start = max(0, end - 1)
    message = "\n".join(
        [
            finding.what,
            *([f"why: {finding.why}"] if finding.why else []),
            *([f"fix: {finding.fix}"] if finding.fix else []),
        ]
    )
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, range_of(units, label.span.start, label.span.end)), label.text or finding.what
        )
        for label in others
        if label.span.source is first.span.source
    ]
    return types.Diagnostic(
        range_of(units, start, end),
        message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source="loon",
        related_information=related or None,
    )


def code_action(units: Utf16, uri: str, finding: Diagnostic) -> types.CodeAction:
    """The fix of a finding as a change that the editor makes."""
    edits = [
        types.TextEdit(range_of(units, repair.span.start, repair.span.end), repair.text)
        for repair in finding.repairs
    ]
    return types.CodeAction(
        finding.fix,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(units, uri, finding)],
        is_preferred=True,
        edit=types.WorkspaceEdit({uri: edits}),
    )


def completion_list(units: Utf16, completions: Completions) -> types.CompletionList:
    """What could be written, in our order."""
    stretch = range_of(units, completions.start, completions.end)
    return types.CompletionList(
        is_incomplete=False,
        items=[_completion(item, at, stretch) for at, item in enumerate(completions.items)],
    )


def _completion(item: Completion, rank: int, stretch: types.Range) -> types.CompletionItem:
    return types.CompletionItem(
        item.label,
        kind=_COMPLETIONS[item.kind],
        detail=arrows(item.detail) or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, item.doc) if item.doc else None,
        sort_text=f"{rank:05}",
        text_edit=types.TextEdit(stretch, item.insert),
    )


def signature_help(signature: Signature) -> types.SignatureHelp:
    """The call under the cursor. Spans within its label count in UTF-16 as everything does."""
    units = Utf16(signature.usage)
    parameters = [
        types.ParameterInformation((units.from_points(start), units.from_points(end)))
        for start, end in signature.parameters
    ]
    doc = types.MarkupContent(types.MarkupKind.Markdown, signature.entry.doc) if signature.entry.doc else None
    active = len(parameters) if signature.active is None else signature.active  # beyond the last: none
    return types.SignatureHelp([types.SignatureInformation(signature.usage, doc, parameters)], 0, active)


def document_symbol(units: Utf16, symbol: OutlineSymbol) -> types.DocumentSymbol:
    """A definition of the outline, with those in it."""
    return types.DocumentSymbol(
        symbol.name,
        _SYMBOLS[symbol.kind],
        range_of(units, symbol.start, symbol.end),
        range_of(units, symbol.name_start, symbol.name_end),
        detail=symbol.usage,
        children=[document_symbol(units, child) for child in symbol.children],
    )


def text_edit(units: Utf16, edit: Edit) -> types.TextEdit:
    """A change to a text."""
    return types.TextEdit(range_of(units, edit.start, edit.end), edit.text)


_Token = types.SemanticTokenTypes
_ROLES: dict[str, types.SemanticTokenTypes] = {
    "comment": _Token.Comment,
    "string": _Token.String,
    "escape": _Token.Regexp,
    "keyword": _Token.Property,
    "number": _Token.Number,
    "boolean": _Token.Keyword,
    "special": _Token.Keyword,
    "definition": _Token.Function,
    "operation": _Token.Event,
    "builtin": _Token.Function,
    "constructor": _Token.EnumMember,
    "symbol": _Token.Variable,
    "quote": _Token.Macro,
    "postfix": _Token.Operator,
}
"""The roles of tokens that have a colour; brackets and blanks have none."""

_COLOURED = list(dict.fromkeys(_ROLES.values()))

LEGEND = types.SemanticTokensLegend([str(kind.value) for kind in _COLOURED], [])


def semantic_tokens(units: Utf16, builtins: Collection[str]) -> types.SemanticTokens:
    """The tokens of a text, each given by its distance from the one before."""
    data: list[int] = []
    line, column = 0, 0
    for start, end, kind in _on_one_line(units.text, builtins):
        at_line, at_column = units.position(start)
        width = units.position(end)[1] - at_column
        data += [at_line - line, at_column - column if at_line == line else at_column, width]
        data += [_COLOURED.index(kind), 0]
        line, column = at_line, at_column
    return types.SemanticTokens(data)


def _on_one_line(text: str, builtins: Collection[str]) -> Iterator[tuple[int, int, types.SemanticTokenTypes]]:
    """The coloured tokens; one that runs over several lines in pieces, as not every editor takes it whole."""
    for token in tokenize(text, builtins):
        kind = _ROLES.get(token.kind)
        if kind is None:
            continue
        start = token.start
        for piece in text[token.start : token.end].splitlines(keepends=True):
            width = len(piece.rstrip("\r\n"))
            if width:
                yield start, start + width, kind
            start += len(piece)
