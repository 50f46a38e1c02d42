"""What one client does is no business of one in another workspace: it can neither stop it nor see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.security.real_service import RealService, Wire
from vcad_kernel.contracts.mesh_block import BlockHeader

pytestmark = pytest.mark.xdist_group("security")  # they share one service

ENDLESS = "[fn spin [n] [spin [+ n 1]]]\n[spin 0]"


@pytest.fixture
def two(service: RealService) -> Iterator[tuple[Wire, Wire]]:
    """Clients in two workspaces."""
    folders = [service.workspace / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    with service.session(folders[0], "mesh.shm") as one, service.session(folders[1], "mesh.shm") as other:
        yield one, other


def test_a_call_is_cancelled_by_its_own_workspace_alone(service: RealService, two: tuple[Wire, Wire]) -> None:
    one, other = two
    running = one.begin("vcad.eval_code", {"code": ENDLESS}, request_id="r1")
    waiting = one.begin("vcad.eval_code", {"code": ENDLESS}, request_id="r2")
    for name in ("r1", "r2"):
        assert other.result("vcad.cancel", {"request_id": name}) == {"cancelled": False}
    assert one.is_usable()
    with service.session(service.workspace / "one") as friend:
        for name in ("r2", "r1"):
            assert friend.result("vcad.cancel", {"request_id": name}) == {"cancelled": True}
    for number in (running, waiting):
        assert one.answer(number)["error"]["data"]["error_code"] == "EVAL_CANCELLED"


def test_the_end_of_a_connection_ends_its_own_calls_alone(
    service: RealService, two: tuple[Wire, Wire]
) -> None:
    one, _ = two
    with service.session(service.workspace / "two") as gone:
        running = one.begin("vcad.eval_code", {"code": ENDLESS}, request_id="same")
        gone.begin("vcad.eval_code", {"code": ENDLESS}, request_id="same")
    waiting = one.begin("vcad.eval_code", {"code": "[cube 1 1 1]"})
    assert one.result("vcad.cancel", {"request_id": "same"}) == {"cancelled": True}
    assert one.answer(running)["error"]["data"]["error_code"] == "EVAL_CANCELLED"
    assert one.answer(waiting)["result"]["volume"] == 1.0


def test_a_block_is_given_back_by_its_holder_alone(two: tuple[Wire, Wire]) -> None:
    one, other = two
    mesh = one.result("vcad.eval_code", {"code": "[cube 1 2 3]"})["mesh"]
    assert other.result("vcad.release", {"block": mesh["block"]}) == {"released": False}
    # it would have been used again by this
    assert other.result("vcad.eval_code", {"code": "[cube 9 9 9]"})["mesh"]["block"] != mesh["block"]
    assert BlockHeader.parse(Path(mesh["path"]).read_bytes()).triangles == 12
    assert one.result("vcad.release", {"block": mesh["block"]}) == {"released": True}
    assert one.result("vcad.release", {"block": mesh["block"]}) == {"released": False}
    for name in ("", "mesh-0", "../lock", "lock", f"{mesh['block']}/../lock"):
        answer = one.tool("vcad.release", {"block": name})
        assert answer.get("result", {"released": False}) == {"released": False}


def test_a_node_is_its_workspaces_own(two: tuple[Wire, Wire]) -> None:
    one, other = two
    one.result("vcad.eval_code", {"code": "[cube 9 9 9]"}, node_id="n1")
    wanted = {"extract": "solid", "injected_symbol": "vcad-import-0", "vcad_node_id": "n1"}
    arguments = {"transformed_source": "vcad-import-0", "imports": {"0": wanted}}
    refusal = other.refusal("vcad.eval_with_imports", arguments)
    assert refusal["error_code"] == "SOLID_IMPORT_UNAVAILABLE"
    assert other.result("vcad.cache_invalidate", {"node_id": "n1"})["forgotten"] == 0
    assert other.result("vcad.modules", {"node_id": "n1"}) == {"modules": []}
    # a node of the same name replaces nothing
    other.result("vcad.eval_code", {"code": "[cube 1 1 1]"}, node_id="n1")
    assert one.result("vcad.eval_with_imports", arguments)["volume"] == 729.0
    assert other.result("vcad.eval_with_imports", arguments)["volume"] == 1.0


def test_a_newer_call_supersedes_those_of_its_own_workspace_alone(two: tuple[Wire, Wire]) -> None:
    one, other = two
    running = one.begin("vcad.eval_code", {"code": ENDLESS}, request_id="first")
    older = one.begin("vcad.eval_code", {"code": "[cube 1 1 1]"}, node_id="n")
    theirs = other.begin("vcad.eval_code", {"code": "[cube 2 2 2]"}, node_id="n")
    assert other.is_usable()
    assert one.result("vcad.cancel", {"request_id": "first"}) == {"cancelled": True}
    assert one.answer(running)["error"]["data"]["error_code"] == "EVAL_CANCELLED"
    assert one.answer(older)["result"]["volume"] == 1.0
    assert other.answer(theirs)["result"]["volume"] == 8.0


def test_lines_and_cells_are_each_clients_own(two: tuple[Wire, Wire]) -> None:
    one, other = two
    one.result("vcad.eval_repl", {"code": "[let secret 729]"})
    assert one.result("vcad.eval_repl", {"code": "secret"})["display"] == "729"
    assert other.refusal("vcad.eval_repl", {"code": "secret"})["error_code"] != "INTERNAL_ERROR"
    one.result("vcad.eval_cell", {"code": "[let hidden 5] [cube 1 1 1]", "cell_id": "c1"})
    refusal = other.refusal("vcad.eval_cell", {"code": "hidden", "cell_id": "c2"})
    assert refusal["details"]["code"] == "E0201", refusal


def test_modules_of_the_same_name_are_each_workspaces_own(
    service: RealService, two: tuple[Wire, Wire]
) -> None:
    one, other = two
    for folder, size in (("one", 2), ("two", 3)):
        (service.workspace / folder / "lib.oo").write_text(f"[pub fn size [] {size}]")
    code = "[use lib]\n[cube 1 1 [lib.size]]"
    assert one.result("vcad.eval_code", {"code": code})["volume"] == 2.0
    assert other.result("vcad.eval_code", {"code": code})["volume"] == 3.0
    assert one.result("vcad.eval_code", {"code": code})["volume"] == 2.0


def test_the_files_of_a_node_are_each_workspaces_own(service: RealService, two: tuple[Wire, Wire]) -> None:
    one, other = two
    for folder in ("one", "two"):
        (service.workspace / folder / "lib.oo").write_text("[pub fn size [] 2]")
    (service.workspace / "one" / "box.cmp.oo").write_text("[use lib]\n[cube 1 1 [lib.size]]")
    one.result("vcad.eval_file", {"path": "box.cmp.oo"}, node_id="box")
    files = [str((service.workspace / "one" / name).resolve()) for name in ("box.cmp.oo", "lib.oo")]
    assert one.result("vcad.modules", {"node_id": "box"}) == {"modules": files}
    assert one.result("vcad.modules", {"path": "lib.oo"}) == {"nodes": ["box"]}
    assert other.result("vcad.modules", {"path": "lib.oo"}) == {"nodes": []}


def test_files_that_are_fetched_lie_in_each_clients_own_folder(two: tuple[Wire, Wire]) -> None:
    found = []
    for wire in two:
        result = wire.result("vcad.eval_code", {"code": "[cube 1 2 3]", "document": True})
        asked = {
            "question": "export",
            "document_hash": result["document_hash"],
            "format": ".stl",
            "stem": "../../x",
        }
        found.append(Path(wire.result("vcad.ask", asked)["path"]))
    assert found[0].parent != found[1].parent
    for path in found:
        assert path.resolve().parent.stat().st_mode & 0o777 == 0o700
    for suffix in ("../x", "/x", "stl/../../x", "a\0b"):
        refusal = two[0].refusal("vcad.ask", {**asked, "format": suffix})
        assert refusal["error_code"] == "INVALID_PARAMS"
