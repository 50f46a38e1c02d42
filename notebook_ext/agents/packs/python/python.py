"""Tools for Python files: what is in one, where a name is used, and changing one definition at a time.

Found by the syntax tree and never by lines that an agent counts; a change that leaves a file which Python
cannot read is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Preview, Tool
from notebook_ext.agents.packs.files.writing import rewriting
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
    from notebook_ext.agents.calls.call import Call

__all__ = ["tools"]


def _read(path: str, call: Call, operation: str) -> tuple[TextFile, PythonSource]:
    """A file that the agent looks at: it is warned when others change it. Raises: VcadError."""
    file, source = parsed_file(path, call, operation)
    call.files.updates.seen(call.agent, file.path, file.data)
    return file, source


def _get_skeleton(arguments: InFile, call: Call) -> Skeleton:
    file, source = _read(arguments.path, call, "py_get_skeleton")
    return Skeleton(path=file.shown, text=skeleton(source), sha256=file.sha256)


def _get_outline(arguments: InFile, call: Call) -> Outline:
    file, source = _read(arguments.path, call, "py_get_code_outline")
    return Outline(path=file.shown, entries=_outline_entries(source))


def _outline_entries(source: PythonSource) -> list[OutlineEntry]:
    return [OutlineEntry.model_validate(row, from_attributes=True) for row in outline(source)]


def _get_definition(arguments: Named, call: Call) -> Text:
    file, source = _read(arguments.path, call, "py_get_definition")
    definition = source.definition(arguments.name, line=arguments.line)
    text = source.text[source.offset(definition.line, 0) : definition.end]
    return Text(
        path=file.shown,
        name=definition.name,
        text=text,
        line=definition.line,
        end_line=definition.end_line,
        sha256=file.sha256,
    )


def _get_signature(arguments: Named, call: Call) -> Text:
    file, source = _read(arguments.path, call, "py_get_signature")
    definition = source.definition(arguments.name, line=arguments.line)
    header = source.header(definition)
    return Text(
        path=file.shown,
        name=definition.name,
        text=source.text[header.start : header.end],
        line=source.line_at(header.start),
        end_line=source.line_at(header.end - 1),
        sha256=file.sha256,
    )


def _get_class(arguments: NamedClass, call: Call) -> ClassSummary:
    import ast

    file, source = _read(arguments.path, call, "py_get_class_summary")
    definition = source.definition(arguments.class_name, kind="class")
    node = definition.node
    assert isinstance(node, ast.ClassDef)
    inside = f"{definition.name}."
    methods = [
        row
        for row in _outline_entries(source)
        if row.kind == "method" and row.name.startswith(inside) and row.depth == definition.depth + 1
    ]
    return ClassSummary(
        path=file.shown,
        name=definition.name,
        bases=list(base_names(node)),
        decorators=[ast.unparse(decorator) for decorator in node.decorator_list],
        docstring=docstring(node),
        line=definition.line,
        end_line=definition.end_line,
        attributes=[
            AttributeEntry.model_validate(attribute, from_attributes=True) for attribute in attributes(node)
        ],
        methods=methods,
    )


def _get_declaration(arguments: NamedVariable, call: Call) -> Text:
    file, source = _read(arguments.path, call, "py_get_var_declaration")
    declaration = source.declaration(arguments.name)
    return Text(
        path=file.shown,
        name=declaration.name,
        text=source.text[declaration.start : declaration.end],
        line=declaration.line,
        end_line=declaration.end_line,
        sha256=file.sha256,
    )


def _get_imports(arguments: InFile, call: Call) -> Imports:
    file, source = _read(arguments.path, call, "py_get_imports")
    rows = [ImportEntry.model_validate(row, from_attributes=True) for row in imports(source)]
    return Imports(path=file.shown, imports=rows)


def _check_syntax(arguments: InFile, call: Call) -> SyntaxCheck:
    shown = call.files.shown(call.files.file(arguments.path, operation="py_check_syntax"))
    try:
        _read(arguments.path, call, "py_check_syntax")
    except ServiceFailure as wrong:
        if wrong.error_code != ErrorCode.SYNTAX_ERROR or wrong.place is None:
            raise
        fault = SyntaxFault(
            message=wrong.message, line=wrong.place.line, column=wrong.place.column, text=wrong.place.text
        )
        return SyntaxCheck(path=shown, valid=False, errors=[fault])
    return SyntaxCheck(path=shown, valid=True, errors=[])


def _get_docstring(arguments: NamedOrFile, call: Call) -> Docstring:
    file, source = _read(arguments.path, call, "py_get_docstring")
    node = source.definition(arguments.name, line=arguments.line).node if arguments.name else source.tree
    return Docstring(path=file.shown, name=arguments.name, docstring=docstring(node))


def _new_text(arguments: Any, call: Call) -> tuple[TextFile, str, str]:
    """The file as it is, its text after the change, and the name of the operation."""
    if isinstance(arguments, NewDefinition):
        file, source = _read(arguments.path, call, "py_update_definition")
        text = source.with_definition(arguments.name, arguments.content, line=arguments.line)
    elif isinstance(arguments, NewSignature):
        file, source = _read(arguments.path, call, "py_set_signature")
        text = source.with_signature(arguments.name, arguments.content, line=arguments.line)
    else:
        assert isinstance(arguments, NewDeclaration)
        file, source = _read(arguments.path, call, "py_set_var_declaration")
        text = source.with_declaration(arguments.name, arguments.content)
    return file, text, source.operation


def _change(arguments: Any, call: Call) -> Changed:
    file, text, operation = _new_text(arguments, call)
    written = rewrite(call.files, file, text, operation=operation, expect_sha256=arguments.expect_sha256)
    call.files.updates.seen(call.agent, written.path, written.data)
    return Changed(
        path=file.shown, name=arguments.name, diff=unified(file.text, text, file.shown), sha256=written.sha256
    )


def _change_preview(arguments: Any, call: Call) -> Preview:
    file, text, _ = _new_text(arguments, call)
    return rewriting(file, text, call, arguments.name)


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
