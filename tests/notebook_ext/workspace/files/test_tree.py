"""Folders as rows, as a tree, and searched by glob."""

from __future__ import annotations

import unicodedata
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.workspace.files import tree
from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.files.tree import NamePattern, drawn_tree, found_files
from vcad_kernel.errors import Cancelled, ServiceFailure


def _fill(workspace: Path, *names: str) -> None:
    for name in names:
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("x")


def _found(gate: FileGate, folder: Path, pattern: str) -> list[str]:
    hits = found_files(gate, folder, pattern, operation="search_files")
    return [gate.shown(one) for one in hits.paths]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.loon", ["a.loon"]),
        ("**/*.loon", ["a.loon", "parts/b.loon", "parts/deep/c.loon"]),
        ("parts/*", ["parts/b.loon"]),
        ("parts/**", ["parts/b.loon", "parts/deep/c.loon"]),
        ("**/deep/*", ["parts/deep/c.loon"]),
        ("**/**/c.*", ["parts/deep/c.loon"]),
        ("./[ab].loon", ["a.loon"]),
        ("nothing", []),
    ],
)
def test_globs(gate: FileGate, workspace: Path, pattern: str, expected: list[str]) -> None:
    _fill(workspace, "a.loon", "parts/b.loon", "parts/deep/c.loon", "z.md", ".git/d.loon")
    listed = _found(gate, workspace, pattern)
    assert listed == expected


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../*", "a/../../*", "x" * 600])
def test_patterns_that_lead_out_are_refused(gate: FileGate, workspace: Path, pattern: str) -> None:
    with pytest.raises(ServiceFailure) as caught:
        _found(gate, workspace, pattern)
    assert caught.value.error_code == "INVALID_PARAMS"


@given(st.lists(st.sampled_from(["a", "b", "ab", "*", "a*", "?", "**"]), min_size=1, max_size=5), st.data())
def test_globs_are_those_of_pathlib(steps: list[str], data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=5))
    pattern = NamePattern("/".join(steps), operation="search_files")
    assert pattern.matches(names) == _by_definition(steps, names)


def _by_definition(steps: list[str], names: list[str]) -> bool:
    if not steps:
        return not names
    if steps[0] == "**":
        return _by_definition(steps[1:], names) or (bool(names) and _by_definition(steps, names[1:]))
    fits = bool(names) and PurePosixPath(names[0]).match(steps[0])
    return fits and _by_definition(steps[1:], names[1:])


def test_names_match_in_either_normal_form(gate: FileGate, workspace: Path) -> None:
    name = unicodedata.normalize("NFD", "träger.loon")
    _fill(workspace, name)
    assert _found(gate, workspace, unicodedata.normalize("NFC", "trä*.loon")) == [name]


def test_a_search_says_when_there_is_more(
    gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "_MOST_HITS", 2)
    _fill(workspace, "a", "b")
    assert not found_files(gate, workspace, "*", operation="search_files").truncated
    _fill(workspace, "c")
    found = found_files(gate, workspace, "*", operation="search_files")
    assert (len(found.paths), found.truncated) == (2, True)


def test_a_search_can_be_given_up(gate: FileGate, workspace: Path) -> None:
    for at in range(1_001):
        (workspace / f"{at}.txt").touch()

    def given_up() -> None:
        raise Cancelled("given up")

    with pytest.raises(Cancelled):
        found_files(gate, workspace, "*", operation="search_files", checkpoint=given_up)


def test_a_tree_is_drawn_to_a_depth(gate: FileGate, workspace: Path) -> None:
    _fill(workspace, "a.loon", "parts/b.loon", "parts/deep/c.loon", ".env")
    (workspace / "same").symlink_to("parts")
    drawn = drawn_tree(gate, workspace, 2, operation="get_tree")
    assert drawn.text.split("\n") == ["a.loon", "parts/", "  b.loon", "  deep/", "same/ -> (link)"]
    assert (drawn.files, drawn.folders, drawn.truncated) == (2, 3, False)
    assert drawn_tree(gate, workspace, 1, operation="get_tree").text == "a.loon\nparts/\nsame/ -> (link)"
