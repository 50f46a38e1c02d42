"""The project's truth as agents read, check and change it. Its traces are in `traces.py`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, Field

from notebook_ext.agents.calls.arguments import Answer, Arguments, Changing
from notebook_ext.agents.calls.call import Call, Preview, Risk, Tool
from notebook_ext.agents.json_patch import at, patched
from notebook_ext.agents.packs import truth
from notebook_ext.agents.packs.core import placing
from notebook_ext.session.project.design_change import require_revision, touched
from vcad_kernel.errors import FileMissing, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.session.project.design_model import Bounds

__all__ = ["tools"]

_PACK: Final = "project"


class _Get(Arguments):
    path: str = Field("", description='JSON pointer, as "/components/lid/source"')


class _Value(Answer):
    value: Any
    revision: int


class _Scope(Arguments):
    scope: tuple[str, ...] | None = Field(None, description="ids of components and instances; else all")


class _Issue(BaseModel):
    severity: Literal["error", "warning"]
    object_id: str
    code: str
    message: str


class _Validated(Answer):
    complete: bool
    issues: list[_Issue]


class _Patch(Changing):
    base_revision: int = Field(ge=0, description="of project_get: refused when the project has moved on")
    patch: list[dict[str, Any]] = Field(min_length=1, description="RFC 6902: [{op, path, value}]")
    reason: str = Field(min_length=1)


class _Patched(Answer):
    revision: int
    changed: list[str]


def tools() -> tuple[Tool, ...]:
    """The tools of this pack."""
    return (
        *_alias(),
        _tool(
            "project_get",
            "R",
            "Read the project: what is placed where, and its revision.",
            _Get,
            _Value,
            _get,
        ),
        _tool(
            "project_validate",
            "R",
            "Check the project against its schema and design_rules.json before you plan.",
            _Scope,
            _Validated,
            _validate,
        ),
        _tool(
            "project_patch",
            "W",
            "Change the project's design (instances, layers, materials, sources) as one JSON patch.",
            _Patch,
            _Patched,
            _patch,
            affects=_patching,
        ),
    )


def _tool(
    name: str,
    risk: Risk,
    description: str,
    arguments: type[Arguments],
    result: type[BaseModel],
    run: Callable[[Any, Call], Any],
    affects: Callable[[Any, Call], Preview] | None = None,
) -> Tool:
    return Tool(name, _PACK, risk, risk == "R", description, arguments, result, run, affects)


def _alias() -> tuple[Tool, ...]:
    """`vcad_place` under the name that says what it does anyway."""
    place = next(tool for tool in placing.tools() if tool.name == "vcad_place")
    return (
        replace(
            place,
            name="vcad_place_with_imports",
            pack=_PACK,
            description="Place a part whose source imports from SketchUp: the same as vcad_place.",
        ),
    )


# ---- the truth


def _get(arguments: _Get, call: Call) -> _Value:
    model = call.session.standing
    return _Value(value=at(model.to_json(), arguments.path, operation="project_get"), revision=model.revision)


def _validate(arguments: _Scope, call: Call) -> _Validated:
    from notebook_ext.session.project.design_rules import FILE_NAME, DesignRules, findings, rules_of

    operation = "project_validate"
    issues: list[_Issue] = []
    model = call.session.standing
    trouble = call.session.trouble
    if trouble is not None:
        issues.append(
            _Issue(
                severity="error",
                object_id="design_model.json",
                code=str(trouble.code),
                message=trouble.message,
            )
        )
    rules = DesignRules()
    try:
        path = call.files.file(FILE_NAME, operation=operation)
        text = call.files.read(path, operation=operation).decode("utf-8-sig", "replace")
        rules = rules_of(text, operation=operation)
    except FileMissing:
        pass  # a project need not have rules
    except ServiceFailure as error:
        issues.append(
            _Issue(severity="error", object_id=FILE_NAME, code=str(error.error_code), message=error.message)
        )
    unknown = sorted(set(arguments.scope or ()) - model.components.keys() - model.instances.keys())
    issues += [
        _Issue(
            severity="error",
            object_id=object_id,
            code="OBJECT_UNKNOWN",
            message="the project has no such object",
        )
        for object_id in unknown
    ]
    sizes = _sizes(call)
    issues += [_Issue(**asdict(finding)) for finding in findings(model, rules, sizes, arguments.scope)]
    return _Validated(complete=not any(issue.severity == "error" for issue in issues), issues=issues)


def _sizes(call: Call) -> dict[str, Bounds | None]:
    """The box of each component: of the part that the session shows, else as SketchUp was given it."""
    from notebook_ext.session.node_names import name_of
    from notebook_ext.session.project.design_model import Bounds

    parts = set(call.session.nodes())
    sizes: dict[str, Bounds | None] = {}
    for node_id, component in call.session.standing.components.items():
        name = name_of(node_id)
        execution = component.execution
        sizes[node_id] = None if execution is None else execution.bounds
        if name in parts:
            with suppress(KeyError):  # forgotten just now
                sizes[node_id] = Bounds.of(call.session[name].mesh_bounds)
    return sizes


def _patch(arguments: _Patch, call: Call) -> _Patched:
    before, after = truth.change(
        lambda content: patched(content, arguments.patch, operation=call.tool), arguments.base_revision, call
    )
    changed = touched(before, after)
    call.session.log.event("project_patched", agent=call.agent, reason=arguments.reason, changed=changed)
    return _Patched(revision=after.revision, changed=list(changed))


def _patching(arguments: _Patch, call: Call) -> Preview:
    model = call.session.standing
    require_revision(model, arguments.base_revision, call.tool)  # before what no longer fits is refused
    content = patched(model.to_json(), arguments.patch, operation=call.tool)
    return truth.preview(content, f"Changes the project: {arguments.reason}", call)
