"""The tools that evaluate programs and cells, and what they leave behind for later ones.

Evaluation itself is `DirectService`'s, as in a process without a service. Here are the forms of requests and
results, and what the worker keeps: documents by hash for questions about their parts, models by node for
programs that import them, texts of cells by hash. All of that may be lost at any time: a client that asks
for what is not there is notified, and sends it again.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from vcad_kernel.cad.imports import checked, extract_imports, shown_as
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.contracts.messages import CellSource, HistoryEntry, source_hash
from vcad_kernel.contracts.tools import Kernel, Kernels
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ExportError, SceneError, ServiceFailure, VcadError
from vcad_kernel.geometry import exact
from vcad_kernel.geometry.mesh import manifold_kernel
from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.loon.checking.types.display import shown
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.examination import language_of
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.runtime.values import UNIT
from vcad_kernel.loon.source import Source
from vcad_kernel.paths import Workspace
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.history import was_stopped
from vcad_kernel.service.protocol import Definition, EvaluationResult, Output
from vcad_kernel.service.requests import EvalCell, EvalCode, read
from vcad_kernel.service.summary import result_line
from vcad_kernel.service.wire import (
    definitions_json,
    diagnostics_json,
    figures_json,
    history_json,
    result_json,
    values,
)
from vcad_kernel.service.worker.job import Answer, Job
from vcad_kernel.service.worker.tools.import_values import ImportValues, KeptModels
from vcad_kernel.service.worker.tools.part_questions import KeptDocuments, PartQuestions
from vcad_kernel.service.worker.tools.program_texts import ProgramText, base_folder, given_text, meant_text
from vcad_kernel.system.files import replace_files

__all__ = ["Evaluations", "type_of"]

_CELLS: Final = 16_000_000
"""Characters of texts of cells that are kept, twice over."""


class Evaluations:
    """What one worker does: a method for each tool that it carries out, of the same name.

    kept: documents, and models of nodes, that are remembered.
    """

    def __init__(self, service: DirectService, kept: int) -> None:
        self._service = service
        self._documents = KeptDocuments(kept)
        self._models = KeptModels(kept)
        self._questions = PartQuestions(self._documents, service)
        self._cells: Recent[str, CellSource] = Recent(_CELLS)
        self._sent = definitions_json.SentDefinitions()

    # ---- programs ----------------------------------------------------------------------------

    def eval_code(self, job: Job) -> Answer:
        """`vcad.eval_code`."""
        asked = job.arguments
        return self._program(job, given_text(job, str(asked["code"]), str(asked.get("file") or "<code>")))

    def eval_file(self, job: Job) -> Answer:
        """`vcad.eval_file`."""
        return self._program(job, meant_text(job, str(job.arguments["path"])))

    def eval_with_imports(self, job: Job) -> Answer:
        """`vcad.eval_with_imports`."""
        asked = job.arguments
        program = given_text(job, str(asked["transformed_source"]), str(asked.get("file") or "<code>"))
        source = shown_as(program.source, str(asked.get("source") or ""))
        files = None if program.base is None else Workspace(program.base)
        given = ImportValues(partial(self._models.get, job.workspace), self._service.solids, files, source)
        return self._program(job, ProgramText(source, program.base), given.by_symbol(asked["imports"]))

    def _program(self, job: Job, program: ProgramText, values: Mapping[str, object] | None = None) -> Answer:
        result = self._evaluated(job, program, values, allow_scene=bool(job.arguments.get("allow_scene")))
        return self._answer(job, result, program.source)

    def _evaluated(
        self,
        job: Job,
        program: ProgramText,
        values: Mapping[str, object] | None = None,
        *,
        allow_scene: bool,
    ) -> EvaluationResult:
        given = {"code": program.source.text, **job.arguments}
        if values is not None:
            del given["imports"]  # those of `vcad.eval_with_imports` are values already
        request = read(
            EvalCode,
            given,
            base_dir=program.base,
            allow_scene=allow_scene,
        )
        result = self._service.run_program(
            program.source,
            request,
            folder=program.folder,
            values=values,
            output=job.printed,
            progress=job.progress,
        )
        if job.node_id is not None:
            self._models.keep(job.workspace, job.node_id, result.loon_value)
        return result

    # ---- cells -------------------------------------------------------------------------------

    def eval_cell(self, job: Job) -> Answer:
        """`vcad.eval_cell`."""
        request, cell = self._cell(job)
        with self._naming_what_is_left(cell, job) as output:
            result = self._service.evaluate(request, output=output, progress=job.progress)
        return self._answer(job, result, Source(cell.title, cell.source), of_cell=True)

    def eval_repl(self, job: Job) -> Answer:
        """`vcad.eval_repl`: a cell of a conversation whose history the front holds."""
        request, cell = self._cell(job)
        with self._naming_what_is_left(cell, job) as output:
            result = self._service.evaluate(request, output=output, progress=job.progress)
        return Answer(
            {
                "display": result_line("part", result),
                "type": type_of(result.loon_value),
                "stdout": result.stdout,
                "obsolete": list(result.obsolete),
                "source_hash": cell.hash,
            },
            result.document,
            diagnostics=_rendered(result),
        )

    def _cell(self, job: Job) -> tuple[EvalCell, CellSource]:
        """The cell of a request; it is known from now on. Raises: ServiceFailure PRELUDE_UNKNOWN."""
        asked = job.arguments
        request = read(
            EvalCell,
            asked,
            prelude=self._history(asked.get("prelude") or (), job.tool),
            base_dir=base_folder(job),
        )
        cell = request.cell
        # later cells name it by its hash, also when it fails
        self._cells.keep(cell.hash, cell, len(cell.source))
        if cell == CellSource(cell.cell_id, cell.source, cell.name):
            # nothing but its text decides what it does: a client that has only its result may name it by that
            self._cells.keep(source_hash(cell.source), cell, len(cell.source))
        return request, cell

    @contextmanager
    def _naming_what_is_left(self, cell: CellSource, job: Job) -> Iterator[Output]:
        """While a cell runs, which prints into what this gives.

        A failure of the cell says what it leaves: it is in the history, and its definitions stay.
        """
        printed: list[str] = []

        def print_on(text: str) -> None:
            printed.append(text)
            job.printed(text)

        try:
            yield print_on
        except VcadError as error:
            if not was_stopped(error):
                definitions = self._service.definitions()
                sent, beside = self._sent.since(job.arguments.get("definitions_since"), definitions)
                error.details |= {
                    "stdout": "".join(printed),
                    "defined": sorted(
                        name
                        for name, definition in definitions.items()
                        if definition.cell_id == cell.cell_id and not definition.given
                    ),
                    "definitions": definitions_json.encode(sent),
                    **beside,
                    "names": values.encode(self._service.names_of_last()),
                    "obsolete": [],
                }
            raise

    def _history(self, entries: Sequence[Mapping[str, Any]], operation: str) -> Sequence[HistoryEntry]:
        """The cells before one, of which those that were sent earlier are given by hash.

        Raises: ServiceFailure PRELUDE_UNKNOWN.
        """
        names = {str(given["source_hash"]) for given in entries if "source_hash" in given}
        known = {name: cell for name in names if (cell := self._cells.get(name)) is not None}
        history = history_json.decode(entries, known, operation)
        for given, entry in zip(entries, history, strict=True):
            if isinstance(entry, CellSource):
                self._cells.keep(str(given["source_hash"]), entry, len(entry.source))
        return history

    # ---- without a mesh for the client -------------------------------------------------------

    def inspect(self, job: Job) -> Answer:
        """`vcad.inspect`."""
        program = meant_text(job, str(job.arguments["code_or_path"]))
        result = self._evaluated(job, program, allow_scene=False)
        job.progress("figures")
        (part,) = result.parts
        return Answer(values.encode(figures_json.encode(part.figures, part.document)), result.document)

    def export(self, job: Job) -> Answer:
        """`vcad.export`."""
        asked = job.arguments
        program = meant_text(job, str(asked["code_or_path"]))
        if job.workspace is None:
            raise ExportError("there is no workspace to write into")
        workspace = Workspace(job.workspace)
        path = workspace.resolve(str(asked["output_path"]))
        suffix = path.suffix.lower().removeprefix(".")
        wanted = str(asked.get("format") or suffix).lower().removeprefix(".")
        if suffix != wanted:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"the format {wanted!r} is not that of {path.name!r}",
                fix=f"let the file's name end in .{wanted}",
                details={"path": "format", "expected": f"the suffix of output_path, {suffix!r}"},
            )
        result = self._evaluated(job, program, allow_scene=True)
        if not result.parts:
            raise SceneError(
                "there is nothing to export: the program makes no part",
                code=ErrorCode.NO_GEOMETRY,
                count=0,
                fix="end the program in a solid",
            )
        job.progress("export")
        from vcad_kernel.exchange.formats import unwritable
        from vcad_kernel.service.export import export

        # written elsewhere first: a link may have taken the path's place since it was checked
        with tempfile.TemporaryDirectory(prefix="vcad-export-") as folder:
            size = export(Path(folder) / path.name, result)
            try:
                files = {path.with_name(file.name): file.read_bytes() for file in Path(folder).iterdir()}
                replace_files(files, workspace.root)
            except OSError as failed:
                raise unwritable(path, failed) from failed
        return Answer({"path": str(path), "bytes": size, "format": wanted}, result.document)

    def check(self, job: Job) -> Answer:
        """`vcad.check`."""
        program = meant_text(job, str(job.arguments["code_or_path"]))
        project = None if program.base is None else Project(program.base)
        environment = Environment(prelude=PRELUDE, project=project)
        findings = checked(program.source, partial(environment.check, folder=program.folder))
        forms, texts = diagnostics_json.encode(findings, {program.source.name: program.source.text})
        rendered = "\n".join(finding.render() for finding in findings)
        return Answer({"diagnostics": values.encode(forms), "sources": texts}, diagnostics=rendered)

    def ask(self, job: Job) -> Answer:
        """`vcad.ask`."""
        return self._questions.answer(job)

    def extract_imports(self, job: Job) -> Answer:
        """`vcad.extract_imports`."""
        asked = job.arguments
        program = extract_imports(Source(str(asked.get("file") or "<code>"), str(asked["source"])))
        return Answer(
            {
                "imports": [values.encode(declared) for declared in program.imports],
                "transformed_source": program.transformed_source,
            }
        )

    def cache_invalidate(self, job: Job) -> Answer:
        """`vcad.cache_invalidate`."""
        node_id = job.arguments.get("node_id")
        count = self._models.forget(job.workspace, node_id)
        if node_id is None:
            self._documents.forget()
            self._service.forget()
        return Answer({"forgotten": count})

    def kernels(self, _job: Job) -> Answer:
        """`vcad.kernels`."""
        mesh = Kernel("mesh", manifold_kernel.identity())
        brep = Kernel("brep", exact.identity(), exact.why_not())
        return Answer(values.encode(Kernels((mesh, brep))))

    # ---- results -----------------------------------------------------------------------------

    def _answer(
        self, job: Job, result: EvaluationResult, program: Source, *, of_cell: bool = False
    ) -> Answer:
        """The result of an evaluation in its wire form."""
        asked = job.arguments
        if result.document is not None:
            self._documents.keep(result.document)
        if not asked.get("defer_figures"):
            job.progress("figures")
        sent: Mapping[str, Definition] | None = None
        beside: Mapping[str, Any] = {}
        if of_cell:
            sent, beside = self._sent.since(asked.get("definitions_since"), self._service.definitions())
        data = result_json.encode(
            result,
            figures=not asked.get("defer_figures"),
            document=bool(asked.get("document")),
            definitions=sent,
            names=self._service.names_of_last() if of_cell else None,
            sources={program.name: program.text},
        )
        data |= beside
        if job.artifact_stage is not None:
            job.progress("export")
            started = time.perf_counter()
            _write_artifact(job.artifact_stage, result)
            data["timings_ms"]["export"] = (time.perf_counter() - started) * 1e3
        meshes = [part.mesh for part in result.parts]
        return Answer(
            data,
            result.document,
            meshes=meshes,
            double=asked.get("mesh_dtype") == "f64",
            drawn=[DrawnMesh.kept(mesh) for mesh in meshes] if asked.get("drawn") else None,
            diagnostics=_rendered(result),
        )


def _rendered(result: EvaluationResult) -> str:
    """The findings as text."""
    return "\n".join(finding.render() for finding in result.diagnostics)


def _write_artifact(path: Path, result: EvaluationResult) -> None:
    """Write the mesh that is to be published. Raises: ExportError."""
    # writers of files load slowly, and a worker should be ready soon
    from vcad_kernel.exchange import formats

    encoded = formats.encode(".dae", result.part_meshes(), stem=path.name.split(".")[0])
    formats.replace_all({path: encoded[".dae"]}, path)


_NAME = "it"


def type_of(value: object) -> str | None:
    """The type of a Loon value; None for unit, and where nothing is known of it."""
    if value is UNIT:
        return None
    if callable(value):
        return "Fn"
    scheme = language_of(PRELUDE).with_value(_NAME, value).scheme(_NAME)
    text = "" if scheme is None else shown(scheme)
    return None if not text or text.startswith("∀") else text
