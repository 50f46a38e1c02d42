"""Answers that outlive the process: whole or not at all, whoever else writes beside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.geometry.models import Solid, box, circle, difference, document, solid
from vcad_kernel.geometry.cache.disk import DiskCache
from vcad_kernel.geometry.cache.solid_cache import CachedSolid, SolidCache
from vcad_kernel.geometry.evaluate import Scene, evaluate
from vcad_kernel.geometry.solid import Note, TracedMesh
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.profiles.paths import HelixPath
from vcad_kernel.operations.solids.shapes import Cylinder
from vcad_kernel.operations.solids.sweeps import Sweep
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode

PLATE = difference(box(20.0, 20.0, 3.0), solid(Cylinder, radius=4.0, height=30.0))
KEY = (b"\1" * 32, "mesh", None)


def _session(folder: Path, body: Solid = PLATE) -> Scene:
    """What a fresh process would see: nothing in memory, only the folder."""
    return evaluate(document(body), cache=SolidCache(behind=DiskCache(folder)))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.kept"))


def _solid() -> CachedSolid:
    cache = SolidCache()
    evaluate(document(PLATE), cache=cache)
    (found,) = (entry for entry in cache._entries.values() if isinstance(entry, CachedSolid))
    return found


def test_a_restart_starts_warm_with_the_same_bytes_makers_and_figures(tmp_path: Path) -> None:
    cold = _session(tmp_path).parts[0]
    warm_scene = _session(tmp_path)
    warm = warm_scene.parts[0]
    assert warm_scene.evaluated == 0
    assert warm.mesh.positions.tobytes() == cold.mesh.positions.tobytes()
    assert warm.mesh.indices.tobytes() == cold.mesh.indices.tobytes()
    assert warm.mesh.source_nodes.tobytes() == cold.mesh.source_nodes.tobytes()
    assert warm.mesh_figures == cold.mesh_figures


def test_warnings_survive_a_restart(tmp_path: Path) -> None:
    spring = solid(Sweep, circle(1.0), path=HelixPath(10.0, 9.0, 5.0, 1.0))
    cold, warm = (_session(tmp_path, spring) for _ in range(2))
    assert warm.evaluated == 0
    assert warm.warnings == cold.warnings != ()


def test_an_empty_solid_survives_a_restart(tmp_path: Path) -> None:
    apart = difference(box(1.0, 1.0, 1.0), box(5.0, 5.0, 5.0, (-1.0, -1.0, -1.0)))
    assert all(_session(tmp_path, apart).parts[0].mesh.is_empty for _ in range(2))
    assert _session(tmp_path, apart).evaluated == 0


def test_the_exact_kernels_answers_survive_a_restart(tmp_path: Path) -> None:
    rounded = document(solid(Fillet, PLATE, radius=0.5))
    first = evaluate(rounded, cache=SolidCache(behind=DiskCache(tmp_path)))
    first.raise_first()
    volume = first.parts[0].figures.volume
    for finished in _files(tmp_path):
        # without the finished mesh the B-rep has to answer
        if finished.read_bytes()[10:12] == b"\1\0":
            finished.unlink()
    again = evaluate(rounded, cache=SolidCache(behind=DiskCache(tmp_path)))
    assert again.parts[0].figures.volume == volume
    assert again.parts[0].mesh.positions.tobytes() == first.parts[0].mesh.positions.tobytes()
    assert all(row.cached for row in again.profile if row.representation == "brep")


_RESTART = """
import sys
from pathlib import Path
from tests.geometry.models import box, document, solid
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.cache.disk import DiskCache
from vcad_kernel.geometry.evaluate import evaluate
from vcad_kernel.operations.features.features import Fillet

