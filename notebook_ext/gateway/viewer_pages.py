"""The page ``/viewer``: the viewer in a window of its own, with all that it loads from here.

Nothing of the session is in it; the token stands behind the link's ``#``, which no server sees. And
``/viewer/parts``, by which `vcad view` has a running session show a file. Knows HTTP and the bundle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.viewer.bundle import program
from notebook_ext.viewer.shells import page
from vcad_kernel.errors import ErrorCode, VcadError

__all__ = ["viewer_pages"]

_START: Final = """import { mountPage } from "./viewer.js";
mountPage(document.getElementById("vcad-viewer"), { relay: "relay" });
"""


class _Show(msgspec.Struct):
    """What is asked for: a file, by its path in the workspace."""

    file: str


def viewer_pages(port: int, show: Callable[[str], str]) -> list[Route]:
    """The routes.

    port: the gateway's. show: has viewers show a file of the workspace, for programs with the agents' token;
    gives the part's name. Raises: VcadError, LoonCellFailed.
    """
    rules = "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",  # of elements, which three.js and preact set
            f"connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    headers = {
        "Content-Security-Policy": rules,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }

    async def start(_: Request) -> Response:
        return Response(_START, media_type="text/javascript", headers=headers)

    async def module(_: Request) -> Response:
        try:
            return Response(program(), media_type="text/javascript", headers=headers)
        except VcadError as missing:
            body = {"error": missing.render(), "error_code": str(missing.error_code)}
            return JSONResponse(body, 503, headers=headers)

    async def shell(_: Request) -> Response:
        try:
            program()
        except VcadError as missing:
            return PlainTextResponse(missing.render(), 503, headers=headers)
        return Response(page(), media_type="text/html", headers=headers)

    async def shown(request: Request) -> Response:
        try:
            asked = msgspec.json.decode(await request.body(), type=_Show)
            return JSONResponse({"node_id": await run_in_threadpool(show, asked.file)})
        except (msgspec.MsgspecError, RecursionError) as wrong:
            body = {"error": f"no file is named: {wrong}", "error_code": str(ErrorCode.INVALID_PARAMS)}
        except LoonCellFailed as failed:
            body = {"error": failed.error.render(), "error_code": str(failed.error.error_code)}
        except VcadError as refused:
            body = {"error": refused.render(), "error_code": str(refused.error_code)}
        return JSONResponse(body, 400)

    return [
        Route("/viewer/parts", shown, methods=["POST"]),
        Route("/viewer", shell, methods=["GET"]),
        Route("/viewer/start.js", start, methods=["GET"]),
        Route("/viewer/viewer.js", module, methods=["GET"]),
    ]
