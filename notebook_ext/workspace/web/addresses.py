"""Which addresses of the network an agent may reach: public ones, named once and then held to.

A name is resolved once and the connection goes to that very address, so that a second answer of the name
server cannot lead into the local network. Knows no HTTP.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Resolver", "Target", "host_of", "is_public", "resolved_by_system", "target_of"]

Resolver: TypeAlias = Callable[[str, int], list[str]]
"""(host, port) → its addresses. Raises: OSError when there is none."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_LONGEST: Final = 2048
_MOST: Final = 4
"""Addresses of a name that are tried."""
_OPEN: Final = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is routed in the open network."""
_CLOSED: Final = tuple(
    map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "2001::/23", "2001:db8::/32"))
)
"""Of special use, though some versions of Python call them global."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads, settled."""

    scheme: str
    host: str
    """As the request names it and as its certificate must name it."""
    port: int
    address: str
    """What is connected to."""
    path: str
    """With its query, as it is asked for."""
    others: tuple[str, ...] = ()
    """What is connected to where the first does not answer."""

    @property
    def host_header(self) -> str:
        """The host as the request names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def resolved_by_system(host: str, port: int) -> list[str]:
    """The addresses of a name as this machine resolves it."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def is_public(address: str) -> bool:
    """Whether an address is one of the open network: not private, loopback, link-local or multicast.

    An IPv6 address that wraps an IPv4 one is as public as that is.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if int(parsed) >> 32 == 0:  # the old form, ::127.0.0.1
            inner = ipaddress.IPv4Address(int(parsed))
        if inner is not None:
            return is_public(str(inner))
        if parsed not in _OPEN:
            return False
    if any(parsed in network for network in _CLOSED):
        return False
    return parsed.is_global and not parsed.is_multicast


async def target_of(
    url: str, resolve: Callable[[str, int], Awaitable[list[str]]], *, operation: str, own: bool = False
) -> Target:
    """Where a URL leads, its name resolved.

    resolve: as `Resolver`, and may raise TimeoutError. own: the person's own choice, which may be local.
    Raises: ServiceFailure INVALID_PARAMS for what is not allowed, CONNECTION_FAILED for an unknown name,
    CONNECTION_TIMEOUT.
    """
    scheme, host, port, path = _taken_apart(url, operation)
    try:
        addresses = await resolve(host, port)
    except TimeoutError:
        raise ServiceFailure(
            ErrorCode.CONNECTION_TIMEOUT,
            f"the name {host} was not found in time",
            details={"host": host, "port": port, "operation": operation},
        ) from None
    except OSError as failed:
        addresses = []
        reason = failed.strerror or str(failed)
    else:
        reason = "the name has no address"
    if not addresses:
        raise ServiceFailure(
            ErrorCode.CONNECTION_FAILED,
            f"cannot find {host}: {reason}",
            details={"host": host, "port": port, "operation": operation},
        )
    if not own and not all(is_public(address) for address in addresses):
        raise _refused(url, "it leads to this machine or into its own network", operation)
    return Target(scheme, host, port, addresses[0], path, tuple(addresses[1:_MOST]))


def host_of(url: str, *, operation: str) -> str:
    """The host of a URL as name servers are asked for it, in ASCII.

    Raises: ServiceFailure INVALID_PARAMS for a URL that is not fetched whatever its name leads to.
    """
    return _taken_apart(url, operation)[1]


def _taken_apart(url: str, operation: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path with query. Raises: ServiceFailure INVALID_PARAMS."""
    try:
        if len(url) > _LONGEST or any(ord(letter) <= 32 or ord(letter) == 127 for letter in url):
            raise ValueError("it holds spaces or is too long")
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
        host = (parts.hostname or "").encode("idna" if not _is_address(parts.hostname) else "ascii").decode()
    except (ValueError, UnicodeError) as wrong:
        raise _refused(url, f"it cannot be read: {wrong}", operation) from None
    if parts.scheme not in _DEFAULT_PORTS or not host:
        raise _refused(url, "only http and https are fetched", operation)
    if parts.username is not None or parts.password is not None:
        raise _refused(url, "it holds a user's name or password", operation)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii():
        from urllib.parse import quote

        path = quote(path, safe="%/?:@!$&'()*+,;=~-._[]")
    return parts.scheme, host, port, path


def _is_address(host: str | None) -> bool:
    try:
        ipaddress.ip_address((host or "").partition("%")[0])
    except ValueError:
        return False
    return True


def _refused(url: str, why: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{url[:200]!r} is not fetched: {why}",
        fix="name a public http or https address",
        details={"path": "url", "expected": "a public http(s) URL", "operation": operation},
    )
