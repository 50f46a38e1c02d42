"""Artifacts: both files of a pair or neither, whatever happens in between; numbers; retention."""

from __future__ import annotations

import errno
import itertools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vcad_kernel.errors import ErrorCode, ExportError, PathRefused, ServiceFailure
from vcad_kernel.service.front.files import artifacts
from vcad_kernel.service.front.files.artifacts import ArtifactStore, Recovered, Retention, is_committed

_STEPS = (
    "sync mesh",
    "stage manifest",
    "write marker",
    "rename mesh",
    "rename manifest",
    "remove marker",
    "published",
)


class Crash(BaseException):
    """The process ends here."""


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _publish(store: ArtifactStore, name: str = "part", content: bytes = b"<mesh/>") -> tuple[Path, Path]:
    pair = store.stage(name)
    pair.path.write_bytes(content)
    return store.commit(pair, {"node_id": name, "status": "applied"})


def _visible(root: Path) -> list[str]:
    return sorted(file.name for file in root.iterdir() if not file.name.startswith("."))


def test_a_pair_is_published_under_its_name_and_number(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path / "artifacts")
    mesh, manifest = _publish(store, "../My bräcket/1")
    assert mesh.name == f"Mybrcket1-{1:020d}.dae"
    assert manifest.name == f"Mybrcket1-{1:020d}.manifest.json"
    assert mesh.read_bytes() == b"<mesh/>"
    told = json.loads(manifest.read_text())
    assert told == {"node_id": "../My bräcket/1", "obj_path": str(mesh), "status": "applied"}
    assert mesh.parent.stat().st_mode & 0o777 == 0o700
    assert mesh.stat().st_mode & 0o077 == 0
    assert store.committed() == [mesh.with_suffix("")]
    store.close()


def test_nothing_is_made_before_the_first_pair(tmp_path: Path) -> None:
    ArtifactStore(tmp_path / "artifacts").close()
    assert not (tmp_path / "artifacts").exists()


def test_numbers_go_on_after_a_restart_even_when_all_pairs_are_gone(tmp_path: Path) -> None:
    first = ArtifactStore(tmp_path)
    _publish(first)
    mesh, manifest = _publish(first)
    first.close()
    mesh.unlink()
    manifest.unlink()
    second = ArtifactStore(tmp_path)
    assert _publish(second)[0].name == f"part-{3:020d}.dae"
    second.close()


def test_used_up_numbers_are_an_error_of_their_own(tmp_path: Path) -> None:
    (tmp_path / f"part-{'9' * 20}.dae").touch()
    (tmp_path / f"part-{'9' * 20}.manifest.json").touch()
    store = ArtifactStore(tmp_path)
    with pytest.raises(ServiceFailure) as failed:
        store.stage("part")
    assert failed.value.error_code == ErrorCode.TEMP_SEQ_EXHAUSTED
    store.close()


@pytest.mark.parametrize("fatal", _STEPS)
def test_after_a_crash_at_any_step_both_files_are_there_or_none(tmp_path: Path, fatal: str) -> None:
    def step(name: str) -> None:
        if name == fatal:
            raise Crash

    dying = ArtifactStore(tmp_path, step=step)
    pair = dying.stage("part")
    pair.path.write_bytes(b"<mesh/>")
    with pytest.raises(Crash):
        dying.commit(pair, {})
    assert is_committed(pair.base) == (fatal == "published")
    os.close(dying._lock)  # what the end of a process does
    after = ArtifactStore(tmp_path)
    both = [f"{pair.base.name}.dae", f"{pair.base.name}.manifest.json"]
    assert _visible(tmp_path) == (both if fatal == "published" else [])
    assert (after.recovered == Recovered()) == (fatal == "published")
    assert _publish(after)[0].name == f"part-{2:020d}.dae"
    after.close()


@pytest.mark.parametrize("fatal", _STEPS[:-1])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_failing_disk_leaves_nothing_half_published(tmp_path: Path, fatal: str, number: int) -> None:
    failing = [True]

    def step(name: str) -> None:
        if name == fatal and failing.pop():
            raise OSError(number, os.strerror(number))

    store = ArtifactStore(tmp_path, step=step)
    pair = store.stage("part")
    pair.path.write_bytes(b"<mesh/>")
    with pytest.raises(ExportError, match=os.strerror(number)):
        store.commit(pair, {})
    assert _visible(tmp_path) == []
    failing.append(False)
    assert is_committed(_publish(store)[0].with_suffix(""))
    store.close()


def test_whoever_looks_while_a_pair_is_being_published_sees_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / f"part-{1:020d}"
    is_file = Path.is_file

    def looks(path: Path) -> bool:
        # it all happens between the first look and the second, but for the marker's end
        for suffix in (".pair.pending", ".dae", ".manifest.json"):
            base.with_name(base.name + suffix).touch()
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", looks)
    assert not is_committed(base)
    base.with_name(base.name + ".pair.pending").unlink()
    monkeypatch.setattr(Path, "is_file", is_file)
    assert is_committed(base)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ExportError, match="cannot be written"):
        ArtifactStore(tmp_path / "file" / "artifacts").stage("part")


