"""What client and service say to each other, line by line, with what differs between runs left out."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from pathlib import Path

__all__ = ["Recorder", "steady"]

_CHANGING = (
    (
        rb'"(timings_ms)":\{[^}]*\}',
        lambda m: re.sub(rb":[\d.e-]+", b":0", m[0].replace(b'"timings_ms":', b'"timings_ms":', 1)),
    ),
    (rb'"(ms|pid|elapsed_ms)":[\d.e-]+', lambda m: b'"%b":0' % m[1]),
    (rb'"block":"mesh-\d+"', lambda _: b'"block":"BLOCK"'),
    (rb'"path":"[^"]*/mesh-\d+"', lambda _: b'"path":"BLOCK"'),
    (rb'"token":"[^"]*"', lambda _: b'"token":"TOKEN"'),
    (rb'("name":"vcad(?:-client)?","version"):"[^"]*"', lambda m: m[1] + b':"VERSION"'),
    (rb'"request_id":"\d+-[0-9a-f]+-(\d+)"', lambda m: b'"request_id":"CALL-%b"' % m[1]),
    (rb"vcad-service-[^/\"]+/[0-9a-f]{32}", lambda _: b"STAGING"),
    # the last digits of a sum depend on the processor
    (rb"-?\d+\.\d{10,}(?:e-?\d+)?", lambda m: b"%.10g" % _rounded(float(m[0]))),
)


def _rounded(number: float) -> float:
    """What is next to nothing is nothing."""
    return number if abs(number) > 1e-9 else 0.0


def steady(line: bytes, folder: Path) -> str:
    """A line as it is in every run. folder: the workspace."""
    line = line.replace(str(folder).encode(), b"/WORKSPACE").rstrip(b"\n")
    for pattern, put in _CHANGING:
        line = re.sub(pattern, put, line)
    return line.decode()


class Recorder:
    """A proxy before a service: passes every byte on and keeps the lines: ``> ``, ``< ``."""

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self._folder = folder
        self.lines: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._target = (host, port)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            near, _ = self._listener.accept()
            with near, socket.create_connection(self._target) as far:
                back = threading.Thread(target=self._pass_on, args=(far, near, "< "), daemon=True)
                back.start()
                self._pass_on(near, far, "> ")
                back.join(5)

    def _pass_on(self, source: socket.socket, target: socket.socket, mark: str) -> None:
        with suppress(OSError):
            with source.makefile("rb") as lines:
                for line in lines:
                    said = steady(line, self._folder)
                    if '"method":"vcad.progress"' not in said and "vcad.release" not in said:
                        self.lines.append(mark + said)
                    target.sendall(line)
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._listener.close()
        self._thread.join(10)
