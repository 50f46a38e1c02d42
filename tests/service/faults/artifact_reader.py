"""Somebody who looks at the artifacts all the time, as the bridge to another program does."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from vcad_kernel.service.front.files.artifacts import is_committed

__all__ = ["ArtifactReader"]

_MANIFEST = ".manifest.json"


class ArtifactReader:
    """Reads whatever is committed in a folder, over and over, from its start to `close`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: set[str] = set()
        """Pairs that were read whole."""
        self.faults: list[str] = []
        """What was visible and not whole."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="artifact reader")
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(0.001):
            for manifest in list(self.folder.glob("*" + _MANIFEST)) + list(self.folder.glob("*.dae")):
                base = manifest.with_name(manifest.name.removesuffix(_MANIFEST).removesuffix(".dae"))
                if is_committed(base):
                    # the pair may have had its time meanwhile, and be removed
                    with suppress(FileNotFoundError):
                        self._look(base)

    def _look(self, base: Path) -> None:
        mesh = base.with_name(base.name + ".dae")
        data = mesh.read_bytes()
        text = base.with_name(base.name + _MANIFEST).read_text("utf-8")
        if not data.rstrip().endswith(b"</COLLADA>"):
            self.faults.append(f"{mesh.name} has {len(data)} bytes and no end")
        try:
            told = json.loads(text)
        except ValueError as bad:
            self.faults.append(f"{base.name}{_MANIFEST}: {bad}")
            return
        if told["obj_path"] != str(mesh) or told["volume"] is None:
            self.faults.append(f"{base.name}{_MANIFEST} is of something else")
        self.read.add(base.name)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()

    def __enter__(self) -> ArtifactReader:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.close()
