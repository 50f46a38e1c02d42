"""One scene for any number of viewers, each told what it lacks and nothing twice.

    relay = Relay(answer)
    relay.show("bracket", bodies, figures="bracket: 40 × 30 × 5 mm")
    connection = relay.connect(wake)         # by a carrier: a WebSocket, or a widget's comm
    connection.hear(message)                 # what a viewer says
    connection.take()                        # what it is to be told next; None for now

Nothing is sent before a view is ready, and nothing that has been is told again: what waits for a viewer is
which nodes it does not know in their newest state, and that is looked up when the carrier can send it. So a
slow viewer, or none, holds nothing up and no memory. Safe on any thread. Knows messages and nodes; does not
know sessions, cells or how bytes travel.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import msgspec

from notebook_ext.viewer.relay.background import Background
from notebook_ext.viewer.relay.messages import (
    PROTOCOL,
    Focus,
    Heard,
    MeshRemove,
    MeshUpdate,
    NodeHead,
    Parcel,
    Ready,
    Request,
    SceneReset,
    Screenshot,
    ScreenshotAsked,
    SetView,
    Snapshot,
    Status,
    ViewState,
    heard,
    major,
    refusal,
)
from notebook_ext.viewer.relay.nodes import (
    Body,
    Node,
    Placement,
    Rows,
    head_of,
    mesh_buffers,
    named_nodes,
    rows_parcel,
)
from notebook_ext.viewer.relay.outbox import MOST, PATIENCE, Outbox
from notebook_ext.viewer.relay.overlays import Line, Overlays, Waiting
from notebook_ext.viewer.relay.picked import Picked, found_again, picked
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure, VcadError
from vcad_kernel.request_id import new_request_id

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.inspection.selected import Selected
    from vcad_kernel.operations.features.selections import Target

__all__ = ["EVERY_VIEW", "KEPT_REVISIONS", "Answering", "Connection", "Relay", "View"]

EVERY_VIEW: Final = ""
"""In place of a view's id, where one connection has several: each of them takes the message."""
KEPT_REVISIONS: Final = 20
"""Earlier states of each node that can be compared with."""
_VIEWS: Final = 32
"""Of one connection: a page that was loaded anew does not say that its views are gone."""
_ASKED: Final = 64
"""Requests of one connection that may wait for their answers."""

_PICTURE: Final = 10.0
"""Seconds for a picture from a viewer."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"

_OF_SCENE: Final = frozenset({"update", "rows", "reset", "focus", "highlight", "annotation", "proposal"})
"""The first words of keys under which what is about a scene waits."""

_LISTED: Final = ("", -1)
"""In place of digest and revision: a view lists the node, and has nothing of it."""

_Next: TypeAlias = "tuple[str, Parcel] | None"


class Answering(Protocol):
    """Answers what viewers ask."""

    @property
    def features(self) -> tuple[str, ...]:
        """What it answers, by the names of `Snapshot`."""

    def answer(self, said: Heard, buffers: Sequence[memoryview], /) -> Parcel | None:
        """What is answered; on a thread that may take its time. Raises: VcadError."""


@dataclass(slots=True, eq=False)
class View:
    """One view, as far as it is known."""

    view_id: str
    features: frozenset[str] = frozenset()
    known: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Node → the digest of the triangles that it has of it, and the revision that it was told; `_LISTED` of
    one of which it may know no more than that it is there."""
    rows: dict[str, str] = field(default_factory=dict)
    """Node → the digest for which it has rows."""
    has_scene: bool = False
    """Whether its snapshot has been made."""
    state: ViewState | None = None
    """What it said of itself last."""
    heard_at: float = 0.0
    """When it was last heard, by the relay's clock."""

    def has(self, digest: str) -> bool:
        """Whether it has these triangles."""
        return any(digest == known for known, _ in self.known.values())

    def has_rows(self, digest: str) -> bool:
        """Whether it knows the faces and edges of these triangles: it takes them for every node of theirs."""
        return any(self.rows.get(node_id) == digest == known for node_id, (known, _) in self.known.items())


