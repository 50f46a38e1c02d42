"""Python definitions: found by the tree, changed in the text, never left unreadable."""

from __future__ import annotations

import ast
import warnings

import pytest

from notebook_ext.workspace.sources.python_source import PythonSource
from vcad_kernel.errors import ServiceFailure

PLAN = '''
"""Plans."""

import os  # kept


LIMIT: int = 3  # rooms
WIDTH, height = 1, 2


@decorated
@also(
    "x",
)
def area(a, b=os.path.join("ä", ":"), *,
         c: dict[str, int] = {"k": 1}) -> "int":
    """Area."""
    # why
    return a * b


class Plan(Base):
    """A plan."""

    rooms: int = 0

    def __init__(self) -> None:
        self.owner: str = "é"

    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        def inner():
            return value
        inner()

    class Door: wide = True; high = False


if LIMIT:
    async def late(): return 1
'''


def plan(text: str = PLAN) -> PythonSource:
    return PythonSource(text, "plan.py", operation="py_test")


def text_of(source: PythonSource, name: str, line: int | None = None) -> str:
    found = source.definition(name, line=line)
    return source.text[found.start : found.end]


def test_definitions_are_found_in_order_with_their_dotted_names() -> None:
    assert [(one.name, one.kind, one.depth) for one in plan().definitions] == [
        ("area", "function", 0),
        ("Plan", "class", 0),
        ("Plan.__init__", "method", 1),
        ("Plan.size", "method", 1),
        ("Plan.size", "method", 1),
        ("Plan.size.inner", "function", 2),
        ("Plan.Door", "class", 1),
        ("late", "function", 0),
    ]


def test_a_definition_has_its_decorators() -> None:
    found = plan().definition("area")

    assert plan().text[found.start :].startswith('@decorated\n@also(\n    "x",\n)\ndef area')
    assert (found.line, found.end_line) == (11, 19)


def test_of_two_of_a_name_a_line_says_which() -> None:
    with pytest.raises(ServiceFailure) as unclear:
        plan().definition("Plan.size")
    assert unclear.value.error_code == "INVALID_PARAMS"
    assert unclear.value.details["path"] == "name"

    first = plan().definitions[3]
    assert text_of(plan(), "Plan.size", first.line + 1).startswith("@property")
    assert text_of(plan(), "Plan.size", first.end_line + 3).startswith("@size.setter")


def test_a_name_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(ServiceFailure, match="no function or class 'aera'") as missing:
        plan().definition("aera")

    assert "area, Plan" in missing.value.details["expected"]


def test_a_header_ends_at_its_own_colon() -> None:
    source = plan()
    header = source.header(source.definition("area"))

    stated = source.text[header.start : header.end]
    assert stated.startswith("def area(a, b=os.path.join")
    assert stated.endswith('{"k": 1}) -> "int":')
    late = source.header(source.definition("late"))
    assert source.text[late.start : late.end] == "async def late():"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("LIMIT", "LIMIT: int = 3"),
        ("height", "WIDTH, height = 1, 2"),
        ("Plan.rooms", "rooms: int = 0"),
        ("Plan.owner", 'self.owner: str = "é"'),
        ("Plan.Door.high", "high = False"),
    ],
)
def test_a_declaration_is_found(name: str, text: str) -> None:
    source = plan()
    found = source.declaration(name)

    assert source.text[found.start : found.end] == text


def test_a_definition_is_replaced_with_its_decorators_and_nothing_else_changes() -> None:
    new = plan().with_definition("area", "def area(a):\n    return a\n")

    before, after = PLAN.split("@decorated")[0], PLAN[PLAN.index("\n\n\nclass Plan") :]
    assert new == before + "def area(a):\n    return a" + after


def test_a_method_is_moved_to_its_place_but_strings_keep_their_lines() -> None:
    new = plan().with_definition(
        "Plan.__init__",
        'def __init__(self):\n    """Doc.\n\n    More.\n    """\n    self.text = """a\n  b\n"""\n'
        '    self.all = [\n        """x\ny""",\n    ]\n',
    )

    assert '    def __init__(self):\n        """Doc.\n\n        More.\n        """\n' in new
    values = [one.value for one in ast.walk(ast.parse(new)) if isinstance(one, ast.Constant)]
    assert "a\n  b\n" in values
    assert "x\ny" in values


def test_a_definition_given_with_its_indentation_is_taken_too() -> None:
    new = plan().with_definition(
        "Plan.size", "    @property\n    def size(self):\n        return 2\n", line=31
    )

    assert "\n    @property\n    def size(self):\n        return 2\n\n    @size.setter" in new


def test_a_docstring_that_begins_further_left_stays_when_nothing_moves() -> None:
    text = 'if x:\n    def f():\n        """One.\n\nTwo.\n  \n        """\n'
    source = plan(text)
    found = source.definition("f")

    assert source.with_definition("f", text[found.start - 4 : found.end]) == text


@pytest.mark.parametrize("new", ["def area(:\n  pass", "def area():\n", "'''", "def a():\n\tx\n  y", "\0"])
def test_a_definition_that_python_cannot_read_is_refused(new: str) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        plan().with_definition("area", new)

    assert wrong.value.error_code == "SYNTAX_ERROR"
    assert wrong.value.details["operation"] == "py_test"


def test_what_is_no_definition_is_refused() -> None:
    with pytest.raises(ServiceFailure) as wrong:
        plan().with_definition("area", "x = 1")

    assert wrong.value.error_code == "INVALID_PARAMS"


