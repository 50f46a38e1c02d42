"""What agents are told of how the session does, and that they may have SketchUp compared with the project."""

from __future__ import annotations

from pathlib import Path

from notebook_ext.session.log.metrics import NAMES
from tests.notebook_ext.agents.packs.headless_world import HeadlessWorld


def test_what_is_missing_in_sketchup_is_told_and_restored(headless: HeadlessWorld, workspace: Path) -> None:
    assert headless.call("vcad_reconcile_status")["last_outcome"] in ("never", "unchanged")
    headless.place("block")
    execution = headless.session.model.instances["block-1"].execution
    assert execution is not None
    headless.sketchup.control("_test.reset")
    done = headless.call("vcad_reconcile")
    assert done["drift"]["missing_node"] == ["block"]
    assert (done["last_outcome"], done["pending_nodes"]) == ("restored", [])
    assert headless.call("vcad_reconcile_status") == done
    assert [row["node_id"] for row in headless.call("vcad_list_nodes")["nodes"]] == ["block"]
    figures = headless.call("vcad_metrics")
    assert figures["reconcile_runs_total"] >= 1
    assert figures["reconcile_drift_total"] >= 1
    assert figures["artifact_manifests_written_total"] >= 1
    (workspace / "lost.cmp.oo").write_text("[cube 1 2 3]")
    headless.call("vcad_place", node_id="lost", source_file="lost.cmp.oo")
    (workspace / "lost.cmp.oo").unlink()
    assert headless.call("vcad_reconcile")["drift"]["source_missing"] == ["lost"]
    figures = headless.call("vcad_metrics")
    assert figures["degraded_nodes_current"] == 1
    assert set(NAMES) <= figures.keys()
    health = headless.call("vcad_health")
    assert health["sketchup"]["mock"] is True
    assert "SOURCE_FILE_MISSING" in health["last_error"]
