"""What an agent learns from the viewers that are open, and shows in them: state, focus, a picture.

`vcad_screenshot` needs no viewer; these tools do, for they tell what the person sees and has picked. Where
none is open the session draws the picture by itself, and says so; where one is open of another version of
the protocol, that is said.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec
from pydantic import BaseModel, Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.hooks.fields import viewer_fields
from notebook_ext.agents.packs.core.pictures.picture import kept, plain, shot_path
from notebook_ext.approval.calls import Preview
from notebook_ext.session.node_names import node_id_of
from notebook_ext.viewer.relay.messages import PROTOCOL, ViewState
from notebook_ext.viewer.relay.picked import Picked
from notebook_ext.viewer.relay.relay import View
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["tools"]

_INLINE: Final = 128 * 1024
"""Bytes of base64 in an answer."""


class _Nothing(Arguments):
    pass


class _Viewer(BaseModel):
    view_id: str
    camera: dict[str, Any] | None
    selection: list[dict[str, Any]]
    visible: list[str]
    features: list[str]


class _State(Answer):
    connected: bool
    viewers: list[_Viewer] = Field(description="all that are open; the state is that of the first")
    camera: dict[str, Any] | None
    selection: list[dict[str, Any]]
    visible: list[str]
    revisions: dict[str, int]
    protocol_version: str
    features: list[str]
    timestamp: str


class _Focus(Arguments):
    node_id: str = Field(description="a part; of a scene NAME/NUMBER")


class _Shown(Answer):
    node_id: str
    viewers: int


class _Set(Arguments):
    tag: str = Field(description="camera, selection, visible, section or show_edges")
    value: Any = Field(description="as vcad_viewer_state has it; of visible ids, of show_edges true or false")


class _IsSet(Answer):
    tag: str
    viewers: int


class _Screenshot(Arguments):
    output_path: str | None = Field(None, description="below .vcad/shots")
    width: int | None = Field(None, ge=16, le=4096, description="pixels; by default as it is shown")
    height: int | None = Field(None, ge=16, le=4096)
    inline: bool = Field(False, description="also in the answer, up to 128 KB of base64")


class _Taken(Answer):
    path: str
    width: int
    height: int
    bytes: int
    created_at: str
    drawn_by: Literal["viewer", "session"] = Field(description="the session, where no viewer is open")
    inline_base64: str | None = None


def tools() -> tuple[Tool, ...]:
    """The tools of this module."""
    return (
        Tool(
            "vcad_viewer_state",
            "viewer",
            "R",
            True,
            "What the person sees: camera, what is shown, and what is picked with the form that made it.",
            _Nothing,
            _State,
            _state,
        ),
        Tool(
            "vcad_viewer_focus",
            "viewer",
            "R",
            True,
            "Bring a part into the person's view: every open viewer selects it and fits it.",
            _Focus,
            _Shown,
            _focus,
        ),
        Tool(
            "vcad_viewer_set",
            "viewer",
            "W",
            True,
            "Set what every open viewer shows: where it looks from, what is picked, seen, cut, or edges.",
            _Set,
            _IsSet,
            _set,
            affects=_setting,
        ),
        Tool(
            "vcad_viewer_screenshot",
            "viewer",
            "R",
            True,
            "The very picture that the person sees, as a file; without a viewer one that the session draws.",
            _Screenshot,
            _Taken,
            _screenshot,
        ),
    )


def _setting(arguments: _Set, _: Call) -> Preview:
    return Preview(
        summary=f"Sets {arguments.tag} in every open viewer.", undo="The viewers can be set back by hand."
    )


def _state(_arguments: _Nothing, call: Call) -> _State:
    relay = call.session.viewers
    if relay.is_refusing:
        raise relay.no_viewer(call.tool)
    views, state = relay.views(), relay.latest_state
    return _State(
        connected=bool(views),
        viewers=[_viewer(view) for view in views],
        camera=_camera(state),
        selection=[_row(picked) for picked in relay.selection],
        visible=[] if state is None else list(state.visible),
        revisions={name: call.session.revision(node_id_of(name)) for name in relay.names},
        protocol_version=PROTOCOL,
        features=sorted(views[0].features) if views else [],
        timestamp=_now(),
    )


def _viewer(view: View) -> _Viewer:
    return _Viewer(
        view_id=view.view_id,
        camera=_camera(view.state),
        selection=[] if view.state is None else msgspec.to_builtins(view.state.selection),
        visible=[] if view.state is None else list(view.state.visible),
        features=sorted(view.features),
    )


def _camera(state: ViewState | None) -> dict[str, Any] | None:
    if state is None or state.camera is None:
        return None
    camera: dict[str, Any] = msgspec.to_builtins(state.camera)
    return camera


def _row(picked: Picked) -> dict[str, Any]:
    return {
        "node_id": picked.node_id,
        "kind": picked.kind,
        "index": picked.index,
        "point": picked.point,
        "made_by": picked.made_by or None,
        "source": None if picked.source is None else dict(picked.source),
        "says": repr(picked),
    }


def _focus(arguments: _Focus, call: Call) -> _Shown:
    relay = call.session.viewers
    relay.focus(arguments.node_id)
    return _Shown(node_id=arguments.node_id, viewers=len(relay.views()))


def _set(arguments: _Set, call: Call) -> _IsSet:
    tag = f"viewer.{arguments.tag.removeprefix('viewer.')}"
    views = call.session.viewers.views()
    if not views:
        raise call.session.viewers.no_viewer(call.tool)
    known = {field.tag: field for field in viewer_fields(call.session)}
    if tag not in known:
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"viewers have no {arguments.tag}; they have {', '.join(known)}",
            details={"path": "tag", "expected": f"one of {', '.join(known)}", "operation": call.tool},
        )
    field = known[tag]
    assert field.write is not None
    field.write(field.checked(arguments.value))
    return _IsSet(tag=tag, viewers=len(views))


def _screenshot(arguments: _Screenshot, call: Call) -> _Taken:
    if arguments.output_path is not None:
        shot_path(arguments.output_path, call)  # before a viewer is asked for anything
    picture, by = _picture(arguments, call)
    width, height = struct.unpack(">II", picture[16:24])
    inline = b64encode(picture).decode() if arguments.inline else None
    if inline is not None and len(inline) > _INLINE:
        raise ServiceFailure(
            ErrorCode.PAYLOAD_TOO_LARGE,
            f"a picture of {width} × {height} pixels has {len(inline)} bytes of base64; {_INLINE} go inline",
            fix="leave inline out and read the file; or ask for a smaller one with width and height",
            details={"limit": _INLINE, "size": len(inline), "operation": call.tool},
        )
    path = call.relative(kept(picture, call, arguments.output_path))
    return _Taken(
        path=path,
        width=width,
        height=height,
        bytes=len(picture),
        created_at=_now(),
        drawn_by=by,
        inline_base64=inline,
    )


def _picture(arguments: _Screenshot, call: Call) -> tuple[bytes, Literal["viewer", "session"]]:
    relay = call.session.viewers
    if not relay.views() and not relay.is_refusing:
        return plain(call, arguments.width, arguments.height), "session"
    picture, _, _ = relay.picture(arguments.width, arguments.height)
    return picture, "viewer"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
