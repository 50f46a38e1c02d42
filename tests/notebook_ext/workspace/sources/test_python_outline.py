"""A Python file told briefly, and where names are used in it."""

from __future__ import annotations

import ast

from notebook_ext.workspace.sources.python_outline import attributes, constants, imports, outline, skeleton
from notebook_ext.workspace.sources.python_source import PythonSource
from notebook_ext.workspace.sources.python_usages import classes, usages

SOURCE = '''
"""A module."""
import a.b as c, d
from ..e import (f,
                 g as h)

LIMIT = 3


class Solid(f, shapes.Base[int]):
    """A solid.

    More.
    """

    kind: str = "x"

    def __init__(self, size=LIMIT):
        """Make it."""
        self.size, self.other = size, 1
        self.kind = "y"

    def grow(
        self,  # by
        by: int,
    ) -> None: self.size += by

    @abstract
    def todo(self): ...


def use(solid: Solid, *, size=1) -> int:
    # why
    return f"{solid.size}" + h(size=size)  # size
'''


def source(text: str = SOURCE) -> PythonSource:
    return PythonSource(text, "m.py", operation="py_test")


def test_a_skeleton_has_everything_but_bodies() -> None:
    found = skeleton(source())

    ast.parse(found)
    assert '        """Make it."""\n        ...\n' in found
    assert ") -> None: ...\n" in found
    assert "    def todo(self): ...\n" in found
    assert "    # why\n    ...  # size\n" in found
    assert "self.size" not in found
    assert 'kind: str = "x"' in found


def test_an_outline_has_signatures_on_one_line() -> None:
    rows = outline(source())

    assert [(row.name, row.signature) for row in rows] == [
        ("Solid", "class Solid(f, shapes.Base[int])"),
        ("Solid.__init__", "def __init__(self, size=LIMIT)"),
        ("Solid.grow", "def grow(self, by: int) -> None"),
        ("Solid.todo", "def todo(self)"),
        ("use", "def use(solid: Solid, *, size=1) -> int"),
    ]
    assert rows[0].summary == "A solid."
    assert (rows[3].line, rows[3].end_line) == (28, 29)


def test_imports_name_module_name_and_alias() -> None:
    assert [(one.module, one.name, one.alias) for one in imports(source())] == [
        ("a.b", "", "c"),
        ("d", "", ""),
        ("..e", "f", ""),
        ("..e", "g", "h"),
    ]


def test_attributes_are_those_of_the_class_and_those_set_on_its_objects() -> None:
    node = source().definition("Solid").node
    assert isinstance(node, ast.ClassDef)

    found = [(one.name, one.annotation, one.of_object) for one in attributes(node)]

    assert found == [("kind", "str", False), ("size", "", True), ("other", "", True)]
    assert constants(source()) == ("LIMIT",)


def test_attributes_set_together_are_all_found() -> None:
    method = "    def f(self):\n        self.d, *self.e = 4, 5\n        self.g += 6\n"
    node = source(f"class A:\n    (a, (b, *c)) = 1, (2, 3)\n{method}").definition("A").node
    assert isinstance(node, ast.ClassDef)

    assert [one.name for one in attributes(node)] == ["a", "b", "c", "d", "e"]


def test_classes_know_what_they_derive_from_by_name() -> None:
    (row,) = classes(source())

    assert (row.name, row.bases) == ("Solid", ("f", "shapes.Base[int]"))
    assert row.derives_from("Base")
    assert row.derives_from("other.Base")
    assert not row.derives_from("int")


def test_usages_have_their_kind_and_leave_out_comments_and_strings() -> None:
    kinds = [(one.line, one.kind) for one in usages(source(), "size")]

    assert kinds == [
        (18, "argument"),
        (20, "assignment"),
        (20, "reference"),
        (26, "assignment"),
        (32, "argument"),
        (34, "reference"),
        (34, "argument"),
        (34, "reference"),
    ]


def test_with_a_dot_only_attributes_and_definitions_count() -> None:
    found = usages(source(), "Solid.size")

    assert [one.line for one in found] == [20, 26, 34]


def test_imports_calls_and_definitions_are_usages() -> None:
    assert [one.kind for one in usages(source(), "h")] == ["import", "call"]
    assert [one.kind for one in usages(source(), "Solid")] == ["definition", "reference"]
    assert [one.kind for one in usages(source("\ndef f():\n    global x\n    x = f()\n"), "x")] == [
        "reference",
        "assignment",
    ]


def test_a_name_that_a_pattern_binds_is_found_where_it_is_bound() -> None:
    text = (
        "match x:\n"
        "    case [*rest]: rest\n"
        "    case {'more': rest, **more}: more\n"
        "    case rest() as more: more\n"
    )
    found = {
        name: [(one.line, one.column, one.kind) for one in usages(source(text), name)]
        for name in ("rest", "more")
    }

    assert found["rest"] == [
        (2, 12, "assignment"),
        (2, 19, "reference"),
        (3, 19, "assignment"),
        (4, 10, "reference"),
    ]
    assert found["more"] == [
        (3, 27, "assignment"),
        (3, 34, "reference"),
        (4, 20, "assignment"),
        (4, 26, "reference"),
    ]


def test_columns_count_characters() -> None:
    (first, second) = usages(source("\nä = 1; name = ä\n"), "ä")

    assert (first.column, second.column, second.text) == (1, 15, "ä = 1; name = ä")
