"""What a notebook has said is known again after its worker or its whole service was killed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.service import warm
from tests.service.faults.checkpoints import FOLDER, PATIENCE, Checkpoints, until
from tests.service.faults.service import PLUGIN, ROOT, Service, is_alive, kill
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.questions import FacesOf, FiguresOf
from vcad_kernel.service.requests import EvalCell

CELLS = (
    '[use sizes [thickness]] [println "a cell that talks"]',
    "[let r given] [let wall [thickness 2]]",
    "[let body [difference [cube r r r] [cube [* 2 r] [* 2 r] [* 2 r]]]]",
    "[union [translate 40 0 0 [fillet 1 [cube 6 6 6]]] body]",
)
CHANGED = "[union [translate 50 0 0 [fillet 1 [cube 6 6 6]]] body]"


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path / "checkpoints")


@pytest.fixture
def client(
    tmp_path: Path, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServiceClient]:
    (tmp_path / "sizes.loon").write_text("[pub fn thickness [n] [* n 1.5]]")
    variables = {"VCAD_WORKER_PLUGIN": PLUGIN, FOLDER: str(checkpoints.folder), "PYTHONPATH": str(ROOT)}
    with warm.service_client(
        tmp_path, environment=variables, arguments=("--allow-worker-plugin",)
    ) as started:
        yield started


class Notebook:
    """Cells, run one after the other; the last one's result is told in everything that a user sees."""

    def __init__(self, client: ServiceClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.history: list[CellSource] = []
        self.printed = ""

    def run(self, code: str, *, keep: bool = True, **given: object) -> EvaluationResult:
        cell = CellSource(f"cell-{len(self.history)}", code, bindings=given)
        result = self.client.evaluate(
            EvalCell(code, tuple(self.history), bindings=given, cell_id=cell.cell_id, base_dir=self.folder),
            output=self._print,
        )
        if keep:
            self.history.append(cell)
        return result

    def _print(self, text: str) -> None:
        self.printed += text

    def told(self, code: str) -> Any:
        """What is seen of a cell, exact figures included."""
        result = self.run(code, keep=False)
        (part,) = result.parts
        return (
            result.document_hash,
            result.display,
            part.digest,
            part.mesh.positions.tobytes(),
            part.mesh.indices.tobytes(),
            part.answers.ask(FiguresOf(exact=True), part),
            list(part.answers.ask(FacesOf(), part)),
            {name: one.display for name, one in self.client.definitions().items()},
        )


@pytest.fixture
def notebook(client: ServiceClient, tmp_path: Path) -> Notebook:
    made = Notebook(client, tmp_path)
    for code in CELLS[:-1]:
        made.run(code, given=20.0) if "given" in code else made.run(code)
    return made


def front_of(client: ServiceClient) -> psutil.Process:
    client.ping()
    return psutil.Process(client.background.own_pid)


def worker_of(client: ServiceClient) -> psutil.Process:
    front = front_of(client)
    until(lambda: [one for one in front.children() if is_alive(one)])
    return next(one for one in front.children() if is_alive(one))


VICTIMS: dict[str, Callable[[ServiceClient], psutil.Process]] = {"worker": worker_of, "front": front_of}


@pytest.mark.parametrize("victim", VICTIMS)
def test_between_two_cells(notebook: Notebook, victim: str) -> None:
    before = notebook.told(CELLS[-1])
    printed = notebook.printed
    kill_and_see(notebook.client, victim)
    assert notebook.told(CELLS[-1]) == before
    # what was run again to know it printed nothing
    assert notebook.printed == printed
    assert notebook.told(CHANGED)[0] != before[0]


@pytest.mark.parametrize("victim", VICTIMS)
def test_in_the_middle_of_a_cell(notebook: Notebook, checkpoints: Checkpoints, victim: str) -> None:
    before = notebook.told(CELLS[-1])
    names = set(notebook.client.definitions())
    failed: list[str] = []

    def run() -> None:
        try:
            notebook.run('[let half-done 1] [hold "middle"]', keep=False)
        except VcadError as error:
            failed.append(str(error.error_code))

    running = threading.Thread(target=run)
    running.start()
    until(lambda: (checkpoints.folder / "middle.held").exists())
    kill_and_see(notebook.client, victim)
    running.join(PATIENCE)
    assert failed == ["WORKER_CRASHED" if victim == "worker" else "CONNECTION_FAILED"]
    assert set(notebook.client.definitions()) == names
    assert notebook.told(CELLS[-1]) == before


def kill_and_see(client: ServiceClient, victim: str) -> None:
    if victim == "front":
        front, worker = front_of(client), worker_of(client)
        kill(front)
        until(lambda: not is_alive(worker))
    else:
        front, worker = front_of(client), worker_of(client)
        kill(worker)
        # it takes note of that, and has another one
        until(lambda: any(is_alive(one) and one != worker for one in front.children()))


# ---- answers that are cut off ------------------------------------------------------------------


class Relay:
    """Stands between a client and a service, and cuts the connection after some bytes of answers."""

    def __init__(self, port: int) -> None:
        self._service = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.left: int | None = None
        """Bytes of answers that are passed on; None for all."""
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                service = socket.create_connection(("127.0.0.1", self._service))
                self._sockets += [client, service]
                for pair in ((client, service), (service, client)):
                    thread = threading.Thread(target=self._pass, args=(*pair, pair[0] is service))
                    self._threads.append(thread)
                    thread.start()

    def _pass(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if answers and self.left is not None:
                    data = data[: self.left]
                    self.left -= len(data)
                sink.sendall(data)
                if answers and self.left == 0:
                    self.left = None
                    break
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
        for one in self._sockets:
            one.close()


@pytest.mark.usefixtures("leaves_nothing")
def test_an_answer_that_is_cut_off(service: Service) -> None:
    relay = Relay(service.port)
    try:
        with ServiceClient.connect("127.0.0.1", relay.port, None, service.folder) as client:
            notebook = Notebook(client, service.folder)
            notebook.run("[let r 20]")
            before = notebook.told("[cube r r r]")
            for cut in (1, 2, 100, 1000, 2000):
                relay.left = cut
                with pytest.raises(VcadError) as failed:
                    notebook.run("[cube r r 1]", keep=False)
                assert failed.value.error_code == "CONNECTION_FAILED"
                assert notebook.told("[cube r r r]") == before
    finally:
        relay.close()
