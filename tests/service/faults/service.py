"""The real service as a process, seen from outside: its worker, its files, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.service import warm
from tests.service.faults.checkpoints import FOLDER, PATIENCE, Checkpoints, until
from tests.service.faults.peer import Peer
from vcad_kernel.service.front.files.artifacts import is_committed
from vcad_kernel.service.shared.region import Region, State

ROOT = Path(__file__).parents[3]
_MANIFEST = ".manifest.json"
PLUGIN = "tests.service.faults.plugin"

FRAME = "[difference [translate 5 5 -1 [cube 10 10 22]] [cube 20 20 20]]"
"""A model whose figures need no second kernel."""
FRAME_VOLUME = 6000.0


class Service:
    """One service process. folder: its workspace. wrapped: whether it has checkpoints."""

    def __init__(
        self, folder: Path, *, wrapped: bool = True, temp_dir: Path | None = None, **variables: str
    ) -> None:
        self.folder = folder
        self.artifacts = folder / "artifacts" if temp_dir is None else temp_dir
        self.checkpoints = Checkpoints(folder / "checkpoints")
        self.log = folder / f"log-{len(list(folder.glob('log-*')))}"
        self.peers: list[Peer] = []
        environment = {name: text for name, text in os.environ.items() if not name.startswith("VCAD_")}
        environment |= {
            "PYTHONPATH": str(ROOT),
            "VCAD_WORKER_PLUGIN": PLUGIN,
            FOLDER: str(self.checkpoints.folder),
            **variables,
        }
        with self.log.open("wb") as log:
            self.process = warm.Popen(
                [
                    *(sys.executable, "-m"),
                    "tests.service.faults.front" if wrapped else "tests.service.warm_front",
                    *("--port", "0", "--workspace", str(folder), "--temp-dir", str(self.artifacts)),
                    "--allow-worker-plugin",
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert b"listening on" in line, self.log.read_text()
        self.port = int(line.rsplit(b":", 1)[1])
        self.front = psutil.Process(self.process.pid)
        self.memory = next(
            Path(file.path).parent for file in self.front.open_files() if Path(file.path).name == "lock"
        )
        """The folder of its region and meshes."""

    # ---- what it is doing ------------------------------------------------------------------

    def events(self, name: str) -> list[dict[str, Any]]:
        """What its log says of a kind of event."""
        lines = self.log.read_bytes().splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line.startswith(b"{") and line.endswith(b"\n")]
        return [one for one in found if one["event"] == name]

    def _ready(self) -> psutil.Process | None:
        """The worker that has said that it is ready."""
        started = [one["pid"] for one in self.events("worker_started")]
        ended = {one["pid"] for one in self.events("worker_ended")}
        with suppress(psutil.NoSuchProcess):
            if started and started[-1] not in ended:
                process = psutil.Process(started[-1])
                if process.status() != psutil.STATUS_ZOMBIE:
                    return process
        return None

    def worker(self, other_than: psutil.Process | None = None) -> psutil.Process:
        """The worker, once it is ready."""
        found: list[psutil.Process] = []

        def is_there() -> bool:
            process = self._ready()
            if process is None or process == other_than:
                return False
            found.append(process)
            return True

        until(is_there, "there is no worker")
        return found[0]

    def state(self, worker: psutil.Process) -> State:
        """Whose turn it is in a worker's region."""
        assert worker == self._ready()
        # each one's region has a higher number than those before
        region = Region.attach(max(self.memory.glob("region-*"), key=lambda file: int(file.name[7:])))
        try:
            return region.state
        finally:
            region.close()

    def held(self, name: str) -> bool:
        """Whether a program is at ``[hold "name"]``."""
        return (self.checkpoints.folder / f"{name}.held").exists()

    def noted(self, name: str) -> str:
        """What a program says with ``[note "name" value]``, once it has said it."""
        file = self.checkpoints.folder / f"{name}.note"
        until(file.exists, f"no program has noted {name}")
        said = file.read_text("utf-8")
        file.unlink()
        return said

    def let_go(self, name: str) -> None:
        (self.checkpoints.folder / f"{name}.go").touch()

    def peer(self, *capabilities: str) -> Peer:
        peer = Peer(self.port, self.folder, *capabilities)
        self.peers.append(peer)
        return peer

    # ---- what it has -----------------------------------------------------------------------

    def meshes(self) -> set[str]:
        """Names of the blocks."""
        return {file.name for file in self.memory.glob("mesh-*")}

    def staged(self) -> list[str]:
        """Files of artifacts that are no part of a published pair."""
        return unpublished(self.artifacts)

    def at_rest(self) -> tuple[int, int, int]:
        """Descriptors, processes and files in memory, once it has nothing to do and no client."""
        self.close_peers()

        def settled() -> bool:
            worker, children = self._ready(), self.front.children()
            if worker is None or children != [worker]:
                return False
            try:
                beside = worker.children(recursive=True)
            except psutil.NoSuchProcess:
                return False  # it has ended meanwhile: another one comes
            # a worker may have a process beside it, for what OpenCASCADE may die of
            return len(beside) <= 1 and len(list(self.memory.glob("region-*"))) == 1

        until(settled, "it does not come to rest")
        return self.front.num_fds(), len(self.front.children()), len(self.meshes())

    def until_at_rest(self, before: tuple[int, int, int]) -> None:
        """Wait until it has no more than before; blocks may be kept for the next mesh."""
        found: list[tuple[int, int, int]] = []

        def same() -> bool:
            found.append(self.at_rest())
            descriptors, processes, blocks = found[-1]
            return descriptors <= before[0] and processes == before[1] and blocks <= before[2] + 1

        until(same, lambda: f"it has kept something: {before} before, {found[-1]} now")
        until(lambda: self.staged() == [], "something half published is left")
        assert not list((self.artifacts / "requested").glob("*/*/*"))

    def close_peers(self) -> None:
        for peer in self.peers:
            peer.close()
        self.peers.clear()

    # ---- its end ---------------------------------------------------------------------------

    def kill(self) -> None:
        """Kill the front and see its worker go with it."""
        family = self.front.children(recursive=True)
        self.process.kill()
        self.process.wait(PATIENCE)
        until(lambda: not any(is_alive(one) for one in family), "its worker has outlived it")

    def end(self, *, told: bool = False) -> int:
        """Have it end in good order, and see that nothing is left of it; its exit status.

        told: it has been told to already.
        """
        family = [] if told else self.front.children(recursive=True)
        locks = [] if told else [Path(file.path) for file in self.front.open_files()]
        if not told:
            self.process.terminate()
        status = self.process.wait(PATIENCE)
        until(lambda: not any(is_alive(one) for one in family), "it has left a process")
        assert not self.memory.exists(), "it has left its folder in memory"
        assert self.staged() == []
        own = [file for file in locks if file.name == "lock" or file.name.startswith(".service-")]
        assert not [file for file in own if file.exists()], "it has left a lock"
        return status

    def close(self) -> None:
        """Leave nothing, however the test has ended."""
        self.close_peers()
        if self.process.poll() is None:
            family = self.front.children(recursive=True)
            for one in family:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
            self.process.kill()
            self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


