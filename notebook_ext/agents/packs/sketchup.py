"""SketchUp as it is: the tools of its extension under their own names, through the session's connection.

Lengths are inches where the extension gives them so, and millimetres in the fields that end in ``_mm``. What
belongs to the project is placed and pushed by the tools of core and project, which keep it in step; these
look, and reach what no other tool does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from notebook_ext.agents.calls.arguments import Arguments, Changing
from notebook_ext.agents.calls.call import Call, Preview, Risk, Tool
from notebook_ext.agents.packs.core.pictures.picture import shot_path
from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.design_change import require_revision
from notebook_ext.workspace.files.named import named_files
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts

__all__ = ["tools"]

_PACK: Final = "sketchup"
_NOT_SENT: Final = frozenset({"expected_revision"})
"""Arguments that the session looks at, and SketchUp does not know."""

_PATHS: Final = frozenset({"path", "file_path", "output_path", "output_dir"})
"""Arguments that name a file: the workspace's rules hold for them before SketchUp's own."""


class _None(Arguments):
    pass


class _ListEntities(Arguments):
    entity_type: Literal["all", "faces", "edges", "groups", "components"] = "all"
    offset: int = Field(0, ge=0)
    limit: int = Field(1000, ge=1, le=10_000)
    scope: str = Field("root", description='"root", "active" or "definition:<name>"')


class _Entity(Arguments):
    entity_id: int | None = None
    persistent_id: int | None = None

    @model_validator(mode="after")
    def _exactly_one_id(self) -> _Entity:
        if (self.entity_id is None) == (self.persistent_id is None):
            raise ValueError("either entity_id or persistent_id")
        return self


class _Screenshot(Arguments):
    width: int = Field(1920, ge=1, le=16_000)
    height: int = Field(1080, ge=1, le=16_000)
    transparent: bool = False
    output_path: str | None = Field(None, description="below .vcad/shots")


_Place = tuple[float, float, float]


class _Camera(BaseModel, extra="forbid", frozen=True):
    type: Literal["standard_view", "custom", "zoom_entity"] = "standard_view"
    view: Literal["top", "bottom", "front", "back", "left", "right", "iso"] | None = None
    eye: _Place | None = Field(
        default=None, description="inches; custom only, as are target, up, fov, perspective"
    )
    target: _Place | None = None
    up: _Place | None = None
    fov: float | None = Field(default=None, gt=0, lt=180, description="degrees")
    perspective: bool | None = None
    entity_ids: tuple[int, ...] | None = Field(default=None, description="zoom_entity only, as is padding")
    padding: float | None = Field(default=None, gt=0)
    zoom_extents: bool | None = None


class _Shot(BaseModel, extra="forbid", frozen=True):
    camera: _Camera = _Camera(view="iso")
    name: str | None = None
    width: int | None = Field(None, ge=1, le=16_000)
    height: int | None = Field(None, ge=1, le=16_000)
    isolate: int | None = Field(None, description="entity_id of a group or component shown alone")


class _Shots(Arguments):
    shots: tuple[_Shot, ...] = Field(min_length=1)
    output_dir: str | None = Field(None, description="below .vcad/shots")
    base_name: str = "screenshot"
    width: int = Field(1920, ge=1, le=16_000)
    height: int = Field(1080, ge=1, le=16_000)
    transparent: bool = False
    restore_camera: bool = True


class _Open(Changing):
    path: str
    discard_changes: bool = False


class _Save(Changing):
    path: str | None = None


class _Export(Changing):
    format: Literal["skp", "obj", "stl", "dae", "png", "jpg", "jpeg"] = "skp"
    output_path: str | None = None
    width: int | None = Field(None, ge=1, le=16_000)
    height: int | None = Field(None, ge=1, le=16_000)


class _Ruby(Changing):
    code: str = Field(min_length=1)
    undo_name: str | None = Field(None, description="makes it one undo step, taken back if it fails")


class _RubyFile(Changing):
    file_path: str
    undo_name: str | None = None


class _Undo(Changing):
    steps: int = Field(1, ge=1, le=100)
    expected_model_revision: int | None = Field(None, description="refused when the model has moved on")


class _Redo(Changing):
    steps: int = Field(1, ge=1, le=100)


class _Told(BaseModel):
    """What the extension answers, whole: newer ones say more than is listed."""

    model_config = ConfigDict(extra="allow")


class _Status(_Told):
    status: Literal["connected", "disconnected", "error"]
    version: str | None = None
    message: str | None = None
    error: str | None = None
    error_type: str | None = None


class _Rows(_Told):
    count: int = 0


class _File(_Told):
    file_path: str


class _Evaluated(_Told):
    result: str
    output: str | None = None


class _Steps(_Told):
    steps: int | None = None
    model_revision: int | None = None


def tools() -> tuple[Tool, ...]:
    """The tools of this pack."""
    return (
        _tool(
            "check_sketchup_status",
            "R",
            "Ask whether SketchUp is there before you count on it.",
            _None,
            _Status,
            _status,
        ),
        _tool("get_model_info", "R", "See what document is open: title, path, units and counts."),
        _tool(
            "list_entities",
            "R",
            "Find what stands in the document, a page at a time; also what the project does not know.",
            _ListEntities,
            _Rows,
        ),
        _tool(
            "get_entity",
            "R",
            "Look at one entity closely: bounds and size in mm, layer, material, attributes.",
            _Entity,
        ),
        _tool(
            "get_selection",
            "R",
            "See what the person has selected in SketchUp, with the part and the form that made it.",
            result=_Rows,
            run=_selection,
        ),
        _tool("get_layers", "R", "List the layers (tags) of the document.", result=_Rows),
        _tool("get_materials", "R", "List the materials of the document.", result=_Rows),
        _tool("get_camera_info", "R", "Learn where the person looks from in SketchUp."),
        _tool(
            "take_screenshot",
            "R",
            "Take SketchUp's own picture of what the person sees; vcad_screenshot needs no SketchUp.",
            _Screenshot,
            _File,
            _into_shots("take_screenshot"),
        ),
        _tool(
            "take_batch_screenshots",
            "R",
            "Take SketchUp's pictures of several views in one go; the person's view stays as it is.",
            _Shots,
            run=_into_shots("take_batch_screenshots"),
        ),
        _tool(
            "open_model",
            "D",
            "Open another document in SketchUp in place of the one that is open.",
            _Open,
            _File,
            affects=_opening,
        ),
        _tool("save_model", "W", "Save the open document.", _Save, _File, affects=_saving),
        _tool(
            "export_scene",
            "W",
            "Write the whole document to a file; without output_path below .vcad/exports.",
            _Export,
            _File,
            affects=_saving,
        ),
        _tool(
            "eval_ruby",
            "X",
            "Run Ruby in SketchUp, where no other tool does what is needed. A person is asked.",
            _Ruby,
            _Evaluated,
            affects=_ruby,
        ),
        _tool(
            "eval_ruby_file",
            "X",
            "Run a Ruby file of the workspace in SketchUp. A person is asked.",
            _RubyFile,
            _Evaluated,
            affects=_ruby_file,
        ),
        _tool("console_capture_status", "R", "Learn whether SketchUp's Ruby console is logged, and where."),
        _tool(
            "undo",
            "D",
            "Take back the last steps in SketchUp, also the person's own; the project is not changed.",
            _Undo,
            _Steps,
            affects=lambda given, call: _stepping("Takes back the last", given.steps, "redo", call),
        ),
        _tool(
            "redo",
            "D",
            "Do again in SketchUp what was undone.",
            _Redo,
            _Steps,
            affects=lambda given, call: _stepping("Does again the last", given.steps, "undo", call),
        ),
    )


def _tool(
    name: str,
    risk: Risk,
    description: str,
    arguments: type[Arguments] = _None,
    result: type[BaseModel] = _Told,
    run: Callable[[Any, Call], Any] | None = None,
    *,
    affects: Callable[[Any, Call], Preview] | None = None,
) -> Tool:
    def ask(given: Arguments, call: Call) -> BaseModel:
        with call.files.held(() if call.approved is None else call.approved.digests, operation=name):
            return result.model_validate(_answer(name, _sent(given), call, given))

    return Tool(
        name,
        _PACK,
        risk,
        risk == "R",
        description,
        arguments,
        result,
        run or ask,
        affects,
    )


def _sent(given: Arguments) -> dict[str, Any]:
    """The arguments as the extension takes them: those that were given, and our defaults."""
    arguments = given.model_dump(mode="json", exclude_none=True)
    return {name: value for name, value in arguments.items() if name not in _NOT_SENT}


def _answer(tool: str, arguments: Mapping[str, Any], call: Call, given: Arguments | None = None) -> Any:
    """Ask SketchUp on the session's thread, over the session's connection. Raises: VcadError."""
    expected = getattr(given, "expected_revision", None)
    for name in _PATHS & arguments.keys():
        arguments = {**arguments, name: str(call.files.path(arguments[name], operation=tool))}

    def work(linked: LinkedParts) -> Any:
        if expected is not None:
            require_revision(linked.standing(), expected, tool)
        return linked.link.bridge().connection.call(tool, arguments, request_id=call.request_id)

    answer = call.session.on_project(work)
    if not isinstance(answer, dict):
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{tool}: SketchUp's extension answers with no object",
            details={"path": "result", "expected": "an object", "operation": tool},
        )
    return {name: value for name, value in answer.items() if name != "success"}


def _status(_: _None, call: Call) -> _Status:
    """That nothing answers is an answer here; everywhere else it is a failure."""
    try:
        return _Status.model_validate(_answer("ping", {}, call))
    except ServiceFailure as failed:
        there = failed.error_code not in (ErrorCode.CONNECTION_FAILED, ErrorCode.CONNECTION_TIMEOUT)
        return _Status(
            status="error" if there else "disconnected",
            error=failed.message,
            error_type=str(failed.error_code),
            message=failed.fix or "start SketchUp with the extension, and ask again",
        )


def _selection(given: _None, call: Call) -> _Rows:
    """What is selected; of an instance of ours which part it is, and what made that."""
    answer = _answer("get_selection", {}, call, given)
    instances = {
        instance.execution.persistent_id: (instance_id, instance.component)
        for instance_id, instance in call.session.standing.instances.items()
        if instance.execution is not None
    }
    for row in answer.get("entities", ()):
        ours = instances.get(row.get("persistent_id")) if row.get("persistent_id") is not None else None
        if ours is not None:
            row |= {"instance_id": ours[0], "node_id": ours[1], "made_by": _made_by(ours[1], call)}
    return _Rows.model_validate(answer)


def _made_by(node_id: str, call: Call) -> dict[str, Any]:
    """The form whose value a part is: its file or cell, the function, the line and its text."""
    component = call.session.standing.components.get(node_id)
    source = {"file": None if component is None else component.source.file}
    name = name_of(node_id)
    if name not in call.session.nodes():
        return source
    part = call.session[name].parts[0]
    place = part.document.place_of(part.node)
    made: dict[str, Any] = {**source, "function": part.document.function_of(part.node)}
    return made if place is None else {**made, "line": place.line, "text": place.text}


def _into_shots(tool: str) -> Callable[[Any, Call], BaseModel]:
    """Pictures are written where `shot_path` lets them be."""

    def run(given: _Screenshot | _Shots, call: Call) -> BaseModel:
        sent = _sent(given)
        for name in ("output_path", "output_dir"):
            if name in sent:
                sent[name] = str(shot_path(sent[name], call, is_folder=name == "output_dir"))
        model = _File if tool == "take_screenshot" else _Told
        return model.model_validate(_answer(tool, sent, call))

    return run


def _opening(given: _Open, call: Call) -> Preview:
    lost = "; changes that are not saved are lost" if given.discard_changes else ""
    call.files.file(given.path, operation="open_model")
    _require_there("open_model", call)
    return Preview(
        summary=f"Opens {given.path} in SketchUp in place of the document that is open{lost}.",
        undo="Not by undo: the document before can be opened again, as it was last saved.",
    )


def _stepping(what: str, steps: int, other: str, call: Call) -> Preview:
    """Of steps whose author is not known: SketchUp's stack holds the person's, too."""
    _require_there(call.tool, call)
    return Preview(
        summary=f"{what} {'step' if steps == 1 else f'{steps} steps'} in SketchUp, also your own.",
        takes_away=("steps in SketchUp, whoever made them",),
        undo=f"SketchUp's {other}, until something else is done there.",
    )


def _saving(given: _Save | _Export, call: Call) -> Preview:
    where = given.output_path if isinstance(given, _Export) else given.path
    if where is None and isinstance(given, _Export):
        return Preview(summary="SketchUp writes the document below .vcad/exports.")
    if where is None:
        open_one = _answer("get_model_info", {}, call).get("path")
        there = (str(open_one),) if open_one else ()
        return Preview(
            summary=f"Saves the document that is open in SketchUp, {open_one or 'which has no file yet'}.",
            undo="Not by undo: SketchUp keeps one backup file beside it.",
            paths=there,
        )
    operation = "export_scene" if isinstance(given, _Export) else "save_model"
    path = call.files.path(where, operation=operation)
    own = path.is_relative_to(call.workspace / ".vcad")
    return Preview(
        summary=f"SketchUp writes {call.relative(path)}.",
        takes_away=() if own else call.files.persons.overwritten(path),
        paths=(str(path),),
    )


def _ruby_file(given: _RubyFile, call: Call) -> Preview:
    path = call.files.file(given.file_path, operation="eval_ruby_file")
    code = call.files.read(path, operation="eval_ruby_file").decode("utf-8", "replace")
    _require_evaluation("eval_ruby_file", call)
    return Preview(
        summary=f"Runs {call.relative(path)} in SketchUp, which may do whatever you may.",
        code=code,
        undo="What it does to the model is one undo step where it was given a name; else nothing says.",
        digests=named_files(f"{given.file_path}\n{code}", call.workspace, call.files),
    )


def _ruby(given: _Ruby, call: Call) -> Preview:
    _require_evaluation("eval_ruby", call)
    return Preview(
        summary="Runs Ruby in SketchUp, which may do whatever you may.",
        code=given.code,
        undo="What it does to the model is one undo step where it was given a name; else nothing says.",
        digests=named_files(given.code, call.workspace, call.files),
    )


def _require_there(tool: str, call: Call) -> None:
    """A person is not asked for what no SketchUp is there to do. Raises: VcadError CONNECTION_FAILED."""
    call.session.on_project(lambda linked: linked.link.bridge().connection.ensure_handshake(tool))


def _require_evaluation(tool: str, call: Call) -> None:
    """A person is not asked for what the extension will refuse. Raises: CapabilityUnavailable; VcadError."""

    def work(linked: LinkedParts) -> None:
        connection = linked.link.bridge().connection
        if connection.ensure_handshake(tool).is_current:  # an older one says nothing of what it can do
            connection.require("eval_ruby", tool)

    call.session.on_project(work)
