"""What clients get besides figures: blocks of shared memory, artifacts, files they asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.service.front.service import in_loop, service, steps


def blocks(folder: str) -> list[Path]:
    return sorted(Path(folder).glob("mesh-*"))


def test_a_mesh_is_told_by_its_block_and_stays_until_it_is_released(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("mesh.shm")
            mesh = (await peer.result(peer.run(["block", 100])))["mesh"]
            path = Path(mesh["path"])
            assert path.read_bytes()[:4] == b"MESH"
            assert path.stat().st_size == mesh["size"]
            assert path.stat().st_mode & 0o777 == 0o600
            assert path.parent.stat().st_mode & 0o777 == 0o700
            other = (await peer.result(peer.run(["block", 100])))["mesh"]
            assert other["block"] != mesh["block"]
            await peer.result(peer.tool("vcad.release", {"block": mesh["block"]}))
            again = (await peer.result(peer.run(["block", 100])))["mesh"]
            assert again["block"] == mesh["block"]

    in_loop(test())


def test_a_block_is_not_another_clients_to_release(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer, thief = await running.peer("mesh.shm"), await running.peer("mesh.shm")
            mesh = (await peer.result(peer.run(["block", 100])))["mesh"]
            release = thief.tool("vcad.release", {"block": mesh["block"]})
            assert await thief.result(release) == {"released": False}
            other = (await thief.result(thief.run(["block", 100])))["mesh"]
            assert other["block"] != mesh["block"]

    in_loop(test())


def test_the_blocks_of_a_client_that_goes_are_unlinked(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("mesh.shm")
            mesh = (await peer.result(peer.run(["block", 100])))["mesh"]
            await peer.close()
            await running.until(lambda: not Path(mesh["path"]).exists())

    in_loop(test())


def test_blocks_of_failed_and_crashed_jobs_are_used_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("mesh.shm")
            mesh = (await peer.result(peer.run(["block", 100])))["mesh"]
            folder = str(Path(mesh["path"]).parent)
            for step in (["fail", "EVAL_CANCELLED", {}], ["exit", 1], ["set", {"mesh": None}]):
                await peer.answer(peer.run(["block", 100], step))
                await running.until(lambda: len(running.events.named("worker_started")) >= 1)
            await peer.result(peer.run())
            assert len(blocks(folder)) <= 3

    in_loop(test())


def test_the_block_of_an_answer_that_cannot_be_sent_is_used_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, line_max_bytes=20_000) as running:
            peer = await running.peer("mesh.shm")
            for step in (["pad", 17_000], ["pad", 50_000], ["set", {"volume": "large"}]):
                # the worker's result with the first is not too long, but the answer is that echoes this
                number = peer.run(["block", 100], step, request_id="r" * 4000)
                assert "error" in await peer.answer(number)
            mesh = (await peer.result(peer.run(["block", 100])))["mesh"]
            assert mesh["block"] == "mesh-1"

    in_loop(test())


def test_a_block_that_the_worker_does_not_have_is_never_handed_out(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("mesh.shm")
            lie = {"mesh": {"block": "../../etc", "vertices": 1, "triangles": 1}}
            found = await peer.refusal(peer.run(["set", lie]))
            assert found["error_code"] == "WORKER_CRASHED"

    in_loop(test())


def test_all_blocks_and_regions_are_gone_when_the_service_is(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer("mesh.shm")
            mesh = (await peer.result(peer.run(["block", 100])))["mesh"]
            folder = Path(mesh["path"]).parent
            assert list(folder.glob("region-*"))
        assert not folder.exists()

    in_loop(test())


def test_an_artifact_is_published_with_its_manifest(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            arguments = {"code": steps(["mesh"]), "artifact": True}
            number = peer.tool("vcad.eval_code", arguments, request_id="r", node_id="n-1", revision=7)
            result = await peer.result(number)
            assert Path(result["obj_path"]).read_bytes() == b"<collada/>"
            assert Path(result["obj_path"]).name.startswith("n-1-")
            manifest = json.loads(Path(result["manifest_path"]).read_text())
            assert manifest["status"] == "applied"
            assert (manifest["node_id"], manifest["revision"], manifest["request_id"]) == ("n-1", 7, "r")
            assert manifest["obj_path"] == result["obj_path"]
            assert manifest["volume"] == 1.0
            assert manifest["source_hash"] == result["source_hash"]
            assert manifest["queued_at"] <= manifest["started_at"] <= manifest["finished_at"]
            assert manifest["queued_at"].endswith("Z")

    in_loop(test())


def test_nothing_is_published_unasked_or_without_a_mesh_or_of_a_failure(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            assert (await peer.result(peer.run(["mesh"])))["obj_path"] is None
            wish = {"artifact": True}
            fails: list[list[Any]] = [["mesh"], ["fail", "EVAL_CANCELLED", {}]]
            for program in ([], fails, [["mesh"], ["exit", 1]]):
                await peer.answer(peer.tool("vcad.eval_code", {"code": steps(*program), **wish}))
                folder = tmp_path / "artifacts"
                assert not [*folder.glob("*.dae*"), *folder.glob("*.manifest*")]

    in_loop(test())


def test_files_that_a_client_asks_for_lie_in_a_folder_that_goes_with_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer, other = await running.peer(), await running.peer()
            folders = []
            for one in (peer, peer, other):
                arguments = {"question": "mesh", "document_hash": "h", "code": steps(["echo"])}
                answer = await one.answer(one.tool("vcad.ask", arguments))
                folders.append(Path(answer["result"]["options"]["staging"]))
            assert folders[0] == folders[1] != folders[2]
            assert folders[0].stat().st_mode & 0o777 == 0o700
            await peer.close()
            await running.until(lambda: not folders[0].exists())
            assert folders[2].exists()
        assert not folders[2].exists()

    in_loop(test())
