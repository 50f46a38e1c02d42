"""Answers about parts whose kernels are in a service: it is asked, and sent again what it has forgotten.

A question names the document by its hash; a worker that is new, or has seen too many others since, answers
that it does not know it, and the question is put again with the document. Files are written by the
service into a folder that both can reach, and put in place here. What needs no kernel is answered here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ExportError, ServiceFailure, VcadError
from vcad_kernel.operations.node import NodeId
from vcad_kernel.service.client.evaluation_call import Answered
from vcad_kernel.service.questions import ArrayQuestion, FiguresOf, FileQuestion, MeshOf, fields_of
from vcad_kernel.service.wire import values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vcad_kernel.contracts.mesh_block import MeshViews
    from vcad_kernel.geometry.measure.figures import Figures
    from vcad_kernel.geometry.profiling import NodeProfile
    from vcad_kernel.service.protocol import PartResult, Question

__all__ = ["Ask", "RemoteAnswers", "put_in_place"]

T = TypeVar("T")
Ask: TypeAlias = Callable[[Mapping[str, Any]], Answered]
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
        """Rows that were not read yet, as they came: a model of many nodes has many."""
        self._rows: dict[tuple[NodeId, str], NodeProfile] = {}

    def ask(self, question: Question[T], *parts: PartResult) -> T:
        """See :meth:`Answers.ask`."""
        question.check()
        part = parts[0]
        known = question.known(part)
        if known is not None:
            return known
        data = (
            self._file(question, parts) if isinstance(question, FileQuestion) else self._data(question, parts)
        )
        return question.decode(data, part)

    def _data(self, question: Question[Any], parts: Sequence[PartResult]) -> Any:
        """What the service says to a question about one part, or two."""
        part, *others = parts
        asked = {**self.named(part), "question": question.name(), **fields_of(question)}
        if others:
            asked["other"] = _answers_of(others[0]).named(others[0])
        answer = self._answer(asked, others)
        data = answer.fields[question.ANSWER]
        return {**data, **_arrays_of(answer)} if isinstance(question, ArrayQuestion) else data

    def figures(self, part: PartResult) -> Figures:
        """See :meth:`Answers.figures`."""
        return self.ask(FiguresOf(exact=part.demanded), part)

    def profile(self, parts: Sequence[PartResult]) -> tuple[NodeProfile, ...]:
        """See :meth:`Answers.profile`."""
        order: dict[NodeId, None] = {}
        for part in parts:
            order.update(dict.fromkeys(part.document.subgraph(part.node)))
        with self._lock:
            known = self._read_rows()
            profile_rows = [known.get((node, kind)) for node in order for kind in ("mesh", "brep")]
        rows = [row for row in profile_rows if row is not None]
        # the rows do not say where their nodes stand, which the document knows
        return tuple(replace(row, place=parts[0].document.place_of(row.node)) for row in rows)

    def _read_rows(self) -> Mapping[tuple[NodeId, str], NodeProfile]:
        """All rows that have come. What was known already when it was asked for says nothing of the work."""
        from vcad_kernel.geometry.profiling import NodeProfile

        while self._sent:
            for row in values.decode(self._sent[0], list[NodeProfile], "profile"):
                key = row.node, row.representation
                if key not in self._rows or not row.cached:
                    self._rows[key] = row
            del self._sent[0]
        return self._rows

    # ---- asking ------------------------------------------------------------------------------

    def meshes(self, nodes: Sequence[int], tolerance: float | None) -> MeshViews:
        """The meshes of nodes side by side, as they came with the result: made again, or still known there.

        tolerance: the chord error that was asked for, mm. Raises: VcadError.
        """
        question = MeshOf(mesh_dtype="f64", shown=True, drawn=True)
        asked = {**self._named(tolerance, nodes=nodes), "question": question.name(), **fields_of(question)}
        views = self._answer(asked).mesh
        if views is None:
            raise _no_block("mesh", "a mesh")
        return views

    def named(self, part: PartResult) -> dict[str, Any]:
        """Which part is meant, for the service, which need not know any more what was shown of it."""
        return self._named(part.tolerance, node=int(part.node))

    def _named(self, tolerance: float | None, **which: object) -> dict[str, Any]:
        """Which document is meant, which nodes of it, and how its parts are meshed."""
        return {
            "document_hash": self._hash,
            **which,
            **({} if tolerance is None else {"tolerance": tolerance}),
            **({} if self._base_dir is None else {"base_dir": str(self._base_dir)}),
        }

    def _answer(self, arguments: dict[str, Any], others: Sequence[PartResult] = ()) -> Answered:
        """The answer to a question, put once more with the documents that are not known.

        others: parts that it is about besides, which may be of other evaluations.
        """
        sent: set[str] = set()
        while True:
            try:
                answer = self._ask(arguments)
            except VcadError as error:
                if error.error_code != ErrorCode.DOCUMENT_UNKNOWN:
                    raise
                unknown = {str(digest) for digest in error.details.get("unknown") or ()} - sent
                known = {answers._hash: answers._document for answers in (self, *map(_answers_of, others))}
                arguments = _with_documents(arguments, {name: known[name] for name in unknown & {*known}})
                sent |= unknown
                if not unknown:
                    raise
            else:
                with self._lock:
                    self._sent.append(answer.fields.get("profile") or ())
                return answer

    def _file(self, question: FileQuestion, parts: Sequence[PartResult]) -> int:
        """Have a file written and put in place; its size in bytes."""
        path = question.path
        asked = {
            **self.named(parts[0]),
            "question": question.name(),
            "format": path.suffix.lower(),
            "stem": path.stem,
            "parts": [
                {
                    "name": part.name,
                    **({"node": int(part.node)} if part.answers is self else _answers_of(part).named(part)),
                    "material": values.encode(part.material),
                }
                for part in parts
            ],
            **fields_of(question),
        }
        with self._fetching:
            return put_in_place(self._answer(asked, parts[1:]).fields, path)


def _with_documents(
    arguments: Mapping[str, Any], documents: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Arguments of a question with the documents of some hashes, wherever it names them."""

    def with_document(named: Mapping[str, Any]) -> dict[str, Any]:
        document = documents.get(str(named.get("document_hash")))
        return {**named} if document is None else {**named, "document": document}

    whole = with_document(arguments)
    if "other" in whole:
        whole["other"] = with_document(whole["other"])
    if "parts" in whole:
        whole["parts"] = [with_document(part) for part in whole["parts"]]
    return whole


