"""What the tools for Python files are asked and what they answer. Lines are 1-based and inclusive."""

from __future__ import annotations

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments, Changing
from notebook_ext.workspace.sources.python_usages import UsageKind

__all__ = [
    "AttributeEntry",
    "Changed",
    "ClassEntry",
    "ClassSummary",
    "Docstring",
    "Hierarchy",
    "ImportEntry",
    "Imports",
    "InFile",
    "Named",
    "NamedClass",
    "NamedOrFile",
    "NamedVariable",
    "NewDeclaration",
    "NewDefinition",
    "NewSignature",
    "Outline",
    "OutlineEntry",
    "Searched",
    "SearchedClass",
    "Skeleton",
    "SyntaxCheck",
    "SyntaxFault",
    "Text",
    "UsageEntry",
    "Usages",
]


class InFile(Arguments):
    """A Python file."""

    path: str = Field(description="a .py file, from the workspace")


class Named(InFile):
    """Something in a Python file."""

    name: str = Field(description="dotted: function, Class, Class.method")
    line: int | None = Field(None, ge=1, description="a line of it, where several have the name")


class NamedOrFile(InFile):
    """Something in a Python file, or the file."""

    name: str = Field("", description='dotted; "" for the module')
    line: int | None = Field(None, ge=1)


class NamedClass(InFile):
    """A class in a Python file."""

    class_name: str


class NamedVariable(InFile):
    """A variable in a Python file."""

    name: str = Field(description="NAME, Class.name")


class Searched(Arguments):
    """A name in a file or in all below a folder."""

    path: str = Field(description="a .py file, or a folder to search")
    name: str = Field(description="NAME, or Class.name for attributes only")


class SearchedClass(Arguments):
    """A class, and where to look for those that derive from it."""

    path: str = Field(description="a .py file, or a folder to search")
    class_name: str


class NewDefinition(Named, Changing):
    """Another definition."""

    content: str = Field(description="whole, with its decorators; indentation is adjusted")
    expect_sha256: str | None = None


class NewSignature(Named, Changing):
    """Another signature."""

    content: str = Field(description="def name(…) -> …: without decorators and body")
    expect_sha256: str | None = None


class NewDeclaration(NamedVariable, Changing):
    """Another declaration."""

    content: str = Field(description="the whole statement, as NAME: int = 3")
    expect_sha256: str | None = None


class Text(Answer):
    """A stretch of a file."""

    path: str
    name: str
    text: str
    line: int
    end_line: int
    sha256: str


class Skeleton(Answer):
    """A file without bodies."""

    path: str
    text: str
    sha256: str


class OutlineEntry(Answer):
    """One definition."""

    name: str
    kind: str
    signature: str
    line: int
    end_line: int
    depth: int
    summary: str


class Outline(Answer):
    """All definitions of a file."""

    path: str
    entries: list[OutlineEntry]


class AttributeEntry(Answer):
    """One attribute of a class."""

    name: str
    annotation: str
    line: int
    of_object: bool


class ClassSummary(Answer):
    """A class, briefly."""

    path: str
    name: str
    bases: list[str]
    decorators: list[str]
    docstring: str
    line: int
    end_line: int
    attributes: list[AttributeEntry]
    methods: list[OutlineEntry]


class ImportEntry(Answer):
    """One imported name."""

    module: str
    name: str
    alias: str
    line: int


class Imports(Answer):
    """What a file imports."""

    path: str
    imports: list[ImportEntry]


class SyntaxFault(Answer):
    """Where Python stops reading."""

    message: str
    line: int
    column: int
    text: str


class SyntaxCheck(Answer):
    """Whether Python can read a file."""

    path: str
    valid: bool
    errors: list[SyntaxFault]


class ClassEntry(Answer):
    """A class and where it stands."""

    name: str
    path: str
    line: int
    bases: list[str]


class Hierarchy(Answer):
    """What a class derives from and what derives from it, by name."""

    class_name: str
    definitions: list[ClassEntry]
    subclasses: list[ClassEntry] = Field(description="at any depth")
    unread: list[str] = Field(description="files that Python cannot read")


class Docstring(Answer):
    """A docstring."""

    path: str
    name: str
    docstring: str


class UsageEntry(Answer):
    """One place."""

    path: str
    line: int
    column: int
    kind: UsageKind
    text: str


class Usages(Answer):
    """Where a name is used."""

    name: str
    usages: list[UsageEntry]
    truncated: bool
    unread: list[str] = Field(description="files that Python cannot read")


class Changed(Answer):
    """A file that was written."""

    path: str
    name: str
    diff: str
    sha256: str
