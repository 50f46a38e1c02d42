"""Answers about parts whose kernels are in a service: it is asked, and told again what it has forgotten.

A question names the document by its hash; a worker that is new, or has seen too many others since, answers
that it does not know it, and the question is put again with the document. Files are written by the
service into a folder that both can reach, and put in place here. What needs no kernel is answered here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, VcadError
from vcad_kernel.operations.node import NodeId

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.clearance import Clearance
    from vcad_kernel.geometry.measure.figures import Figures
    from vcad_kernel.geometry.measure.inspection import Edge, Face, Table
    from vcad_kernel.geometry.profiling import NodeProfile
    from vcad_kernel.operations.node import Vec3
    from vcad_kernel.service.protocol import PartResult

__all__ = ["Ask", "RemoteAnswers"]

Ask: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Puts a question, the arguments of ``vcad.ask``, and gives the answer. Raises: VcadError."""


class RemoteAnswers:
    """An `Answers` for the parts of one evaluation.

    ask: reaches the service. fetching: held while a file is on its way. document_hash, document: the
    evaluation's document and its wire form. base_dir: where its imports are. profile: the rows that came with
    the result.
    """

    def __init__(
        self,
        ask: Ask,
        fetching: Lock,
        document_hash: str,
        document: Mapping[str, Any],
        base_dir: Path | None,
        profile: Sequence[Mapping[str, Any]],
    ) -> None:
        self._ask = ask
        self._fetching = fetching
        self._hash = document_hash
        self._document = document
        self._base_dir = base_dir
        self._lock = Lock()
        self._sent = [profile]
        """Rows that nobody has looked at yet, as they came: a model of many nodes has many."""
        self._rows: dict[tuple[NodeId, str], NodeProfile] = {}

    def figures(self, part: PartResult, *, exact: bool = False) -> Figures:
        """See :meth:`Answers.figures`."""
        from vcad_kernel.service.wire import figures_json

        if part.mesh_figures.exact:
            return part.mesh_figures
        answer = self._about(part, "figures", exact or part.demanded)
        return figures_json.decode(answer["figures"], part.mesh)

    def edges(self, part: PartResult, *, exact: bool = False) -> Table[Edge]:
        """See :meth:`Answers.edges`."""
        from vcad_kernel.service.wire.inspection_json import decode_edges

        return decode_edges(self._about(part, "edges", exact)["edges"])

    def faces(self, part: PartResult, *, exact: bool = False) -> Table[Face]:
        """See :meth:`Answers.faces`."""
        from vcad_kernel.service.wire.inspection_json import decode_faces

        return decode_faces(self._about(part, "faces", exact)["faces"])

    def clearance(self, a: PartResult, b: PartResult, *, exact: bool = False) -> Clearance:
        """See :meth:`Answers.clearance`."""
        from vcad_kernel.service.wire.figures_json import decode_clearance

        return decode_clearance(self._about(a, "clearance", exact, b)["clearance"])

    def interference(self, a: PartResult, b: PartResult, *, exact: bool = False) -> Figures:
        """See :meth:`Answers.interference`."""
        from vcad_kernel.service.wire import figures_json

        return figures_json.decode(self._about(a, "interference", exact, b)["figures"])

    def export(self, path: Path, parts: Sequence[PartResult], tolerance: float | None = None) -> int:
        """See :meth:`Answers.export`."""
        from vcad_kernel.geometry.tolerance import Tessellation

        if tolerance is not None:
            Tessellation(chord=tolerance)  # refuses what is none, as everywhere
        return self._file(path, parts, "export", chord=tolerance)

    def section(
        self,
        path: Path,
        parts: Sequence[PartResult],
        origin: Vec3 | None,
        normal: Vec3,
        *,
        hatch: bool = True,
    ) -> int:
        """See :meth:`Answers.section`."""
        from vcad_kernel.exchange.planar_curves import Plane

        Plane.facing(normal)  # refuses what is no normal, as everywhere
        middle = None if origin is None else list(origin)
        return self._file(path, parts, "section", origin=middle, normal=list(normal), hatch=hatch)

    def drawing(
        self, path: Path, parts: Sequence[PartResult], views: Sequence[str], scale: float | None = None
    ) -> int:
        """See :meth:`Answers.drawing`."""
        return self._file(path, parts, "drawing", views=list(views), scale=scale)

    def profile(self, parts: Sequence[PartResult]) -> tuple[NodeProfile, ...]:
        """See :meth:`Answers.profile`."""
        order: dict[NodeId, None] = {}
        for part in parts:
            order.update(dict.fromkeys(part.document.subgraph(part.node)))
        with self._lock:
            known = self._read_rows()
            found = [known.get((node, kind)) for node in order for kind in ("mesh", "brep")]
        rows = [row for row in found if row is not None]
        # the rows do not say where their nodes stand, which the document knows
        return tuple(replace(row, place=parts[0].document.place_of(row.node)) for row in rows)

    def _read_rows(self) -> Mapping[tuple[NodeId, str], NodeProfile]:
        """All rows that have come. What was known already when it was asked for says nothing of the work."""
        from vcad_kernel.service.wire import profile_json

        while self._sent:
            for row in profile_json.decode(self._sent[0]):
                key = row.node, row.representation
                if key not in self._rows or not row.cached:
                    self._rows[key] = row
            del self._sent[0]
        return self._rows

    # ---- asking ------------------------------------------------------------------------------

    def named(self, part: PartResult) -> dict[str, Any]:
        """Which part is meant, for the service, which need not know any more what was shown of it."""
        return {
            "document_hash": self._hash,
            "node": int(part.node),
            **({} if part.tolerance is None else {"tolerance": part.tolerance}),
            **({} if self._base_dir is None else {"base_dir": str(self._base_dir)}),
        }

    def _about(
        self, part: PartResult, question: str, exact: bool, other: PartResult | None = None
    ) -> Mapping[str, Any]:
        """The answer to a question about one part, or two."""
        arguments: dict[str, Any] = {**self.named(part), "question": question, "exact": exact}
        others: RemoteAnswers | None = None
        if other is not None:
            others = _answers_of(other)
            arguments["other"] = others.named(other)
        return self._answer(arguments, others)

    def _answer(self, arguments: dict[str, Any], others: RemoteAnswers | None = None) -> Mapping[str, Any]:
        """The answer to a question, put once more with the documents that are not known."""
        told: set[str] = set()
        while True:
            try:
                answer = self._ask(arguments)
            except VcadError as error:
                if error.error_code != ErrorCode.DOCUMENT_UNKNOWN:
                    raise
                unknown = {str(one) for one in error.details.get("unknown") or ()} - told
                arguments = self._told(arguments, others, unknown)
                told |= unknown
                if not unknown:
                    raise
            else:
                with self._lock:
                    self._sent.append(answer.get("profile") or ())
                return answer

    def _told(
        self, arguments: dict[str, Any], others: RemoteAnswers | None, unknown: set[str]
    ) -> dict[str, Any]:
        """Arguments with the documents of some hashes."""
        if self._hash in unknown:
            arguments = {**arguments, "document": self._document}
        if others is not None and others._hash in unknown:
            arguments = {**arguments, "other": {**arguments["other"], "document": others._document}}
        return arguments

    def _file(self, path: Path, parts: Sequence[PartResult], question: str, **how: Any) -> int:
        """Have a file written and put in place; its size in bytes."""
        from vcad_kernel.service.client.fetched_files import put_in_place
        from vcad_kernel.service.wire import part_json

        first, *_ = parts
        arguments = {
            **self.named(first),
            "question": question,
            "format": path.suffix.lower(),
            "stem": path.stem,
            "parts": [
                {"name": part.name, "node": int(part.node), "material": part_json.material(part.material)}
                for part in parts
            ],
            **how,
        }
        with self._fetching:
            return put_in_place(self._answer(arguments), path)


def _answers_of(part: PartResult) -> RemoteAnswers:
    """Who answers for a part. Raises: CapabilityUnavailable for one that is in this process."""
    if isinstance(part.answers, RemoteAnswers):
        return part.answers
    raise CapabilityUnavailable(
        f"{part.name!r} was evaluated in another process than the part it is compared with",
        fix="evaluate both with the same service",
        details={"required_capability": "parts of one process", "negotiated_capabilities": []},
    )
