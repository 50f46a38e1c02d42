"""The messages between a session and its viewers (docs/spec/viewer.md): a struct each, JSON with buffers.

    parcel = Parcel(MeshUpdate(node=head), (Buffer("positions", "f4", positions),))
    text, *frames = parcel.frames("v-1")        # for a WebSocket
    content, buffers = parcel.content("v-1")    # for a comm
    asked = heard(b'{"type": "measure", …}')    # what a viewer says

Little endian, millimetres, Z up, degrees. Knows neither sessions nor carriers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = [
    "LARGEST",
    "PROTOCOL",
    "AnnotationGone",
    "AnnotationSet",
    "AnnotationShown",
    "AnnotationTakenBack",
    "Buffer",
    "Camera",
    "Chained",
    "Changed",
    "Compare",
    "Explain",
    "Explained",
    "ExportAsked",
    "ExportResult",
    "Failure",
    "Focus",
    "Heard",
    "Highlight",
    "Insert",
    "Measure",
    "MeasureResult",
    "MeshRemove",
    "MeshRows",
    "MeshUpdate",
    "NodeHead",
    "NodeMaterial",
    "OpenForm",
    "Parcel",
    "PickedThing",
    "Proposal",
    "ProposalGone",
    "Proposed",
    "Ready",
    "Request",
    "SceneReset",
    "Screenshot",
    "ScreenshotAsked",
    "SectionPlane",
    "SelectorAsked",
    "SetView",
    "Snapshot",
    "Status",
    "Step",
    "Stop",
    "Tone",
    "ViewState",
    "ViewerMessage",
    "heard",
    "major",
    "refusal",
]

PROTOCOL: Final = "1.0"
"""Viewers of the same major version are spoken with."""
LARGEST: Final = 2**20
"""Bytes of what a viewer may say at once, buffers apart."""

Vector: TypeAlias = tuple[float, float, float]
_Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
_Index: TypeAlias = Annotated[int, Meta(ge=0, lt=2**31)]
_Indexes: TypeAlias = Annotated[tuple[_Index, ...], Meta(max_length=10_000)]
_Text: TypeAlias = Annotated[str, Meta(max_length=10_000)]
_DTYPES: Final = {"f4": "<f4", "u4": "<u4", "u1": "u1"}


# ---- what a session says ---------------------------------------------------------------------------


class Said(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A message of the session's."""

    @property
    def type(self) -> str:
        """What it is called on the wire."""
        return str(self.__struct_config__.tag)


class NodeMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """What a node looks like; numbers in 0..1, sRGB."""

    name: str
    color: Vector
    metallic: float
    roughness: float
    opacity: float = 1.0


class NodeHead(msgspec.Struct, frozen=True, kw_only=True):
    """All of a node but its triangles."""

    node_id: str
    revision: int
    digest: str
    """Equal for the same triangles, and only for these."""
    name: str
    group: str
    material: NodeMaterial
    pose: tuple[float, ...] | None = None
    """A 4 × 4 matrix for columns, row by row; None where it stands as it is modelled."""
    bounds: tuple[Vector, Vector] | None
    """As it is modelled."""
    triangles: int
    stale: str
    """Why it is out of date; empty where it is not."""
    ingredient: bool
    """Whether a later cell uses it: listed, and hidden at first."""
    exact: bool
    source: dict[str, str] | None
    figures: str


class Snapshot(Said, frozen=True, tag="scene.snapshot"):
    """All there is; what it does not name is gone."""

    title: str
    nodes: tuple[NodeHead, ...]
    status: Status
    annotations: tuple[Mapping[str, Any], ...]
    features: tuple[str, ...]
    """What the session answers."""


class SceneReset(Said, frozen=True, tag="scene.reset"):
    """The scene begins anew: nothing of it is there any more, nor what was picked, noted or compared."""


class MeshUpdate(Said, frozen=True, tag="mesh.update"):
    """A node, with its triangles where the viewer does not have them."""

    node: NodeHead


class MeshRows(Said, frozen=True, tag="mesh.rows"):
    """What the faces and edges of a node are; see `vcad_kernel.geometry.measure`."""

    node_id: str
    digest: str
    faces: tuple[dict[str, Any], ...]
    edges: tuple[dict[str, Any] | None, ...]


class MeshRemove(Said, frozen=True, tag="mesh.remove"):
    """A node is no more."""

    node_id: str
    revision: int


class Status(Said, frozen=True, tag="scene.status"):
    """How the session does."""

    text: str
    running: bool
    failed: tuple[str, ...] = ()


class Focus(Said, frozen=True, tag="viewer.focus"):
    """Show this node alone, filling the view."""

    node_id: str


class SetView(Said, frozen=True, tag="viewer.state", omit_defaults=True):
    """How the view is to be; what is not given stays."""

    camera: Camera | None = None
    visible: tuple[str, ...] | None = None
    """These and no others."""
    shown: Mapping[str, bool] | None = None
    """Node → whether it is seen; others stay as they are."""
    selection: tuple[PickedThing, ...] | None = None
    section: tuple[SectionPlane, ...] | None = None
    edges: str | None = None
    theme: str | None = None


