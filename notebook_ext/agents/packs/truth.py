"""Changes of the project's file by agents: what they would do, and doing them; by a patch, or written whole.

Checked before anything is written, and what stood there is kept when something of it goes.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from notebook_ext.agents.calls.call import Call, Preview
from notebook_ext.session.project.design_change import changed, checked, removed
from notebook_ext.session.project.truth import FILE_NAME
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.project.design_model import DesignModel

__all__ = ["FILE_NAME", "change", "content_of", "preview"]


def preview(content: Any, summary: str, call: Call) -> Preview:
    """What another content of the project's file would do.

    Raises: as `change`: no question about what cannot be done.
    """
    before = call.session.standing
    wanted = _wanted(before, content, call)
    diff = difflib.unified_diff(_lines(before.to_json()), _lines(content), FILE_NAME, FILE_NAME)
    gone = removed(before, wanted)
    return Preview(
        diff="".join(diff),
        summary=summary,
        paths=(str(call.workspace / FILE_NAME),),
        takes_away=gone,
        undo="The file as it is now is kept in .vcad/kept." if gone else "Another patch takes it back.",
    )


def change(
    made_of: Callable[[Any], Any], base_revision: int | None, call: Call
) -> tuple[DesignModel, DesignModel]:
    """Give the project another content, and keep what stood there if something of it goes.

    made_of: the new content, of the one there is. base_revision: as of `design_change.changed`.
    Returns: the project before and after. Raises: as `design_change.changed`, and what `made_of` raises.
    """

    def work(linked: LinkedParts) -> tuple[DesignModel, DesignModel]:
        before = linked.standing()
        content = before.to_json()
        if base_revision in (None, before.revision):  # else it is refused, whatever the change is
            content = made_of(content)
        path = call.workspace / FILE_NAME
        if removed(before, _wanted(before, content, call)) and path.is_file():
            call.files.keep(path, call.files.read(path, operation=call.tool), operation=call.tool)
        return before, changed(linked, content, base_revision, operation=call.tool)

    return call.session.on_project(work)


def content_of(text: str, call: Call) -> Any:
    """A text of the project's file as JSON. Raises: ServiceFailure TRUTH_INVALID."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as wrong:
        raise ServiceFailure(
            ErrorCode.TRUTH_INVALID,
            f"{FILE_NAME} would be no JSON: {wrong}; nothing was written",
            fix="give all of the file as JSON, changed where it is to differ",
            details={"operation": call.tool, "path": FILE_NAME},
        ) from None


def _wanted(before: DesignModel, content: Any, call: Call) -> DesignModel:
    for file in _files_of(content) - _files_of(before.to_json()):
        call.files.path(file, operation=call.tool)  # no source that could be read through here only
    return checked(before, content, call.workspace, operation=call.tool)


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines(keepends=True)


def _files_of(content: Any) -> set[str]:
    """The files that a project names as sources; what is no project is refused by others."""
    components = content.get("components") if isinstance(content, dict) else None
    sources = [
        component.get("source")
        for component in (components.values() if isinstance(components, dict) else ())
        if isinstance(component, dict)
    ]
    files = [source.get("file") for source in sources if isinstance(source, dict)]
    return {file for file in files if isinstance(file, str)}
