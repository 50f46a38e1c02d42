"""Questions about parts of documents that were evaluated earlier, by this worker or by one before it.

A document is known by its hash, and sent along when it is not known here any more. Its parts are evaluated
again for every question: what was built or measured before is found in the cache, so that costs next to
nothing, and a worker has nothing to lose.
"""

from __future__ import annotations

import glob
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material
from vcad_kernel.service import requests
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.questions import QUESTIONS, ArrayQuestion, FileQuestion, MeshOf, read
from vcad_kernel.service.requests import Options
from vcad_kernel.service.wire import document_json, values
from vcad_kernel.service.wire.result_json import profile_rows
from vcad_kernel.service.worker.job import Answer, Job
from vcad_kernel.service.worker.tools.program_texts import base_folder

__all__ = ["KeptDocuments", "PartQuestions"]


class KeptDocuments:
    """Those that were used least recently go first. most: how many are kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._documents: OrderedDict[str, Document] = OrderedDict()

    def keep(self, document: Document) -> str:
        """Remember a document; its hash."""
        name = document.content_digest.hex()
        self._documents[name] = document
        self._documents.move_to_end(name)
        while len(self._documents) > self._most:
            self._documents.popitem(last=False)
        return name

    def get(self, name: str) -> Document | None:
        """The document of a hash, if it is known."""
        document = self._documents.get(name)
        if document is not None:
            self._documents.move_to_end(name)
        return document

    def forget(self) -> None:
        """Drop all."""
        self._documents.clear()


class PartQuestions:
    """Answers `vcad.ask`. documents: those that are known. service: evaluates their parts."""

    def __init__(self, documents: KeptDocuments, service: DirectService) -> None:
        self._documents = documents
        self._service = service

    def answer(self, job: Job) -> Answer:
        """The answer to a question.

        Raises: ServiceFailure DOCUMENT_UNKNOWN, INVALID_PARAMS; what the question may raise.
        """
        asked = job.arguments
        compared = asked.get("other")
        own = [part for part in asked.get("parts") or () if part.get("document_hash") is not None]
        documents = self._named(asked, *([] if compared is None else [compared]), *own)
        parts = self._parts(job, documents, asked)
        other = self._parts(job, documents, compared)[0] if compared is not None else None
        answer = self._answered(job, parts, other)
        rows = {(row.node, row.representation): row for part in parts for row in part.answers.profile([part])}
        answer.result["profile"] = values.encode(profile_rows(rows.values(), places=False))
        return answer

    def _answered(self, job: Job, parts: Sequence[PartResult], other: PartResult | None) -> Answer:
        asked, (part, *_) = job.arguments, parts
        kind = QUESTIONS.get(str(asked["question"]))
        if kind is None:
            raise _invalid("question", "one that is known")
        if kind.COMPARES and other is None:
            raise _invalid("other", "the part to compare with")
        if issubclass(kind, FileQuestion):
            job.progress("export")
            return Answer(_written(job, parts))
        question = read(asked)
        if isinstance(question, MeshOf):
            meshes = part.answers.ask(question, *parts)
            return Answer(
                {question.ANSWER: None},
                meshes=meshes,
                double=question.mesh_dtype == "f64",
                drawn=[DrawnMesh.kept(mesh) for mesh in meshes] if question.drawn else None,
            )
        job.progress("figures")
        about = (part,) if other is None else (part, other)
        value = part.answers.ask(question, *about)
        result = {question.ANSWER: values.encode(question.encode(value, part))}
        if isinstance(question, ArrayQuestion):
            return Answer({**result, "arrays": None}, arrays=question.arrays(value))
        return Answer(result)

    def _named(self, *given: Mapping[str, Any]) -> dict[str, Document]:
        """The documents of a question, of what it compares with, and of parts that name their own, by hash.

        Raises: ServiceFailure DOCUMENT_UNKNOWN, with the hashes of all that are not known.
        """
        documents: dict[str, Document] = {}
        unknown: list[str] = []
        for asked in given:
            name = str(asked["document_hash"])
            if asked.get("document") is not None:
                document = document_json.decode(asked["document"])
                if self._documents.keep(document) != name:
                    raise _invalid("document", f"the document of the hash {name}")
            known = self._documents.get(name)
            if known is None:
                unknown.append(name)
            else:
                documents[name] = known
        if unknown:
            raise ServiceFailure(
                ErrorCode.DOCUMENT_UNKNOWN,
                f"{len(unknown)} documents of the question are not known here",
                fix="send them along",
                details={"unknown": list(dict.fromkeys(unknown))},
            )
        return documents

    def _parts(
        self, job: Job, documents: Mapping[str, Document], asked: Mapping[str, Any]
    ) -> list[PartResult]:
        """The parts that are asked about, evaluated. Raises: VcadError."""
        parts = []
        for owner, number, name, look in _wanted(documents, asked):
            document = documents[str(owner["document_hash"])]
            options = requests.read(Options, owner, base_dir=base_folder(job, owner), exact=False)
            parts.append(
                self._service.part(
                    document,
                    _node(document, number),
                    options,
                    name=name,
                    material=_look(look),
                    progress=job.progress,
                )
            )
        if not parts:
            raise _invalid("nodes", "the number of at least one node")
        return parts


_Wanted: TypeAlias = tuple[Mapping[str, Any], int, str, Mapping[str, Any] | None]
"""What names the document and says how it is evaluated, and of one part the node, the name and the look."""


def _wanted(documents: Mapping[str, Document], asked: Mapping[str, Any]) -> list[_Wanted]:
    """What `parts`, `nodes` or `node` name; by default all parts. A part may name a document of its own."""
    if asked.get("parts"):
        return [
            (
                asked if part.get("document_hash") is None else part,
                part["node"],
                str(part["name"]),
                part.get("material"),
            )
            for part in asked["parts"]
        ]
    numbers = asked.get("nodes") or ([] if asked.get("node") is None else [asked["node"]])
    if not numbers:
        document = documents[str(asked["document_hash"])]
        numbers = [int(root.node) for root in document.roots if root.shown]
    return [(asked, number, f"part-{place}", None) for place, number in enumerate(numbers, 1)]


def _node(document: Document, number: int) -> NodeId:
    if number not in document.nodes:
        raise _invalid("node", f"a node of the document, which has no {number}")
    return NodeId(number)


def _look(given: Mapping[str, Any] | None) -> Material:
    """A part's material. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    if given is None:
        return DEFAULT_MATERIAL
    return values.decode(given, Material, "material")


