"""Imports are found among forms, never in text; what stands around them stays where it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.cad.imports import EXTRACTS, extract_imports, shown_as
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import ErrorCode, LoonSyntaxError, VcadError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source


def _extracted(text: str):
    return extract_imports(Source("part.oo", text))


def _refusal(text: str) -> VcadError:
    with pytest.raises(VcadError) as caught:
        _extracted(text)
    return caught.value


def test_a_binding_of_an_import_is_found_and_its_parts_are_named() -> None:
    (found,) = _extracted('[let plate [import :solid "entity:12"]] plate').imports
    assert (found.import_id, found.binding_name) == ("import-1", "plate")
    assert (found.extract, found.entity_ref) == ("solid", "entity:12")


@pytest.mark.parametrize("extract", EXTRACTS)
@pytest.mark.parametrize("reference", ["entity:12", "pid:9", "node:lid", "node:a/b-ü.c"])
def test_every_extract_of_every_kind_of_reference_is_taken(extract: str, reference: str) -> None:
    (found,) = _extracted(f'[let x [import :{extract} "{reference}"]]').imports
    assert (found.extract, found.entity_ref) == (extract, reference)


def test_a_program_without_imports_stays_as_it_is() -> None:
    text = '[let s "[import :bbox \\"entity:1\\"]"] ; [let x [import :bbox "entity:2"]]\n[cube 1 2 3]\n'
    assert _extracted(text).transformed_source == text
    assert _extracted(text).imports == ()


def test_text_in_strings_and_comments_is_no_import() -> None:
    text = (
        '; [let a [import :bbox "entity:1"]]\n'
        '[let s "import [let b [import :bbox]]"]\n'
        '[let c [import :bbox "entity:3"]] ; import\n'
    )
    found = _extracted(text)
    assert [one.binding_name for one in found.imports] == ["c"]
    assert found.transformed_source.splitlines()[:2] == text.splitlines()[:2]


def test_the_transformed_program_runs_with_the_symbol_bound() -> None:
    found = _extracted('[let a [import :bbox "entity:1"]] [let b [import :bbox "pid:22"]] [+ a b]')
    environment = Environment(prelude=PRELUDE)
    for one, value in zip(found.imports, (40, 2), strict=True):
        environment.user.define(one.injected_symbol, value)
    assert environment.run(Source("part.oo", found.transformed_source)) == 42


def test_everything_around_an_import_stays_in_its_line_and_column() -> None:
    text = '[let a\r\n  [import ; why\n\t:solid\n   "pid:1"\n]] [let b[import :bbox "entity:1"]][first b]\n'
    found = _extracted(text).transformed_source
    assert len(found) == len(text)
    assert [len(line) for line in found.split("\n")] == [len(line) for line in text.split("\n")]
    assert found.index("[first b]") == text.index("[first b]")
    assert "import" not in found


def test_errors_show_the_line_that_the_user_wrote() -> None:
    text = '[let a [import :bbox "entity:1"]] [first a]\n'
    found = _extracted(text)
    source = shown_as(Source("part.oo", found.transformed_source), text)
    environment = Environment(prelude=PRELUDE)
    environment.user.define(found.imports[0].injected_symbol, 5)
    with pytest.raises(VcadError) as caught:
        environment.run(source)
    place = caught.value.place
    assert place is not None
    assert (place.line, place.column) == (1, text.index("first a") + 1)
    assert place.text == text.rstrip("\n")


def test_a_text_of_other_lines_is_not_shown_in_place_of_the_program() -> None:
    source = Source("part.oo", "[a]\n[b]")
    assert shown_as(source, "[a] [b]") is source
    assert shown_as(source, "[a]") is source


def test_imports_within_functions_and_behind_pub_are_found() -> None:
    text = '[fn f [] [let a [import :bbox "node:x"]] a]\n[pub let b [import :bbox "pid:2"]]'
    assert [one.binding_name for one in _extracted(text).imports] == ["a", "b"]
    assert [
        one.binding_name for one in _extracted(f'[pub [let c [import :bbox "pid:2"]]] {text}').imports
    ] == [
        "c",
        "a",
        "b",
    ]


def test_the_same_import_has_the_same_symbol_wherever_it_stands() -> None:
    alone = _extracted('[let a [import :bbox "entity:1"]]').imports[0].injected_symbol
    found = _extracted(
        '[let z [import :solid "entity:1"]][let a [import :bbox "entity:1"]][let b [import :bbox "entity:1"]]'
    ).imports
    assert [one.injected_symbol == alone for one in found] == [False, True, True]
    assert len({one.import_id for one in found}) == 3


def test_a_symbol_that_the_program_uses_itself_is_not_taken() -> None:
    symbol = _extracted('[let a [import :bbox "entity:1"]]').imports[0].injected_symbol
    (found,) = _extracted(f'[let a [import :bbox "entity:1"]] [let {symbol} 3] {symbol}').imports
    assert found.injected_symbol != symbol


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[import :bbox "entity:1"]', (1, 2)),
        ('[let a\n  [+ 1 [import :bbox "entity:1"]]]', (2, 9)),
        ('[let mut a [import :bbox "entity:1"]]', (1, 13)),
        ('[let [a b] [import :bbox "entity:1"]]', (1, 13)),
        ('[let a [import :bbox "entity:1"] 5]', (1, 9)),
        ("[let import 5]", (1, 6)),
        ('[let import [import :bbox "entity:1"]]', (1, 6)),
        ("[fn f [import] 5]", (1, 8)),
        ("[map import #[1]]", (1, 6)),
        ('"a {import} b"', (1, 5)),
        ('[let a [import :volume "entity:1"]]', (1, 16)),
        ('[let a [import "bbox" "entity:1"]]', (1, 16)),
        ("[let a [import :bbox entity]]", (1, 22)),
        ('[let a [import :bbox "entity:"]]', (1, 22)),
        ('[let a [import :bbox "part:1"]]', (1, 22)),
        ('[let a [import :bbox "entity:1 2"]]', (1, 22)),
        ('[let a [import :bbox "{x}"]]', (1, 22)),
        ("[let a [import :bbox]]", (1, 8)),
        ('[let a [import :bbox "entity:1" 3]]', (1, 8)),
        ('[let a [import :bbox "entity:1"]?]', (1, 9)),
        ('é\n[macro m [] `[import :bbox "entity:1"]]', (2, 15)),
    ],
)
def test_any_other_use_of_import_is_refused_with_its_place(text: str, place: tuple[int, int]) -> None:
    if text.startswith("é"):
        text = '"é"' + text[1:]
    error = _refusal(text)
    assert error.error_code == ErrorCode.IMPORT_FORM_INVALID
    assert error.place is not None
    assert (error.place.line, error.place.column) == place
    assert error.place.file == "part.oo"


def test_text_that_cannot_be_read_is_a_fault_of_the_language() -> None:
    assert isinstance(_refusal('[let a [import :bbox "entity:1"]'), LoonSyntaxError)


def test_names_that_only_begin_like_import_are_no_imports() -> None:
    text = '[import-mesh "a.stl"] [let m {:import 3}] [let imports 4]'
    assert _extracted(text).transformed_source == text


_gaps = st.sampled_from([" ", "\n", "\t", " ; import\n", "\r\n", "\n\n  "])
_references = st.sampled_from(["entity:1", "pid:1", "node:a"])


@given(
    st.lists(st.tuples(st.sampled_from(EXTRACTS), _references, _gaps, _gaps, _gaps), max_size=6),
    st.sampled_from(["", " ", "\n"]),
)
def test_any_layout_keeps_its_lines_and_reads_as_bindings_of_symbols(pieces, between) -> None:
    text = ""
    for number, (extract, reference, first, second, third) in enumerate(pieces):
        text += f'[let v{number}{first}[import{second}:{extract}{third}"{reference}"]]{between}'
    found = _extracted(text)
    assert [len(line) for line in found.transformed_source.split("\n")] == [
        len(line) for line in text.split("\n")
    ]
    assert [(one.extract, one.entity_ref) for one in found.imports] == [piece[:2] for piece in pieces]
    environment = Environment()
    for one in found.imports:
        environment.user.define(one.injected_symbol, one.import_id)
    environment.run(Source("part.oo", found.transformed_source), cell=True)
    assert [
        environment.user.lookup(one.binding_name) in {o.import_id for o in found.imports}
        for one in found.imports
    ] == [True] * len(pieces)