class Relay:
    """answering: answers requests; None for a scene that answers none. clock: seconds, ever growing.

    on_selection, on_visible: told, on any thread, when another thing is picked, or a view shows other parts.
    most, patience: as of `Outbox`.
    """

    def __init__(
        self,
        answering: Answering | None = None,
        *,
        title: str = "",
        clock: Callable[[], float] = time.monotonic,
        on_selection: Callable[[], object] = lambda: None,
        on_visible: Callable[[], object] = lambda: None,
        most: int = MOST,
        patience: float = PATIENCE,
    ) -> None:
        self._answering = answering
        self._title = title
        self._clock = clock
        self._on_selection = on_selection
        self._on_visible = on_visible
        self._most, self._patience = most, patience
        self.lock = threading.RLock()
        self._nodes: dict[str, Node] = {}
        self._shown: dict[str, tuple[str, ...]] = {}
        """Name → its nodes, in order; the names in the order in which they came."""
        self._rows: dict[str, Rows] = {}
        """Digest → rows, of what is shown now."""
        self._earlier: dict[str, deque[Node]] = {}
        """Node → what it was, the latest last."""
        self._revision = 0
        self._status = Status(text="", running=False)
        self.overlays = Overlays(self.lock, self._tell_all)
        """What lies over the parts."""
        self._view = SetView()
        """What a program has set of all views."""
        self._connections: list[Connection] = []
        self._pictures: dict[str, Future[tuple[bytes, int, int]]] = {}
        """Request → the picture that is waited for."""
        self._selection: tuple[Picked, ...] = ()
        self._reading = Background("vcad viewer rows")
        self._answers = Background("vcad viewer answers")
        self._closed = False
        self._refused: str | None = None
        """The version of the viewer that came last, where it was another than ours."""
        self.was_viewed = False
        """Whether a view ever was ready."""

    # ---- what is shown ---------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The names on show, oldest first."""
        with self.lock:
            return tuple(self._shown)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """What is shown, in the order of the names."""
        with self.lock:
            return tuple(self._nodes[node_id] for ids in self._shown.values() for node_id in ids)

    @property
    def shown_first(self) -> tuple[Node, ...]:
        """The same without what is there for others that are built from it."""
        return tuple(node for node in self.nodes if not node.ingredient)

    @property
    def revision(self) -> int:
        """Grows by one with every change of what is shown."""
        return self._revision

    @property
    def view(self) -> SetView:
        """What a program has set of all views."""
        return self._view

    def node(self, node_id: str) -> Node | None:
        """The node of this id, as it is now; None where there is none."""
        with self.lock:
            return self._nodes.get(node_id)

    def earlier(self, node_id: str) -> tuple[Node, ...]:
        """What a node was before, the oldest first; at most `KEPT_REVISIONS`."""
        with self.lock:
            return tuple(self._earlier.get(node_id, ()))

    def rows(self, digest: str) -> Rows | None:
        """The rows of what is shown now, where they have been read."""
        return self._rows.get(digest)

    def show(
        self,
        name: str,
        bodies: Sequence[Body],
        *,
        placements: Sequence[Placement] = (),
        stale: str = "",
        ingredient: bool = False,
        source: Mapping[str, str] | None = None,
        figures: str = "",
    ) -> None:
        """Show these bodies under a name, in place of what it stood for; it keeps its place in the list.

        The rest as of `named_nodes`.
        """
        made = named_nodes(
            name,
            bodies,
            placements=placements,
            stale=stale,
            ingredient=ingredient,
            source=source,
            figures=figures,
        )
        with self.lock:
            gone = [each for each in self._shown.get(name, ()) if each not in {node.node_id for node in made}]
            self._shown[name] = tuple(node.node_id for node in made)
            self._drop(gone)
            for node in made:
                self._place(node)
            self._forget_rows()

    def remove(self, name: str) -> None:
        """Stop showing a name; one that is not shown is no error."""
        with self.lock:
            self._drop(self._shown.pop(name, ()))
            self._forget_rows()

    def reset(self) -> None:
        """Begin anew: with nothing on show, and nothing of what was picked, noted or compared."""
        with self.lock:
            self._revision += 1
            self._shown.clear()
            self._nodes.clear()
            self._earlier.clear()
            self._rows.clear()
            self._selection = ()
            self._view = msgspec.structs.replace(self._view, shown=None, visible=None)
            self.overlays.clear()
            for connection in self._connections:
                connection.reset()
        self._on_selection()

    def _place(self, node: Node) -> None:
        before = self._nodes.get(node.node_id)
        if before is not None and _same(before, node):
            return
        self._revision += 1
        self._nodes[node.node_id] = replace(node, revision=self._revision)
        if before is not None and before.digest != node.digest:
            self._earlier.setdefault(node.node_id, deque(maxlen=KEPT_REVISIONS)).append(before)
        self.overlays.forget(node.node_id, node.digest)
        for connection in self._connections:
            connection.note_node(node.node_id)

    def _drop(self, node_ids: Iterable[str]) -> None:
        for node_id in node_ids:
            self._revision += 1
            del self._nodes[node_id]
            self._earlier.pop(node_id, None)
            self.overlays.forget(node_id, None)
            for connection in self._connections:
                connection.note_node(node_id)

    def _forget_rows(self) -> None:
        shown = {node.digest for node in self._nodes.values()}
        for digest in [digest for digest in self._rows if digest not in shown]:
            del self._rows[digest]

    def show_status(self, text: str, *, running: bool = False, failed: Iterable[str] = ()) -> None:
        """Have how the session does be seen in every view."""
        status = Status(text=text, running=running, failed=tuple(failed))
        with self.lock:
            if status == self._status:
                return
            self._status = status
            for connection in self._connections:
                connection.put_all("status", lambda: Parcel(self._status))

    @property
    def status(self) -> Status:
        """How the session does, as views show it."""
        return self._status

    def set_view(self, changes: SetView) -> None:
        """Have all views be so, those that come later as well; but what is picked holds for those of now."""
        given = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not None}
        if changes.shown is not None:
            given["shown"] = {**(self._view.shown or {}), **changes.shown}
        with self.lock:
            kept = {name: value for name, value in given.items() if name != "selection"}
            self._view = msgspec.structs.replace(self._view, **kept)
            for connection in self._connections:
                for name, value in given.items():
                    connection.put_all(f"view {name}", partial(Parcel, SetView(**{name: value})))

    def set_shown(self, name: str, shown: bool) -> None:
        """Have every view show all nodes of a name, or hide them; a name that is not there is no error."""
        with self.lock:
            nodes = self._shown.get(name, ())
        self.set_view(SetView(shown=dict.fromkeys(nodes, shown)))

    def is_seen(self, name: str) -> bool:
        """Whether any node of a name is seen: in the view that was used last, else in one that opens now."""
        with self.lock:
            seen = {node.node_id for node in self.seen}
            return any(node_id in seen for node_id in self._shown.get(name, ()))

    @property
    def seen(self) -> tuple[Node, ...]:
        """The nodes that are seen in the view that was used last, else in one that opens now."""
        said = self.latest_state
        with self.lock:
            if said is not None:
                return tuple(node for node in self.nodes if node.node_id in said.visible)
            set_so = self._view.shown or {}
            return tuple(node for node in self.nodes if set_so.get(node.node_id, not node.ingredient))

    def propose(self, make: Callable[[], Parcel]) -> None:
        """Have a `Proposal` be made, in its turn, and seen until it is withdrawn; see `Overlays.propose`."""

        def propose() -> None:
            try:
                self.overlays.propose(make())
            except VcadError as failed:
                self.tell(Parcel(refusal(failed)))

        self._answers.do(propose)

    def withdraw(self, proposal_id: str) -> None:
        """A proposal has been answered, whether it has been made by now or not."""
        self._answers.do(lambda: self.overlays.withdraw(proposal_id))

    def highlight_taken(self, name: str, taken: Mapping[Target, Selected]) -> None:
        """Have what selections have taken of the exact body under a name glow, wherever it stands.

        A name that is not shown, or has several bodies, is no error.
        """
        with self.lock:
            shown = [self._nodes[node_id] for node_id in self._shown.get(name, ())]
            if any(node.number for node in shown):
                return
            for node in shown:
                rows = self._rows.get(node.digest)
                # what is drawn may be the mesh's faces, where the body is not measured exactly: of other
                # numbers
                numbered = rows is not None and all(row["exact"] for row in rows.faces)
                self.overlays.highlight(
                    node,
                    "taken",
                    faces=taken["face"].indexes if numbered and "face" in taken else (),
                    lines=[line for each in taken.values() for lines in each.lines for line in lines],
                )

    def highlight_forms(self, forms: Sequence[Callable[[Mapping[str, Any]], bool]]) -> None:
        """Have all faces glow that the first of some forms has made that has made any; else none.

        forms: whether a face's ``source`` is meant.
        """
        with self.lock:
            rows = {node: rows for node in self.nodes if (rows := self._rows.get(node.digest)) is not None}
            made: dict[str, list[int]] = {}
            for is_meant in forms:
                for node, known in rows.items():
                    faces = [
                        number
                        for number, row in enumerate(known.faces)
                        if row.get("source") is not None and is_meant(row["source"])
                    ]
                    if faces:
                        made[node.node_id] = faces
                if made:
                    break
            for node in self.nodes:
                self.overlays.highlight(node, "form", faces=made.get(node.node_id, ()))

    def highlight_failed(self, name: str, part: int, lines: Sequence[Line]) -> None:
        """Have the lines that a failed feature was about glow in the last good parts of a name.

        part: which of them it is, from 0. lines: mm, as it is modelled; none where nothing fails any more.
        """
        with self.lock:
            shown = [self._nodes[node_id] for node_id in self._shown.get(name, ())]
            meant = part if any(node.number == part for node in shown) else 0
            for node in shown:
                self.overlays.highlight(node, "failed", lines=lines if node.number == meant else ())

    def _tell_all(self, waiting: Waiting) -> None:
        for connection in self._connections:
            connection.put_all(waiting.key, waiting.message, waiting.feature)

    def focus(self, node_id: str) -> None:
        """Have every view show one node. Raises: ServiceFailure NODE_NOT_FOUND, VIEWER_NOT_CONNECTED."""
        with self.lock:
            if node_id not in self._nodes:
                raise not_shown(node_id, self._nodes)
            if not self.views():
                raise self.no_viewer("viewer.focus")
            for connection in self._connections:
                connection.put_all("focus", lambda: Parcel(Focus(node_id=node_id)))

    # ---- viewers ---------------------------------------------------------------------------

    def connect(self, wake: Callable[[], object], *, shared: bool = False) -> Connection:
        """Have a carrier take part. wake: called on any thread when there may be something to take.

        shared: whether all views at its other end get what is sent, so that one message serves them all.
        Raises: CapabilityUnavailable once the relay is closed.
        """
        with self.lock:
            if self._closed:
                raise CapabilityUnavailable("this session is closed", details={"required_capability": "view"})
            outbox: Outbox[Callable[[], _Next]] = Outbox(
                wake,
                self._clock,
                most=lambda: max(self._most, 4 * len(self._nodes)),
                patience=self._patience,
            )
            connection = Connection(self, outbox, shared=shared)
            self._connections.append(connection)
            return connection

    def disconnect(self, connection: Connection) -> None:
        """A carrier has ended; twice is once."""
        with self.lock:
            if connection in self._connections:
                self._connections.remove(connection)
            if not self._connections:
                self._rows.clear()

    def views(self) -> tuple[View, ...]:
        """The views that are ready, the one that was heard last first."""
        with self.lock:
            ready = [view for connection in self._connections for view in connection.views.values()]
            return tuple(sorted(ready, key=lambda view: view.heard_at, reverse=True))

    @property
    def latest_state(self) -> ViewState | None:
        """What the view that was used last has said of itself."""
        return next((view.state for view in self.views() if view.state is not None), None)

    def require(self, feature: str) -> View:
        """The view that was used last and can do something.

        Raises: as `no_viewer`; CapabilityUnavailable where no view can.
        """
        views = self.views()
        if not views:
            raise self.no_viewer(feature)
        for view in views:
            if feature in view.features:
                return view
        raise CapabilityUnavailable(
            f"no viewer that is open can do {feature}",
            fix="load the viewer anew: it may be of another version",
            details={
                "required_capability": feature,
                "negotiated_capabilities": sorted(frozenset().union(*(view.features for view in views))),
            },
        )

    def no_viewer(self, operation: str) -> ServiceFailure:
        """The failure of who wants something of a viewer, and there is none: VIEWER_NOT_CONNECTED, or
        PROTOCOL_MISMATCH where one was there of another version."""
        if self._refused is not None:
            return _mismatch(self._refused, operation)
        return ServiceFailure(
            ErrorCode.VIEWER_NOT_CONNECTED,
            "no viewer is open",
            fix="%loon_view shows one in the notebook, `vcad view` in a window of its own",
            details={"operation": operation},
        )

    @property
    def is_refusing(self) -> bool:
        """Whether there is no view but one that was refused, for it is of another version."""
        return self._refused is not None and not self.views()

    def refused(self, version: str | None) -> None:
        """A viewer of this version has come that cannot be spoken with; None for one that can."""
        self._refused = version

    def tell(self, said: Parcel) -> None:
        """Tell every view once; one that comes later does not hear of it."""
        with self.lock:
            for connection in self._connections:
                for view in connection.views.values():
                    connection.say(view.view_id, said)

    def picture(
        self, width: int | None = None, height: int | None = None, *, patience: float = _PICTURE
    ) -> tuple[bytes, int, int]:
        """What the view that was used last shows: a PNG, its width and height in pixels.

        Raises: ServiceFailure TIMEOUT; as `require`.
        """
        view = self.require("screenshot")
        request_id = new_request_id()
        taken: Future[tuple[bytes, int, int]] = Future()
        asked = Parcel(ScreenshotAsked(request_id=request_id, width=width, height=height))
        with self.lock:
            self._pictures[request_id] = taken
            for connection in self._connections:
                if connection.views.get(view.view_id) is view:
                    connection.say(view.view_id, asked)
        try:
            return taken.result(patience)
        except TimeoutError:
            raise ServiceFailure(
                ErrorCode.TIMEOUT,
                f"the viewer sent no picture within {patience:g} s",
                fix="bring its window to the front: browsers do not draw what is not seen",
                details={"operation": "viewer.screenshot"},
            ) from None
        finally:
            with self.lock:
                self._pictures.pop(request_id, None)

    def took_picture(self, said: Screenshot, buffers: Sequence[memoryview]) -> None:
        """A view has sent a picture; one that nobody waits for, or that is none, is dropped."""
        with self.lock:
            taken = self._pictures.pop(said.request_id, None)
        if taken is not None and len(buffers) == 1 and bytes(buffers[0][:8]) == _PNG:
            taken.set_result((bytes(buffers[0]), said.width, said.height))

    @property
    def selection(self) -> tuple[Picked, ...]:
        """What is picked, in whichever view that was done last, of the nodes as they are now."""
        with self.lock:
            now = []
            for thing in self._selection:
                node = self._nodes.get(thing.node_id)
                rows = None if node is None else self._rows.get(node.digest)
                if (again := found_again(thing, node, rows)) is not None:
                    now.append(again)
            return tuple(now)

    def close(self) -> None:
        """Take leave of every viewer; twice is once."""
        with self.lock:
            self._closed = True
            connections, self._connections = self._connections, []
        for connection in connections:
            connection.end()
        self._reading.close()
        self._answers.close()

    # ---- for connections -------------------------------------------------------------------

    def snapshot(self, nodes: Iterable[NodeHead]) -> Snapshot:
        """Nodes as they were at one moment, and all else that there is now."""
        return Snapshot(
            title=self._title,
            nodes=tuple(nodes),
            status=self._status,
            annotations=self.overlays.annotations,
            features=() if self._answering is None else self._answering.features,
        )

    def select(self, things: Sequence[Picked]) -> None:
        """Have these be what the person has picked last, in a view that is not the relay's."""
        with self.lock:
            changed = self._selection != tuple(things)
            self._selection = tuple(things)
        if changed:
            self._on_selection()

    def heard_state(self, view: View, state: ViewState) -> None:
        """A view has said how it is."""
        with self.lock:
            before = () if view.state is None else view.state.selection
            changed = state.selection != before
            moved = view.state is None or view.state.visible != state.visible
            view.state = state
            if self._view.shown:  # the person has the last word
                seen = {node_id: node_id in state.visible for node_id in self._view.shown}
                self._view = msgspec.structs.replace(self._view, shown=seen)
            if changed:
                self._selection = tuple(picked(pick, self._rows.get(pick.digest)) for pick in state.selection)
        if changed:
            self._on_selection()
        if moved:
            self._on_visible()

    def read_rows(self, node: Node) -> None:
        """Have the rows of a node be read, and told to all who see it; in its turn."""
        if node.body.rows is not None and node.digest not in self._rows:
            self._reading.do(lambda: self._read(node))

    def _read(self, node: Node) -> None:
        read = node.body.rows
        with self.lock:
            now = self._nodes.get(node.node_id)
            wanted = now is not None and now.digest == node.digest and bool(self._connections)
        if read is None or not wanted or node.digest in self._rows:
            return  # what was to be read is superseded, or nobody looks any more
        try:
            rows = read()
        except VcadError as failed:
            self.tell(Parcel(refusal(failed)))
            return
        with self.lock:
            if any(each.digest == node.digest for each in self._nodes.values()) and self._connections:
                self._rows[node.digest] = rows
                for connection in self._connections:
                    for each in self._nodes.values():
                        if each.digest == node.digest:
                            connection.note_rows(each.node_id)

    def ask(self, connection: Connection, said: Heard, buffers: Sequence[memoryview]) -> None:
        """Have something be answered, in its turn."""
        self._answers.do(lambda: self._answer(connection, said, buffers))

    def _answer(self, connection: Connection, said: Heard, buffers: Sequence[memoryview]) -> None:
        request_id = said.request_id if isinstance(said, Request) else None
        answer: Parcel | None
        try:
            if self._answering is None:
                raise CapabilityUnavailable(
                    f"nobody answers {said.type} here", details={"required_capability": said.type}
                )
            answer = self._answering.answer(said, buffers)
        except VcadError as refused:
            answer = Parcel(refusal(refused, request_id))
        connection.answered(said.view_id, answer)


