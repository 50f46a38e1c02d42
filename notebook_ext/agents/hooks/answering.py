"""Around all routes of the hook API: failures become JSON, and every request is noted with its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from notebook_ext.agents.hooks.refusals import refusal
from notebook_ext.failure import LoonCellFailed
from vcad_kernel.error_envelope import internal_error
from vcad_kernel.errors import ErrorCode, VcadError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Answering"]


class Answering:
    """app: the routes. note: told method, path, status and bytes of the body, once per request.

    fault: told the request and what was raised, where that is a mistake of ours.
    """

    def __init__(
        self,
        app: ASGIApp,
        note: Callable[[str, str, int, int], object],
        fault: Callable[[str, Exception], object],
    ) -> None:
        self._app = app
        self._note = note
        self._fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        status, size = 0, 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            await send(message)

        # the handlers of the application around us would answer first: routes look them up in their scope
        inner = {key: value for key, value in scope.items() if key != "starlette.exception_handlers"}
        try:
            await self._app(inner, receive, counted)
        except Exception as raised:
            if status:
                raise
            failed, body = _failure(raised, scope["path"])
            if body["error_code"] == ErrorCode.INTERNAL_ERROR:
                self._fault(f"{scope['method']} {scope['path']}", raised)
            await JSONResponse(body, failed)(scope, receive, counted)
        finally:
            self._note(scope["method"], scope["path"], status, size)


def _failure(raised: Exception, path: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of whatever went wrong."""
    if isinstance(raised, VcadError | LoonCellFailed):
        return refusal(raised, path)
    if isinstance(raised, HTTPException):
        known = {404: f"there is nothing at {path}", 405: f"{path} does not take this method"}
        said = known.get(raised.status_code, raised.detail)
        code = ErrorCode.METHOD_NOT_FOUND if raised.status_code in known else ErrorCode.INVALID_REQUEST
        return raised.status_code, {"error": said, "error_code": str(code), "details": {"operation": path}}
    found = internal_error(raised, path)
    return 500, {"error": found["message"], "error_code": found["error_code"], "details": found["details"]}
