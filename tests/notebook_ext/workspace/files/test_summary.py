"""What is in a file, without its text."""

from __future__ import annotations

import json

import pytest

from notebook_ext.workspace.files.summary import summary_of
from vcad_kernel.errors import ServiceFailure


def _contents(text: str, name: str) -> dict[str, list[tuple[str, int]]]:
    found = summary_of(text, name, operation="get_file_summary")
    return {heading: [tuple(one) for one in items] for heading, items in found.contents.items()}


def test_python() -> None:
    text = "import os\nfrom a import b\nLIMIT = 3\nclass Plan:\n    def area(self): ...\ndef main(): ...\n"
    assert _contents(text, "a.py") == {
        "imports": [("os", 1), ("a.b", 2)],
        "classes": [("Plan", 4)],
        "functions": [("Plan.area", 5), ("main", 6)],
        "constants": [("LIMIT", 0)],
    }


def test_loon() -> None:
    text = "[use lib.bolt]\n[fn plate [w] [box w 20 5]]\n[bolt.m6 3]\n"
    assert _contents(text, "parts/a.loon") == {
        "definitions": [("[plate w]", 2)],
        "imports": [("lib.bolt", 1)],
        "uses": [("bolt.m6", 0), ("box", 0)],
    }
    assert _contents(text, "a.oo") == _contents(text, "a.loon")


def test_toml() -> None:
    assert _contents('a = "[b]"\r\n[one]\r\nx = 1\r\n[[two.three]] # here\r\n', "a.toml") == {
        "tables": [("one", 2), ("two.three", 4)]
    }


def test_markdown() -> None:
    text = "# One\n```sh\n# no heading\n```\n## Two ##\n#hash\n"
    assert _contents(text, "a.MD") == {"headings": [("# One", 1), ("## Two", 5)]}


def test_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "%%loon\n[box 1 2 3]",
            "outputs": [{"output_type": "display_data", "data": {"text/plain": "", "image/png": ""}}],
        },
    ]
    assert _contents(json.dumps({"cells": cells}), "a.ipynb") == {
        "cells": [("markdown: # Title", 1), ("code: %%loon", 2)],
        "outputs": [("display_data (image/png, text/plain)", 2)],
    }


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.png", "", "UNSUPPORTED_TYPE"),
        ("Makefile", "", "UNSUPPORTED_TYPE"),
        ("a.toml", "[", "SYNTAX_ERROR"),
        ("a.py", "def", "SYNTAX_ERROR"),
        ("a.ipynb", "[]", "SYNTAX_ERROR"),
        ("a.ipynb", "{", "SYNTAX_ERROR"),
    ],
)
def test_what_cannot_be_summarised(name: str, text: str, code: str) -> None:
    with pytest.raises(ServiceFailure) as caught:
        summary_of(text, name, operation="get_file_summary")
    assert caught.value.error_code == code
    assert caught.value.details["operation"] == "get_file_summary"
