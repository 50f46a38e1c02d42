"""The one session that an agent works in, however often its kernel is restarted.

    async with Attachment(choice, packs=("core",)) as attachment:
        result = await attachment.request(request, agent, progress)

It attaches at the first request that needs a session, by the rules of `finding.py`. When the session ends it
waits for the same kernel's next one and refuses meanwhile; it never moves to another world, but for an agent
without a notebook, which moves to the first notebook that opens the workspace.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Final, Self

import anyio
from anyio.abc import TaskGroup
from mcp.client.subscriptions import PromptsListChanged, ResourcesListChanged, ServerEvent, ToolsListChanged
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import ClientRequest, Implementation

from notebook_ext.agents.proxy.finding import SessionChoice, first, is_headless, notebook_of, returned
from notebook_ext.agents.proxy.headless_start import HeadlessStart, only_starter
from notebook_ext.agents.proxy.refusals import (
    no_answer,
    not_found,
    not_started,
    outcome_unknown,
    restarting,
)
from notebook_ext.agents.proxy.upstream import CutOff, NotThere, Upstream
from notebook_ext.session_records import SessionRecord, live_records
from vcad_kernel.errors import ServiceFailure

__all__ = ["Attachment", "news_of"]


_LOG = logging.getLogger(__name__)

_PATIENCE: Final = 2.0
"""Seconds for which a call waits for a session that is away before it is refused."""
_GLANCE: Final = 0.1
"""Seconds between two looks at the records of sessions."""


class Attachment(AbstractAsyncContextManager["Attachment"]):
    """choice: which session. packs: of tools that it shall show. changed: called with what changes in it.

    records: the sessions that run, newest first. patience: seconds.
    """

    def __init__(
        self,
        choice: SessionChoice,
        *,
        packs: Collection[str] = (),
        changed: Callable[[ServerEvent], Awaitable[None]],
        headless: HeadlessStart | None = None,
        records: Callable[[], Sequence[SessionRecord]] = live_records,
        patience: float = _PATIENCE,
    ) -> None:
        self._choice = choice
        self._packs = packs
        self._changed = changed
        self._headless = headless or HeadlessStart()
        self._records = records
        self._patience = patience
        self._upstream: Upstream | None = None
        self._last: SessionRecord | None = None
        self._agent: Implementation | None = None
        self._uris: dict[str, int] = {}
        self._news: list[str] = []
        self._tell_all = False
        """Whether the agent has read what the next session may say differently."""
        self._unanswered = ""
        """Why the last session that was tried did not answer."""
        self._turn = anyio.Lock()
        self._tasks: TaskGroup

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(kind, error, trace)
        with anyio.CancelScope(shield=True):
            await self._headless.end()

    @property
    def record(self) -> SessionRecord | None:
        """The session that it is attached to; None while it is to none."""
        return None if self._upstream is None or self._upstream.lost.is_set() else self._upstream.record

    def news(self) -> list[str]:
        """What the agent must know of its session, once."""
        news, self._news = self._news, []
        return news

    def answered_without_session(self) -> None:
        """The agent has read something that a session may say differently."""
        self._tell_all = True

    async def request(
        self,
        request: ClientRequest,
        agent: Implementation | None,
        progress: ProgressFnT | None = None,
        *,
        starts: bool = True,
    ) -> dict[str, Any]:
        """Have the session carry out a request. starts: whether one is started where there is none.

        Raises: ServiceFailure SESSION_UNAVAILABLE, nothing was done; UNKNOWN_OUTCOME; another code, with
        which the session's gateway refuses it; MCPError as the session answers it.
        """
        self._agent = agent or self._agent
        for last_try in (False, True):
            upstream = await self._attached(starts=starts)
            try:
                return await upstream.request(request, progress)
            except NotThere:
                if last_try:
                    raise restarting(upstream.record, self._records()) from None
            except CutOff:
                raise outcome_unknown(request.method, upstream.record) from None
        raise AssertionError("unreachable")

    # ---- which session ---------------------------------------------------------------------

    async def _attached(self, *, starts: bool) -> Upstream:
        """The connection to the session as it runs now. Raises: ServiceFailure SESSION_UNAVAILABLE."""
        until = anyio.current_time() + self._patience  # waiting for the others' turn counts
        async with self._turn:
            upstream = self._upstream
            if upstream is not None and not upstream.lost.is_set():
                if is_headless(upstream.record):
                    await self._move_to_notebook(upstream)
            elif self._last is None or is_headless(self._last):
                await self._begin(starts=starts)
            elif not await self._back_by(until):
                raise restarting(self._last, self._records())
            assert self._upstream is not None
            return self._upstream

    async def _move_to_notebook(self, upstream: Upstream) -> None:
        """Go over from a session without a notebook to one that has opened the workspace since.

        Calls under way get their answers before the session that was started for them ends.
        """
        notebook = notebook_of(self._records(), upstream.record, self._choice)
        if notebook is None or not await self._connect(notebook):
            return

        async def leave() -> None:
            await upstream.close_when_quiet()
            await self._headless.end()

        self._tasks.start_soon(leave)

    async def _begin(self, *, starts: bool) -> None:
        """Attach to the session that is asked for, or to one that is started for it."""
        if await self._found():
            return
        if not starts or self._choice.session is not None:
            raise not_found(self._choice.session, self._records())
        try:
            async with only_starter(self._choice.workspace):
                if await self._found():  # another agent's, which was started meanwhile
                    return
                await self._headless.begin(self._choice.workspace)
                if not await self._found():
                    raise not_started(f"it does not answer: {self._unanswered}")
        except OSError as failed:
            raise not_started(f"{failed.filename}: {failed.strerror}") from failed

    async def _found(self) -> bool:
        """Attach to the best session that fits the choice and answers. Returns: False where there is none.

        Raises: ServiceFailure SESSION_UNAVAILABLE where a notebook is there that does not answer: it is
        busy, and no other session stands for it.
        """
        candidates = self._candidates()
        for record in candidates:
            if await self._connect(record):
                return True
        silent = [record for record in candidates if not is_headless(record) and record in self._records()]
        if silent:
            raise no_answer(silent[0], self._unanswered)
        return False

    def _candidates(self) -> list[SessionRecord]:
        """The sessions that fit the choice, best first: one may have ended without taking its record away."""
        left = list(self._records())
        ordered = []
        while (record := first(left, self._choice)) is not None:
            ordered.append(record)
            left.remove(record)
        return ordered

    async def _back_by(self, until: float) -> bool:
        """Wait for the world that was lost. Returns: whether it is back.

        until: by `anyio.current_time`; it is looked for once at least.
        """
        assert self._last is not None
        while True:
            record = returned(self._records(), self._last, self._choice)
            if record is not None and await self._connect(record):
                return True
            if anyio.current_time() >= until:
                return False
            await anyio.sleep(_GLANCE)

    async def _connect(self, record: SessionRecord) -> bool:
        """Make a session the one that requests go to. Returns: False when it does not answer.

        Raises: ServiceFailure, what its gateway refuses us with.
        """
        upstream = Upstream(record, self._packs, self._agent, self._changed)
        try:
            await self._tasks.start(upstream.run)
        except NotThere as away:
            self._unanswered = str(away)
            return False
        before, self._upstream, self._last = self._last, upstream, record
        self._tasks.start_soon(self._until_lost, upstream)
        news = news_of(before, record)
        if news:
            self._news.append(news)
        if before is None and not self._tell_all:
            await upstream.watch(self._uris)
            return True
        self._tell_all = False
        await upstream.watch(self._uris)
        await self._all_changed()
        return True

    async def _until_lost(self, upstream: Upstream) -> None:
        """Look for the world again as soon as it is lost, so that changes are sent without a call."""
        await upstream.lost.wait()
        while upstream is self._upstream and not is_headless(upstream.record):
            await anyio.sleep(self._patience / 4)
            async with self._turn:
                if upstream is not self._upstream:
                    return
                try:
                    if await self._back_by(anyio.current_time()):
                        return
                except ServiceFailure as refused:
                    _LOG.warning("the session came back and refuses us: %s", refused.render())
                    return

    # ---- changes ---------------------------------------------------------------------------

    async def watch(self, uris: Collection[str]) -> None:
        """Subscribe to changes of these resources, as often as they are named here."""
        for uri in uris:
            self._uris[uri] = self._uris.get(uri, 0) + 1
        await self._watch_all()

    async def unwatch(self, uris: Collection[str]) -> None:
        """Take back one `watch` of each of these."""
        for uri in uris:
            left = self._uris.get(uri, 0) - 1
            if left > 0:
                self._uris[uri] = left
            else:
                self._uris.pop(uri, None)
        await self._watch_all()

    async def _watch_all(self) -> None:
        if self._upstream is not None:
            await self._upstream.watch(self._uris)
        elif self._uris:  # a client that only listens must see the session that runs, too
            self._tasks.start_soon(self._attach_if_there)

    async def _attach_if_there(self) -> None:
        try:
            await self._attached(starts=False)
        except ServiceFailure as away:
            _LOG.debug("nothing to listen to yet: %s", away.render())

    async def _all_changed(self) -> None:
        """It is another session than before: whatever was read of it is old."""
        for event in (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged()):
            await self._changed(event)
        for uri in tuple(self._uris):
            await self._changed(ResourceUpdated(uri=uri))


def news_of(before: SessionRecord | None, now: SessionRecord) -> str:
    """What to say of a session. before: the one until then, None for the first. Returns: "" for nothing."""
    if before is not None and before.session_id == now.session_id:
        return ""
    if is_headless(now):
        return _without_notebook(now, began_anew=before is not None)
    if before is None:
        return ""
    return _moved(now) if is_headless(before) else _restarted(now)


def _without_notebook(record: SessionRecord, *, began_anew: bool) -> str:
    notice = (
        f"No notebook works in {record.workspace}: you work in a session without one (attached: false). "
        "It moves to a notebook that opens this workspace."
    )
    if began_anew:
        notice += " The session before has ended: what was only defined in it and not saved is gone."
    return notice


def _moved(record: SessionRecord) -> str:
    return (
        "A notebook has opened the workspace: from now on you work in "
        f"{record.notebook or record.session_id} (attached: true). "
        "What was only defined before and not saved in files is not there."
    )


def _restarted(record: SessionRecord) -> str:
    name = record.notebook or record.kernel_id or "this workspace"
    return f"The session of {name} began anew: what earlier cells defined is gone until they run again."