def is_alive(process: psutil.Process) -> bool:
    try:
        if not process.is_running():
            return False
        # while threads of it are left its sockets are open, though its parent could take note of its end
        return bool(process.status() != psutil.STATUS_ZOMBIE or process.num_threads() > 1)
    except psutil.NoSuchProcess:
        return False


def kill(process: psutil.Process) -> None:
    """kill -9, and wait until it is gone. A stopped one is killed as well."""
    process.send_signal(signal.SIGKILL)
    until(lambda: not is_alive(process))


def unpublished(artifacts: Path) -> list[str]:
    """Files in a folder of artifacts that belong to no published pair."""
    if not artifacts.is_dir():
        return []
    bases = [
        file.with_name(file.name.removesuffix(".manifest.json")) for file in artifacts.glob("*.manifest.json")
    ]
    committed = {base.name for base in bases if is_committed(base)}
    pairs = {name + suffix for name in committed for suffix in (".dae", _MANIFEST)}
    files = {file.name for file in artifacts.iterdir() if file.is_file() and not file.name.startswith(".")}
    return sorted(files - pairs)


def goes_on(service: Service) -> None:
    """Somebody's next request works."""
    peer = service.peer("mesh.shm")
    result = peer.result(peer.eval(FRAME, artifact=True))
    assert result["volume"] == pytest.approx(FRAME_VOLUME)
    assert is_committed(Path(result["obj_path"]).with_suffix(""))


@contextmanager
def running(folder: Path, **options: Any) -> Iterator[Service]:
    """A service that is gone in the end."""
    service = Service(folder, **options)
    try:
        yield service
    finally:
        service.close()