def test_a_signature_is_replaced_and_the_body_and_decorators_stay() -> None:
    new = plan().with_signature("area", "def area(a: int) -> int")

    assert '@also(\n    "x",\n)\ndef area(a: int) -> int:\n    """Area."""\n    # why\n' in new


def test_a_signature_within_a_class_may_have_several_lines() -> None:
    new = plan().with_signature("Plan.__init__", "def __init__(\n    self,\n) -> None:")

    assert "    def __init__(\n        self,\n    ) -> None:\n        self.owner" in new


@pytest.mark.parametrize(
    "signature",
    ["def other(a)", "class area", "@x\ndef area()", "def area(): return 1\ndef area()", "x = 1; y"],
)
def test_a_signature_of_something_else_is_refused(signature: str) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        plan().with_signature("area", signature)

    assert wrong.value.error_code in {"INVALID_PARAMS", "SYNTAX_ERROR"}


def test_a_declaration_is_replaced_and_the_comment_behind_it_stays() -> None:
    new = plan().with_declaration("LIMIT", "LIMIT: Final = {\n    'a': 1,\n}")

    assert "LIMIT: Final = {\n    'a': 1,\n}  # rooms\n" in new


def test_a_declaration_that_shares_its_line_is_replaced_alone() -> None:
    assert "    class Door: wide = True; high = 2\n" in plan().with_declaration("Plan.Door.high", "high = 2")


def test_a_declaration_of_another_name_is_refused() -> None:
    with pytest.raises(ServiceFailure) as wrong:
        plan().with_declaration("LIMIT", "OTHER = 1")

    assert wrong.value.error_code == "INVALID_PARAMS"


def test_line_ends_and_the_byte_order_mark_stay() -> None:
    source = plan("\ufeff" + PLAN.replace("\n", "\r\n"))

    new = source.with_definition("area", "def area(a):\n    return a")

    assert new.startswith("\ufeff\r\n")
    assert "def area(a):\r\n    return a\r\n" in new
    assert "\n" not in new.replace("\r\n", "")


def test_form_feeds_and_odd_separators_do_not_shift_lines() -> None:
    source = plan('x = "\u2028\x0c\x1c"\n\x0c\ndef f():\n    return "\x85"\n')

    assert source.with_definition("f", "def f(): pass") == 'x = "\u2028\x0c\x1c"\n\x0c\ndef f(): pass\n'


@pytest.mark.parametrize("text", ["def (:\n", "\0", "(" * 3000])
def test_text_that_is_no_python_is_told_with_its_place(text: str) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        plan(text)

    assert wrong.value.error_code == "SYNTAX_ERROR"
    assert wrong.value.details["line"] >= 1
    assert wrong.value.place is not None


def test_the_comments_of_a_definition_go_with_it_and_others_stay() -> None:
    text = "def f():\n    return 1  # one\n\n    # of f\n# of g\ndef g(): return 2; # two\nx = 1\n"
    source = plan(text)

    assert text_of(source, "f") == "def f():\n    return 1  # one\n\n    # of f"
    assert source.definition("f").end_line == 4
    assert source.with_definition("g", "def g(): ...") == text.replace("return 2; # two", "...")
    assert source.with_definition("f", "def f(): ...") == "def f(): ...\n" + text[text.index("# of g") :]


def test_a_decorator_in_brackets_behind_a_comment_is_part_of_it() -> None:
    text = "x = 1 @ y\n@(  # a@b\n  deco @ 2)\n@two\ndef f(): pass\n"

    assert text_of(plan(text), "f") == text.removeprefix("x = 1 @ y\n").rstrip()


def test_a_lambda_in_a_header_has_a_colon_of_its_own() -> None:
    source = plan("def f(a=lambda: 1) -> lambda x, y=lambda: 2: 3:\n    pass\n")
    header = source.header(source.definition("f"))

    assert source.text[header.end :] == "\n    pass\n"


def test_names_are_found_however_they_are_typed() -> None:
    source = plan("\ufb01eld = 1\nclass Tra\u0308ger:\n    \u210c = 1\n")

    assert source.declaration("field").line == 1
    assert source.definition("Träger").line == 2
    assert source.declaration("Träger.H").line == 3


@pytest.mark.parametrize(
    "signature", ["def area():\n  if x", "def area(): # c\n  while y", "def area(a):  # why", "class area"]
)
def test_nothing_comes_in_behind_a_signature(signature: str) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        plan().with_signature("area", signature)

    assert wrong.value.error_code in {"INVALID_PARAMS", "SYNTAX_ERROR"}


def test_a_declaration_of_several_names_loses_none() -> None:
    with pytest.raises(ServiceFailure, match="declares WIDTH too") as wrong:
        plan().with_declaration("height", "height = 3")
    assert wrong.value.error_code == "INVALID_PARAMS"

    assert "\nWIDTH = 1\nheight = 3\n" in plan().with_declaration("height", "WIDTH = 1\nheight = 3")


def test_reading_leaves_the_persons_warnings_alone() -> None:
    # whatever the person has Python say, and on any thread: nothing is put back afterwards
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan('x = "\\d"\n').tree.body
        with pytest.raises(SyntaxError):
            ast.parse('x = "\\d"')
        before = list(warnings.filters)
        assert plan('x = "\\d"\n').tree.body
        assert warnings.filters == before
