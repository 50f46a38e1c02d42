"""A session without a notebook, its gateway, and a folder for its record."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.entry_points import session_of
from notebook_ext.gateway.gateway import Gateway
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from tests.notebook_ext.quick_server import quick_server

__all__ = ["PATIENCE", "Told", "Visitor", "quick_server"]

PATIENCE = 60.0


@dataclass(frozen=True)
class Told:
    """What a gateway has answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Visitor:
    """A program that speaks with a gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    def __call__(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        *,
        token: str | None = None,
        **more: str,
    ) -> Told:
        """Ask; token: instead of the right one, "" for none. more: headers, with ``_`` for ``-``."""
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        given = self.gateway.token if token is None else token
        if given:
            headers["Authorization"] = f"Bearer {given}"
        connection = http.client.HTTPConnection("127.0.0.1", self.gateway.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Told(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where records stand."""
    folder = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def session(runtime: Path, workspace: Path) -> Iterator[Session]:
    made = session_of(plain_shell(), folder=workspace)
    yield made
    made.close()


@pytest.fixture
def gateway(session: Session) -> Iterator[Gateway]:
    made = Gateway(session, kernel_id="3f2a9c51", notebook="/projects/shelf/plate.ipynb")
    yield made
    made.close()


@pytest.fixture
def visit(gateway: Gateway) -> Visitor:
    """A visitor of the open gateway."""
    gateway.open()
    return Visitor(gateway)
