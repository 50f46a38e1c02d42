"""Documents through JSON: equal, of equal digests, and of the same places and functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.ir.documents import documents
from tests.tiers import examples
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.ir.document import Document
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.wire import document_json, values


def through(document: Document) -> Document:
    return document_json.decode(
        json.loads(json.dumps(values.encode(document_json.encode(document)), allow_nan=False))
    )


@given(documents())
@examples(60)
def test_any_document_comes_back_equal(document: Document) -> None:
    again = through(document)
    assert again == document
    assert again.content_digest == document.content_digest
    assert {node: again.digest(node) for node in again.nodes} == {
        node: document.digest(node) for node in document.nodes
    }


def test_where_and_how_a_node_was_written_comes_back() -> None:
    source = "[fn hole [x]\n  [translate x 0 0 [cylinder 1 9]]]\n[let box [cube 9 9 9]]\n\
[difference box [union [hole 2] [hole 5]]]"
    document = DirectService().evaluate(EvalCode(source, file="plate.oo")).document
    assert document is not None
    again = through(document)
    for node in document.nodes:
        places = list(dict.fromkeys(site.place() for site in document.sites.get(node, ())))
        assert [site.place() for site in again.sites.get(node, ())] == places
        assert again.place_of(node) == document.place_of(node)
        assert again.function_of(node) == document.function_of(node)
    assert [again.place_of(node) for node in document.nodes if again.place_of(node)]


def test_where_a_root_was_written_comes_back() -> None:
    document = DirectService().evaluate(EvalCode('[root [cube 1 1 1] "oak"]', allow_scene=True)).document
    assert document is not None
    (root,) = document.roots
    (again,) = through(document).roots
    assert root.sites
    assert [site.place() for site in again.sites] == [site.place() for site in root.sites]


@pytest.mark.parametrize(
    "data",
    [{}, {"records": 3}, {"records": "AAAA"}, {"records": "?"}, {"records": "", "places": [[1, 2]]}, []],
)
def test_what_is_no_document_is_refused(data: Any) -> None:
    with pytest.raises(ServiceFailure) as refused:
        document_json.decode(data)
    assert refused.value.error_code == "SCHEMA_VALIDATION_FAILED"
    assert str(Path.cwd()) not in refused.value.message