def _written(job: Job, parts: Sequence[PartResult]) -> dict[str, Any]:
    """Write the file that a question wants into the folder for such files; what is said of it."""
    asked = job.arguments
    suffix = str(asked.get("format") or "").removeprefix(".")
    if not _is_plain(suffix or "none"):
        raise _invalid("format", "the suffix of a file's name")
    if job.staging is None:
        raise _invalid("question", "one that needs no file: there is no folder for it")
    stem = str(asked.get("stem") or "model")
    # a name without suffix goes to the writer too, which says what is missing
    path = job.staging / (stem if _is_plain(stem) else "model")
    path = path.with_name(f"{path.name}.{suffix}" if suffix else path.name)
    size = parts[0].answers.ask(read(asked, path), *parts)
    # some formats bring a second file, which the first names
    files = sorted(str(file) for file in job.staging.glob(f"{glob.escape(path.stem)}.*"))
    return {"path": str(path), "bytes": size, "format": suffix.lower(), "files": files}


def _is_plain(name: str) -> bool:
    """Whether a text can be a file's name, or the end of one, and nothing more."""
    return bool(name.strip(". ")) and name.isprintable() and not set(name) & {"/", "\\"}


def _invalid(path: str, expected: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS, f"{path} must be {expected}", details={"path": path, "expected": expected}
    )
