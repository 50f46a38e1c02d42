"""What agents do in a session, as files beside its events: ``<workspace>/.vcad/logs/<session>/``.

    journal = Journal(session.log)
    journal.called("vcad_place", {"node_id": "lid"}, outcome, agent="editor", request_id="r-01", seconds=0.1)
    journal.tail("toolcalls", 20)

``comms.jsonl`` holds every message of an agent, ``toolcalls.jsonl`` and ``toolcalls.md`` every call,
``hooks.log`` every request of the hook API, ``shell.jsonl`` every command. Nothing is ever raised where
something is noted, and nothing secret is kept. Files are made with their first line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from notebook_ext.session.log.log_files import last_lines
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.rfc3339 import rfc3339

if TYPE_CHECKING:
    from notebook_ext.agents.calls.outcomes import Outcome
    from notebook_ext.session.log.log import SessionLog

__all__ = ["STREAMS", "Direction", "Journal"]

Direction: TypeAlias = Literal["in", "out"]

_FILES: Final[Mapping[str, str]] = {
    "comms": "comms.jsonl",
    "toolcalls": "toolcalls.jsonl",
    "hooks": "hooks.log",
    "shell": "shell.jsonl",
    "bridge": "bridge.jsonl",
    "events": "events.jsonl",
}
STREAMS: Final = (*_FILES, "sketchup")
"""What can be asked for by `Journal.tail`."""
_SKETCHUP: Final = ("runtime-console.log", "headless-sketchup.log")
"""What SketchUp says, beside the folders of the sessions; the newer one is read."""
_SUMMARY: Final = 600
"""Characters of an answer that the log keeps of one text."""
_OUTPUT: Final = 2**16
"""The same of what a command has printed."""
_DEFAULT: Final = 100
"""Lines of a tail."""


class Journal:
    """log: of the session, which knows where, and what is secret. clock: wall time, for hooks.log."""

    def __init__(self, log: SessionLog, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._log = log
        self._clock = clock

    def hide(self, secret: str) -> None:
        """Mask this text wherever it stands from now on, in all logs: a token of the session."""
        self._log.hide(secret)

    # ---- noting ----------------------------------------------------------------------------

    def comms(
        self,
        direction: Direction,
        kind: str,
        payload: Any = None,
        *,
        agent: str | None = None,
        request_id: str | None = None,
    ) -> None:
        """A message of an agent, or to one."""
        message = {"direction": direction, "kind": kind, "agent": agent, "payload": payload}
        self._log.record("comms.jsonl", "message", {"request_id": request_id, **message})

    def called(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        outcome: Outcome,
        *,
        agent: str,
        request_id: str,
        seconds: float,
        approval: str = "",
    ) -> None:
        """A call of a tool and what came of it. approval: how it was allowed or refused, "" if not asked."""
        error_code = outcome.body.get("error_code")
        fields: dict[str, Any] = {
            "request_id": request_id,
            "node_id": arguments.get("node_id"),
            "error_code": None if error_code is None else str(error_code),
            "agent": agent,
            "tool": tool,
            "arguments": dict(arguments),
            "duration_ms": round(seconds * 1000.0, 3),
            "approval": approval or None,
        }
        result = {"result": self._log.plain(outcome.body, longest=_SUMMARY)}
        level = "info" if outcome.success else "warning"
        written = self._log.record("toolcalls.jsonl", "tool_call", fields, level=level, plain=result)
        if written is not None:
            self._log.append("toolcalls.md", _for_people(written).encode("utf-8", "replace"))

    def hook(self, method: str, path: str, status: int, size: int) -> None:
        """A request of the hook API. path: its query, which may hold a token, is left out. size: bytes."""
        where = str(self._log.plain(path.partition("?")[0])).replace("\n", " ").replace("\r", " ")
        when = rfc3339(self._clock())
        self._log.append("hooks.log", f"{when} {method} {where} {status} {size}\n".encode("utf-8", "replace"))

    def shell(self, record: Mapping[str, Any]) -> None:
        """A command that was run: ``command``, ``stdin``, ``stdout``, ``stderr``, ``latency_ms``."""
        self._log.record("shell.jsonl", "shell", record, longest=_OUTPUT)

    def close(self) -> None:
        """Let the files go; a line that comes later opens its file again."""
        self._log.close()

    # ---- reading ---------------------------------------------------------------------------

    def tail(self, stream: str, lines: int | None = None, request_id: str | None = None) -> str:
        """The last lines of a stream, the oldest of them first; "" where nothing has been noted.

        request_id: only lines of this request; a stream that is plain text then gives those that name it.
        Raises: ServiceFailure INVALID_PARAMS for a stream that there is none of.
        """
        if stream not in STREAMS:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"there is no log {stream!r}; there are {', '.join(STREAMS)}",
                details={"path": "stream", "expected": f"one of {', '.join(STREAMS)}"},
            )
        folder = self._log.folder()
        if folder is None:
            return ""
        path = folder / _FILES[stream] if stream in _FILES else _newest(folder.parent)
        keep = None if request_id is None else _of_request(request_id, path.suffix == ".jsonl")
        try:
            kept = last_lines(path, _DEFAULT if lines is None else lines, keep)
        except OSError:
            return ""
        return "".join(f"{self._log.plain(line, longest=len(line))}\n" for line in kept)


def _newest(logs: Path) -> Path:
    """The file that SketchUp has written to last, of those that it may write to."""

    def written(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0

    return max((logs / name for name in _SKETCHUP), key=written)


def _of_request(request_id: str, is_json: bool) -> Callable[[str], bool]:
    """Which lines belong to a request, or to what came of it: ``r-01`` has ``r-01/op-2``."""

    def belongs(line: str) -> bool:
        if request_id not in line:
            return False
        if not is_json:
            return True
        try:
            line_id = json.loads(line).get("request_id")
        except (ValueError, RecursionError, AttributeError):  # torn by a crash
            return False
        return isinstance(line_id, str) and (line_id == request_id or line_id.startswith(f"{request_id}/"))

    return belongs


def _for_people(record: Mapping[str, Any]) -> str:
    """A call as a section of a Markdown file."""
    outcome = record["error_code"] or "ok"
    took = f" · {record['duration_ms']:g} ms"
    approval = "" if record["approval"] is None else f" · {record['approval']}"
    arguments = json.dumps(record["arguments"], ensure_ascii=False, indent=2, default=str)
    result = json.dumps(record["result"], ensure_ascii=False, default=str)
    # a fence longer than any in the text, so that the text cannot end it
    fence = "`" * max(3, 1 + max((len(run) for run in _fences(arguments + result)), default=0))
    return (
        f"## {record['timestamp']} {record['tool']} · {record['agent']} · {outcome}{took}{approval}\n\n"
        f"{record['request_id']}\n\n{fence}json\n{arguments}\n{fence}\n\n{fence}json\n{result}\n{fence}\n\n"
    )


def _fences(text: str) -> list[str]:
    return re.findall("`+", text)
