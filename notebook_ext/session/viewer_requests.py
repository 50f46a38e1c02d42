"""What viewers ask of a session, and what it answers: forms, files, notes, and what its kernel measures.

    relay = Relay(ViewerRequests(lambda: relay, front_ends, stop))

Each message has one function here, by its class. On the relay's thread for answers, which may wait. Knows the
relay's nodes, the page that shows the notebook, and how the session is stopped.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import singledispatchmethod
from pathlib import Path
from typing import Any, Final

import numpy as np

from notebook_ext.front_end.notebook_comm import FrontEnds, ShownNotebook
from notebook_ext.viewer import scene_file
from notebook_ext.viewer.relay.changes import changes
from notebook_ext.viewer.relay.messages import (
    AnnotationSet,
    AnnotationTakenBack,
    Buffer,
    Chained,
    Changed,
    Compare,
    Explain,
    Explained,
    ExportAsked,
    ExportResult,
    Heard,
    Insert,
    Measure,
    MeasureResult,
    OpenForm,
    Parcel,
    Proposed,
    SelectorAsked,
    Step,
    Stop,
)
from notebook_ext.viewer.relay.nodes import Node, Rows
from notebook_ext.viewer.relay.relay import Relay, not_shown
from notebook_ext.viewer.scene_file import kernel_part
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure
from vcad_kernel.request_id import new_request_id

__all__ = ["ViewerRequests"]

_MEDIA: Final[Mapping[str, str]] = {
    "stl": "model/stl",
    "3mf": "model/3mf",
    "step": "model/step",
    "glb": "model/gltf-binary",
    "html": "text/html",
}


class ViewerRequests:
    """relay: whose viewers ask. front_ends: the pages that show the notebook.

    stop: stops what the session is doing by itself. place_now: where a form stands in its cell's text; None
    where that is another than the one that ran. entity_of: the instance that a node is in SketchUp, and its
    entity; None where there is none. zoom_to: brings an entity into SketchUp's view.
    """

    def __init__(
        self,
        relay: Callable[[], Relay],
        front_ends: FrontEnds,
        stop: Callable[[], object],
        *,
        place_now: Callable[[Mapping[str, Any], str], Mapping[str, Any] | None],
        entity_of: Callable[[str], tuple[str, int] | None],
        zoom_to: Callable[[int], object],
    ) -> None:
        self._relay = relay
        self._front_ends = front_ends
        self._stop = stop
        self._place_now = place_now
        self._entity_of = entity_of
        self._zoom_to = zoom_to

    @property
    def features(self) -> tuple[str, ...]:
        """What is answered now; see `Snapshot`."""
        pages = ("insert", "open_form") if self._front_ends.has_pages else ()
        return ("explain", "measure", "selector", "compare", "export", "stop", "annotation", *pages)

    @singledispatchmethod
    def answer(self, said: Heard, _buffers: Sequence[memoryview], /) -> Parcel | None:
        """What is answered to a message. Raises: VcadError."""
        raise CapabilityUnavailable(
            f"this session does not answer {said.type}",
            details={"required_capability": said.type, "negotiated_capabilities": list(self.features)},
        )

    # ---- where it comes from ---------------------------------------------------------------

    @answer.register
    def _explain(self, said: Explain, _buffers: Sequence[memoryview], /) -> Parcel:
        node, rows = self._known(said.node_id, said.digest)
        faces = list(said.faces)
        for edge in said.edges:
            faces += _numbered(rows.edges, edge, "edge", said.node_id)["faces"]
        chain: dict[tuple[str, str], Chained] = {}
        for face in faces:
            row = _numbered(rows.faces, face, "face", said.node_id)
            for link in self._chain(row, face, node):
                chain.setdefault((link.kind, link.text), link)
        return Parcel(
            Explained(request_id=said.request_id, node_id=said.node_id, chain=tuple(chain.values()))
        )

    def _chain(self, row: Mapping[str, Any], face: int, node: Node) -> list[Chained]:
        """From the form that made a face to what it stands in, the part's own cell where that is another, and
        what it is in SketchUp."""
        source = row["source"]
        line = "" if source is None else f", line {source['line']}"
        shown = face if self._front_ends.has_pages else None
        chain = [Chained(kind="form", text=f"{row['made_by']}{line}", face=None if source is None else shown)]
        for place in (source or {}, node.source or {}):
            if "file" in place:
                chain.append(Chained(kind="file", text=str(place["file"]), face=shown))
            elif "cell_id" in place:
                label = str(place.get("label") or place["cell_id"])
                chain.append(Chained(kind="cell", text=label, face=shown))
        entity = self._entity_of(node.node_id)
        if entity is not None:
            chain.append(Chained(kind="sketchup", text=f"{entity[0]} in SketchUp", face=face))
        return chain

    @answer.register
    def _open_form(self, said: OpenForm, _buffers: Sequence[memoryview], /) -> None:
        node, rows = self._known(said.node_id, said.digest)
        source = _numbered(rows.faces, said.face, "face", said.node_id)["source"]
        if said.step == "sketchup":
            entity = self._entity_of(said.node_id)
            if entity is None:
                raise _nowhere(said, f"{said.node_id} does not stand in SketchUp")
            self._zoom_to(entity[1])
            return
        place = _place_of(said.step, source, node.source)
        if place is None:
            raise _nowhere(
                said, f"nobody knows the {said.step} that made face {said.face}: its body was imported"
            )
        page = self._page(said)
        changed = "file" in place and bool(node.stale)
        if "file" not in place:
            shown = place["cell_id"].partition(":")[0]  # of the cell of the notebook, which may make several
            if said.step == "form":
                now = self._place_now(place, page.ask("get", cell=shown)["cell"]["source"])
                changed, place = now is None, now or place
            place = {**place, "cell_id": shown}
        page.ask("open_form", **place)
        if said.step == "form" and changed:
            raise ServiceFailure(
                ErrorCode.STALE_REVISION,
                "the text has changed since it made this face, or Python made it: the form may be elsewhere",
                fix="run the cell, and pick the face again",
                details={
                    "node_id": said.node_id,
                    "revision": None,
                    "current": node.revision,
                    "operation": said.type,
                },
            )

    @answer.register
    def _insert(self, said: Insert, _buffers: Sequence[memoryview], /) -> None:
        self._page(said).ask("insert_text", text=said.text)

    def _page(self, said: Heard) -> ShownNotebook:
        """The page that shows the notebook. Raises: CapabilityUnavailable."""
        shown = self._front_ends.own() if self._front_ends.has_pages else ()
        if not shown:
            raise CapabilityUnavailable(
                "no notebook of this session is open in JupyterLab with the workbench's extension",
                fix="open the notebook there; elsewhere copy the text",
                details={"required_capability": said.type, "negotiated_capabilities": list(self.features)},
            )
        return shown[0]

    # ---- measuring -------------------------------------------------------------------------

    @answer.register
    def _measure(self, said: Measure, _buffers: Sequence[memoryview], /) -> Parcel:
        from vcad_kernel.geometry.measure.readings import Picked
        from vcad_kernel.service.questions import MeasureBetween

        things = [said.a] if said.b is None else [said.a, said.b]
        parts = [kernel_part(self._same(thing.node_id, thing.digest)) for thing in things]
        asked = [Picked(thing.kind, thing.index, thing.point) for thing in things]
        poses = [self._node(thing.node_id).pose or () for thing in things]
        question = MeasureBetween(
            a=asked[0], b=None if said.b is None else asked[1], a_pose=poses[0], b_pose=poses[-1]
        )
        measured = asdict(parts[0].answers.ask(question, *parts))
        return Parcel(MeasureResult(request_id=said.request_id, **measured))

    @answer.register
    def _selector(self, said: SelectorAsked, _buffers: Sequence[memoryview], /) -> Parcel:
        from vcad_kernel.service.questions import SelectorFor

        part = kernel_part(self._same(said.node_id, said.digest))
        selector = part.answers.ask(SelectorFor(target=said.target, indexes=said.indexes), part)
        if selector.text is None:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"no criteria select just these: {selector.why}",
                fix="pick others, or fewer",
                details={"path": "indexes", "expected": "what criteria can tell", "operation": said.type},
            )
        return Parcel(
            Proposed(
                request_id=said.request_id,
                text=selector.text,
                target=selector.target,
                count=selector.count,
                insertable=self._front_ends.has_pages,
            )
        )

    @answer.register
    def _compare(self, said: Compare, _buffers: Sequence[memoryview], /) -> Parcel:
        from vcad_kernel.service.summary import parts_line

        new = self._node(said.node_id)
        earlier = self._relay().earlier(said.node_id)
        if said.back > len(earlier):
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"{said.node_id} has {len(earlier)} earlier states, as far as viewers were open",
                details={"path": "back", "expected": f"at most {len(earlier)}", "operation": said.type},
            )
        old = earlier[-said.back]
        part, before = kernel_part(new), kernel_part(old)
        both = changes([part], [before])
        return Parcel(
            Changed(
                request_id=said.request_id,
                node_id=said.node_id,
                revisions=(old.revision, new.revision),
                figures={
                    "old": parts_line(old.body.name, [before]),
                    "new": parts_line(new.body.name, [part]),
                },
                parts=both.names,
            ),
            both.buffers(),
        )

    # ---- files -----------------------------------------------------------------------------

    @answer.register
    def _export(self, said: ExportAsked, _buffers: Sequence[memoryview], /) -> Parcel:
        relay = self._relay()
        every = relay.nodes if said.format == "html" else relay.shown_first
        nodes = [self._node(node_id) for node_id in said.node_ids] or every
        name = nodes[0].node_id.replace("/", "-") if len(nodes) == 1 else "parts"
        data = _written(name, nodes, said.format)
        return Parcel(
            ExportResult(
                request_id=said.request_id, name=f"{name}.{said.format}", media_type=_MEDIA[said.format]
            ),
            (Buffer("file", "u1", np.frombuffer(data, np.uint8)),),
        )

    # ---- notes, and the rest ---------------------------------------------------------------

    @answer.register
    def _annotate(self, said: AnnotationSet, _buffers: Sequence[memoryview], /) -> None:
        self._relay().overlays.annotate(
            {
                "annotation_id": new_request_id().replace("r-", "a-", 1),
                "node_id": said.node_id,
                "text": said.text,
                "point": said.point,
                "author": "person",
            }
        )

    @answer.register
    def _take_back(self, said: AnnotationTakenBack, _buffers: Sequence[memoryview], /) -> None:
        self._relay().overlays.take_back(said.annotation_id)

    @answer.register
    def _stop_all(self, _said: Stop, _buffers: Sequence[memoryview], /) -> None:
        self._stop()

    # ---- what is meant ---------------------------------------------------------------------

    def _node(self, node_id: str) -> Node:
        relay = self._relay()
        node = relay.node(node_id)
        if node is None:
            raise not_shown(node_id, [each.node_id for each in relay.nodes])
        return node

    def _same(self, node_id: str, digest: str) -> Node:
        """A node, where the viewer has its triangles as they are now. Raises: VcadError."""
        node = self._node(node_id)
        if node.digest != digest:
            raise stale(node)
        return node

    def _known(self, node_id: str, digest: str) -> tuple[Node, Rows]:
        """A node and its rows, where these are the ones that the viewer has. Raises: VcadError."""
        node = self._same(node_id, digest)
        rows = self._relay().rows(digest)
        if rows is None:
            if node.body.rows is None:
                raise CapabilityUnavailable(
                    f"nobody knows the faces of {node_id}", details={"required_capability": "rows"}
                )
            rows = node.body.rows()
        return node, rows


def stale(node: Node) -> ServiceFailure:
    """The failure of who means triangles that are no more."""
    return ServiceFailure(
        ErrorCode.STALE_REVISION,
        f"{node.node_id} has changed meanwhile; its faces have other numbers",
        fix="pick it again",
        details={"node_id": node.node_id, "revision": None, "current": node.revision, "operation": "viewer"},
    )


def _numbered(
    rows: Sequence[Mapping[str, Any] | None], number: int, kind: str, node_id: str
) -> Mapping[str, Any]:
    row = rows[number] if number < len(rows) else None
    if row is None:
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"{node_id} has no {kind} {number}",
            details={"path": kind, "expected": f"a number below {len(rows)}", "operation": "viewer"},
        )
    return row


def _place_of(
    step: Step, source: Mapping[str, Any] | None, part: Mapping[str, str] | None
) -> Mapping[str, Any] | None:
    """Where a step from a face leads, as pages open it; None where that is nowhere.

    source: of the form. part: of the part, whose own cell or file may be another.
    """
    if step == "form":
        return source
    key = "file" if step == "file" else "cell_id"
    found = next((place for place in (source or {}, part or {}) if key in place), None)
    return None if found is None else {key: found[key], "line": 1, "column": 1}


def _nowhere(said: OpenForm, why: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND, why, details={"node_id": said.node_id, "operation": said.type}
    )


def _written(name: str, nodes: Sequence[Node], suffix: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="vcad-export-") as folder:
        path = Path(folder) / f"{name}.{suffix}"
        scene_file.write(path, nodes)
        return path.read_bytes()
