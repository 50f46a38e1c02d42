"""Published pairs: a mesh and the manifest that says what it is, both or neither (service.md §5).

    stage = store.stage("bracket")                 # …/bracket-00000000000000000007.dae.tmp
    ...the worker writes the mesh there...
    mesh, manifest = store.commit(stage, {"node_id": "bracket", ...})

A pair is committed when both files are there and no marker is; `is_committed` alone decides that.
Publication stages both files, writes the marker, renames mesh and manifest, removes the marker. What a
crash leaves in between is cleared by the next service that starts, unless the one that was at it still
lives: each holds a lock, and the marker names its holder. How long pairs are kept is artifact_retention's
business.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcad_kernel.errors import ErrorCode, ExportError, PathRefused, ServiceFailure
from vcad_kernel.system.file_lock import lock
from vcad_kernel.system.files import NO_LINK, UNSHARED, is_own

__all__ = ["MANIFEST", "MESH", "ArtifactStore", "Recovered", "Retention", "StagedPair", "is_committed"]

Clock = Callable[[], float]


class Retention:
    """seconds: how long a pair is kept. pairs: how many at most. steady, calendar: clocks in seconds."""

    def __init__(
        self,
        seconds: float = 3600.0,
        pairs: int = 500,
        *,
        steady: Clock = time.monotonic,
        calendar: Clock = time.time,
    ) -> None:
        self._seconds = seconds
        self._pairs = pairs
        self._steady = steady
        self._calendar = calendar
        self._births: dict[str, float] = {}
        """Name of a pair of this service → when it was published, by the steady clock."""

    def born(self, name: str) -> None:
        """A pair has been published now."""
        self._births[name] = self._steady()

    def expired(self, pairs: Sequence[Path]) -> list[Path]:
        """Those to be removed, of the published pairs' bases, oldest first."""
        names = {base.name for base in pairs}
        self._births = {name: birth for name, birth in self._births.items() if name in names}
        surplus = len(pairs) - self._pairs
        return [base for rank, base in enumerate(pairs) if rank < surplus or self._age(base) > self._seconds]

    def _age(self, base: Path) -> float:
        birth = self._births.get(base.name)
        if birth is not None:
            return self._steady() - birth
        try:
            return self._calendar() - base.with_name(base.name + ".manifest.json").stat().st_mtime
        except OSError:
            return 0.0  # another process has just removed it


MESH: Final = ".dae"
MANIFEST: Final = ".manifest.json"
_PENDING: Final = ".pair.pending"
_STAGED: Final = ".tmp"
_DIGITS: Final = 20
_LAST: Final = 10**_DIGITS - 1
_LONGEST: Final = 100
"""Characters of a name that are kept."""
_PAIR: Final = re.compile(rf"[A-Za-z0-9_-]+-(\d{{{_DIGITS}}})\Z")

Step = Callable[[str], None]
"""Called with each step of a publication before it is made; tests let it fail there."""


def _no_step(_name: str) -> None:
    """Publication as it is."""


def is_committed(base: Path) -> bool:
    """Whether a pair is published. base: its path without any suffix."""
    # the marker last: it is there from before the first of the files until after the second, so a reader
    # that has seen both and then no marker has not looked in between
    return (
        _beside(base, MESH).is_file()
        and _beside(base, MANIFEST).is_file()
        and not _beside(base, _PENDING).exists()
    )


