"""One session's gateway: a port and a record at once, everything else with the first connection.

    gateway = Gateway(session)      # nothing is opened
    gateway.open()                  # the port and the session's record, in a few milliseconds
    gateway.url, gateway.token
    gateway.close()                 # takes both away; done at exit as well

Knows how a session is announced and when its world of agents is made. What is served is `application.py`'s
business, how it is listened for that of `listening.py`.

Web pages may speak with it that come from this user's notebook servers, which are found by their own records
in Jupyter's runtime folder, or that a setting adds.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from traceback import format_exception
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from notebook_ext import session_records
from notebook_ext.gateway.listening import HOST, Listener, Unproven
from notebook_ext.session_records import SessionRecord, runtime_folder, viewer_url
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld
    from notebook_ext.session.session import Session

__all__ = ["Gateway"]


class Gateway:
    """session: which is opened to others. kernel_id, notebook: where it lives, for the record.

    attached: whether a person's notebook holds the session; False for one that was started for an agent.
    """

    def __init__(
        self,
        session: Session,
        *,
        kernel_id: str | None = None,
        notebook: str | None = None,
        attached: bool = True,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._session = session
        self._kernel_id = kernel_id
        self._notebook = notebook
        self._attached = attached
        self._clock = clock
        self.session_id = session.session_id
        self.token = secrets.token_urlsafe(32)
        self.viewer_token = secrets.token_urlsafe(32)
        """What a viewer must know: it sees and points, and neither answers questions nor calls tools."""
        self._opening = threading.RLock()
        self._listener: Listener | None = None
        self._unproven = Unproven()
        self._closed = False
        self._failure: BaseException | None = None
        self._record: SessionRecord | None = None
        self._world: AgentWorld | None = None

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return self._listener is not None

    @property
    def port(self) -> int:
        """The port it listens on; 0 while it is not open."""
        listener = self._listener
        return 0 if listener is None else listener.port

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``, without a path; "" while it is not open."""
        return f"http://{HOST}:{self.port}" if self.is_open else ""

    @property
    def viewer_url(self) -> str:
        """The link to the viewer, with its token; "" while it is not open."""
        return viewer_url(self.url, self.viewer_token) if self.is_open else ""

    @property
    def record(self) -> SessionRecord | None:
        """How the session is announced; None while it is not open."""
        return self._record

    @property
    def world(self) -> AgentWorld:
        """What the session offers to agents; made at the first look."""
        with self._opening:
            if self._world is None:
                from notebook_ext.agents.world import AgentWorld

                self._world = AgentWorld(
                    self._session,
                    session_id=self.session_id,
                    attached=self._attached,
                    url=lambda: self.url,
                )
                self._world.journal.hide(self.token)
                self._world.journal.hide(self.viewer_token)
            return self._world

    def open(self) -> SessionRecord:
        """Listen, and announce the session; the second time nothing happens.

        Returns: how it is announced. One that could not serve its first visitor is opened anew.
        Raises: ServiceFailure CONNECTION_FAILED where no port can be had or the record cannot be written,
        CAPABILITY_UNAVAILABLE once it is closed; VcadError where the workspace cannot be found.
        """
        with self._opening:
            if self._record is not None:
                return self._record
            if self._closed:
                raise ServiceFailure(
                    ErrorCode.CAPABILITY_UNAVAILABLE,
                    "this session is closed",
                    fix="%load_ext notebook_ext begins another",
                    details={"required_capability": "gateway", "negotiated_capabilities": []},
                )
            workspace = str(self._session.workspace)
            try:
                self._listener = Listener(self._application, self._failed, self._unproven)
            except OSError as failed:
                raise self._not_opened(f"no port can be had on {HOST}", failed) from failed
            record = SessionRecord(
                session_id=self.session_id,
                kernel_id=self._kernel_id,
                url=self.url,
                token=self.token,
                viewer_token=self.viewer_token,
                workspace=workspace,
                notebook=self._notebook,
                pid=os.getpid(),
                started_at=self._clock().isoformat(timespec="microseconds"),
            )
            try:
                session_records.write(record)
            except OSError as failed:
                error = self._not_opened(
                    f"{failed.filename or 'the session’s record'} cannot be written", failed
                )
                self._listener.close()
                self._listener = None
                raise error from failed
            self._record, self._failure = record, None
            atexit.register(self.close)
            return record

    @property
    def failure(self) -> BaseException | None:
        """Why it ended by itself, if it did since it was last opened."""
        return self._failure

    def close(self) -> None:
        """Take the record away and listen no more; safe to call twice, from any thread."""
        with self._opening:
            self._closed = True
        if self._withdraw():
            with self._opening:
                world = self._world  # made by the last visitor, perhaps
            if world is not None:
                world.close()

    def _withdraw(self) -> bool:
        """Take record and port away. Returns: whether they were ours."""
        with self._opening:
            record, self._record = self._record, None
            listener, self._listener = self._listener, None
        if record is None or listener is None:
            return False
        atexit.unregister(self.close)
        if record.pid != os.getpid():  # a forked child has neither the thread nor the right to the record
            return False
        session_records.remove(record)
        listener.close()
        return True

    def _not_opened(self, what: str, failed: OSError) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.CONNECTION_FAILED,
            f"the session cannot be opened to agents: {what}: {failed.strerror or failed}",
            fix="the notebook works without it; JUPYTER_RUNTIME_DIR names the folder of the records",
            details={"host": HOST, "port": self.port, "operation": "gateway.open"},
        )

    def _failed(self, error: BaseException) -> None:
        """The server has ended by a mistake of ours: say so in the session's log, and be found no more."""
        self._session.log.event(
            "gateway_failed",
            level="error",
            error_code="INTERNAL_ERROR",
            error="".join(format_exception(error)),
        )
        self._failure = error
        self._withdraw()

    def _application(self) -> Any:
        """The ASGI application; on the listener's thread, with the first connection."""
        from notebook_ext.gateway.application import application
        from notebook_ext.session.settings import settings_in_force

        settings = settings_in_force()
        return application(
            self.world,
            port=self.port,
            token=self.token,
            viewer_token=self.viewer_token,
            on_proof=self._unproven.prove,
            origins=lambda: allowed_origins(settings_in_force().gateway_origins),
            hooks=self._attached if settings.hooks is None else settings.hooks,
            packs=("all",)
            if settings.agent_packs is None
            else settings.agent_packs.replace(",", " ").split(),
        )


