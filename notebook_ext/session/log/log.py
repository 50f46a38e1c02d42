"""The session's log: JSON lines in ``<workspace>/.vcad/logs/<session>/``, or in SUPEX_LOG_DIR.

    log.event("eval_started", node_id="lid", revision=3)    # events.jsonl
    log.bridge("call", {"tool": "list_vcad_nodes"})         # bridge.jsonl

Each record has timestamp, level, event, request_id, node_id and error_code; one id follows one request
from its entry point through service and bridge. A record is in its file when the call returns, and holds
nothing secret. The files are made with the first event. Where the workspace cannot be written nothing is
logged, and nothing else suffers.

    with on_behalf_of("claude-code"): ...     # what is called in here is logged as the agent's
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from threading import Lock
from types import MappingProxyType
from typing import Any, Final

from notebook_ext.session.log.log_files import LogFile
from vcad_kernel.errors import VcadError
from vcad_kernel.paths import own_folder
from vcad_kernel.request_id import current_request
from vcad_kernel.rfc3339 import rfc3339

__all__ = ["SessionLog", "current_agent", "on_behalf_of"]

_KEPT: Final = 20
"""Sessions whose logs are kept."""
_LONGEST: Final = 4000
"""Characters of a text in a record."""
_WIDEST: Final = 2**18
"""Characters of a record; of one with more, every field is cut."""
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_STAMP: Final = "%Y%m%d-%H%M%S"
"""The time in a folder's name, of this machine's clock."""
_LONGEST_NAME: Final = 100
"""Characters of an agent's name."""
_agent: ContextVar[str | None] = ContextVar("vcad_agent", default=None)


def current_agent() -> str | None:
    """The agent on whose behalf this is done."""
    return _agent.get()


@contextmanager
def on_behalf_of(agent: str) -> Iterator[None]:
    """Have all that is called inside be done for an agent, which gave this name of itself."""
    # others write it into their logs: one line, and not a long one
    token = _agent.set(" ".join(agent.split())[:_LONGEST_NAME] or None)
    try:
        yield
    finally:
        _agent.reset(token)


class SessionLog:
    """workspace: asked for with the first event. clock: names the folder, and dates the records.

    elsewhere: the folder that the user has set for logs (SUPEX_LOG_DIR), if any; nothing is cleared there.
    counted: called with each event, whether it can be written or not.
    """

    def __init__(
        self,
        workspace: Callable[[], Path],
        *,
        elsewhere: Callable[[], Path | None] = lambda: None,
        counted: Callable[[str, Mapping[str, Any]], object] = lambda _event, _fields: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._workspace = workspace
        self._elsewhere = elsewhere
        self._counted = counted
        self._clock = clock
        self._opening = Lock()
        self._refused = False
        self._folder: Path | None = None
        self._files: dict[str, LogFile] = {}
        self._secrets: frozenset[str] = frozenset()

    def hide(self, secret: str) -> None:
        """Mask this text wherever it stands from now on, in the journal too: a token of the session."""
        if secret:
            self._secrets |= {secret}

    def event(self, event: str, *, level: str = "info", **fields: Any) -> None:
        """Note something that has happened, under the request that led to it. Never raises."""
        self._counted(event, fields)
        self.record("events.jsonl", event, fields, level=level)

    def __call__(self, event: str, fields: Mapping[str, Any]) -> None:
        """The same for those who are given a function."""
        self.record("events.jsonl", event, fields)

    def bridge(self, event: str, fields: Mapping[str, Any]) -> None:
        """Note what was said between us and SketchUp."""
        self.record("bridge.jsonl", event, fields)

    def record(
        self,
        name: str,
        event: str,
        fields: Mapping[str, Any],
        *,
        level: str = "info",
        longest: int = _LONGEST,
        plain: Mapping[str, Any] = _NOTHING,
    ) -> dict[str, Any] | None:
        """Add a record to one of the session's files. longest: characters of a text that are kept.

        plain: more fields, as `plain` gave them.
        Returns: what was written, with nothing secret in it; None if it was not.
        """
        begun: dict[str, Any] = {
            "timestamp": rfc3339(self._clock()),
            "level": level,
            "event": event,
            "request_id": fields["request_id"] if "request_id" in fields else current_request(),
            "node_id": fields.get("node_id"),
            "error_code": fields.get("error_code"),
        }
        if (agent := current_agent()) is not None:
            begun["agent"] = agent
        kept: dict[str, Any] = {**self.plain({**begun, **fields}, longest=longest), **plain}
        line = _json(kept)
        if len(line) > _WIDEST:
            kept = {key: value if key in begun else _abridged(value) for key, value in kept.items()}
            line = _json(kept)
        return kept if self.append(name, line.encode("utf-8", "replace") + b"\n") else None

    def append(self, name: str, line: bytes) -> bool:
        """Add a line as it is to one of the session's files. Returns: whether it is there."""
        folder = self.folder()
        if folder is None:
            return False
        with self._opening:
            file = self._files.get(name)
            if file is None:
                file = self._files[name] = LogFile(folder / name)
        return file.append(line)

    def plain(self, value: Any, *, longest: int = _LONGEST) -> Any:
        """A JSON value as a log may hold it: with nothing secret, its texts of so many characters at most."""
        from notebook_ext.session.log.masking import masked

        return masked(value, secrets=self._secrets, longest=longest)

    @property
    def path(self) -> Path | None:
        """The file of events; None before the first event, and where none can be written."""
        return None if self._folder is None else self._folder / "events.jsonl"

    def folder(self) -> Path | None:
        """Where this session logs; None where nothing can be written."""
        with self._opening:
            if self._folder is None and not self._refused:
                try:
                    self._folder = self._made()
                except OSError:
                    self._refused = True
                except VcadError:  # a setting that makes no sense; it may be mended
                    return None
            return self._folder

    def close(self) -> None:
        """Let the files go; an event that comes later opens them again."""
        with self._opening:
            for file in self._files.values():
                file.close()
            self._files.clear()

    def _made(self) -> Path:
        """Raises: OSError; VcadError for settings that make no sense."""
        logs = self._elsewhere()
        if logs is None:
            logs = own_folder(self._workspace()) / "logs"
            if logs.is_symlink():
                raise OSError(errno.ELOOP, "it is a link", str(logs))
            logs.mkdir(exist_ok=True)
            _clear(logs)
        folder = logs / f"session-{self._clock().astimezone():{_STAMP}}-{os.getpid()}"
        folder.mkdir(parents=True, exist_ok=True)
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "it is a link", str(folder))
        return folder


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _abridged(value: Any) -> Any:
    """What is kept of a value with too much in it: the beginning of its text."""
    text = value if isinstance(value, str) else _json(value)
    if len(text) <= _LONGEST:
        return value
    return f"{text[:_LONGEST]}… ({len(text) - _LONGEST} more characters)"


def _clear(logs: Path) -> None:
    """Remove all but the newest few. Names begin with their time; a session that lives keeps its own."""
    for old in sorted(logs.glob("session-*"))[: 1 - _KEPT]:
        if not _lives(old):
            with suppress(OSError):
                rmtree(old)


def _lives(folder: Path) -> bool:
    """Whether the process that made a folder may still write there; not a later one that got its number."""
    from notebook_ext.session_records import process_started

    _, _, made_and_pid = folder.name.partition("-")
    made, _, pid = made_and_pid.rpartition("-")
    try:
        began = None if int(pid) == os.getpid() else process_started(int(pid))
        return began is not None and began <= datetime.strptime(made, _STAMP).astimezone().timestamp() + 1.0
    except (ValueError, OverflowError):  # no folder of ours
        return False