rounded = document(solid(Fillet, box(20.0, 20.0, 3.0), radius=0.5))
scene = evaluate(rounded, cache=SolidCache(behind=DiskCache(Path(sys.argv[1]))))
print(repr(scene.parts[0].figures.volume), "OCP" in sys.modules)
"""


def test_picture_and_figures_of_a_known_part_do_not_load_the_exact_kernel(tmp_path: Path) -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", _RESTART, str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert [loaded for _, loaded in runs] == ["True", "False"]
    assert runs[0][0] == runs[1][0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"X" + data[1:],
        lambda data: data[:8] + b"\xff\xff" + data[10:],
        lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        lambda data: data[:12] + bytes(32) + data[44:],
        lambda data: (
            b"something else altogether, longer than any header of this cache would be, as text files are"
        ),
    ],
)
def test_torn_foreign_and_outdated_files_are_removed_and_made_again(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    cold = _session(tmp_path).parts[0]
    (file,) = _files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert DiskCache(tmp_path).get(KEY) is None
    again = _session(tmp_path)
    assert again.evaluated > 0
    assert again.parts[0].mesh.positions.tobytes() == cold.mesh.positions.tobytes()
    assert file.read_bytes() == whole


def test_another_version_of_the_program_makes_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _session(tmp_path)
    monkeypatch.setattr("vcad_kernel.geometry.cache.disk._makers_version", lambda: "0.0.next")
    assert _session(tmp_path).evaluated > 0
    assert len(_files(tmp_path)) == 2


def test_a_damaged_file_is_removed_at_once(tmp_path: Path) -> None:
    store = DiskCache(tmp_path)
    store.put(KEY, _solid())
    (file,) = _files(tmp_path)
    file.write_bytes(b"torn")
    assert store.get(KEY) is None
    assert _files(tmp_path) == []


def test_a_record_whose_arrays_contradict_each_other_is_not_believed() -> None:
    from vcad_kernel.geometry.cache.disk import RECORDS, UnreadableRecord, record_of

    kept = _solid()
    found = record_of(kept)
    assert found is not None
    kind, content = found
    for bad in (content[:-4], content + bytes(4), content[:40], b"", content[:-4] + b"\xff\xff\xff\x7f"):
        with pytest.raises(UnreadableRecord):
            RECORDS[kind](bad)


def test_traced_meshes_come_back_with_makers_and_notes(tmp_path: Path) -> None:
    kept = _solid()
    traced = TracedMesh(
        kept.mesh, kept.makers, kept.maker_of, 0.25, (Note("CODE", "fillet: words", b"\2" * 32),)
    )
    store = DiskCache(tmp_path)
    store.put(KEY, traced)
    back = store.get(KEY)
    assert isinstance(back, TracedMesh)
    assert (back.makers, back.chord, back.notes) == (traced.makers, traced.chord, traced.notes)
    assert np.array_equal(back.maker_of, traced.maker_of)


def test_failures_and_noted_bodies_are_not_written(tmp_path: Path) -> None:
    _session(tmp_path, box(0.0, 1.0, 1.0))
    assert _files(tmp_path) == []
    _session(tmp_path)
    assert len(_files(tmp_path)) == 1


def test_the_folder_keeps_to_its_limit_and_forgets_what_was_not_used_for_longest(tmp_path: Path) -> None:
    ticks = iter(range(100, 1000))
    kept = _solid()
    size = DiskCache(tmp_path / "one")
    size.put(KEY, kept)
    (file,) = _files(tmp_path / "one")
    folder = tmp_path / "many"
    store = DiskCache(folder, limit=3 * file.stat().st_size, clock=lambda: float(next(ticks)))
    keys = [(bytes([index]) * 32, "mesh", None) for index in range(4)]
    for age, key in enumerate(keys[:3]):
        store.put(key, kept)
        os.utime(store._path(key), (age, age))
    assert store.get(keys[0]) is not None
    store.put(keys[3], kept)
    os.utime(store._path(keys[3]), (500, 500))
    store.sweep()
    assert sum(one.stat().st_size for one in _files(folder)) <= 3 * file.stat().st_size
    assert [store.get(key) is not None for key in keys] == [True, False, True, True]


def test_an_answer_larger_than_the_folder_is_not_written(tmp_path: Path) -> None:
    DiskCache(tmp_path, limit=100).put(KEY, _solid())
    assert _files(tmp_path) == []


def test_what_nobody_finished_is_swept_away_when_it_is_old(tmp_path: Path) -> None:
    store = DiskCache(tmp_path, clock=lambda: 10_000.0)
    for name, age in (("a.1-x.part", 0.0), ("b.1-x.part", 9_999.0)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (age, age))
    store.sweep()
    assert [one.name for one in tmp_path.iterdir()] == ["b.1-x.part"]


def test_a_folder_that_cannot_be_made_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = evaluate(document(PLATE), cache=SolidCache(behind=DiskCache(tmp_path / "file" / "cache")))
    assert result.parts[0].mesh_figures.volume > 0.0


_SESSION = """
import sys
from pathlib import Path
from tests.geometry.models import *
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.cache.disk import DiskCache
from vcad_kernel.geometry.evaluate import evaluate
from vcad_kernel.operations.solids.shapes import Cylinder

folder, limit = Path(sys.argv[1]), int(sys.argv[2])
for turn in range(40):
    radius = 1.0 + turn % 8 * 0.25
    plate = difference(box(20.0, 20.0, 3.0), solid(Cylinder, radius=radius, height=30.0))
    store = DiskCache(folder, limit=limit)
    mesh = evaluate(document(plate), cache=SolidCache(behind=store)).parts[0].mesh
    assert abs(mesh.bounds()[1][0] - 20.0) < 1e-9
    store.sweep()
print("done")
"""


def test_sessions_that_share_a_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    # room for some of the eight solids only, so that sessions remove what others are reading
    sessions = [
        subprocess.Popen(
            [sys.executable, "-c", _SESSION, str(tmp_path), "20000"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for session in sessions:
        out, err = session.communicate(timeout=120)
        assert (session.returncode, out.strip()) == (0, "done"), err
    assert not list(tmp_path.glob("*.part"))
    assert sum(one.stat().st_size for one in _files(tmp_path)) <= 20_000


def test_a_service_keeps_solids_under_its_workspace_when_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DirectService(folder=tmp_path).evaluate(EvalCode("[cube 1 2 3]"))
    assert not (tmp_path / ".vcad").exists()
    monkeypatch.setenv("VCAD_CACHE_DIR", ".vcad/cache")
    DirectService(folder=tmp_path).evaluate(EvalCode("[cube 1 2 3]"))
    assert len(_files(tmp_path / ".vcad" / "cache")) == 1
    assert (tmp_path / ".vcad" / "cache" / ".gitignore").read_text() == "*\n"
    again = DirectService(folder=tmp_path).evaluate(EvalCode("[cube 1 2 3]"))
    assert (again.cache.hits, again.cache.misses) == (1, 0)
