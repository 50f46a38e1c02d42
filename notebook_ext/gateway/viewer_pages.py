"""The page ``/viewer``: the viewer in a window of its own, with all that it loads from here.

Nothing of the session is in it; the token stands behind the link's ``#``, which no server sees. Knows HTTP
and the bundle.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from notebook_ext.viewer.bundle import program
from notebook_ext.viewer.shells import page
from vcad_kernel.errors import VcadError

__all__ = ["viewer_pages"]

_START: Final = """import { mountPage } from "./viewer.js";
mountPage(document.getElementById("vcad-viewer"), { relay: "relay" });
"""


def viewer_pages(port: int) -> list[Route]:
    """The routes. port: the gateway's."""
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

    return [
        Route("/viewer", shell, methods=["GET"]),
        Route("/viewer/start.js", start, methods=["GET"]),
        Route("/viewer/viewer.js", module, methods=["GET"]),
    ]
