"""The connection to SketchUp's extension: made when needed, made anew when lost, one call at a time.

    connection = BridgeConnection(BridgeAddress.from_settings(Settings.load(), workspace))
    nodes = connection.call("list_vcad_nodes")

A call whose answer is lost is sent again only when that can do no harm: it changes nothing, nothing of it
had left, or the extension remembers its ``request_id`` and answers from memory. Everything else ends in
UNKNOWN_OUTCOME, and the caller looks at the model first. Knows the protocol, not what a tool means;
types are `bridge.py`'s business.
"""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from notebook_ext.session.log.log import current_agent
from notebook_ext.sketchup.bridge.address import BridgeAddress
from notebook_ext.sketchup.bridge.connection_failures import (
    connection_failed,
    connection_timeout,
    interrupted,
    not_reached,
    response_too_long,
    unknown_outcome,
)
from notebook_ext.sketchup.bridge.handshake import Handshake, hello_params
from notebook_ext.sketchup.bridge.line_channel import LineChannel, NoAnswer, TooLate, TooLong
from notebook_ext.sketchup.bridge.messages import (
    MODEL_FREE,
    SLOW,
    SLOW_SECONDS,
    line_digest,
    may_repeat,
    read_reply,
    request_line,
)
from notebook_ext.sketchup.bridge.peer_errors import failed_result, peer_error
from vcad_kernel.errors import PathRefused, VcadError
from vcad_kernel.service.client.async_client import Backoff

__all__ = ["BridgeAddress", "BridgeConnection"]

Log = Callable[[str, Mapping[str, Any]], None]
"""Takes what happened (``connected``, ``lost``, ``call``) and what there is to say of it.

Of a call: its arguments as they are (the log masks them), and digests of both lines.
"""
Connect = Callable[..., socket.socket]
"""As ``socket.create_connection``."""

