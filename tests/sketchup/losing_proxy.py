"""A relay between a client and a server that loses answers when it is told to."""

from __future__ import annotations

import socket
import threading

__all__ = ["LosingProxy"]

LIMIT = 30.0


class LosingProxy:
    """Passes lines on, one connection at a time; ``lose`` answers are heard and not passed on."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LIMIT)
        self.port: int = self._listener.getsockname()[1]
        self.lose = 0
        """How many answers, from now on, are lost together with their connection."""
        self._ended = False
        self._thread = threading.Thread(target=self._serve, name="losing-proxy")

    def __enter__(self) -> LosingProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        with socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT):
            self._thread.join(LIMIT)
        self._listener.close()
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        while not self._ended:
            client, _ = self._listener.accept()
            if self._ended:
                client.close()
                return
            with client, socket.create_connection(("127.0.0.1", self._target), timeout=LIMIT) as server:
                client.settimeout(LIMIT)
                self._relay(client, server)

    def _relay(self, client: socket.socket, server: socket.socket) -> None:
        asked, answered = client.makefile("rb"), server.makefile("rb")
        with asked, answered:
            for line in asked:
                server.sendall(line)
                answer = answered.readline()
                if self.lose and b'"hello"' not in line:
                    self.lose -= 1
                    return
                client.sendall(answer)