def _same(before: Node, node: Node) -> bool:
    """Whether viewers see no difference."""
    return (
        before.digest == node.digest
        and before.body.name == node.body.name
        and before.body.material == node.body.material
        and (before.group, before.pose, before.stale, before.ingredient, before.source, before.figures)
        == (node.group, node.pose, node.stale, node.ingredient, node.source, node.figures)
    )


def not_shown(node_id: str, nodes: Iterable[str]) -> ServiceFailure:
    """The failure of who asks about a node that is not there."""
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"no part {node_id!r} is shown; there are {', '.join(nodes) or 'none yet'}",
        details={"node_id": node_id, "operation": "viewer"},
    )


def _mismatch(version: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.PROTOCOL_MISMATCH,
        f"this session speaks version {PROTOCOL} with its viewers, not {version}",
        fix="load the viewer anew",
        details={"expected_protocol": PROTOCOL, "actual_protocol": version, "operation": operation},
    )


class Connection:
    """One carrier's end: what its views have, and what waits for them. `Relay.connect` makes it."""

    def __init__(self, relay: Relay, outbox: Outbox[Callable[[], _Next]], *, shared: bool) -> None:
        self._relay = relay
        self._outbox = outbox
        self._shared = shared
        self.views: dict[str, View] = {}
        """Those that are ready, by id."""
        self._numbers = itertools.count()
        self._asked = 0
        self.is_refused = False
        """Whether it is to be closed once what waits has been sent."""
        self.is_ended = False
        """Whether the relay has closed it."""

    @property
    def is_given_up(self) -> bool:
        """Whether its viewer does not read, and is to be sent away."""
        return self._outbox.given_up

    # ---- what its viewers say --------------------------------------------------------------

    def hear(self, message: bytes | str | Mapping[str, Any], buffers: Sequence[memoryview] = ()) -> None:
        """Take a message of a viewer; quick, and what is asked is answered later. It never fails."""
        try:
            said = heard(message)
        except VcadError as wrong:
            self.misheard(wrong)
            return
        self.take_in(said, buffers)

    def misheard(self, wrong: VcadError) -> None:
        """What came was no message, so nobody knows of which view."""
        with self._relay.lock:
            for target in self._targets() or (EVERY_VIEW,):
                self.say(target, Parcel(refusal(wrong)))

    def take_in(self, said: Heard, buffers: Sequence[memoryview] = ()) -> None:
        """The same for a message that has been read."""
        if isinstance(said, Ready):
            self._begin(said)
            return
        with self._relay.lock:
            view = self.views.get(said.view_id)
            if view is None:
                late = ServiceFailure(
                    ErrorCode.INVALID_REQUEST,
                    "a view says viewer.ready before anything else",
                    details={"operation": said.type},
                )
                self.say(said.view_id, Parcel(refusal(late)))
                return
            view.heard_at = self._relay._clock()
        if isinstance(said, ViewState):
            self._relay.heard_state(view, said)
            return
        if isinstance(said, Screenshot):
            self._relay.took_picture(said, buffers)
            return
        if self._asked >= _ASKED:
            full = ServiceFailure(
                ErrorCode.VCAD_QUEUE_FULL,
                f"{_ASKED} questions of this viewer wait for their answers",
                fix="wait for one",
                details={"limit": _ASKED, "operation": said.type},
            )
            request_id = said.request_id if isinstance(said, Request) else None
            self.say(said.view_id, Parcel(refusal(full, request_id)))
            return
        with self._relay.lock:
            self._asked += 1
        self._relay.ask(self, said, buffers)

    def _begin(self, said: Ready) -> None:
        if major(said.protocol_version) != major(PROTOCOL):
            other = _mismatch(said.protocol_version, "viewer.ready")
            self._relay.refused(said.protocol_version)
            self.say(said.view_id, Parcel(refusal(other)))
            self.is_refused = not self._shared
            return
        with self._relay.lock:
            view = View(said.view_id, frozenset(said.features), heard_at=self._relay._clock())
            if not self._shared:
                self.views.clear()
            self.views.pop(said.view_id, None)
            while len(self.views) >= _VIEWS:
                del self.views[min(self.views, key=lambda each: self.views[each].heard_at)]
            self.views[said.view_id] = view
            self._relay.was_viewed = True
            self._relay.refused(None)
            has = frozenset(said.has)
            self._outbox.put(("snapshot", said.view_id), lambda: self._snapshot(view, has))

    # ---- what they are told ----------------------------------------------------------------

    def take(self) -> _Next:
        """The next message and the view it is for; None when there is none now.

        For one thread at a time; it may take as long as a mesh needs to be made ready.
        """
        while (make := self._outbox.take()) is not None:
            try:
                made = make()
            finally:
                self._outbox.made()
            if made is not None:
                return made
        return None

    def say(self, view_id: str, said: Parcel) -> None:
        """Have a message wait that no other replaces."""
        self._outbox.put(("said", next(self._numbers)), lambda: (view_id, said))

    def answered(self, view_id: str, answer: Parcel | None) -> None:
        """Something that was asked has been done."""
        with self._relay.lock:
            self._asked -= 1
        if answer is not None:
            self.say(view_id, answer)

    def put_all(self, key: str, message: Callable[[], Parcel], feature: str = "") -> None:
        """Have something wait for every view, in place of what waits under this key.

        feature: what a view must have listed; "" for what every view can do.
        """
        for target in self._able(feature) if feature else self._targets():
            self._put(key, target, message)

    def _able(self, feature: str) -> Sequence[str]:
        return [view.view_id for view in self.views.values() if feature in view.features]

    def _put(self, key: str, target: str, message: Callable[[], Parcel]) -> None:
        self._outbox.put((key, target), lambda: (target, message()), behind=True)

    def note_node(self, node_id: str) -> None:
        """A node has changed, or is no more."""
        for target in self._targets():
            self._note(node_id, target)

    def note_rows(self, node_id: str) -> None:
        """The rows of a node are there."""
        for target in self._targets():
            self._note(node_id, target, rows=True)

    def _note(self, node_id: str, target: str, *, rows: bool = False) -> None:
        kind, message_of = ("rows", self._rows) if rows else ("update", self._update)
        self._outbox.put((kind, node_id, target), lambda: message_of(node_id, target))

    def reset(self) -> None:
        """The scene begins anew: what waits of it is told no more.

        A view whose snapshot waits is told by that.
        """
        self._outbox.drop(lambda key: isinstance(key, tuple) and str(key[0]).partition(" ")[0] in _OF_SCENE)
        for view in self.views.values():
            view.known.clear()
            view.rows.clear()
            if view.has_scene:
                self._put("reset", view.view_id, lambda: Parcel(SceneReset()))

    def end(self) -> None:
        """The relay closes it; the carrier is woken and finds `is_ended`."""
        self.is_ended = True
        self._outbox.clear()
        self._outbox.put("end", lambda: None)

    def close(self) -> None:
        """The carrier has ended; twice is once."""
        self._relay.disconnect(self)
        self._outbox.clear()

    def _targets(self) -> Sequence[str]:
        if not self.views:
            return ()
        return (EVERY_VIEW,) if self._shared else tuple(self.views)

    def _meant(self, target: str) -> list[View]:
        return [view for view in self.views.values() if target in (EVERY_VIEW, view.view_id)]

    def _snapshot(self, view: View, has: frozenset[str]) -> _Next:
        with self._relay.lock:
            view.has_scene = True
            nodes = self._relay.nodes
            there = [node for node in nodes if node.digest in has]
            view.known = {
                node.node_id: (node.digest, node.revision) if node in there else _LISTED for node in nodes
            }
            for node in nodes:
                self._note(node.node_id, view.view_id, rows=node in there)
            if self._relay.view != SetView():
                self._put("view", view.view_id, lambda: Parcel(self._relay.view))
            for each in self._relay.overlays.standing():
                if each.feature in ("", *view.features):
                    self._put(each.key, view.view_id, each.message)
        heads = []
        for node in nodes:
            try:
                heads.append(head_of(node))
            except VcadError:  # its update says why
                with self._relay.lock:
                    view.known.pop(node.node_id, None)
                    self._note(node.node_id, view.view_id)
        return view.view_id, Parcel(self._relay.snapshot(heads))

    def _update(self, node_id: str, target: str) -> _Next:
        with self._relay.lock:
            node = self._relay.node(node_id)
            views = self._meant(target)
            if node is None:
                known = [view for view in views if view.known.pop(node_id, None) is not None]
                gone = MeshRemove(node_id=node_id, revision=self._relay.revision)
                return (target, Parcel(gone)) if known else None
            before = {view: view.known.get(node_id, _LISTED) for view in views}
            behind = [view for view, (_, revision) in before.items() if revision < node.revision]
            if not behind:
                return None
            whole = not all(view.has(node.digest) for view in behind)
            for view in behind:
                view.known[node_id] = now = node.digest, node.revision
            has_rows = self._relay.rows(node.digest) is not None
        try:
            update = Parcel(MeshUpdate(node=head_of(node)), mesh_buffers(node.body.mesh()) if whole else ())
        except VcadError as lost:
            with self._relay.lock:
                for view in behind:  # another try when the node changes; until then it shows what it had
                    if view.known.get(node_id) == now:
                        view.known[node_id] = before[view]
            return target, Parcel(refusal(lost))
        if has_rows:
            self._note(node_id, target, rows=True)
        else:
            self._relay.read_rows(node)
        return target, update

    def _rows(self, node_id: str, target: str) -> _Next:
        with self._relay.lock:
            node = self._relay.node(node_id)
            if node is None:
                return None
            rows = self._relay.rows(node.digest)
            if rows is None:
                self._relay.read_rows(node)
                return None
            views = [
                view for view in self._meant(target) if view.known.get(node_id, _LISTED)[0] == node.digest
            ]
            is_lacking = not all(view.has_rows(node.digest) for view in views)
            for view in views:
                alike = [each for each, (digest, _) in view.known.items() if digest == node.digest]
                view.rows.update(dict.fromkeys(alike, node.digest))
            if not is_lacking:
                return None
        return target, rows_parcel(node_id, node.digest, rows)
