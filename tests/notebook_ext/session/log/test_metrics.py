"""What a session counts, where it happens, and what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.log.manifests import read_manifests
from notebook_ext.session.log.metrics import LATENCY, NAMES, Counts, SessionMetrics
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.service import warm
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from vcad_kernel.contracts.tools import ServiceCounts
from vcad_kernel.service.direct import DirectService

WHEN = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def session_of(workspace: Path, service: Any = None) -> Session:
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    return Session(shell, service or DirectService(folder=workspace), folder=workspace)


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    with session_of(workspace) as made:
        yield made


def metrics_of(counts: Counts, **more: Any) -> SessionMetrics:
    given: dict[str, Any] = {
        "service": lambda: None,
        "waiting": lambda: 0,
        "degraded": lambda: 0,
        "folders": list,
        "clock": lambda: WHEN,
    }
    return SessionMetrics(counts, **{**given, **more})


def counted(metrics: SessionMetrics) -> dict[str, float]:
    """Those that are not 0."""
    return {name: value for name, value in metrics.counters().items() if value}


# ---- counting ------------------------------------------------------------------------------------


def test_all_names_of_the_contract_are_there_from_the_start(session: Session) -> None:
    specification = (Path(__file__).parents[4] / "docs/spec/session.md").read_text()
    _, _, section = specification.partition("## 9. Metrics and logs")
    assert all(name in section for name in NAMES)
    report = session.metrics()
    assert list(report)[: len(NAMES)] == list(NAMES)
    assert [report[name] for name in NAMES] == [0] * len(NAMES)
    assert not (session.workspace / ".vcad").exists()


def test_events_of_the_log_are_what_is_counted() -> None:
    counts = Counts()
    for event, fields in (
        ("stale_dropped", {"node_id": "lid"}),
        ("eval_timeout", {"error_code": "VCAD_EVAL_TIMEOUT", "error": "too long"}),
        ("viewer_reconnected", {}),
        ("reconcile_finished", {"drift": {"missing_node": ["a", "b"], "revision_gap": 1}}),
        ("reconcile_finished", {"drift": 0}),
        ("anything_else", {}),
    ):
        counts.noted(event, fields)
    assert counted(metrics_of(counts)) == {
        "stale_dropped_total": 1,
        "eval_timeout_total": 1,
        "viewer_reconnect_total": 1,
        "reconcile_runs_total": 2,
        "reconcile_drift_total": 3,
    }
    assert counts.last_error == "[VCAD_EVAL_TIMEOUT] too long"


def test_what_services_count_is_added_up_over_their_lives() -> None:
    said: list[ServiceCounts | None] = [
        None,
        ServiceCounts(started_at="1", queue_depth=2, eval_timeout_total=1, queue_rejected_total=4),
        ServiceCounts(started_at="1", eval_timeout_total=3, artifact_manifests_retained_current=9),
        None,  # it is being killed
        ServiceCounts(started_at="2", eval_timeout_total=1, artifact_manifests_retained_current=2),
    ]
    metrics = metrics_of(Counts(), service=lambda: said.pop(0), waiting=lambda: 1)
    assert counted(metrics) == {"queue_depth": 1}
    assert counted(metrics) == {"queue_depth": 3, "eval_timeout_total": 1, "queue_rejected_total": 4}
    last = {"queue_depth": 1, "eval_timeout_total": 3, "artifact_manifests_retained_current": 9}
    assert counted(metrics) == last
    assert counted(metrics) == last
    assert counted(metrics) == {
        "queue_depth": 1,
        "eval_timeout_total": 4,
        "artifact_manifests_retained_current": 2,
    }


def test_the_window_of_triggers_says_its_own() -> None:
    window = SimpleNamespace(
        coalesce_batches_total=3, coalesce_merged_events_total=40, coalesce_window_ms_effective=151.5
    )
    assert counted(metrics_of(Counts(), window=window)) == {
        "coalesce_batches_total": 3,
        "coalesce_merged_events_total": 40,
        "coalesce_window_ms_effective": 151.5,
    }


def test_latencies_fall_into_buckets_that_add_up() -> None:
    counts = Counts()
    for milliseconds in (1, 5, 5.1, 700, 10**6):
        counts.evaluated(milliseconds)
    buckets, total = counts.latency()
    assert [end for end, _ in buckets] == [*map(str, LATENCY), "+Inf"]
    found = dict(buckets)
    assert (found["5"], found["10"], found["500"], found["1000"], found["+Inf"]) == (2, 3, 3, 4, 5)
    assert total == pytest.approx(1000711.1)


def test_what_cells_do_is_counted(session: Session, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = memory_bridge(MemorySketchUp(workspace))
    monkeypatch.setattr(SketchupLink, "bridge", lambda self: bridge)
    session.evaluate("[cube 1 2 3]", name="lid")
    session.inspect("[cube 1 1 1]")
    with pytest.raises(LoonCellFailed):
        session.evaluate("[cube -1 2 3]", name="lid")
    session.evaluate("[cube 1 2 4]", name="lid")
    session.place("lid")
    report = session.metrics()
    assert report["eval_latency_ms"]["count"] == 4
    assert report["artifact_manifests_written_total"] == report["artifact_manifests_retained_current"] == 1
    assert report["last_artifact_manifest"]["node_id"] == "lid"
    assert "GEOMETRY_INVALID" in str(session.health()["last_error"])
    # a newer change is accepted before an evaluation has come to its end
    change = session._nodes.accept("lid")
    session.evaluate("[cube 1 2 5]", name="lid")
    change.begin()
    newer = session._nodes.accept("lid")
    current = session._nodes.current("lid")
    assert current is not None
    assert not session._nodes.made("lid", current.part, current.cell)
    newer.withdraw()
    assert session.metrics()["stale_dropped_total"] == 1
    assert session.metrics()["artifact_manifests_written_total"] == 2


def test_sliders_that_move_on_and_pages_that_come_again_are_counted(session: Session) -> None:
    from notebook_ext.session.cells.parameters import Newest

    waiting: list[Any] = []
    newest = Newest(lambda _value: None, waiting.append, session._metrics.counts.skipped)
    for value in range(3):
        newest.put(value)
    session.front_ends._came_again()
    assert counted(session._metrics) == {
        "superseded_dropped_total": 2,
        "superseded_skipped_before_eval_total": 2,
        "viewer_reconnect_total": 1,
    }


# ---- manifests -----------------------------------------------------------------------------------


def test_one_bad_manifest_never_fails_the_answer(
    session: Session, workspace: Path, tmp_path: Path, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.place("lid")
    folder = workspace / ".vcad" / "artifacts" / "sketchup"
    (good,) = folder.glob("*.manifest.json")
    content = json.loads(good.read_text())
    other = workspace / ".vcad" / "artifacts"
    (other / "b-2.manifest.json").write_text("{")
    (other / "a-1.manifest.json").write_text(json.dumps({**content, "status": "odd"}))
    (other / "c-3.manifest.json").write_text(json.dumps({**content, "finished_at": "2099-01-01T00:00:00Z"}))
    (tmp_path / "secret").write_text("{}")
    (folder / "d-4.manifest.json").symlink_to(tmp_path / "secret")
    (other / "e-5.dae.tmp").touch()
    report = session.metrics()
    assert report["last_artifact_manifest"]["finished_at"] == "2099-01-01T00:00:00Z"
    assert [
        (Path(row["manifest_path"]).name, row["error_code"]) for row in report["manifest_read_errors"]
    ] == [
        ("a-1.manifest.json", "SCHEMA_VALIDATION_FAILED"),
        ("b-2.manifest.json", "ARTIFACT_READ_FAILED"),
        ("d-4.manifest.json", "PATH_NOT_ALLOWED"),
    ]
    assert [Path(name).name for name in report["in_progress_artifacts"]] == ["e-5.dae.tmp"]
    assert read_manifests([tmp_path / "nowhere"]).last is None


# ---- health --------------------------------------------------------------------------------------


def test_health_says_what_answers_and_in_which_version(workspace: Path) -> None:
    with warm.service_client(workspace) as service, session_of(workspace, service) as session:
        session.evaluate("[cube 1 2 3]", name="lid")
        found = session.health()
        assert found["sidecar"] == {"status": "running", "protocol_version": 1}
        assert found["viewer"] == {"status": "none", "protocol_version": 1, "shown": []}
        assert found["sketchup"]["status"] == "not_running"
        assert {"eval", "mesh.shm"} <= set(found["capabilities"])
        assert "SketchUp is not there" in found["last_error"]
        assert session.metrics()["artifact_manifests_written_total"] == 0


def test_health_of_a_session_that_has_done_nothing_starts_nothing(session: Session) -> None:
    assert session.health()["sidecar"]["status"] == "in_process"
    session.close()
    assert session.health()["status"] == "down"