class ScreenshotAsked(Said, frozen=True, tag="viewer.screenshot.request"):
    """Send a picture of what is shown."""

    request_id: str
    width: int | None = None
    height: int | None = None


Tone: TypeAlias = Literal["form", "taken", "failed"]
"""Why something glows."""


class Highlight(Said, frozen=True, tag="highlight"):
    """Have faces glow, and the lines of the one buffer; without any, nothing in this tone."""

    node_id: str
    tone: Tone
    faces: tuple[int, ...] = ()


class MeasureResult(Said, frozen=True, tag="measure.result", omit_defaults=True):
    """What lies between two picked things; see `MeasureBetween`."""

    request_id: str
    kind: str
    exact: bool
    text: str
    distance: float | None = None
    delta: Vector | None = None
    points: tuple[Vector, ...] | None = None
    angle: float | None = None
    axis_distance: float | None = None
    radius: float | None = None
    length: float | None = None
    area: float | None = None
    box: tuple[Vector, ...] | None = None


class Proposed(Said, frozen=True, tag="selector.propose"):
    """Criteria that take what is picked and nothing else."""

    request_id: str
    text: str
    target: str
    count: int
    insertable: bool


Step: TypeAlias = Literal["form", "cell", "file", "sketchup"]
"""From a face to where it comes from."""


class Chained(msgspec.Struct, frozen=True, kw_only=True):
    """One step from a face to where it comes from."""

    kind: Step
    text: str
    face: int | None = None
    """By which `OpenForm` leads there; None where nothing can be opened."""


class Explained(Said, frozen=True, tag="selection.explain.result"):
    """Where picked faces or edges come from."""

    request_id: str
    node_id: str
    chain: tuple[Chained, ...]


class Changed(Said, frozen=True, tag="compare"):
    """Two revisions of a node; the buffers have the triangles of each part."""

    request_id: str
    node_id: str
    revisions: tuple[int, int]
    figures: dict[str, str]
    parts: tuple[str, ...]


class Proposal(Said, frozen=True, tag="proposal"):
    """A change that somebody proposes, drawn over what is there; the buffers as of `Changed`."""

    proposal_id: str
    why: str
    node_id: str
    """Of a part of several bodies the name of all."""
    revisions: tuple[int, int]
    figures: dict[str, str]
    parts: tuple[str, ...]


class ProposalGone(Said, frozen=True, tag="proposal.remove"):
    """A proposal has been answered."""

    proposal_id: str


class AnnotationShown(Said, frozen=True, tag="annotation.set"):
    """A note at a point of the model."""

    annotation: dict[str, Any]


class AnnotationGone(Said, frozen=True, tag="annotation.remove"):
    """A note is no more."""

    annotation_id: str


class ExportResult(Said, frozen=True, tag="export.result"):
    """A file to be saved; its bytes are the one buffer."""

    request_id: str
    name: str
    media_type: str


class Failure(Said, frozen=True, tag="error", omit_defaults=True):
    """What could not be done, and what to do about it."""

    error_code: str
    message: str
    fix: str = ""
    request_id: str | None = None


def refusal(error: VcadError, request_id: str | None = None) -> Failure:
    """A failure as a viewer is told of it."""
    return Failure(
        error_code=str(error.error_code), message=error.message, fix=error.fix or "", request_id=request_id
    )


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Numbers that go with a message."""

    name: str
    dtype: Literal["f4", "u4", "u1"]
    values: NDArray[Any]

    @property
    def data(self) -> memoryview:
        """The bytes, little endian, without a gap."""
        return np.ascontiguousarray(self.values, _DTYPES[self.dtype]).reshape(-1).view(np.uint8).data


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """A message with its buffers."""

    message: Said
    buffers: tuple[Buffer, ...] = ()

    def content(self, view_id: str) -> tuple[dict[str, Any], list[memoryview]]:
        """The message as JSON data, and the buffers it announces, in order. view_id: for whom."""
        plain: dict[str, Any] = {**msgspec.to_builtins(self.message), "view_id": view_id}
        if self.buffers:
            plain["buffers"] = [
                {"name": buffer.name, "dtype": buffer.dtype, "shape": list(buffer.values.shape)}
                for buffer in self.buffers
            ]
        return plain, [buffer.data for buffer in self.buffers]

    def frames(self, view_id: str) -> tuple[str, list[memoryview]]:
        """The same as the text frame of a WebSocket and the binary ones that follow it."""
        plain, data = self.content(view_id)
        return msgspec.json.encode(plain).decode(), data


# ---- what a viewer says ----------------------------------------------------------------------------


class Heard(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A message of a viewer's."""

    view_id: _Id
    buffers: Annotated[tuple[dict[str, Any], ...], Meta(max_length=16)] = ()
    """What is announced of the buffers that follow."""

    @property
    def type(self) -> str:
        """What it is called on the wire."""
        return str(self.__struct_config__.tag)


