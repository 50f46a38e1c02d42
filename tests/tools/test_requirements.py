"""What pip is handed while the project itself cannot be installed yet."""

from __future__ import annotations

import pytest

from tools.requirements import required

PROJECT = {
    "name": "plate",
    "dependencies": ["numpy>=2.0"],
    "optional-dependencies": {
        "lsp": ["pygls>=2.0"],
        "test": ["plate[lsp]", "pytest>=8.3; sys_platform != 'win32'"],
        "soak": ["plate[test]", "coverage"],
    },
}


def test_requirements_and_those_of_extras_with_the_extras_within() -> None:
    assert list(required(PROJECT)) == ["numpy>=2.0"]
    assert list(required(PROJECT, "test")) == ["pygls>=2.0", "pytest>=8.3; sys_platform != 'win32'"]
    assert list(required(PROJECT, "soak")) == [*required(PROJECT, "test"), "coverage"]


def test_an_extra_that_is_not_there_is_no_empty_list() -> None:
    with pytest.raises(KeyError):
        list(required(PROJECT, "tests"))