def _arrays_of(answer: Answered) -> Mapping[str, NDArray[Any]]:
    """Raises: ServiceFailure SCHEMA_VALIDATION_FAILED where none came."""
    if answer.arrays is None:
        raise _no_block("arrays", "arrays")
    return answer.arrays


def _no_block(member: str, what: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"the service was asked for {what} and gave none",
        details={"path": member, "expected": "a block", "operation": "vcad.ask"},
    )


def _answers_of(part: PartResult) -> RemoteAnswers:
    """Who answers for a part. Raises: CapabilityUnavailable for one that is in this process."""
    if isinstance(part.answers, RemoteAnswers):
        return part.answers
    raise CapabilityUnavailable(
        f"{part.name!r} was evaluated in another process than the part it is compared with",
        fix="evaluate both with the same service",
        details={"required_capability": "parts of one process", "negotiated_capabilities": []},
    )


_BESIDE: Final = {".obj": ".mtl"}
"""Formats that come in two files."""


def put_in_place(answer: Mapping[str, Any], target: Path) -> int:
    """Move a file to its place, and those that belong to it beside it; the bytes of the file itself.

    answer: ``path`` and ``bytes``. target: what the user called it.
    Raises: ExportError when it cannot be written there.
    """
    from vcad_kernel.exchange.formats import replace_all

    main = Path(answer["path"])
    beside = _BESIDE.get(main.suffix)
    companion = None if beside is None else main.with_suffix(beside)
    staged = [main] if companion is None or not companion.exists() else [main, companion]
    try:
        contents = {
            target if file == main else target.with_suffix(file.suffix): file.read_bytes() for file in staged
        }
    except OSError as failed:
        raise ExportError(
            f"cannot write {str(target)!r}: the service's file is not there ({failed.strerror or failed})",
            details={"path": str(target)},
        ) from failed
    finally:
        for file in staged:
            with suppress(OSError):  # the service clears its folder in the end
                file.unlink()
    replace_all(contents, target)
    return len(contents[target])
