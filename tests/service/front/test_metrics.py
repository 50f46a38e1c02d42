"""What a front counts, each where it happens, and says at once whatever runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.service.front.service import Peer, in_loop, service, steps
from vcad_kernel.contracts.tools import ServiceCounts


async def counts(peer: Peer) -> dict[str, Any]:
    found = await peer.result(peer.tool("vcad.metrics", {}))
    assert found.keys() == set(ServiceCounts.__struct_fields__)
    return {name: value for name, value in found.items() if value and name != "started_at"}


def test_each_figure_counts_what_its_name_says(tmp_path: Path) -> None:
    artifacts = tmp_path / "artifacts"
    artifacts.mkdir(mode=0o700)
    # what a service that was killed has left: a mesh without its manifest, and one that was being published
    (artifacts / f"lid-{7:020d}.dae").write_text("<collada/>")
    (artifacts / f"box-{8:020d}.dae.tmp").write_text("<coll")
    (artifacts / f"box-{8:020d}.pair.pending").write_text("gone")

    async def test() -> None:
        async with service(tmp_path, max_queue=2) as running:
            peer = await running.peer()
            cleared = {"artifact_pair_incomplete_detected_total": 2, "artifact_pair_recovery_total": 2}
            assert await counts(peer) == cleared
            gate = tmp_path / "gate"
            first = peer.run(["hold", str(gate)])
            await running.until(lambda: running.events.named("eval_started"))
            old = peer.run(["mesh"], node_id="a")
            new = peer.run(["mesh"], node_id="a")
            last = peer.tool("vcad.eval_code", {"code": steps(["mesh"]), "artifact": True})
            refused = peer.run()
            assert (await peer.refusal(refused))["error_code"] == "VCAD_QUEUE_FULL"
            superseded = {"superseded_dropped_total": 1, "superseded_skipped_before_eval_total": 1}
            assert await counts(peer) == cleared | superseded | {"queue_depth": 2, "queue_rejected_total": 1}
            gate.touch()
            for number in (first, old, new, last):
                await peer.result(number)
            late = peer.run(["fail", "VCAD_EVAL_TIMEOUT", {"limit": 1, "code": "time-limit"}])
            assert (await peer.refusal(late))["error_code"] == "VCAD_EVAL_TIMEOUT"
            written = {"artifact_manifests_written_total": 1, "artifact_manifests_retained_current": 1}
            assert await counts(peer) == (
                cleared | superseded | written | {"queue_rejected_total": 1, "eval_timeout_total": 1}
            )

    in_loop(test())
