"""The language server as an editor meets it, over real pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import LIMIT, Editor, editor
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

SCENE = """; How thick the sheet is.
[let wall 3]

; A rounded plate.
[fn plate [w d]
  [let inset 2]
  [fillet inset [cube w d wall]]]

[plate 30 [* 2 wall]]
"""


def value_of(text: str) -> str:
    from vcad_kernel.cad.library import CAD_LIBRARY

    return display(Environment(prelude=[CAD_LIBRARY]).run(Source("test.oo", text)))


def labels(found: Any) -> list[str]:
    return [item.label for item in found.items]


def test_a_finding_is_published_with_its_range_in_utf16_and_goes_when_it_is_mended(loose: Editor) -> None:
    text = loose.open("astral.oo", '[let face "😀"]\n[println "😀😀" [ghost 1]]\n')
    (finding,) = [one for one in text.findings() if one.code == "E0201"]
    assert text.within(finding.range) == "ghost"
    assert (finding.range.start.line, finding.range.start.character) == (1, 17)
    assert finding.severity == types.DiagnosticSeverity.Error
    text.edit("[ghost 1]", '"ok"')
    assert [one.code for one in text.findings() if one.severity == types.DiagnosticSeverity.Error] == []


def test_a_text_that_cannot_be_read_has_one_finding_that_says_why_and_how_to_mend_it(loose: Editor) -> None:
    text = loose.open("unclosed.oo", "[let a 1]\n[fn f [x] [str x]\n")
    (finding,) = text.findings()
    assert finding.code == "E0102"
    assert finding.range.start.line == 1
    assert "fix:" in finding.message
    text.edit("[str x]", "[str x]]")
    assert text.findings() == []


def test_a_good_model_has_no_findings(loose: Editor) -> None:
    assert loose.open("good.oo", SCENE).findings() == []


def test_a_fix_that_leaves_nothing_to_decide_is_a_quick_fix(loose: Editor) -> None:
    wrong = "; 😀\n[let plate [cube 40mm 30 5]]\n[fillet-at 1 {:parallel [0 0 1]} plate]\n"
    text = loose.open("quick.oo", wrong)
    findings = text.findings()
    actions = text.code_actions(types.Range(types.Position(0, 0), types.Position(3, 0)))
    assert [(action.kind, action.title) for action in actions] == [
        (types.CodeActionKind.QuickFix, "lengths are mm: write 40"),
        (types.CodeActionKind.QuickFix, "write #[…] for a vector, (…) for a tuple"),
    ]
    assert [finding for action in actions for finding in action.diagnostics or ()] == findings
    changes = [action.edit.changes for action in actions if action.edit is not None]
    right = text.edited([edit for change in changes if change is not None for edit in change[text.uri]])
    assert right == "; 😀\n[let plate [cube 40 30 5]]\n[fillet-at 1 {:parallel #[0 0 1]} plate]\n"
    assert loose.open("right.oo", right).findings() == []


def test_no_fix_is_offered_elsewhere_than_at_its_finding(loose: Editor) -> None:
    text = loose.open("elsewhere.oo", "[let a 1]\n[cube 40mm 30 5]\n")
    assert text.code_actions(types.Range(types.Position(0, 2), types.Position(0, 2))) == []
    assert len(text.code_actions(types.Range(types.Position(1, 8), types.Position(1, 8)))) == 1


def test_closing_a_text_takes_its_findings_away(loose: Editor) -> None:
    text = loose.open("closing.oo", "[ghost 1]")
    assert text.findings()
    loose.tell(text.client.text_document_did_close, types.DidCloseTextDocumentParams(text.identifier))
    assert text.findings() == []


def test_hover_shows_how_a_library_function_is_written_and_what_it_does(loose: Editor) -> None:
    text = loose.open("hover.oo", SCENE)
    shown = text.ask(
        text.client.text_document_hover_async,
        types.HoverParams(text.identifier, text.position("fillet", 2)),
    )
    assert "[fillet r s]" in shown.contents.value
    assert "Real → Solid → Solid" in shown.contents.value
    assert text.within(shown.range) == "fillet"


def test_hover_shows_the_comment_above_a_definition(loose: Editor) -> None:
    text = loose.open("hover-own.oo", SCENE)
    where = text.at(text.text.rindex("plate"))
    shown = text.ask(text.client.text_document_hover_async, types.HoverParams(text.identifier, where))
    assert "[plate w d]" in shown.contents.value
    assert "A rounded plate." in shown.contents.value


def test_completion_works_inside_a_half_typed_form(loose: Editor) -> None:
    text = loose.open("half.oo", "[fn f [width 😀\n  [str wi\n\n[let wide 3]\n")
    text.edit(" 😀", "]")
    found = text.ask(
        text.client.text_document_completion_async,
        types.CompletionParams(text.identifier, text.position("wi\n", 2)),
    )
    assert labels(found)[:2] == ["width", "wide"]
    assert text.within(found.items[0].text_edit.range) == "wi"
    assert [item.sort_text for item in found.items] == sorted(item.sort_text for item in found.items)


def test_completion_knows_the_library_and_where_an_argument_stands(loose: Editor) -> None:
    text = loose.open("library.oo", "[cyl 1 2]")
    params = types.CompletionParams(text.identifier, text.at(4))
    assert labels(text.ask(text.client.text_document_completion_async, params))[0] == "cylinder"
    help_ = text.ask(
        text.client.text_document_signature_help_async,
        types.SignatureHelpParams(loose.open("call.oo", "[cylinder 1 ").identifier, text.at(8)),
    )
    assert help_ is None or help_.signatures[0].label == "[cylinder r h]"


def test_signature_help_points_at_the_argument_being_written(loose: Editor) -> None:
    text = loose.open("signature.oo", "[cylinder 1 ")
    found = text.ask(
        text.client.text_document_signature_help_async,
        types.SignatureHelpParams(text.identifier, text.at(len(text.text))),
    )
    (signature,) = found.signatures
    start, end = signature.parameters[found.active_parameter].label
    assert signature.label[start:end] == "h"


def test_definition_and_references_lead_through_the_text(loose: Editor) -> None:
    text = loose.open("places.oo", SCENE)
    where = text.at(text.text.rindex("wall"))
    found = text.ask(
        text.client.text_document_definition_async, types.DefinitionParams(text.identifier, where)
    )
    assert (found.uri, text.within(found.range), found.range.start.line) == (text.uri, "wall", 1)
    for declared, count in ((True, 3), (False, 2)):
        places = text.ask(
            text.client.text_document_references_async,
            types.ReferenceParams(types.ReferenceContext(declared), text.identifier, where),
        )
        assert [text.within(place.range) for place in places] == ["wall"] * count


def test_a_rename_leaves_a_text_that_evaluates_to_the_same(loose: Editor) -> None:
    text = loose.open("rename.oo", SCENE)
    where = text.position("inset", 1)
    prepared = text.ask(
        text.client.text_document_prepare_rename_async,
        types.PrepareRenameParams(text.identifier, where),
    )
    assert prepared.placeholder == "inset"
    change = text.ask(
        text.client.text_document_rename_async,
        types.RenameParams(text.identifier, where, "radius"),
    )
    renamed = text.edited(change.changes[text.uri])
    assert "inset" not in renamed
    assert renamed.count("radius") == 2
    assert value_of(renamed) == value_of(SCENE)


@pytest.mark.parametrize(("word", "new"), [("inset", "w"), ("inset", "two words"), ("fillet", "round")])
def test_a_rename_that_would_change_the_meaning_is_refused_in_words(
    loose: Editor, word: str, new: str
) -> None:
    text = loose.open("refused.oo", SCENE)
    params = types.RenameParams(text.identifier, text.position(word, 1), new)
    with pytest.raises(JsonRpcException, match=r"[a-z]+ [a-z]+"):
        text.ask(text.client.text_document_rename_async, params)


def test_formatting_lays_the_whole_text_out_and_keeps_its_comments(loose: Editor) -> None:
    text = loose.open("format.oo", "[fn   f [x]\n  ; twice\n [*   2 x]]\n[f 1]")
    options = types.FormattingOptions(2, True)
    params = types.DocumentFormattingParams(text.identifier, options)
    edits = text.ask(text.client.text_document_formatting_async, params)
    laid_out = text.edited(edits)
    assert laid_out == "[fn f [x]\n  ; twice\n  [* 2 x]]\n\n[f 1]\n"
    again = loose.open("formatted.oo", laid_out)
    params = types.DocumentFormattingParams(again.identifier, options)
    assert not again.ask(again.client.text_document_formatting_async, params)


def test_a_text_that_cannot_be_read_is_not_laid_out(loose: Editor) -> None:
    text = loose.open("broken.oo", "[fn f [x")
    params = types.DocumentFormattingParams(text.identifier, types.FormattingOptions(2, True))
    assert not text.ask(text.client.text_document_formatting_async, params)


def test_the_outline_holds_the_definitions_one_in_the_other(loose: Editor) -> None:
    text = loose.open("outline.oo", "[type Shape [Ball Float] Point]\n[fn f [] [fn g [] 1]]\n[let k 1]")
    symbols = text.ask(
        text.client.text_document_document_symbol_async,
        types.DocumentSymbolParams(text.identifier),
    )
    assert [(one.name, [child.name for child in one.children]) for one in symbols] == [
        ("Shape", ["Ball", "Point"]),
        ("f", ["g"]),
        ("k", []),
    ]
    assert text.within(symbols[1].selection_range) == "f"


def test_tokens_are_coloured_where_they_stand(loose: Editor) -> None:
    text = loose.open("tokens.oo", '[let a "😀\nb"]\n; note\n[cube a :k 2]')
    found = text.ask(
        text.client.text_document_semantic_tokens_full_async,
        types.SemanticTokensParams(text.identifier),
    )
    legend = loose.capabilities.semantic_tokens_provider
    assert isinstance(legend, types.SemanticTokensOptions)
    shown, line, column = [], 0, 0
    for at in range(0, len(found.data), 5):
        down, right, width, kind, _ = found.data[at : at + 5]
        line, column = line + down, right if down else column + right
        stretch = types.Range(types.Position(line, column), types.Position(line, column + width))
        shown.append((text.within(stretch), legend.legend.token_types[kind]))
    words = [(word, kind) for word, kind in shown if kind != "string"]
    assert words == [
        ("let", "keyword"),
        ("a", "function"),
        ("; note", "comment"),
        ("cube", "function"),
        ("a", "variable"),
        (":k", "property"),
        ("2", "number"),
    ]
    assert "".join(word for word, kind in shown if kind == "string") == '"😀b"'


def test_lines_end_where_the_protocol_says(loose: Editor) -> None:
    text = loose.open("lines.oo", '[let a "x\u2028y\x0cz"]\r\n[let b 1]\r[ghost b]\n')
    text.edit("[let b 1]", "[let b 2]")
    (finding,) = [one for one in text.findings() if one.code == "E0201"]
    assert finding.range.start == types.Position(2, 1)


def test_the_server_speaks_utf16_and_takes_incremental_changes(loose: Editor) -> None:
    assert loose.capabilities.position_encoding == types.PositionEncodingKind.Utf16
    sync = loose.capabilities.text_document_sync
    assert isinstance(sync, types.TextDocumentSyncOptions)
    assert sync.change == types.TextDocumentSyncKind.Incremental


def test_a_server_that_is_told_to_leaves_quietly() -> None:
    one = Editor()
    one.start()
    one.open("last.oo", "[let a 1]").findings()
    status, said = one.stop()
    assert (status, said) == (0, "")


PLATE = "[let margin 2]\n; A hole.\n[pub fn hole [d part] [difference [cylinder d margin] part]]\n"


def test_names_of_modules_are_completed_found_and_renamed_across_files(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    plate = tmp_path / "lib" / "plate.oo"
    plate.write_text(PLATE, "utf-8")
    other = tmp_path / "other.oo"
    other.write_text("[use lib.plate [hole]]\n[hole 3 [cube 1 2 3]]\n", "utf-8")
    with editor(tmp_path) as one:
        main = one.open(
            "main.oo", "[let d 3]\n[use lib.plate :as p]\n[p.hole 3 [cube 1 2 3]]\n[p.]\n[use l]\n"
        )
        client = main.client
        params = types.CompletionParams(main.identifier, main.position("[p.]", 3))
        assert labels(main.ask(client.text_document_completion_async, params))[0] == "p.hole"
        params = types.CompletionParams(main.identifier, main.position("[use l]", 6))
        assert labels(main.ask(client.text_document_completion_async, params)) == ["lib.plate"]

        where = main.position("p.hole", 4)
        hover = main.ask(client.text_document_hover_async, types.HoverParams(main.identifier, where))
        assert "A hole." in hover.contents.value
        found = main.ask(
            client.text_document_definition_async, types.DefinitionParams(main.identifier, where)
        )
        assert (found.uri, found.range.start) == (plate.as_uri(), types.Position(2, 8))
        found = main.ask(
            client.text_document_definition_async,
            types.DefinitionParams(main.identifier, main.position("lib.plate", 4)),
        )
        assert (found.uri, found.range.start) == (plate.as_uri(), types.Position(0, 0))

        module = one.open("lib/plate.oo", PLATE)
        change = module.ask(
            client.text_document_rename_async,
            types.RenameParams(module.identifier, module.position("fn hole", 4), "bore"),
        )
        assert set(change.changes) == {main.uri, module.uri, other.as_uri()}
        assert "[pub fn bore [d part]" in module.edited(change.changes[module.uri])
        assert "[p.bore 3" in main.edited(change.changes[main.uri])
        assert [edit.new_text for edit in change.changes[other.as_uri()]] == ["bore", "bore"]


def test_an_unsaved_module_counts_for_those_who_use_it(tmp_path: Path) -> None:
    (tmp_path / "shapes.oo").write_text("[fn old [] 1]\n", "utf-8")
    with editor(tmp_path) as one:
        one.open("shapes.oo", "[fn fresh [] 1]\n").findings()
        main = one.open("main.oo", "[use shapes]\n[shapes.fresh]\n")
        assert main.findings() == []


def test_the_command_leaves_with_status_0_after_shutdown_and_exit() -> None:
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    said = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
    command = [sys.executable, "-c", "from vcad_kernel.cli import main; main()", "lsp"]
    left = subprocess.run(command, input=said, capture_output=True, timeout=LIMIT, check=False)
    assert (left.returncode, left.stderr.decode()) == (0, "")