@dataclass(frozen=True, slots=True)
class StagedPair:
    """A pair that no reader sees yet."""

    base: Path
    """Without a suffix."""

    @property
    def path(self) -> Path:
        """Where the mesh is written."""
        return _beside(self.base, MESH + _STAGED)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was cleared at a start."""

    half_pairs: int = 0
    staged_files: int = 0
    markers: int = 0
    pairs: int = 0
    """Of how many pairs that was."""


class ArtifactStore:
    """The pairs of one folder. It is made, mode 0700, when the first pair is staged.

    retention: which pairs are removed, before and after each publication. step: called with each step.
    """

    def __init__(self, root: Path, retention: Retention | None = None, *, step: Step = _no_step) -> None:
        self.root = root
        self._retention = retention or Retention()
        self._step = step
        self._identity = secrets.token_hex(8)
        self._lock = -1
        self._open: dict[str, StagedPair] = {}
        """Name of the base → what this service is publishing."""
        self.written = 0
        """Pairs that this service has published."""
        self.retained = 0
        """Pairs that were there when it looked last: at its start, and with each publication."""
        self.recovered = Recovered()
        if root.is_dir():
            self.recovered = self._recover()
            self.retained = len(self.committed())

    # ---- publishing ------------------------------------------------------------------------

    def stage(self, name: str) -> StagedPair:
        """A new pair. name: what it is called; letters, digits, ``_`` and ``-`` of it are kept.

        Raises: ServiceFailure TEMP_SEQ_EXHAUSTED; PathRefused; ExportError when the folder cannot be used.
        """
        try:
            return self._staged(name)
        except OSError as failed:
            raise self._unwritable(failed) from failed

    def _staged(self, name: str) -> StagedPair:
        self._prepare()
        self._clear_out()
        kept = re.sub(r"[^A-Za-z0-9_-]", "", name)[:_LONGEST] or "part"
        pair = StagedPair(self.root / f"{kept}-{self._next():0{_DIGITS}d}")
        self._checked(pair.path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | UNSHARED
        os.close(os.open(pair.path, flags, 0o600))
        self._open[pair.base.name] = pair
        return pair

    def commit(self, pair: StagedPair, manifest: Mapping[str, Any]) -> tuple[Path, Path]:
        """Publish a pair whose mesh has been written: paths of mesh and manifest.

        manifest: without ``obj_path``, which is filled in. Whatever fails, nothing half-published can be
        seen, and what was staged is removed.
        Raises: ExportError; PathRefused.
        """
        mesh, beside = _beside(pair.base, MESH), _beside(pair.base, MANIFEST)
        marker, staged = _beside(pair.base, _PENDING), _beside(pair.base, MANIFEST + _STAGED)
        naming = _beside(pair.base, _PENDING + _STAGED)
        try:
            for path in (mesh, beside, marker, staged, naming):
                self._checked(path)
            self._step("sync mesh")
            _sync(pair.path)
            self._step("stage manifest")
            _write(staged, canonical({**manifest, "obj_path": str(mesh)}))
            self._step("write marker")
            # under another name at first: a marker that names no service looks like that of a dead service
            _write(naming, self._identity.encode())
            naming.rename(marker)
            _sync(self.root)
            self._step("rename mesh")
            pair.path.rename(mesh)
            self._step("rename manifest")
            staged.rename(beside)
            _sync(self.root)
            self._step("remove marker")
            marker.unlink()
            _sync(self.root)
            self._step("published")
        except OSError as failed:
            self.discard(pair)
            raise self._unwritable(failed) from failed
        self.written += 1
        self._retention.born(pair.base.name)
        del self._open[pair.base.name]
        self._clear_out()
        return mesh, beside

    def _unwritable(self, failed: OSError) -> ExportError:
        reason = failed.strerror or str(failed)
        return ExportError(
            f"the artifact cannot be written to {self.root}: {reason}",
            fix="make room there, or set VCAD_TEMP_DIR to a folder that can be written",
            details={"path": str(self.root), "reason": reason},
        )

    def discard(self, pair: StagedPair) -> None:
        """Remove all there is of a pair that is not published; the marker last."""
        self._open.pop(pair.base.name, None)
        # what cannot be removed now keeps its marker or its suffix, and is cleared at the next start
        with suppress(OSError):
            for suffix in (MESH + _STAGED, MANIFEST + _STAGED, _PENDING + _STAGED, MESH, MANIFEST, _PENDING):
                _beside(pair.base, suffix).unlink(missing_ok=True)
            self._clear_out()

    def committed(self) -> list[Path]:
        """The bases of the published pairs, oldest first."""
        if not self.root.is_dir():
            return []
        bases = {_base(file) for file in self.root.glob("*" + MANIFEST)}
        return sorted((base for base in bases if _sequence(base) and is_committed(base)), key=_sequence)

    def close(self) -> None:
        """Remove what was not published, and give up the lock."""
        for pair in list(self._open.values()):
            self.discard(pair)
        if self._lock >= 0:
            self._lock_file(self._identity).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1

    def _clear_out(self) -> None:
        pairs = self.committed()
        expired = self._retention.expired(pairs)
        self.retained = len(pairs) - len(expired)
        for base in expired:
            # a pair without its mesh is no pair: a reader in between sees none
            _beside(base, MESH).unlink(missing_ok=True)
            _beside(base, MANIFEST).unlink(missing_ok=True)

    # ---- the folder ------------------------------------------------------------------------

    def _prepare(self) -> None:
        if self._lock >= 0 and self.root.is_dir():
            return
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        # a link that leads to a folder of ours may have been laid by another user
        if not (is_own(self.root.stat()) and is_own(self.root.lstat())):
            raise PathRefused(
                f"the folder for artifacts {str(self.root)!r} belongs to somebody else",
                fix="set VCAD_TEMP_DIR to a folder of your own",
                details={"path": str(self.root), "workspace": str(self.root)},
            )
        self.root.chmod(0o700)
        if self._lock >= 0:
            os.close(self._lock)
        # under another name at first: a lock that is not held yet looks like that of a dead service
        making = self.root / f".making-{self._identity}"
        self._lock = os.open(making, os.O_RDWR | os.O_CREAT | UNSHARED, 0o600)
        lock(self._lock, wait=True)
        making.rename(self._lock_file(self._identity))

    def _lock_file(self, identity: str) -> Path:
        return self.root / f".service-{identity}.lock"

    def _next(self) -> int:
        """The next number of the folder, whichever service publishes there."""
        flags = os.O_RDWR | os.O_CREAT | NO_LINK | UNSHARED
        counter = os.open(self.root / ".sequence", flags, 0o600)
        try:
            lock(counter, wait=True)
            text = os.read(counter, 64).decode("ascii", "replace").strip()
            used = [int(text)] if text.isascii() and text.isdigit() else []
            used += [_sequence(_base(file)) for file in self.root.iterdir()]
            number = max(used, default=0) + 1
            if number > _LAST:
                raise ServiceFailure(
                    ErrorCode.TEMP_SEQ_EXHAUSTED,
                    f"the numbers of the artifacts in {self.root} are used up",
                    fix="empty the folder, or set VCAD_TEMP_DIR to another one",
                )
            os.pwrite(counter, f"{number:0{_DIGITS}d}\n".encode(), 0)
            return number
        finally:
            os.close(counter)

    def _checked(self, path: Path) -> None:
        """Refuse what a link has put elsewhere."""
        root = os.path.realpath(self.root)
        if os.path.realpath(path) != os.path.join(root, path.name):  # noqa: PTH118 - beside realpath's own form
            raise PathRefused(
                f"the artifact {path.name!r} would lie outside its folder",
                details={"path": str(path), "workspace": root},
            )

    def _recover(self) -> Recovered:
        """Clear what services that are gone have left half done."""
        half, staged, markers = 0, 0, 0
        bases: set[Path] = set()
        # what lies there first, who lives second: a service locks before it stages, so whatever is found and
        # belongs to no service that lives afterwards belongs to none
        holders = {marker: _holder(marker) for marker in self.root.glob("*" + _PENDING)}
        stages = list(self.root.glob("*" + _STAGED))
        living = self._living()
        for marker, holder in holders.items():
            if holder is None or holder in living:
                continue  # published meanwhile, or being published
            base = _base(marker)
            bases.add(base)
            half += any(_beside(base, suffix).exists() for suffix in (MESH, MANIFEST))
            for suffix in (MESH, MANIFEST):
                _beside(base, suffix).unlink(missing_ok=True)
            for file in (_beside(base, MESH + _STAGED), _beside(base, MANIFEST + _STAGED)):
                staged += file.exists()
                file.unlink(missing_ok=True)
            marker.unlink(missing_ok=True)
            markers += 1
        # without a marker, another service may be staging these just now
        if not living:
            for file in stages:
                staged += file.exists()
                bases.add(_base(file))
                file.unlink(missing_ok=True)
        for base in {_base(file) for file in self.root.iterdir() if _sequence(_base(file))}:
            # looked at twice around the marker: another service may be publishing it meanwhile
            if len(_present(base)) == 1 and not _beside(base, _PENDING).exists() and len(_present(base)) == 1:
                for file in _present(base):
                    file.unlink(missing_ok=True)
                half += 1
                bases.add(base)
        return Recovered(half, staged, markers, len(bases))

    def _living(self) -> set[str]:
        """Who else publishes in this folder."""
        living = set()
        for file in self.root.glob(".service-*.lock"):
            try:
                held = os.open(file, os.O_RDWR | NO_LINK)
            except OSError:
                continue  # its service has just ended
            try:
                lock(held)
            except OSError:
                living.add(file.name.removeprefix(".service-").removesuffix(".lock"))
            else:
                file.unlink(missing_ok=True)
            finally:
                os.close(held)
        return living


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys: the same manifest always gives the same bytes."""
    text = json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _beside(base: Path, suffix: str) -> Path:
    return base.with_name(base.name + suffix)


def _present(base: Path) -> list[Path]:
    """Which of the two files of a pair are there."""
    return [file for file in (_beside(base, MESH), _beside(base, MANIFEST)) if file.is_file()]


def _base(file: Path) -> Path:
    name = file.name.removesuffix(_STAGED)
    for suffix in (MESH, MANIFEST, _PENDING):
        name = name.removesuffix(suffix)
    return file.with_name(name)


def _sequence(base: Path) -> int:
    """The number of a pair; 0 for what is none."""
    match = _PAIR.match(base.name)
    return int(match[1]) if match else 0


def _holder(marker: Path) -> str | None:
    """Who publishes the pair of a marker; None when the marker has gone, its pair published or taken back."""
    try:
        return marker.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK | UNSHARED
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    """Have a file or a folder on disk before what comes next."""
    descriptor = os.open(path, os.O_RDONLY | UNSHARED)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
