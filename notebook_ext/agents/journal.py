"""What agents do in a session, as files beside its events: ``<workspace>/.vcad/logs/<session>/``.

    journal = Journal(session.log.folder)
    journal.called("vcad_place", {"node_id": "lid"}, outcome, agent="editor", request_id="r-01", seconds=0.1)
    journal.tail("toolcalls", 20)

``comms.jsonl`` holds every message of an agent, ``toolcalls.jsonl`` and ``toolcalls.md`` every call and
answer to an ask, ``hooks.log`` every request of the hook API, ``shell.jsonl`` every command. Nothing is ever
raised where something is noted, and nothing secret is kept. Files are made with their first line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from notebook_ext.agents.log_files import LogFile, last_lines
from notebook_ext.agents.masking import masked, masked_text
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.agents.outcomes import Outcome

__all__ = ["STREAMS", "Direction", "Journal"]

Direction: TypeAlias = Literal["in", "out"]

STREAMS: Final = ("comms", "toolcalls", "hooks", "shell", "bridge", "sketchup", "events")
"""What can be asked for by `Journal.tail`."""

_FILES: Final[Mapping[str, str]] = {
    "comms": "comms.jsonl",
    "toolcalls": "toolcalls.jsonl",
    "hooks": "hooks.log",
    "shell": "shell.jsonl",
    "bridge": "events.jsonl",
    "events": "events.jsonl",
}
_SKETCHUP: Final = ("runtime-console.log", "headless-sketchup.log")
"""What SketchUp says, beside the folders of the sessions; the first that is there is read."""
_OF_BRIDGE: Final = frozenset({"call", "connected", "lost"})
"""Events of the connection to SketchUp."""
_SUMMARY: Final = 600
"""Characters of an answer that the log keeps of one text."""
_DEFAULT: Final = 100


class Journal:
    """folder: where the session logs, asked for with the first line; None where nothing can be written.

    clock: wall time, for the time stamps.
    """

    def __init__(
        self, folder: Callable[[], Path | None], *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._find = folder
        self._clock = clock
        self._lock = Lock()
        self._files: dict[str, LogFile] = {}
        self._folder: Path | None = None
        self._secrets: set[str] = set()

    def hide(self, secret: str) -> None:
        """Mask this text wherever it stands from now on: a token of the session."""
        if secret:
            self._secrets = {*self._secrets, secret}

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
        self._record(
            "comms",
            {"event": "message", "request_id": request_id, "direction": direction, "kind": kind}
            | {"agent": agent, "payload": payload},
        )

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
        record: dict[str, Any] = {
            "level": "info" if outcome.success else "warning",
            "event": "tool_call",
            "request_id": request_id,
            "node_id": arguments.get("node_id"),
            "error_code": None if error_code is None else str(error_code),
            "agent": agent,
            "tool": tool,
            "arguments": dict(arguments),
            "duration_ms": round(seconds * 1000.0, 3),
            "approval": approval or None,
            "result": masked(outcome.body, longest=_SUMMARY),
        }
        written = self._record("toolcalls", record)
        if written is not None:
            self._append("toolcalls.md", _for_people(written).encode("utf-8"))

    def ask(self, record: Mapping[str, Any]) -> None:
        """An ask for approval, or the answer to one: ``event`` says which, with time and hashes."""
        self._record("toolcalls", {"event": "ask", **record})

    def hook(self, method: str, path: str, status: int, size: int) -> None:
        """A request of the hook API. path: its query, which may hold a token, is left out. size: bytes."""
        where = masked_text(path.partition("?")[0], secrets=self._secrets).replace("\n", " ")
        self._append("hooks.log", f"{self._now()} {method} {where} {status} {size}\n".encode())

    def shell(self, record: Mapping[str, Any]) -> None:
        """A command that was run: ``command``, ``stdin``, ``stdout``, ``stderr``, ``latency_ms``."""
        self._record("shell", {"event": "shell", **record})

    def close(self) -> None:
        """Let the files go; a line that comes later opens its file again."""
        with self._lock:
            for file in self._files.values():
                file.close()
            self._files.clear()

    # ---- reading ---------------------------------------------------------------------------

    def tail(self, stream: str, lines: int | None = None, request_id: str | None = None) -> str:
        """The last lines of a stream, the oldest of them first; "" where nothing has been noted.

        request_id: only lines of this wish; a stream that is plain text then gives those that name it.
        Raises: ServiceFailure INVALID_PARAMS for a stream that there is none of.
        """
        if stream not in STREAMS:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"there is no log {stream!r}; there are {', '.join(STREAMS)}",
                details={"path": "stream", "expected": f"one of {', '.join(STREAMS)}"},
            )
        folder = self._there()
        if folder is None:
            return ""
        path = folder / _FILES[stream] if stream in _FILES else _first_there(folder.parent)

        def wanted(line: str) -> bool:
            if request_id is not None and request_id not in line:
                return False
            return stream != "bridge" or _event_of(line) in _OF_BRIDGE

        try:
            found = last_lines(path, _DEFAULT if lines is None else lines, wanted)
        except OSError:
            return ""
        return masked_text("".join(f"{line}\n" for line in found), secrets=self._secrets)

    # ---- files -----------------------------------------------------------------------------

    def _now(self) -> str:
        return self._clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _record(self, stream: str, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        """Write a record. Returns: what was written, with nothing secret in it; None if it was not."""
        begun: dict[str, Any] = {"timestamp": self._now(), "level": "info", "request_id": None}
        kept: dict[str, Any] = masked({**begun, **fields}, secrets=self._secrets)
        line = json.dumps(kept, ensure_ascii=False, separators=(",", ":"), default=str)
        data = line.encode("utf-8", errors="replace") + b"\n"
        return kept if self._append(_FILES[stream], data) else None

    def _append(self, name: str, data: bytes) -> bool:
        folder = self._there()
        if folder is None:
            return False
        with self._lock:
            file = self._files.get(name)
            if file is None:
                file = self._files[name] = LogFile(folder / name)
        return file.append(data)

    def _there(self) -> Path | None:
        if self._folder is None:
            self._folder = self._find()
        return self._folder


def _first_there(logs: Path) -> Path:
    there = [logs / name for name in _SKETCHUP if (logs / name).exists()]
    return there[0] if there else logs / _SKETCHUP[0]


def _event_of(line: str) -> Any:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found.get("event") if isinstance(found, dict) else None


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
    return [run for run in "".join(one if one == "`" else " " for one in text).split() if run]
