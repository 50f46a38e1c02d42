"""The worker's life: a request, its answer, the next request.

    Worker(link, region, tool, printed, interrupts).serve()

What a tool does is not known here, only what may come of it: an answer, a failure of the user's, an
interrupt, too little time or memory, or a mistake of ours. Each of them is answered; only what cannot be
survived ends the process, and the front sees that.
"""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import envelope, internal_error
from vcad_kernel.errors import Cancelled, LoonError, ServiceFailure, VcadError
from vcad_kernel.loon.runtime.limits.watchdog import TookTooLong, within
from vcad_kernel.service.progress import ProgressReport
from vcad_kernel.service.shared import ProtocolFault
from vcad_kernel.service.shared.control import Failed, Grown, Ready, Request, Responded, Shutdown
from vcad_kernel.service.shared.payloads import EMPTY_SCENE, ErrorPayload, Failure, Phase, RequestPayload
from vcad_kernel.service.shared.region import Region, RegionFull
from vcad_kernel.service.worker.blocks import Blocks
from vcad_kernel.service.worker.front_link import FrontGone, FrontLink, NoMemory
from vcad_kernel.service.worker.job import Answer, Job
from vcad_kernel.service.worker.printed_text import PrintedText
from vcad_kernel.service.worker.process_limits import TIME_LIMIT, Interrupts, too_late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vcad_kernel.ir.document import Document


__all__ = ["OUT_OF_MEMORY", "Worker", "answered"]

_LOG = logging.getLogger(__name__)

OUT_OF_MEMORY: Final = 3
"""Exit status after a request for which memory did not suffice: what is left of the heap is not trusted."""


_ToolOf: TypeAlias = Callable[[Job], Callable[[Job], Answer]]


