"""Read one page of the open network: text, up to 2 MiB, without cookies, proxies or the local network.

    page = WebReader().fetch("https://example.org/", operation="fetch_url")

Each step of a redirection is checked like the first. A status that reports a failure is an answer. httpcore2
speaks HTTP: it follows nothing, keeps nothing and looks at no setting of the environment by itself.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from notebook_ext.workspace.web.addresses import Resolver, Target, resolved_by_system, target_of
from notebook_ext.workspace.web.text import charset_of, is_text
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from httpcore2 import AsyncNetworkBackend, Response

__all__ = ["LARGEST", "WebPage", "WebReader"]

LARGEST: Final = 2 * 2**20
"""Bytes of a page that are read."""

_STEPS: Final = 5
_TRY_FOR: Final = 5.0
"""Seconds for one address where there are others."""
_LOOK_EVERY: Final = 0.25
"""Seconds between two looks at whether the caller has cancelled."""
_REDIRECTIONS: Final = frozenset({301, 302, 303, 307, 308})
_HEADERS: Final = (
    ("User-Agent", "vcad-workbench"),
    ("Accept", "text/*, application/json, application/xml;q=0.9"),
    ("Accept-Encoding", "identity"),
    ("Connection", "close"),
)


@dataclass(frozen=True, slots=True)
class WebPage:
    """What came."""

    url: str
    """After redirections."""
    status: int
    content_type: str
    text: str
    truncated: bool


class WebReader:
    """Fetches pages.

    resolve, network: the ways to the network; None for the machine's own. timeout_s: for one page with all
    its redirections, however slowly it comes. look_every: seconds.
    """

    def __init__(
        self,
        resolve: Resolver = resolved_by_system,
        network: AsyncNetworkBackend | None = None,
        *,
        timeout_s: float = 30.0,
        largest: int = LARGEST,
        look_every: float = _LOOK_EVERY,
    ) -> None:
        self._resolve = resolve
        self._network = network
        self._timeout_s = timeout_s
        self._largest = largest
        self._look_every = look_every

    def fetch(
        self,
        url: str,
        *,
        operation: str,
        own: bool = False,
        looked_at: Callable[[], object] = lambda: None,
    ) -> WebPage:
        """Read a page; in a thread without an event loop, as tools are run.

        own: the address is the person's own choice and may be local; where it sends on may not.
        looked_at: called a few times a second; what it raises ends the reading.
        Raises: ServiceFailure INVALID_PARAMS, UNSUPPORTED_TYPE, CONNECTION_FAILED, CONNECTION_TIMEOUT.
        """

        async def looking() -> WebPage:
            reading = asyncio.create_task(self._read(url, operation, own=own))
            while not reading.done():
                looked_at()
                await asyncio.wait({reading}, timeout=self._look_every)
            return reading.result()

        return asyncio.run(looking())  # which ends what is still being read

    async def _read(self, url: str, operation: str, *, own: bool) -> WebPage:
        until = asyncio.get_running_loop().time() + self._timeout_s

        async def resolve(host: str, port: int) -> list[str]:
            async with asyncio.timeout_at(until):
                return await self._resolved(host, port)

        for step in range(_STEPS + 1):
            target = await target_of(url, resolve, operation=operation, own=own and step == 0)
            at = {"host": target.host, "port": target.port, "operation": operation}
            try:
                async with asyncio.timeout_at(until):
                    page = await self._asked(url, target, operation)
            except TimeoutError:
                raise ServiceFailure(
                    ErrorCode.CONNECTION_TIMEOUT,
                    f"{target.host} did not send the page within {self._timeout_s:g} s",
                    details=at,
                ) from None
            except OSError as failed:
                raise ServiceFailure(
                    ErrorCode.CONNECTION_FAILED, f"{target.host} could not be read: {failed}", details=at
                ) from failed
            if isinstance(page, WebPage):
                return page
            url = page
        raise ServiceFailure(
            ErrorCode.CONNECTION_FAILED, f"{target.host} sends on more than {_STEPS} times", details=at
        )

    async def _resolved(self, host: str, port: int) -> list[str]:
        """The addresses of a name, looked up in a thread that is not waited for: it cannot be interrupted."""
        answer: Future[list[str]] = Future()
        answer.set_running_or_notify_cancel()

        def look_up() -> None:
            try:
                answer.set_result(self._resolve(host, port))
            except (OSError, ValueError) as wrong:
                answer.set_exception(wrong)

        Thread(target=look_up, name="vcad-web-name", daemon=True).start()
        return await asyncio.wrap_future(answer)

    async def _asked(self, url: str, target: Target, operation: str) -> WebPage | str:
        """The page, or where it is now, from the first address that answers. Raises: OSError."""
        import httpcore2 as http

        context = ssl.create_default_context() if target.scheme == "https" else None
        addresses = [target.address, *target.others]
        while True:
            address = addresses.pop(0)
            origin = http.Origin(target.scheme.encode(), address.encode(), target.port)
            place = http.URL(scheme=origin.scheme, host=address, port=target.port, target=target.path)
            # connected to the address; the certificate must be of the name
            how = {"sni_hostname": target.host, "timeout": {"connect": _TRY_FOR if addresses else None}}
            headers = [("Host", target.host_header), *_HEADERS]
            try:
                async with (
                    http.AsyncHTTPConnection(
                        origin, ssl_context=context, network_backend=self._network
                    ) as connection,
                    connection.stream("GET", place, headers=headers, extensions=how) as response,
                ):
                    return await self._page(url, response, operation)
            except http.TimeoutException as slow:
                if not addresses:
                    raise TimeoutError from slow
            except (http.NetworkError, http.ProtocolError) as failed:
                cause = _cause(failed)
                final = not isinstance(failed, http.ConnectError) or isinstance(
                    cause, ssl.SSLCertVerificationError
                )
                if final or not addresses:
                    raise OSError(str(cause) or type(cause).__name__) from failed

    async def _page(self, url: str, response: Response, operation: str) -> WebPage | str:
        headers = {name.lower(): value.decode("utf-8", "replace") for name, value in response.headers}
        location = headers.get(b"location")
        if response.status in _REDIRECTIONS and location:
            try:
                return urljoin(url, location.strip())
            except ValueError:
                return location
        content_type = headers.get(b"content-type", "")
        encoding = headers.get(b"content-encoding", "identity").lower()
        if not is_text(content_type) or encoding != "identity":
            what = content_type if encoding == "identity" else f"packed as {encoding}"
            raise _no_text(url, what, operation)
        data = bytearray()
        async for piece in response.aiter_stream():
            data += piece
            if len(data) > self._largest:
                break
        content = bytes(data[: self._largest])
        if b"\0" in content[:1024] and "utf-16" not in content_type.lower():
            raise _no_text(url, content_type or "binary", operation)
        text = content.decode(charset_of(content_type, content), errors="replace")
        return WebPage(url, response.status, content_type, text, len(data) > self._largest)


def _no_text(url: str, what: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.UNSUPPORTED_TYPE,
        f"{url[:200]} is no text but {what}",
        fix="only text is fetched",
        details={"operation": operation},
    )


def _cause(failed: BaseException) -> BaseException:
    """What a failure began with, which says most."""
    while failed.__cause__ is not None:
        failed = failed.__cause__
    return failed