_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_ANY: Final = ("", "0.0.0.0", "::", "*")


def allowed_origins(setting: str | None) -> Collection[str]:
    """The origins of local notebook servers, and those that a setting names, separated by commas."""
    named = {origin.strip().rstrip("/") for origin in (setting or "").split(",") if origin.strip()}
    return named | set(notebook_servers(runtime_folder()))


def notebook_servers(folder: Path) -> Iterator[str]:
    """The origins of the notebook servers with a record in this folder whose process lives."""
    for path in (*folder.glob("jpserver-*.json"), *folder.glob("nbserver-*.json")):
        try:
            record = json.loads(path.read_bytes())
            pid, port = int(record["pid"]), int(record["port"])
            scheme = "https" if record.get("secure") else "http"
            host = urlsplit(str(record.get("url", ""))).hostname or str(record.get("hostname", ""))
        except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            continue
        if not _is_alive(pid):
            continue
        names = _LOOPBACK if host in (*_ANY, "localhost", "127.0.0.1", "::1") else (host,)
        for name in names:
            yield f"{scheme}://{name}:{port}" if port not in (80, 443) else f"{scheme}://{name}"


def _is_alive(pid: int) -> bool:
    import psutil

    try:
        return pid > 0 and psutil.pid_exists(pid)
    except OverflowError:
        return False