class Worker:
    """Serves one front.

    tool: gives what carries a job out, which raises VcadError and may be interrupted at any point.
    memory_mb: the limit on memory, for messages. clock: seconds.
    """

    def __init__(
        self,
        link: FrontLink,
        region: Region,
        tool: _ToolOf,
        printed: PrintedText,
        interrupts: Interrupts,
        *,
        pid: int,
        memory_mb: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._link = link
        self._region = region
        self._tool = tool
        self._printed = printed
        self._interrupts = interrupts
        self._pid = pid
        self._memory_mb = memory_mb
        self._clock = clock
        self._blocks = Blocks(link)

    def serve(self) -> int:
        """Answer requests until the front says otherwise or is gone; the exit status.

        Raises: ProtocolFault when the front does not keep to the protocol.
        """
        status = 0
        try:
            self._link.send(Ready(self._pid))
            while not status:
                message = self._link.receive()
                if message is None or isinstance(message, Shutdown):
                    break
                if isinstance(message, Request):
                    status = self._serve(message.seq)
                elif isinstance(message, Grown):
                    self._region.remap()  # the next request needs it
                else:
                    raise ProtocolFault(f"a front does not say {type(message).__name__} by itself")
        except FrontGone:
            _LOG.info("the front is gone")
        finally:
            self._blocks.close()
        return status

    def _serve(self, seq: int) -> int:
        """Answer one request; the exit status, if this was the last."""
        started = self._clock()
        payload = RequestPayload.parse(self._region.read_request(seq))
        progress = ProgressReport(partial(self._link.progress, seq), self._clock)
        job = Job.of(payload, self._printed, progress)
        self._printed.begin(seq)
        outcome = self._outcome(seq, job)
        out_of_memory = not isinstance(outcome, Written) and (
            outcome["error_code"] == ErrorCode.WORKER_OUT_OF_MEMORY
        )
        if not isinstance(outcome, Written):
            outcome = refused(outcome, seq, self._clock() - started)
        self._printed.settle()
        written = self._write(seq, outcome, job)
        self._link.send(Failed(seq) if written.is_error else Responded(seq))
        return OUT_OF_MEMORY if out_of_memory else 0

    def _outcome(self, seq: int, job: Job) -> Written | dict[str, Any]:
        """What is to be written, or the envelope of what went wrong."""
        try:
            with self._interrupts:
                answer = within(job.seconds, partial(self._tool(job), job))
            # from here on the answer is there: nothing interrupts its writing
            result = answer.result
            if job.mesh_shm and answer.meshes:
                written = self._blocks.write_meshes(
                    seq,
                    answer.meshes,
                    double=answer.double,
                    drawn=answer.drawn,
                    revision=job.revision,
                )
                result = {**result, "mesh": written}
            if job.mesh_shm and answer.arrays is not None:
                result = {**result, "arrays": self._blocks.write_arrays(seq, answer.arrays)}
            return answered(result, answer.document, answer.diagnostics)
        except MemoryError:
            failure: VcadError = self._no_memory(None)
        except TookTooLong as stopped:
            failure = too_late(job.limit_ms, stopped)
        except VcadError as error:
            failure = self._limit_reached(job, error)
        except KeyboardInterrupt:
            # also one that came after the work and before the interrupts were off: the answer is not wanted
            failure = Cancelled("the evaluation was cancelled")
        except (FrontGone, ProtocolFault):
            raise
        except Exception as bug:  # noqa: BLE001 - our own mistake is one answer, not the end of all that is cached
            return internal_error(bug, job.tool)
        # out here nothing keeps alive what the failed work had in its hands
        return envelope(failure, job.tool)

    def _limit_reached(self, job: Job, error: VcadError) -> VcadError:
        """A failure of the program, or in its place that of a limit which the program has met by itself."""
        if not isinstance(error, LoonError):
            return error
        if error.code == "memory":
            return self._no_memory(error)
        return too_late(job.limit_ms, error) if error.code == TIME_LIMIT else error

    def _write(self, seq: int, written: Written, job: Job) -> Written:
        """Put a response into the region, a larger one if need be; what was put there in the end."""
        try:
            return self._put(seq, written)
        except OSError as failed:
            return self._put(
                seq, self._no_room(seq, job, len(written.result), failed.strerror or str(failed))
            )
        except RegionFull as full:
            needed = full.needed
        try:
            self._link.larger_region(seq, needed)
        except NoMemory as missing:
            return self._put(seq, self._no_room(seq, job, needed, str(missing)))
        self._region.remap()
        return self._put(seq, written)

    def _no_room(self, seq: int, job: Job, needed: int, reason: str) -> Written:
        """What is answered in place of a result for which the region has no room."""
        error = ServiceFailure(
            ErrorCode.PAYLOAD_TOO_LARGE,
            f"the result takes {needed} bytes, for which there is no memory: {reason}",
            details={"limit": self._region.capacity, "size": needed},
        )
        return refused(envelope(error, job.tool), seq, 0.0)

    def _put(self, seq: int, written: Written) -> Written:
        """Raises: RegionFull; OSError without memory."""
        self._region.write_response(
            seq, written.payload, written.result, is_error=written.is_error, error_code=written.error_code
        )
        return written

    def _no_memory(self, error: VcadError | None) -> ServiceFailure:
        """What is said when memory does not suffice; where that was, if that is known."""
        return ServiceFailure(
            ErrorCode.WORKER_OUT_OF_MEMORY,
            f"the evaluation needs more memory than the {self._memory_mb} MiB that it may use",
            place=None if error is None else error.place,
            why=None if error is None else error.message,
            fix="make the model coarser or smaller, or raise VCAD_WORKER_MEMORY_MB",
            details={"limit": self._memory_mb},
            stack=() if error is None else error.stack,
        )


# ---- what is written into the region for an answer or a failure ------------------------------
# The result, or the error envelope, is JSON and what the front reads. Beside it stands the binary payload of
# the layout: the scene as op records, or the error with its place.


@dataclass(frozen=True, slots=True)
class Written:
    """The two parts of a response."""

    payload: bytes
    result: bytes
    is_error: bool = False
    error_code: int = 0


def answered(result: Mapping[str, Any], document: Document | None, diagnostics: str) -> Written:
    """The response of a request that succeeded.

    Raises: GeometryError ENCODE_FAILED for a document that the records cannot hold.
    """
    data = _json(result)
    if document is None and not diagnostics:
        return Written(EMPTY_SCENE, data)
    from vcad_kernel.ir import op_document
    from vcad_kernel.ir.op_stream import Stream

    if document is None:
        return Written(Stream((), (), diagnostics).to_bytes(), data)
    written = result.get("document")
    # large documents take long to write, and this one may have been written for the client already
    payload = base64.b64decode(written["records"]) if written else op_document.encode(document)
    if diagnostics:
        payload = replace(Stream.from_bytes(payload), diagnostics=diagnostics).to_bytes()
    return Written(payload, data)


_FAILURES: Final[Mapping[str, Failure]] = {
    ErrorCode.INVALID_PARAMS: Failure.INVALID_REQUEST,
    ErrorCode.SCHEMA_VALIDATION_FAILED: Failure.INVALID_REQUEST,
    ErrorCode.VCAD_EVAL_TIMEOUT: Failure.TIMEOUT,
    ErrorCode.INTERNAL_ERROR: Failure.INTERNAL,
    ErrorCode.WORKER_OUT_OF_MEMORY: Failure.INTERNAL,
}
_PHASES: Final[Mapping[str, Phase]] = {
    ErrorCode.LOON_SYNTAX: Phase.SCRIPT_LOAD,
    ErrorCode.IMPORT_FORM_INVALID: Phase.SCRIPT_LOAD,
    ErrorCode.FILE_NOT_FOUND: Phase.SCRIPT_LOAD,
    ErrorCode.PATH_NOT_ALLOWED: Phase.SCRIPT_LOAD,
    ErrorCode.INVALID_PARAMS: Phase.REQUEST_DECODE,
    ErrorCode.SCHEMA_VALIDATION_FAILED: Phase.REQUEST_DECODE,
    ErrorCode.INTERNAL_ERROR: Phase.UNKNOWN,
}


def refused(envelope: Mapping[str, Any], seq: int, seconds: float) -> Written:
    """The response of a request that failed.

    envelope: the error's wire form. seconds: how long it took to fail.
    """
    details = envelope["details"]
    failure = _FAILURES.get(envelope["error_code"], Failure.SCRIPT)
    phase = _PHASES.get(envelope["error_code"], Phase.SCRIPT_EXECUTE)
    calls = [call for call in details.get("stack", ()) if isinstance(call, dict)]
    payload = ErrorPayload(
        error_code=failure,
        phase=phase,
        line=details.get("line") or 0,
        column=details.get("column") or 0,
        run_id=seq,
        duration_ms=round(1000 * seconds),
        file=details.get("file") or "",
        stack="\n".join(_call(call) for call in calls),
        message=envelope["message"],
    )
    return Written(payload.to_bytes(), _json(envelope), is_error=True, error_code=failure)


def _call(entry: Mapping[str, Any]) -> str:
    place = f"  at {entry['file']}:{entry['line']}" if entry.get("file") else ""
    return f"{entry['name']}{place}"


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