_CONNECT_SECONDS: Final = 2.0
_REMEMBERS: Final = "dedupe.request_id"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call, however often it is sent."""

    tool: str
    arguments: Mapping[str, Any]
    request_id: str | None
    seconds: float | None

    @property
    def params(self) -> dict[str, Any]:
        named = {} if self.request_id is None else {"request_id": self.request_id}
        return {"name": self.tool, "arguments": dict(self.arguments), **named}


class BridgeConnection:
    """Calls tools of SketchUp's extension; threads take turns, and each call waits for its answer."""

    def __init__(
        self,
        address: BridgeAddress,
        *,
        clock: Callable[[], float] = time.monotonic,
        connect: Connect = socket.create_connection,
        log: Log | None = None,
    ) -> None:
        self.address = address
        self._clock = clock
        self._connect = connect
        self._log: Log = log or _no_log
        self._turn = threading.Lock()
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._under_way = False
        self._channel: LineChannel | None = None
        self._last_handshake: Handshake | None = None
        self._speaks_for: str | None = None
        """The agent of the last hello; None for the one of the settings."""
        self._used = 0.0
        self._ids = itertools.count(1)
        self._digests: dict[str, Any] = {}
        """Of the call under way: what was sent and what came back last."""

    @property
    def handshake(self) -> Handshake | None:
        """The extension's answer to the last handshake; None before that."""
        return self._last_handshake

    @property
    def spoken_for(self) -> str | None:
        """The agent named in the last handshake; None for the one of the settings."""
        return self._speaks_for

    @property
    def is_open(self) -> bool:
        """Whether the connection stood when it was last used; sends nothing."""
        return self._channel is not None and self._channel.is_usable()

    def ensure_handshake(self, operation: str = "hello") -> Handshake:
        """The same, of a connection that lives now: it is made when there is none.

        Raises: as :meth:`call`, of a failure to connect.
        """
        with self._turn, _UnderWay(self):
            try:
                return self._ready(operation, self.address.timeout)[1]
            except NoAnswer as stopped:
                raise interrupted(operation) from stopped

    def require(self, capability: str, operation: str) -> None:
        """Do nothing if the extension can do this.

        Raises: CapabilityUnavailable; as :meth:`call`, of a failure to connect.
        """
        handshake = self.ensure_handshake(operation)
        if not handshake.supports(capability):
            raise handshake.refusal(capability, operation)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """The result of a tool.

        request_id: lets the extension recognise a call that it has carried out; at most 128 characters.
        timeout: seconds for the answer; None as the settings say, and more for what is slow.
        Raises: VcadError with what the extension answers (also in a result of ``success: false``);
        ServiceFailure of CONNECTION_FAILED and CONNECTION_TIMEOUT when nothing can have been changed, of
        UNKNOWN_OUTCOME when it can, of PAYLOAD_TOO_LARGE or INVALID_PARAMS unsent; Cancelled when it was
        interrupted before it was sent.
        """
        call = _Call(tool, self._complete(tool, arguments or {}), request_id, timeout)
        started = time.monotonic()
        outcome = "interrupted"
        digests: dict[str, Any] = {"request": None, "response": None}
        try:
            with self._turn, _UnderWay(self):
                self._digests = digests
                result = self._answer(call)
            if isinstance(result, dict) and result.get("success") is False:
                raise failed_result(result, tool, self._workspace())
            outcome = "ok"
        except VcadError as error:
            outcome = str(error.error_code)
            raise
        finally:
            named = {} if request_id is None else {"request_id": request_id}
            elapsed = round((time.monotonic() - started) * 1000, 3)
            failed = {} if outcome == "ok" else {"error_code": outcome}
            fields = {"tool": tool, "arguments": dict(call.arguments), **digests}
            self._log("call", {**fields, "elapsed_ms": elapsed, "outcome": outcome, **named, **failed})
        return result

    def interrupt(self) -> None:
        """End the call under way, from another thread: with UNKNOWN_OUTCOME once it was sent.

        Nothing happens when there is none.
        """
        with self._guard:
            if not self._under_way:
                return
            self._stop.set()
            if self._channel is not None:
                self._channel.stop()

    def close(self) -> None:
        """End the connection; the next call makes another."""
        with self._turn:
            self._drop()

    def __enter__(self) -> BridgeConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # one call

    def _answer(self, call: _Call) -> Any:
        """The result of a call, sent as often as its kind allows."""
        left = self.address.retries
        remembered: str | None = None
        while True:
            handshake: Handshake | None = None
            try:
                channel, handshake = self._ready(call.tool, call.seconds)
                if remembered is not None and not _still_remembers(handshake, remembered):
                    raise NoAnswer("the extension was started anew meanwhile", sent=True)
                return self._exchange(
                    channel, "tools/call", call.params, call, self._seconds(call, handshake)
                )
            except NoAnswer as lost:
                self._drop()
                self._log("lost", {"tool": call.tool, "reason": lost.reason, "sent": lost.sent})
                again = left > 0 and not self._stop.is_set()
                left -= 1
                if again and self._may_repeat(call, lost, remembered is not None):
                    continue
                if again and remembered is None and handshake is not None and _remembers(call, handshake):
                    remembered = handshake.started
                    continue
                self._give_up(call, lost, remembered is not None)
            except VcadError as failed:
                if remembered is not None and handshake is None:
                    gone = NoAnswer("the connection could not be made again", sent=True)
                    raise self._unknown(call, gone) from failed
                raise

    @staticmethod
    def _may_repeat(call: _Call, lost: NoAnswer, repeated: bool) -> bool:
        """Whether sending once more can do no harm, and can do good."""
        if not lost.sent:
            return not repeated
        # an extension that has not answered in time is busy, and would get the same request twice
        return may_repeat(call.tool, call.arguments) and not isinstance(lost, TooLate | TooLong)

    def _give_up(self, call: _Call, lost: NoAnswer, repeated: bool) -> NoReturn:
        """Raise what a call without an answer comes to."""
        if self._stop.is_set():
            raise (self._unknown(call, lost) if lost.sent or repeated else interrupted(call.tool)) from lost
        if repeated or (lost.sent and not may_repeat(call.tool, call.arguments)):
            raise self._unknown(call, lost) from lost
        if isinstance(lost, TooLong):
            raise response_too_long(call.tool, lost.size, self.address.max_response) from lost
        if isinstance(lost, TooLate):
            seconds = self._seconds(call, self._last_handshake)
            raise connection_timeout(self.address, call.tool, seconds) from lost
        raise connection_failed(self.address, call.tool, lost.reason) from lost

    def _unknown(self, call: _Call, lost: NoAnswer) -> VcadError:
        details = {"interrupted": True} if self._stop.is_set() else {}
        return unknown_outcome(self.address, call.tool, lost.reason, call.request_id, **details)

    def _exchange(
        self, channel: LineChannel, method: str, params: Mapping[str, Any], call: _Call, seconds: float
    ) -> Any:
        """Send a request and return its result. Raises: NoAnswer; VcadError, as the extension answers."""
        number = next(self._ids)
        limit = None if self._last_handshake is None else self._last_handshake.max_request
        line = request_line(method, params, number, operation=call.tool, limit=limit)
        self._digests["request"], self._digests["response"] = line_digest(line), None
        try:
            answer = channel.exchange(line, seconds)
            self._digests["response"] = line_digest(answer)
            reply = read_reply(answer, number)
        except BaseException:
            self._drop()  # an answer that comes later would be taken for the next one's
            raise
        self._used = self._clock()
        if "error" in reply:
            raise self._without_workspace(peer_error(reply["error"], call.tool, self._workspace()))
        if method != "hello" and self._last_handshake is not None and not self._last_handshake.is_current:
            self._drop()  # an older extension is about to do the same
        return reply["result"]

    # the connection

    def _ready(self, operation: str, seconds: float | None) -> tuple[LineChannel, Handshake]:
        """A channel on which hello was said. Raises: NoAnswer with nothing sent; VcadError."""
        if self._stop.is_set():
            raise NoAnswer("it was stopped", sent=False)
        channel, handshake = self._channel, self._last_handshake
        if channel is not None and handshake is not None:
            rested = self._clock() - self._used > self.address.idle_timeout
            # the handshake names the agent: another one, or the person again, needs another handshake
            if not rested and self._speaks_for == current_agent() and channel.is_usable():
                return channel, handshake
            self._drop()
        # what was never there is not waited for
        tries = 1 if self._last_handshake is None else self.address.retries + 1
        for pause in Backoff(longest=1.0, tries=tries).pauses():
            try:
                return self._handshake(self._open(), operation, seconds)
            except TooLate as late:
                self._drop()
                raise connection_timeout(self.address, operation, self._patience(seconds)) from late
            except (NoAnswer, _NotReached) as lost:
                self._drop()
                if pause is None or self._stop.wait(pause):
                    self._no_handshake(operation, lost)
        raise AssertionError("a backoff ends with None")

    def _no_handshake(self, operation: str, lost: NoAnswer | _NotReached) -> NoReturn:
        if self._stop.is_set():
            raise NoAnswer("it was stopped", sent=False) from lost
        if isinstance(lost, _NotReached):
            raise not_reached(self.address, operation, str(lost)) from lost
        raise connection_failed(self.address, operation, f"it does not answer hello, {lost.reason}") from lost

    def _open(self) -> LineChannel:
        """Raises: _NotReached; NoAnswer when it was interrupted meanwhile."""
        try:
            sock = self._connect((self.address.host, self.address.port), timeout=_CONNECT_SECONDS)
        except (OSError, UnicodeError) as failed:  # a host of which no name can be made, for the latter
            reason = failed.strerror if isinstance(failed, OSError) else None
            raise _NotReached(reason or str(failed) or type(failed).__name__) from failed
        channel = LineChannel(sock, limit=self.address.max_response)
        with self._guard:
            self._channel = channel
            if self._stop.is_set():
                channel.stop()
        return channel

    def _handshake(
        self, channel: LineChannel, operation: str, seconds: float | None
    ) -> tuple[LineChannel, Handshake]:
        call = _Call("hello", {}, None, None)
        self._speaks_for = current_agent()
        params = hello_params(self.address, self._speaks_for)
        try:
            answer = self._exchange(channel, "hello", params, call, self._patience(seconds))
            handshake = Handshake.read(answer)
        except VcadError:
            self._drop()
            raise
        known, self._last_handshake = self._last_handshake, handshake
        if known is not None and known.is_same_server(handshake):
            return channel, handshake  # that it was made anew is not worth an event
        self._log(
            "connected",
            {
                "host": self.address.host,
                "port": self.address.port,
                "operation": operation,
                "server": handshake.name,
                "version": handshake.version,
                "headless": handshake.is_headless,
            },
        )
        return channel, handshake

    def _drop(self) -> None:
        with self._guard:
            channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    # what a call is like

    def _complete(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.address.expected_model is None or tool in MODEL_FREE:
            return arguments
        return {"expected_model_path": self.address.expected_model, **arguments}

    def _patience(self, seconds: float | None) -> float:
        """Seconds for an answer to hello."""
        return self.address.timeout if seconds is None else min(seconds, self.address.timeout)

    def _seconds(self, call: _Call, handshake: Handshake | None) -> float:
        """Seconds for an answer to a call."""
        if call.seconds is not None:
            return call.seconds
        if call.tool in SLOW or (handshake is not None and call.tool in handshake.slow_tools):
            return max(self.address.timeout, SLOW_SECONDS)
        return self.address.timeout

    def _without_workspace(self, error: VcadError) -> VcadError:
        """A refusal of a path says more where the extension has not accepted our workspace at all."""
        handshake, workspace = self._last_handshake, self.address.workspace
        if not isinstance(error, PathRefused) or workspace is None or handshake is None:
            return error
        if handshake.is_current and handshake.workspace is None:
            error.fix = (
                f"SketchUp does not take {workspace} for a workspace: choose a folder that its machine has, "
                "and neither a home folder nor the root of a disk (VCAD_WORKSPACE, SUPEX_WORKSPACE)"
            )
        return error

    def _workspace(self) -> str | None:
        return None if self.address.workspace is None else str(self.address.workspace)


class _UnderWay:
    """While it lasts, an interruption has something to end."""

    def __init__(self, connection: BridgeConnection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._set(True)

    def __exit__(self, *_: object) -> None:
        self._set(False)

    def _set(self, under_way: bool) -> None:
        connection = self._connection
        with connection._guard:
            connection._under_way = under_way
            connection._stop.clear()


class _NotReached(Exception):
    """Nothing listens there; the message says what the system says."""


def _remembers(call: _Call, handshake: Handshake) -> bool:
    """Whether the extension knows this call again, and can be known again itself."""
    return call.request_id is not None and handshake.started is not None and handshake.supports(_REMEMBERS)


def _still_remembers(handshake: Handshake, started: str) -> bool:
    return handshake.started == started


def _no_log(what: str, fields: Mapping[str, Any]) -> None:
    """Where there is no log."""