class Ready(Heard, frozen=True, tag="viewer.ready"):
    """A view can show things now; it gets one snapshot."""

    protocol_version: _Id
    features: Annotated[tuple[_Id, ...], Meta(max_length=100)] = ()
    has: Annotated[tuple[_Id, ...], Meta(max_length=100_000)] = ()
    """Digests of the triangles that it has."""
    token: Annotated[str, Meta(max_length=1000)] = ""
    """Over a WebSocket, in the first message."""


class Camera(msgspec.Struct, frozen=True, kw_only=True):
    """From where a view looks; millimetres."""

    position: Vector
    target: Vector
    up: Vector = (0.0, 0.0, 1.0)
    projection: Literal["perspective", "orthographic"] = "orthographic"
    zoom: float = 1.0


class PickedThing(msgspec.Struct, frozen=True, kw_only=True):
    """A face, edge, vertex or part; its number holds for this digest."""

    node_id: _Id
    digest: Annotated[str, Meta(max_length=200)]
    kind: Literal["part", "face", "edge", "vertex"]
    index: _Index = 0
    point: Vector | None = None


class SectionPlane(msgspec.Struct, frozen=True, kw_only=True):
    """A plane that cuts what is shown."""

    axis: Literal["x", "y", "z"] | Vector
    at: float
    flipped: bool = False


class ViewState(Heard, frozen=True, tag="viewer.state"):
    """How a view is now."""

    camera: Camera | None = None
    selection: Annotated[tuple[PickedThing, ...], Meta(max_length=10_000)] = ()
    visible: Annotated[tuple[_Id, ...], Meta(max_length=100_000)] = ()
    section: Annotated[tuple[SectionPlane, ...], Meta(max_length=16)] = ()
    edges: _Id | None = None
    theme: Annotated[str, Meta(max_length=40)] = ""


class Request(Heard, frozen=True):
    """What gets an answer."""

    request_id: _Id


class Screenshot(Request, frozen=True, tag="viewer.screenshot.result"):
    """A picture that was asked for; the PNG is its one buffer."""

    width: int
    height: int


class Explain(Request, frozen=True, tag="selection.explain"):
    """Where do these come from?"""

    node_id: _Id
    digest: str
    faces: _Indexes = ()
    edges: _Indexes = ()


class Measure(Request, frozen=True, tag="measure"):
    """How far are these from each other, or how large is this?"""

    a: PickedThing
    b: PickedThing | None = None


class SelectorAsked(Request, frozen=True, tag="selector"):
    """Which criteria take just these?"""

    node_id: _Id
    digest: str
    target: Literal["edge", "face"]
    indexes: _Indexes


class Compare(Request, frozen=True, tag="compare"):
    """What has changed since some revisions ago?"""

    node_id: _Id
    back: Annotated[int, Meta(ge=1, le=20)] = 1


class ExportAsked(Request, frozen=True, tag="export"):
    """Give a file of these."""

    node_ids: Annotated[tuple[_Id, ...], Meta(max_length=10_000)]
    format: Literal["stl", "3mf", "step", "glb", "html"]


class Insert(Heard, frozen=True, tag="insert"):
    """Write this at the cursor: criteria, a word for such, or a call; in one line, so that a cell of Loon
    stays one."""

    # the end as Python's expressions and those of JSON Schema, which are JavaScript's, both have it
    text: Annotated[str, Meta(max_length=2000, pattern=r"^(?:[\[{][^\r\n]*[\]}]|:[a-z][a-z0-9-]*)(?![\s\S])")]


class OpenForm(Heard, frozen=True, tag="open_form"):
    """Show the form that made a face, or what else it comes from."""

    node_id: _Id
    digest: str
    face: _Index
    step: Step = "form"


class Stop(Heard, frozen=True, tag="stop"):
    """Stop what is under way."""


class AnnotationSet(Heard, frozen=True, tag="annotation.set"):
    """Note this."""

    text: _Text
    node_id: _Id | None = None
    point: Vector | None = None


class AnnotationTakenBack(Heard, frozen=True, tag="annotation.remove"):
    """Take a note away."""

    annotation_id: _Id


ViewerMessage: TypeAlias = (
    Ready
    | ViewState
    | Screenshot
    | Explain
    | Measure
    | SelectorAsked
    | Compare
    | ExportAsked
    | Insert
    | OpenForm
    | Stop
    | AnnotationSet
    | AnnotationTakenBack
)


def heard(message: bytes | str | Mapping[str, Any]) -> Heard:
    """What a viewer has said. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED, PAYLOAD_TOO_LARGE."""
    try:
        if isinstance(message, bytes | str):
            if len(message) > LARGEST:
                raise ServiceFailure(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    f"a message of a viewer may have {LARGEST} bytes",
                    details={"limit": LARGEST, "size": len(message), "operation": "viewer"},
                )
            said: Heard = msgspec.json.decode(message, type=ViewerMessage)
        else:
            said = msgspec.convert(message, type=ViewerMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"no message of this protocol: {wrong}",
            fix="load the viewer anew: it may be of another version",
            details={"path": "", "expected": "a message of docs/spec/viewer.md", "operation": "viewer"},
        ) from None
    return said


def major(version: str) -> str:
    """What two versions of the protocol must have in common."""
    return version.partition(".")[0]
