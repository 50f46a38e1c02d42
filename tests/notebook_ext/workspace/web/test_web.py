"""Pages of the network, without a network: names and connections are handed in."""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from httpcore2 import AsyncMockStream, AsyncNetworkBackend, ConnectError, ConnectTimeout

from notebook_ext.workspace.web.addresses import is_public
from notebook_ext.workspace.web.text import charset_of, page_text
from notebook_ext.workspace.web.web import WebPage, WebReader
from tests.steady_clock import SteadyClock
from vcad_kernel.errors import ServiceFailure

PUBLIC = "93.184.216.34"
Make = Callable[..., "Net"]


class Wire(AsyncMockStream):
    """A connection that answers in pieces; remembers what was asked, and by which name TLS was begun."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__([])
        self.pieces = iter(pieces)
        self.reads = 0
        self.sent = b""
        self.tls: tuple[str | None, ssl.SSLContext] | None = None
        self.closed = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        await asyncio.sleep(0)
        self.reads += 1
        return next(self.pieces, b"")

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.sent += buffer

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> Wire:
        self.tls = (server_hostname, ssl_context)
        return self

    async def aclose(self) -> None:
        self.closed = True


class Net(AsyncNetworkBackend):
    """Names, and what each address answers; remembers where connections went and what was asked.

    An answer may be pieces, or what connecting raises.
    """

    def __init__(
        self, names: dict[str, list[str]], answers: Iterable[bytes | Iterable[bytes] | Exception]
    ) -> None:
        self.names = names
        self.answers = list(answers)
        self.asked_names: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.wires: list[Wire] = []

    def resolve(self, host: str, port: int) -> list[str]:
        self.asked_names.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return self.names[host]

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *_: Any, **__: Any
    ) -> Wire:
        self.connected.append((host, port))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        self.wires.append(Wire([answer] if isinstance(answer, bytes) else answer))
        return self.wires[-1]

    def request(self, number: int = 0) -> str:
        return self.wires[number].sent.decode("ascii")


@pytest.fixture
def net() -> Make:
    return lambda names, *answers: Net(names, answers)


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def fetch(net: Net, url: str, **others: object) -> WebPage:
    reader = WebReader(net.resolve, net, largest=1000)
    return reader.fetch(url, operation="fetch_url", **others)  # type: ignore[arg-type]


def test_a_page_is_read_from_the_address_that_was_looked_up_once(net: Make) -> None:
    web = net({"example.org": [PUBLIC]}, answer(b"hello \xe4", Content_Type="text/plain; charset=latin-1"))

    page = fetch(web, "http://example.org:8080/a?b=c#d")

    assert (page.status, page.text, page.truncated) == (200, "hello ä", False)
    assert web.asked_names == ["example.org"]
    assert web.connected == [(PUBLIC, 8080)]
    request = web.request()
    assert request.startswith("GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\n")
    assert "Cookie" not in request


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fec0::1",
        "3fff::1",
        "2001:db8::1",
        "64:ff9b:1::7f00:1",
        "::ffff:0:7f00:1",
        "192.0.0.8",
        "192.88.99.1",
        "198.18.0.1",
        "no address",
    ],
)
def test_addresses_of_this_machine_and_its_network_are_refused(address: str, net: Make) -> None:
    web = net({"inside.example": [PUBLIC, address]})

    with pytest.raises(ServiceFailure) as refused:
        fetch(web, "http://inside.example/")

    assert refused.value.error_code == "INVALID_PARAMS"
    assert refused.value.details == {
        "path": "url",
        "expected": "a public http(s) URL",
        "operation": "fetch_url",
    }
    assert web.connected == []


def test_open_addresses_are_public() -> None:
    assert is_public(PUBLIC)
    assert is_public("2606:2800:220:1:248:1893:25c8:1946")


def test_a_redirection_into_the_house_is_refused(net: Make) -> None:
    web = net(
        {"example.org": [PUBLIC], "localhost": ["127.0.0.1"]},
        answer(b"", "302 Found", Location="http://localhost:8888/api"),
    )

    with pytest.raises(ServiceFailure) as refused:
        fetch(web, "http://example.org/")

    assert refused.value.error_code == "INVALID_PARAMS"
    assert len(web.connected) == 1


def test_a_redirection_is_followed_and_one_without_end_is_not(net: Make) -> None:
    web = net(
        {"a.example": [PUBLIC], "b.example": ["1.1.1.1"]},
        answer(b"", "301 Moved", Location="//b.example/next"),
        answer(b"there", Content_Type="text/plain"),
    )
    assert fetch(web, "http://a.example/").url == "http://b.example/next"

    web = net({"a.example": [PUBLIC]}, *[answer(b"", "302 Found", Location="/again")] * 6)
    with pytest.raises(ServiceFailure) as endless:
        fetch(web, "http://a.example/")
    assert endless.value.error_code == "CONNECTION_FAILED"


def test_a_redirection_to_what_cannot_be_read_is_refused_with_what_it_says(net: Make) -> None:
    web = net({"a.example": [PUBLIC]}, answer(b"", "302 Found", Location="http://[::1/"))

    with pytest.raises(ServiceFailure, match=r"http://\[::1/") as refused:
        fetch(web, "http://a.example/")

    assert refused.value.error_code == "INVALID_PARAMS"


def test_the_persons_own_search_may_be_in_the_house_but_not_where_it_sends_on(net: Make) -> None:
    house = {"search.local": ["192.168.0.2"]}
    web = net(house, answer(b"{}", Content_Type="application/json"))
    assert fetch(web, "http://search.local/", own=True).text == "{}"

    web = net(house, answer(b"", "302 Found", Location="http://search.local/x"))
    with pytest.raises(ServiceFailure):
        fetch(web, "http://search.local/", own=True)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "example.org",
        "http://",
        "http://user:word@example.org/",
        "http://example.org:99999/",
        "http://exa mple.org/",
        "http://example.org/\r\nX: y",
        "http://[::1/",
        "http://" + "a" * 3000 + ".org/",
    ],
)
def test_what_is_no_plain_address_of_a_page_is_refused(url: str, net: Make) -> None:
    web = net({"example.org": [PUBLIC]})

    with pytest.raises(ServiceFailure) as refused:
        fetch(web, url)

    assert refused.value.error_code == "INVALID_PARAMS"
    assert web.connected == []


def test_a_name_that_is_not_there_and_a_connection_that_fails_are_told(net: Make) -> None:
    web = net({})
    with pytest.raises(ServiceFailure) as unknown:
        fetch(web, "http://nowhere.example/")
    assert unknown.value.error_code == "CONNECTION_FAILED"
    assert unknown.value.details["host"] == "nowhere.example"

    for failing, code in (
        (ConnectError("Connection refused"), "CONNECTION_FAILED"),
        (ConnectTimeout("timed out"), "CONNECTION_TIMEOUT"),
    ):
        with pytest.raises(ServiceFailure) as failed:
            fetch(net({"example.org": [PUBLIC]}, failing), "https://example.org/")
        assert failed.value.error_code == code


def test_a_certificate_must_be_of_the_name_and_not_of_the_address(net: Make) -> None:
    web = net({"example.org": [PUBLIC]}, answer(b"there", Content_Type="text/plain"))

    fetch(web, "https://example.org/")

    assert web.connected == [(PUBLIC, 443)]
    assert web.request().startswith("GET / HTTP/1.1\r\nHost: example.org\r\n")
    [wire] = web.wires
    assert wire.tls is not None
    name, context = wire.tls
    assert name == "example.org"
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED


@pytest.fixture
def secure_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server on this machine, trusted, whose certificate is of right.example; it answers two visitors."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "trusted.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "trusted.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("right.example").configure_cert(context)
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for _ in range(2):
            visitor = listening.accept()[0]
            try:
                with context.wrap_socket(visitor, server_side=True) as connected:
                    connected.recv(65536)
                    connected.sendall(answer(b"there", Content_Type="text/plain"))
            except OSError:  # the visitor does not trust us
                visitor.close()

    serving = threading.Thread(target=serve)
    serving.start()
    yield listening.getsockname()[1]
    serving.join(10)
    listening.close()


def test_a_server_with_a_certificate_of_another_name_is_not_read(secure_port: int) -> None:
    reader = WebReader(lambda host, port: ["127.0.0.1"])

    page = reader.fetch(f"https://right.example:{secure_port}/", operation="fetch_url", own=True)
    with pytest.raises(ServiceFailure, match="CERTIFICATE_VERIFY_FAILED") as wrong:
        reader.fetch(f"https://wrong.example:{secure_port}/", operation="fetch_url", own=True)

    assert page.text == "there"
    assert wrong.value.error_code == "CONNECTION_FAILED"


def test_no_proxy_of_the_environment_is_used(net: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://10.0.0.1:3128")
    web = net({"example.org": [PUBLIC]}, answer(b"there", Content_Type="text/plain"))

    fetch(web, "http://example.org/")

    assert web.connected == [(PUBLIC, 80)]


def test_a_server_that_speaks_no_http_is_told(net: Make) -> None:
    with pytest.raises(ServiceFailure) as failed:
        fetch(net({"x.example": [PUBLIC]}, b"220 smtp ready\r\n"), "http://x.example/")

    assert failed.value.error_code == "CONNECTION_FAILED"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Type": "image/png"}, b"x"),
        ({"Content_Type": "application/octet-stream"}, b"x"),
        ({"Content_Type": "text/html", "Content_Encoding": "gzip"}, b"x"),
        ({}, b"ELF\0\0"),
    ],
)
def test_what_is_no_text_is_refused(headers: dict[str, str], body: bytes, net: Make) -> None:
    with pytest.raises(ServiceFailure) as refused:
        fetch(net({"x.example": [PUBLIC]}, answer(body, **headers)), "http://x.example/")

    assert refused.value.error_code == "UNSUPPORTED_TYPE"


def test_a_long_page_is_cut_and_a_failure_of_the_server_is_an_answer(net: Make) -> None:
    web = net({"x.example": [PUBLIC]}, answer(b"x" * 5000, "404 Not Found", Content_Type="text/plain"))

    page = fetch(web, "http://x.example/")

    assert (page.status, len(page.text), page.truncated) == (404, 1000, True)


def test_a_page_that_breaks_off_is_not_taken_for_a_whole_one(net: Make) -> None:
    web = net({"x.example": [PUBLIC]}, answer(b"half", Content_Type="text/plain", Content_Length="8"))

    with pytest.raises(ServiceFailure) as failed:
        fetch(web, "http://x.example/")

    assert failed.value.error_code == "CONNECTION_FAILED"


def test_a_caller_that_gives_up_is_heard_while_a_page_is_read(net: Make) -> None:
    def give_up() -> None:
        raise KeyboardInterrupt

    web = net({"x.example": [PUBLIC]}, answer(b"x", Content_Type="text/plain"))
    with pytest.raises(KeyboardInterrupt):
        fetch(web, "http://x.example/", looked_at=give_up)


def test_html_is_read_as_text_with_its_links() -> None:
    page = page_text(
        "<html><head><title>A &amp; B</title><style>x{}</style></head><body><h1>Head</h1><p>One  two"
        "<script>no()</script><br>three</p><a href='/x'>the <b>link</b></a><a href='javascript:1'>no</a>",
        "https://example.org/y/",
    )

    assert page.title == "A & B"
    assert page.text == "Head\n\nOne two\nthree\nthe linkno"
    assert [(one.text, one.url) for one in page.links] == [("the link", "https://example.org/x")]


def test_an_encoding_is_taken_from_the_header_the_page_or_is_utf_8() -> None:
    assert charset_of("text/html; charset=ISO-8859-1", b"") == "iso8859-1"
    assert charset_of("text/html", b'<meta charset="windows-1252">') == "cp1252"
    assert charset_of("text/html; charset=nonsense", b"") == "utf-8"
    assert charset_of("", b"") == "utf-8"


@pytest.mark.parametrize("codec", ["zlib", "hex", "idna", "punycode", "undefined", "unicode_escape", "a\0b"])
def test_what_python_calls_a_codec_but_is_no_encoding_of_text_is_not_used(codec: str) -> None:
    assert charset_of(f"text/html; charset={codec}", b"") == "utf-8"


@pytest.mark.parametrize("silent", [ConnectError("Network is unreachable"), ConnectTimeout("timed out")])
def test_the_next_address_of_a_name_is_tried_where_one_does_not_answer(silent: Exception, net: Make) -> None:
    web = net(
        {"x.example": ["2606:2800:220:1::1", PUBLIC]},
        silent,
        answer(b"there", Content_Type="text/plain"),
    )

    page = fetch(web, "http://x.example/")

    assert page.text == "there"
    assert [address for address, _ in web.connected] == ["2606:2800:220:1::1", PUBLIC]


@pytest.mark.parametrize(
    "drip", [b"x", b"HTTP/1.1 100 Continue\r\n\r\n", b"X: y\r\n"], ids=["status", "continue", "header"]
)
def test_a_server_that_sends_a_little_now_and_then_does_not_hold_the_reader(
    drip: bytes, net: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each read gives something, so that no timeout of the connection alone would ever come
    def dripping() -> Iterator[bytes]:
        if drip.startswith(b"X"):
            yield b"HTTP/1.1 200 OK\r\n"
        yield from itertools.repeat(drip, 20)
        steady = SteadyClock()
        steady.advance(60)
        monkeypatch.setattr(asyncio.get_running_loop(), "time", steady)
        yield from itertools.repeat(drip)

    web = net({"x.example": [PUBLIC]}, dripping())

    with pytest.raises(ServiceFailure) as slow:
        WebReader(web.resolve, web, timeout_s=60).fetch("http://x.example/", operation="fetch_url")

    # a line that is too long, or too many of them, may end it before
    assert slow.value.error_code in {"CONNECTION_TIMEOUT", "CONNECTION_FAILED"}
    assert web.wires[0].reads > 2
    assert web.wires[0].closed


def test_a_caller_that_gives_up_is_heard_while_a_server_says_nothing(net: Make) -> None:
    class Silent(Wire):
        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            return await asyncio.get_running_loop().create_future()

    class Silence(Net):
        async def connect_tcp(self, *_: Any, **__: Any) -> Wire:
            self.wires.append(Silent([]))
            return self.wires[-1]

    web = Silence({"x.example": [PUBLIC]}, [])

    def look() -> None:
        if web.wires and web.wires[0].sent:
            raise InterruptedError("given up")

    with pytest.raises(InterruptedError):
        WebReader(web.resolve, web, look_every=0.01).fetch("http://x.example/", operation="x", looked_at=look)
    assert web.wires[0].closed


def test_a_name_server_that_does_not_answer_is_not_waited_for() -> None:
    asked = threading.Event()
    end = threading.Event()

    def resolve(host: str, port: int) -> list[str]:
        asked.set()
        end.wait(60)
        return [PUBLIC]

    try:
        with pytest.raises(ServiceFailure) as slow:
            WebReader(resolve, timeout_s=0.05).fetch("http://x.example/", operation="fetch_url")
        assert asked.wait(60)
    finally:
        end.set()
    assert slow.value.error_code == "CONNECTION_TIMEOUT"


def test_a_redirection_may_be_written_in_utf_8(net: Make) -> None:
    web = net(
        {"a.example": [PUBLIC]},
        answer(b"", "301 Moved", Location="/träger").decode().encode("utf-8"),
        answer(b"there", Content_Type="text/plain"),
    )
    fetch(web, "http://a.example/")

    assert web.request(1).startswith("GET /tr%C3%A4ger HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "piece",
    ["<a ", "<!--", "</", "<?", "<a href=x ", "<![CDATA[", "</a ", "<!doctype [", "<![", "<", "<a x='"],
)
def test_what_is_written_to_hold_a_reader_up_takes_no_longer_than_its_length(piece: str) -> None:
    class Counting(str):
        """A text that counts what is looked for in it."""

        __slots__ = ()
        looks = 0

        def find(self, *args: object) -> int:  # type: ignore[override]
            Counting.looks += 1
            return str.find(self, *args)  # type: ignore[arg-type]

    count = 20_000
    page_text(Counting(piece * count + "x>"), "https://example.org/")

    # a mark that is nowhere ends the search for all others
    assert Counting.looks <= 2 * count + 10


def test_a_page_is_read_as_browsers_do() -> None:
    page = page_text(
        "<TITLE>A</TITLE><title>B</title><script>a<b</script >1<!-- <p>no -->2<svg><p>no<svg></svg></svg>3 "
        "< 4<p title='a>b'>5<style>x</style><br/>6<textarea><b></textarea>"
        "<a href=/y>z</a><a data-href=/n>n</a>"
        "<head><meta><body>7</div></svg>8<p",
        "https://example.org/",
    )

    assert page.title == "A"
    assert page.text.split() == ["123", "<", "4", "5", "6zn7", "8"]
    assert [(one.text, one.url) for one in page.links] == [("z", "https://example.org/y")]
