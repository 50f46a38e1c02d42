"""The verbs of a session that have to do with SketchUp: to place, to push, to look at how both stand.

Each is a wish that is done in its turn; `linked_parts.py` does it. `session.py` is where they are called.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_ext.session.node_names import checked_node_id, node_id_of

if TYPE_CHECKING:
    from notebook_ext.session.linked_parts import LinkedParts
    from notebook_ext.session.project import Project
    from notebook_ext.session.truth import DesignModel
    from notebook_ext.session.wishes import Wishes
    from notebook_ext.sketchup.link import SketchupStatus
    from notebook_ext.sketchup.push import Clean
    from notebook_ext.sketchup.trace import Mode, Trace, TraceResult
    from vcad_kernel.errors import VcadError

__all__ = ["SketchupVerbs"]


class SketchupVerbs:
    """What a `Session` can do with SketchUp, and with the project's truth that it shows."""

    _linked: LinkedParts
    _project: Project
    _wishes: Wishes

    def place(
        self,
        node_id: str,
        source: str | Path | None = None,
        position: Sequence[float] | None = None,
        *,
        instance: str | None = None,
        layer: str | None = None,
        component_name: str | None = None,
        transformation: Sequence[float] | None = None,
        expected_revision: int | None = None,
    ) -> TraceResult:
        """Have a part stand in SketchUp as a component, and stay linked to its source.

        source: Loon text or a file; by default the part of this name as its cell made it. position: of the
        part's origin, mm; by default where it is, or the model's origin. instance: which, where a part is to
        stand more than once; a new name is a new instance. layer, component_name: in SketchUp.
        transformation: 16 numbers, column by column, mm; a position goes before its own. An instance that is
        there stays there unless one of both is given. expected_revision: of the part, as the caller has seen
        it; where it is another by now, nothing is done.
        Raises: VcadError; the wish is kept in the project and done by the next `push`.
        """
        from notebook_ext.session.placing import Placing

        checked_node_id(node_id)
        wish = Placing.at(position, instance, layer, component_name, transformation)
        change = self._linked.accept(node_id if source is not None else None, expected_revision)

        def work() -> TraceResult:
            change.begin()
            if source is None:
                self._linked.project.revisions.require(node_id_of(node_id), expected_revision)
            if source is not None:
                with self._linked.failure_told(node_id):
                    self._linked.evaluate(node_id, source)
            return self._linked.place(node_id, wish)

        return self._wishes.do(work, change)

    def update(
        self, node_id: str, source: str | Path | None = None, *, expected_revision: int | None = None
    ) -> TraceResult:
        """Bring SketchUp's component of a node up to date, all its instances at once.

        source: new Loon text or file for it; by default its own source is evaluated again.
        expected_revision: as of `place`.
        Raises: VcadError.
        """
        change = self._linked.accept(node_id, expected_revision)

        def work() -> TraceResult:
            change.begin()
            with self._linked.failure_told(node_id):
                self._linked.evaluate(node_id, source)
            return self._linked.push([node_id])

        return self._wishes.do(work, change)

    def remove(
        self, node_id: str, *, instance: str | None = None, expected_revision: int | None = None
    ) -> TraceResult:
        """Take a node out of SketchUp, with all its instances; the part stays in the session.

        instance: the only one to be taken out; the others stay, and so does the link. expected_revision: as
        of `place`.
        Raises: VcadError.
        """

        def work() -> TraceResult:
            self._linked.project.revisions.require(node_id_of(node_id), expected_revision)
            return self._linked.remove(node_id, instance)

        return self._wishes.do(work)

    def plan(self, nodes: Collection[str] | None = None, mode: Mode = "incremental") -> Trace:
        """What a push would do, from the project alone: SketchUp need not run. nodes: all by default.

        Raises: VcadError.
        """
        return self._wishes.do(lambda: self._linked.plan(nodes, mode))

    def push(self, nodes: Collection[str] | None = None, *, omit: Collection[str] = ()) -> TraceResult:
        """Bring SketchUp up to what the project says; what is there already is left alone.

        omit: nodes that may be left out though they cannot be pushed.
        Raises: VcadError PARTIAL_EXECUTION_REFUSED for anything else that cannot be pushed.
        """
        return self._wishes.do(lambda: self._linked.push(nodes, omit=omit))

    def replay(self, clean: Clean = "managed") -> TraceResult:
        """Build everything in SketchUp anew from the project. Raises: VcadError.

        clean: "managed" removes first what the workbench has put there, and nothing else.
        """
        return self._wishes.do(lambda: self._linked.replay(clean))

    def sketchup(self) -> SketchupStatus:
        """Whether SketchUp answers, and how the project and its model stand to each other."""
        return self._wishes.do(self._linked.status)

    def start_headless_sketchup(self) -> None:
        """Have a SketchUp without a window for this session, which ends with it; its model is empty.

        Raises: VcadError CAPABILITY_UNAVAILABLE where there is no Ruby.
        """
        self._wishes.do(self._linked.start_headless)

    def picture_of_sketchup(self, view: str = "iso", width: int = 1280, height: int = 960) -> bytes:
        """SketchUp's own picture of all that is in its model: a PNG. The person's view there stays as it is.

        view: iso, top, bottom, front, back, left or right. width, height: pixels. Raises: VcadError.
        """
        return self._wishes.do(lambda: self._linked.picture(view, width, height))

    @property
    def model(self) -> DesignModel:
        """The project's truth: what is linked to SketchUp, as saved in design_model.json."""
        return self._wishes.do(lambda: self._project.model)

    @property
    def trouble(self) -> VcadError | None:
        """Why design_model.json could not be read, and where it has been put; None when it could."""
        return self._wishes.do(lambda: self._project.trouble)

    @property
    def standing(self) -> DesignModel:
        """The project's truth, as it is saved; empty where nothing is linked, and no file is made for it.

        Raises: VcadError when it cannot be read.
        """
        return self._wishes.do(self._linked.standing)

    def revision(self, node_id: str) -> int:
        """The number of a part's newest change, be it done or waiting; 0 for one that there is not."""
        self._project.known()
        return self._project.revisions.newest(node_id_of(node_id))
