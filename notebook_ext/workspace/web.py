"""Read one page of the open network: text, up to 2 MiB, without cookies, proxies or what lies in the house.

    page = WebReader().fetch("https://example.org/", operation="fetch_url")

Each step of a redirection is checked like the first. A status that tells of a failure is an answer.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import urljoin

from notebook_ext.workspace.web_addresses import Resolver, Target, resolved_by_system, target_of
from notebook_ext.workspace.web_text import charset_of, is_text
from notebook_ext.workspace.web_wire import Wire, within
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["LARGEST", "Connector", "WebPage", "WebReader"]

LARGEST: Final = 2 * 2**20
"""Bytes of a page that are read."""

Connector: TypeAlias = Callable[[Target, float], socket.socket]
"""(where to, seconds) → a connected socket, with TLS where the target wants it. Raises: OSError."""

_STEPS: Final = 5
_TRY_FOR: Final = 5.0
"""Seconds for one address where there are others."""
_REDIRECTIONS: Final = frozenset({301, 302, 303, 307, 308})


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

    resolve, connect: the ways to the network. timeout_s: for one page with all its redirections.
    """

    def __init__(
        self,
        resolve: Resolver = resolved_by_system,
        connect: Connector | None = None,
        *,
        timeout_s: float = 30.0,
        largest: int = LARGEST,
    ) -> None:
        self._resolve = resolve
        self._connect = _connected if connect is None else connect
        self._timeout_s = timeout_s
        self._largest = largest

    def fetch(
        self,
        url: str,
        *,
        operation: str,
        own: bool = False,
        looked_at: Callable[[], object] = lambda: None,
    ) -> WebPage:
        """Read a page.

        own: the address is the person's own choice and may lie in the house; where it sends on may not.
        looked_at: called between pieces; what it raises ends the reading.
        Raises: ServiceFailure INVALID_PARAMS, UNSUPPORTED_TYPE, CONNECTION_FAILED, CONNECTION_TIMEOUT.
        """
        until = time.monotonic() + self._timeout_s

        def resolve(host: str, port: int) -> list[str]:
            return within(until, lambda: self._resolve(host, port), looked_at)

        for step in range(_STEPS + 1):
            target = target_of(url, resolve, operation=operation, own=own and step == 0)
            page = self._asked(url, target, until, operation, looked_at)
            if isinstance(page, WebPage):
                return page
            url = page
        raise ServiceFailure(
            ErrorCode.CONNECTION_FAILED,
            f"{target.host} sends on more than {_STEPS} times",
            details={"host": target.host, "port": target.port, "operation": operation},
        )

    def _asked(
        self, url: str, target: Target, until: float, operation: str, looked_at: Callable[[], object]
    ) -> WebPage | str:
        """The page, or where it is now."""
        try:
            with self._connected(target, until, looked_at) as connected:
                connection = http.client.HTTPConnection(target.host, target.port)
                # the part of a socket that is used of it
                connection.sock = Wire(connected, until, looked_at)
                connection.putrequest("GET", target.path, skip_host=True, skip_accept_encoding=True)
                for name, value in (
                    ("Host", target.host_header),
                    ("User-Agent", "vcad-workbench"),
                    ("Accept", "text/*, application/json, application/xml;q=0.9"),
                    ("Accept-Encoding", "identity"),
                    ("Connection", "close"),
                ):
                    connection.putheader(name, value)
                connection.endheaders()
                with connection.getresponse() as response:
                    return self._page(url, response, operation)
        except TimeoutError:
            raise ServiceFailure(
                ErrorCode.CONNECTION_TIMEOUT,
                f"{target.host} did not send the page within {self._timeout_s:g} s",
                details={"host": target.host, "port": target.port, "operation": operation},
            ) from None
        except (OSError, http.client.HTTPException) as failed:
            raise ServiceFailure(
                ErrorCode.CONNECTION_FAILED,
                f"{target.host} could not be read: {failed or type(failed).__name__}",
                details={"host": target.host, "port": target.port, "operation": operation},
            ) from failed

    def _connected(self, target: Target, until: float, looked_at: Callable[[], object]) -> socket.socket:
        """A connection to the first of the target's addresses that answers. Raises: OSError."""
        addresses = (target.address, *target.others)
        for number, address in enumerate(addresses):
            looked_at()
            left = max(0.1, until - time.monotonic())
            last = number == len(addresses) - 1
            try:
                return self._connect(replace(target, address=address), left if last else min(left, _TRY_FOR))
            except ssl.SSLCertVerificationError:
                raise
            except OSError:
                if last:
                    raise
        raise AssertionError("a target has an address")

    def _page(self, url: str, response: http.client.HTTPResponse, operation: str) -> WebPage | str:
        location = response.getheader("Location")
        if response.status in _REDIRECTIONS and location:
            # a header comes as Latin-1; what stands in it outside of ASCII is mostly UTF-8
            plain = location.encode("latin-1", "replace").decode("utf-8", "replace")
            try:
                return urljoin(url, plain.strip())
            except ValueError:
                return plain
        content_type = response.getheader("Content-Type") or ""
        encoding = (response.getheader("Content-Encoding") or "identity").lower()
        if not is_text(content_type) or encoding != "identity":
            what = content_type if encoding == "identity" else f"packed as {encoding}"
            raise _no_text(url, what, operation)
        data = bytearray()
        while len(data) <= self._largest and (piece := response.read1(65536)):
            data += piece
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


def _connected(target: Target, seconds: float) -> socket.socket:
    plain = socket.create_connection((target.address, target.port), timeout=seconds)
    if target.scheme != "https":
        return plain
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=target.host)
    except BaseException:
        plain.close()
        raise
