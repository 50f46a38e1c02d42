"""Tools for Python files: what is in one, where a name is used, and changing one definition at a time.

Found by the syntax tree and never by lines that an agent counts; a change that leaves a file which Python
cannot read is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from notebook_ext.agents.arguments import Answer, Arguments
from notebook_ext.agents.call import Preview, Tool
from notebook_ext.agents.packs.python.answers import (
    AttributeEntry,
    Changed,
    ClassSummary,
    Docstring,
    Hierarchy,
    ImportEntry,
    Imports,
    InFile,
    Named,
    NamedClass,
    NamedOrFile,
    NamedVariable,
    NewDeclaration,
    NewDefinition,
    NewSignature,
    Outline,
    OutlineEntry,
    Searched,
    SearchedClass,
    Skeleton,
    SyntaxCheck,
    SyntaxFault,
    Text,
    Usages,
)
from notebook_ext.agents.packs.python.search import find_usages, get_hierarchy, parsed_file
from notebook_ext.workspace.files.files import TextFile, rewrite
from notebook_ext.workspace.files.text_diff import unified
from notebook_ext.workspace.sources.python_outline import (
    attributes,
    base_names,
    docstring,
    imports,
    outline,
    skeleton,
)
from notebook_ext.workspace.sources.python_source import PythonSource
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.agents.call import Call

__all__ = ["tools"]


def _read(path: str, call: Call, operation: str) -> tuple[TextFile, PythonSource]:
    """A file that the agent looks at: it will be told when others change it. Raises: VcadError."""
    file, source = parsed_file(path, call, operation)
    call.files.updates.seen(call.agent, file.path, file.data)
    return file, source


def _get_skeleton(asked: InFile, call: Call) -> Skeleton:
    file, source = _read(asked.path, call, "py_get_skeleton")
    return Skeleton(path=file.shown, text=skeleton(source), sha256=file.sha256)


def _get_outline(asked: InFile, call: Call) -> Outline:
    file, source = _read(asked.path, call, "py_get_code_outline")
    return Outline(path=file.shown, entries=_outline_entries(source))


def _outline_entries(source: PythonSource) -> list[OutlineEntry]:
    return [OutlineEntry.model_validate(row, from_attributes=True) for row in outline(source)]


def _get_definition(asked: Named, call: Call) -> Text:
    file, source = _read(asked.path, call, "py_get_definition")
    found = source.definition(asked.name, line=asked.line)
    text = source.text[source.offset(found.line, 0) : found.end]
    return Text(
        path=file.shown,
        name=found.name,
        text=text,
        line=found.line,
        end_line=found.end_line,
        sha256=file.sha256,
    )


def _get_signature(asked: Named, call: Call) -> Text:
    file, source = _read(asked.path, call, "py_get_signature")
    found = source.definition(asked.name, line=asked.line)
    header = source.header(found)
    return Text(
        path=file.shown,
        name=found.name,
        text=source.text[header.start : header.end],
        line=source.line_at(header.start),
        end_line=source.line_at(header.end - 1),
        sha256=file.sha256,
    )


def _get_class(asked: NamedClass, call: Call) -> ClassSummary:
    import ast

    file, source = _read(asked.path, call, "py_get_class_summary")
    found = source.definition(asked.class_name, kind="class")
    node = found.node
    assert isinstance(node, ast.ClassDef)
    inside = f"{found.name}."
    methods = [
        row
        for row in _outline_entries(source)
        if row.kind == "method" and row.name.startswith(inside) and row.depth == found.depth + 1
    ]
    return ClassSummary(
        path=file.shown,
        name=found.name,
        bases=list(base_names(node)),
        decorators=[ast.unparse(one) for one in node.decorator_list],
        docstring=docstring(node),
        line=found.line,
        end_line=found.end_line,
        attributes=[AttributeEntry.model_validate(one, from_attributes=True) for one in attributes(node)],
        methods=methods,
    )


def _get_declaration(asked: NamedVariable, call: Call) -> Text:
    file, source = _read(asked.path, call, "py_get_var_declaration")
    found = source.declaration(asked.name)
    return Text(
        path=file.shown,
        name=found.name,
        text=source.text[found.start : found.end],
        line=found.line,
        end_line=found.end_line,
        sha256=file.sha256,
    )


def _get_imports(asked: InFile, call: Call) -> Imports:
    file, source = _read(asked.path, call, "py_get_imports")
    rows = [ImportEntry.model_validate(one, from_attributes=True) for one in imports(source)]
    return Imports(path=file.shown, imports=rows)


def _check_syntax(asked: InFile, call: Call) -> SyntaxCheck:
    shown = call.files.shown(call.files.file(asked.path, operation="py_check_syntax"))
    try:
        _read(asked.path, call, "py_check_syntax")
    except ServiceFailure as wrong:
        if wrong.error_code != ErrorCode.SYNTAX_ERROR or wrong.place is None:
            raise
        fault = SyntaxFault(
            message=wrong.message, line=wrong.place.line, column=wrong.place.column, text=wrong.place.text
        )
        return SyntaxCheck(path=shown, valid=False, errors=[fault])
    return SyntaxCheck(path=shown, valid=True, errors=[])


def _get_docstring(asked: NamedOrFile, call: Call) -> Docstring:
    file, source = _read(asked.path, call, "py_get_docstring")
    node = source.definition(asked.name, line=asked.line).node if asked.name else source.tree
    return Docstring(path=file.shown, name=asked.name, docstring=docstring(node))


def _new_text(asked: Any, call: Call) -> tuple[TextFile, str, str]:
    """The file as it is, its text after the change, and the name of the operation."""
    if isinstance(asked, NewDefinition):
        file, source = _read(asked.path, call, "py_update_definition")
        text = source.with_definition(asked.name, asked.new_definition, line=asked.line)
    elif isinstance(asked, NewSignature):
        file, source = _read(asked.path, call, "py_set_signature")
        text = source.with_signature(asked.name, asked.new_signature, line=asked.line)
    else:
        assert isinstance(asked, NewDeclaration)
        file, source = _read(asked.path, call, "py_set_var_declaration")
        text = source.with_declaration(asked.name, asked.new_declaration)
    return file, text, source.operation


def _change(asked: Any, call: Call) -> Changed:
    file, text, operation = _new_text(asked, call)
    written = rewrite(call.files, file, text, operation=operation, expect_sha256=asked.expect_sha256)
    call.files.updates.seen(call.agent, written.path, written.data)
    return Changed(
        path=file.shown, name=asked.name, diff=unified(file.text, text, file.shown), sha256=written.sha256
    )


def _change_preview(asked: Any, call: Call) -> Preview:
    file, text, _ = _new_text(asked, call)
    return Preview(diff=unified(file.text, text, file.shown), paths=(str(file.path),))


def _reading(
    name: str, about: str, given: type[Arguments], gives: type[Answer], run: Callable[..., Any]
) -> Tool:
    return Tool(name, "python", "R", True, about, given, gives, run)


def _writing(name: str, about: str, given: type[Arguments]) -> Tool:
    return Tool(name, "python", "W", False, about, given, Changed, _change, _change_preview)


def tools() -> tuple[Tool, ...]:
    """All tools of the pack."""
    return (
        _reading(
            "py_get_skeleton",
            "To learn what a Python file offers: it without the bodies of its functions.",
            InFile,
            Skeleton,
            _get_skeleton,
        ),
        _reading(
            "py_get_code_outline",
            "To find your way in a Python file: its classes and functions with their lines.",
            InFile,
            Outline,
            _get_outline,
        ),
        _reading(
            "py_get_definition",
            "To read one function or class of a Python file, decorators included.",
            Named,
            Text,
            _get_definition,
        ),
        _reading(
            "py_get_signature",
            "To see how a function is called or a class is declared.",
            Named,
            Text,
            _get_signature,
        ),
        _reading(
            "py_get_class_summary",
            "To know a class without reading it: bases, attributes, methods.",
            NamedClass,
            ClassSummary,
            _get_class,
        ),
        _reading(
            "py_get_var_declaration",
            "To read the statement that declares a variable of a module or class.",
            NamedVariable,
            Text,
            _get_declaration,
        ),
        _reading("py_get_imports", "To see what a Python file imports.", InFile, Imports, _get_imports),
        _reading(
            "py_check_syntax",
            "To check that Python can read a file; nothing runs.",
            InFile,
            SyntaxCheck,
            _check_syntax,
        ),
        _reading(
            "py_get_hierarchy",
            "To see what a class derives from and what derives from it, by name.",
            SearchedClass,
            Hierarchy,
            get_hierarchy,
        ),
        _reading(
            "py_get_docstring",
            "To read the docstring of a module, class or function.",
            NamedOrFile,
            Docstring,
            _get_docstring,
        ),
        _reading(
            "py_find_usages",
            "To find where a name is defined, imported, set, called and read; by name, not by type.",
            Searched,
            Usages,
            find_usages,
        ),
        _writing(
            "py_update_definition",
            "To replace one function or class, decorators included; what Python cannot read is not written.",
            NewDefinition,
        ),
        _writing(
            "py_set_signature",
            "To change a function's arguments or a class's bases; its body stays.",
            NewSignature,
        ),
        _writing(
            "py_set_var_declaration",
            "To replace the statement that declares a variable of a module or class.",
            NewDeclaration,
        ),
    )