def test_a_link_out_of_the_folder_is_not_written_through(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    store = ArtifactStore(tmp_path / "artifacts")
    pair = store.stage("part")
    pair.path.write_bytes(b"<mesh/>")
    pair.base.with_name(pair.base.name + ".manifest.json.tmp").symlink_to(precious)
    with pytest.raises(PathRefused):
        store.commit(pair, {})
    assert precious.read_bytes() == b"precious"
    store.close()


def test_two_services_share_a_folder_without_harm(tmp_path: Path) -> None:
    one = ArtifactStore(tmp_path)
    half = one.stage("part")
    half.path.write_bytes(b"<one/>")
    two = ArtifactStore(tmp_path)
    assert two.recovered == Recovered()
    assert half.path.exists()
    meshes = [_publish(two)[0], one.commit(half, {})[0], _publish(one)[0]]
    assert sorted(mesh.name for mesh in meshes) == [f"part-{number:020d}.dae" for number in (1, 2, 3)]
    assert len(one.committed()) == 3
    one.close()
    two.close()


_PUBLISH = """
import sys
import threading
from pathlib import Path
from vcad_kernel.service.front.files.artifacts import ArtifactStore
store = ArtifactStore(Path(sys.argv[1]))
for _ in range(20):
    pair = store.stage("part")
    pair.path.write_bytes(b"x")
    store.commit(pair, {})
store.close()
"""


def test_processes_that_publish_at_once_never_take_the_same_number(tmp_path: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", _PUBLISH, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    store = ArtifactStore(tmp_path)
    assert [int(base.name[-20:]) for base in store.committed()] == list(range(1, 61))


@pytest.mark.parametrize("step", ["write marker", "rename mesh", "rename manifest", "remove marker"])
def test_a_pair_that_is_published_while_another_service_starts_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The one that starts looks at what is half done, and the other goes on before it acts on it."""
    at_step, go_on = threading.Event(), threading.Event()

    def stop(name: str) -> None:
        if name == step:
            at_step.set()
            assert go_on.wait(60)

    publisher = ArtifactStore(tmp_path, step=stop)
    publishing = threading.Thread(target=_publish, args=(publisher,))
    publishing.start()
    assert at_step.wait(60)
    holder = artifacts._holder

    def published_meanwhile(marker: Path) -> str | None:
        go_on.set()
        publishing.join(60)
        return holder(marker)

    monkeypatch.setattr(artifacts, "_holder", published_meanwhile)
    starting = ArtifactStore(tmp_path)
    go_on.set()
    publishing.join(60)
    assert [base.name for base in starting.committed()] == [f"part-{1:020d}"]
    assert starting.recovered == Recovered()
    publisher.close()


def test_a_service_that_begins_to_publish_while_another_starts_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"part-{1:020d}.dae.tmp").touch()
    publisher = ArtifactStore(tmp_path.parent / f"{tmp_path.name}-later")
    publisher.root = tmp_path
    living = ArtifactStore._living

    def begins(store: ArtifactStore) -> set[str]:
        found = living(store)
        publisher.stage("part")
        return found

    monkeypatch.setattr(ArtifactStore, "_living", begins)
    ArtifactStore(tmp_path)
    assert _visible(tmp_path) == [f"part-{2:020d}.dae.tmp"]
    publisher.close()


def test_pairs_that_are_too_many_go_oldest_first_and_both_files_together(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path, Retention(pairs=3))
    for _ in range(5):
        _publish(store)
    assert [int(base.name[-20:]) for base in store.committed()] == [3, 4, 5]
    assert len(_visible(tmp_path)) == 6
    store.close()


def test_pairs_that_are_too_old_go(tmp_path: Path) -> None:
    steady = Clock()
    store = ArtifactStore(tmp_path, Retention(seconds=60.0, steady=steady))
    _publish(store)
    steady.now += 59.0
    _publish(store)
    assert len(store.committed()) == 2
    steady.now += 2.0
    _publish(store)
    assert [int(base.name[-20:]) for base in store.committed()] == [2, 3]
    store.close()


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_a_jump_of_the_calendar_removes_nothing_of_ours(tmp_path: Path, jump: float) -> None:
    calendar = Clock()
    store = ArtifactStore(tmp_path, Retention(seconds=60.0, calendar=calendar))
    _publish(store)
    calendar.now += jump
    _publish(store)
    assert len(store.committed()) == 2
    store.close()


def test_half_pairs_of_other_times_are_cleared_and_counted(tmp_path: Path) -> None:
    base = f"part-{4:020d}"
    (tmp_path / f"{base}.dae").touch()
    (tmp_path / f"part-{5:020d}.manifest.json").touch()
    (tmp_path / f"part-{6:020d}.dae.tmp").touch()
    (tmp_path / "notes.txt").touch()
    store = ArtifactStore(tmp_path)
    assert store.recovered == Recovered(half_pairs=2, staged_files=1, pairs=3)
    assert _visible(tmp_path) == ["notes.txt"]
    store.close()


def test_a_pair_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    pair = store.stage("part")
    pair.path.write_bytes(b"half")
    store.discard(pair)
    store.stage("other")
    store.close()
    assert _visible(tmp_path) == []


def test_manifests_are_canonical(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    texts = []
    for order in itertools.permutations({"b": 1, "a": 2.5, "c": [1]}.items()):
        pair = store.stage("part")
        _, manifest = store.commit(pair, dict(order))
        texts.append(manifest.read_text().replace(pair.base.name, "NAME"))
    assert len(set(texts)) == 1
    store.close()
