"""What a linked part is made from: its cell or file as the project's truth has it, and back.

Knows how a source is written down, not how it is evaluated or pushed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import Workspace

if TYPE_CHECKING:
    from notebook_ext.session.project.truth import Component
    from vcad_kernel.ir.parameter import Parameter

__all__ = [
    "cell_of_component",
    "cell_of_file",
    "cell_of_known_file",
    "file_of",
    "is_of_notebook",
    "made_of",
    "with_values",
]

_OF_FILE = "file:"
"""Begins the id of a cell whose text is a file's."""
_OF_NODE = "node:"
"""Begins the id of a cell whose text was given for a node."""
_FOR = "#"
"""Stands before the node in it; a node id has none."""


def cell_of_file(workspace: Path, name: str, path: Path) -> CellSource:
    """A file of the workspace as a cell that gives a part of this name.

    Each part has a cell of its own, also where several are made from one file.
    Raises: PathRefused for a file elsewhere; FileMissing, FileTooLarge.
    """
    files = Workspace(workspace)
    relative = files.relative(str(path))
    text = files.read(relative).decode("utf-8", "replace")
    return CellSource(f"{_OF_FILE}{relative}{_FOR}{node_id_of(name)}", text, relative, bind=name)


def file_of(cell: CellSource) -> str | None:
    """The file, from the workspace, that a cell's text is of; None for one that was written in a notebook."""
    if not cell.cell_id.startswith(_OF_FILE):
        return None
    return cell.cell_id.removeprefix(_OF_FILE).rpartition(_FOR)[0]


def is_of_notebook(cell: CellSource) -> bool:
    """Whether a cell stands in a notebook, or Python made it; not a file's, nor a text given for a node."""
    return not cell.cell_id.startswith((_OF_FILE, _OF_NODE))


def with_values(
    cell: CellSource, values: Mapping[str, Any], declared: Sequence[Parameter], before: Sequence[Parameter]
) -> CellSource:
    """A cell whose parameters have the values that were set, as far as its text still means the same by them.

    declared: its parameters now. before: those of the text for which the values were set; none if that is
    not known. A value goes where the text has no such parameter any more, or another default or range for it.
    """
    was = {parameter.name: parameter.default for parameter in before}
    kept = {
        parameter.name: values[parameter.name]
        for parameter in declared
        if parameter.name in values
        and was.get(parameter.name, parameter.default) == parameter.default
        and (parameter.min is None or values[parameter.name] >= parameter.min)
        and (parameter.max is None or values[parameter.name] <= parameter.max)
    }
    return replace(cell, parameters=kept)


def cell_of_component(workspace: Path, node_id: str, component: Component) -> CellSource:
    """The source in the project's truth as a cell; what the cell was given from Python is given again.

    Raises: ServiceFailure SOURCE_FILE_MISSING; as `cell_of_file`.
    """
    source, name = component.source, name_of(node_id)
    if source.kind == "cell":
        given = source.extra.get("bindings", {})
        cell = CellSource(f"{_OF_NODE}{node_id}", source.text or "", name, given, name)
    else:
        cell = cell_of_known_file(workspace, name, source.file or "")
    return replace(cell, parameters=dict(component.parameters))


def cell_of_known_file(workspace: Path, name: str, file: str) -> CellSource:
    """The same as `cell_of_file` for the file that a part has been made from.

    Raises: ServiceFailure SOURCE_FILE_MISSING; as `cell_of_file`.
    """
    if not (workspace / file).is_file():
        raise ServiceFailure(
            ErrorCode.SOURCE_FILE_MISSING,
            f"the source of {name}, {file}, is not there any more",
            fix="put the file back, or give the part another source",
            details={"node_id": node_id_of(name), "source_file": file},
        )
    return cell_of_file(workspace, name, Path(file))


def made_of(
    component: Component, cell: CellSource, revision: int, imports: Sequence[Mapping[str, Any]]
) -> Component:
    """A component with the cell that made its part as its source, and what that imports."""
    from notebook_ext.session.project.truth import Source

    file = file_of(cell)
    given: Mapping[str, Any] = {"bindings": dict(cell.bindings)} if cell.bindings else {}
    source = Source("cell", text=cell.source.lstrip("\n"), extra=given)
    return component.changed(
        source=source if file is None else Source.of_file(file),
        parameters=dict(cell.parameters),
        imports=tuple(imports),
        revision=revision,
        status="active",
    )
