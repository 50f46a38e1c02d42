"""Programs whose imports are bound to values: data, a node's own model, a mesh, a mesh file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.worker.front import Front, Reply, running
from vcad_kernel.cad.imports import extract_imports
from vcad_kernel.loon.source import Source

pytestmark = pytest.mark.xdist_group("worker import_values")  # they share one worker

TETRAHEDRON = {
    "positions": [0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6],
    "indices": [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2],
}
OPEN = {**TETRAHEDRON, "indices": TETRAHEDRON["indices"][:9]}


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with running(tmp_path_factory.mktemp("worker"), VCAD_ADT_CACHE_MAX="3") as started:
        yield started


def _evaluated(front: Front, text: str, *values: dict[str, Any], shown: bool = True, **options: Any) -> Reply:
    """Evaluate a program with a value for each of its imports, in order."""
    found = extract_imports(Source("host.oo", text))
    imports = {
        one.import_id: {
            "extract": one.extract,
            "injected_symbol": one.injected_symbol,
            "entity_ref": one.entity_ref,
            "binding_name": one.binding_name,
            **value,
        }
        for one, value in zip(found.imports, values, strict=True)
    }
    arguments = {"transformed_source": found.transformed_source, "imports": imports, "file": "host.oo"}
    if shown:
        arguments["source"] = text
    return front.call("eval_with_imports", arguments, **options)


def test_what_is_extracted_is_what_the_evaluation_takes(front: Front) -> None:
    text = '[let box [import :bbox "entity:7"]] [cube 1 1 [nth [get box :max] 2]]'
    reply = front.call("extract_imports", {"source": text})
    (found,) = reply.result["imports"]
    assert (found["binding_name"], found["extract"], found["entity_ref"]) == ("box", "bbox", "entity:7")
    imports = {
        found["import_id"]: {
            "extract": "bbox",
            "injected_symbol": found["injected_symbol"],
            "data": {"min": [0, 0, 0], "max": [1.0, 2.0, 30.0]},
        }
    }
    arguments = {"transformed_source": reply.result["transformed_source"], "imports": imports}
    assert front.call("eval_with_imports", arguments).result["volume"] == pytest.approx(30)


def test_an_import_in_the_wrong_place_is_refused_with_it(front: Front) -> None:
    reply = front.call("extract_imports", {"source": '[cube 1 1 1]\n  [import :bbox "entity:7"]'})
    assert reply.code == "IMPORT_FORM_INVALID"
    assert (reply.details["line"], reply.details["column"]) == (2, 4)


@pytest.mark.parametrize(
    ("extract", "data", "expression", "value"),
    [
        ("dimensions", {"width": 2, "height": 3.5, "depth": 4}, "[get x :height]", 3.5),
        ("bbox", {"min": [1, 2, 3], "max": [4, 5, 6]}, "[nth [get x :min] 2]", 3),
        ("transform", {"matrix": [float(i) for i in range(16)]}, "[len [get x :matrix]]", 16),
    ],
)
def test_measures_of_an_entity_are_maps(
    front: Front, extract: str, data: dict[str, Any], expression: str, value: float
) -> None:
    text = f'[let x [import :{extract} "entity:1"]] [cube {expression} 1 1]'
    reply = _evaluated(front, text, {"data": data})
    assert reply.result["volume"] == pytest.approx(value)


def test_the_model_of_a_node_joins_the_tree_of_the_program_that_imports_it(front: Front) -> None:
    front.call("eval_code", {"code": '[root [cube 4 4 4] "steel"]', "file": "plate.oo"}, node_id="plate")
    text = '[let plate [import :solid "node:plate"]] [difference [cube 2 2 2] plate]'
    reply = _evaluated(front, text, {"vcad_node_id": "plate"}, node_id="cut")
    assert reply.result["volume"] == pytest.approx(56)
    assert reply.result["exact"] is True
    reply = _evaluated(
        front,
        '[let part [import :solid "node:cut"]] [union part [translate 9 0 0 part]]',
        {"vcad_node_id": "cut"},
    )
    assert reply.result["volume"] == pytest.approx(112)


def test_a_fault_in_an_imported_model_is_shown_where_it_was_written(front: Front) -> None:
    code = "\n  [fillet 9 [cube 1 1 1]]"
    front.call("eval_code", {"code": "[cube 1 1 1]", "file": "good.oo"}, node_id="n")
    front.call("eval_code", {"code": code, "file": "bad.oo"}, node_id="n")
    reply = _evaluated(front, '[let part [import :solid "node:n"]] part', {"vcad_node_id": "n"})
    assert not reply.is_error, "a program that failed leaves its node's model as it was"


def test_a_node_that_is_not_known_is_told_with_its_reference_and_place(front: Front) -> None:
    text = '\n[let part [import :solid "node:lost"]] part'
    reply = _evaluated(front, text, {"vcad_node_id": "lost"})
    assert reply.code == "SOLID_IMPORT_UNAVAILABLE"
    assert reply.details["entity_ref"] == "node:lost"
    assert "lost" in reply.details["reason"]
    assert (reply.details["file"], reply.details["line"]) == ("host.oo", 2)
    assert reply.details["text"] == text.strip()


def test_the_nodes_that_were_used_least_recently_are_forgotten_first(front: Front) -> None:
    front.call("cache_invalidate", {})
    for name in "abc":
        front.call("eval_code", {"code": "[cube 1 1 1]"}, node_id=name)
    text = '[let part [import :solid "node:x"]] part'
    assert not _evaluated(front, text, {"vcad_node_id": "a"}).is_error
    front.call("eval_code", {"code": "[cube 1 1 1]"}, node_id="d")
    assert not _evaluated(front, text, {"vcad_node_id": "a"}).is_error
    assert _evaluated(front, text, {"vcad_node_id": "b"}).code == "SOLID_IMPORT_UNAVAILABLE"
    front.call("cache_invalidate", {"node_id": "a"})
    assert _evaluated(front, text, {"vcad_node_id": "a"}).code == "SOLID_IMPORT_UNAVAILABLE"
    assert not _evaluated(front, text, {"vcad_node_id": "c"}).is_error


def test_the_nodes_of_one_workspace_are_not_those_of_another(front: Front, tmp_path: Path) -> None:
    for name, size in (("a", 2), ("b", 3)):
        (tmp_path / name).mkdir()
        arguments = {"code": f"[cube {size} 1 1]"}
        front.call("eval_code", arguments, node_id="same", workspace=str(tmp_path / name))
    (tmp_path / "c").mkdir()
    text = '[let part [import :solid "node:same"]] part'
    value = {"vcad_node_id": "same"}
    for name, size in (("a", 2), ("b", 3)):
        reply = _evaluated(front, text, value, workspace=str(tmp_path / name))
        assert reply.result["volume"] == pytest.approx(size)
    reply = _evaluated(front, text, value, workspace=str(tmp_path / "c"))
    assert reply.code == "SOLID_IMPORT_UNAVAILABLE"


def test_a_mesh_can_be_used_in_booleans(front: Front) -> None:
    text = '[let stone [import :solid "entity:5"]] [intersection stone [cube 1 1 1]]'
    reply = _evaluated(front, text, {"mesh": TETRAHEDRON})
    assert reply.result["volume"] == pytest.approx(1, abs=1e-9)
    nested = {
        "positions": [TETRAHEDRON["positions"][i : i + 3] for i in range(0, 12, 3)],
        "indices": [TETRAHEDRON["indices"][i : i + 3] for i in range(0, 12, 3)],
    }
    reply = _evaluated(front, text, {"mesh": nested})
    assert reply.result["volume"] == pytest.approx(1, abs=1e-9)


def test_an_open_mesh_is_no_solid(front: Front) -> None:
    reply = _evaluated(front, '[let stone [import :solid "entity:5"]] stone', {"mesh": OPEN})
    assert reply.code == "ENTITY_NOT_SOLID"
    assert reply.details["entity_ref"] == "entity:5"
    assert reply.details["line"] == 1


def test_a_mesh_file_is_read_under_the_path_policy(front: Front, tmp_path: Path) -> None:
    lines = ["v 0 0 0", "v 6 0 0", "v 0 6 0", "v 0 0 6", "f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"]
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "stone.obj").write_text("\n".join(lines))
    (tmp_path / "inner" / "open.obj").write_text("\n".join(lines[:-1]))
    (tmp_path / "stone.obj").write_text("\n".join(lines))
    text = '[let stone [import :solid "entity:5"]] stone'
    inner = str(tmp_path / "inner")
    reply = _evaluated(front, text, {"mesh_file": "stone.obj"}, workspace=inner)
    assert reply.result["volume"] == pytest.approx(36)
    assert reply.result["modules"] == ["stone.obj"]
    reply = _evaluated(front, text, {"mesh_file": "../stone.obj"}, workspace=inner)
    assert reply.code == "PATH_NOT_ALLOWED"
    assert _evaluated(front, text, {"mesh_file": "none.obj"}, workspace=inner).code == "FILE_NOT_FOUND"
    assert _evaluated(front, text, {"mesh_file": "open.obj"}, workspace=inner).code == "ENTITY_NOT_SOLID"


@pytest.mark.parametrize(
    ("extract", "value"),
    [
        ("solid", {}),
        ("solid", {"data": 1}),
        ("bbox", {"vcad_node_id": "a"}),
        ("solid", {"vcad_node_id": "a", "mesh": TETRAHEDRON}),
        ("solid", {"mesh": {"positions": [0, 1, "x"], "indices": []}}),
        ("solid", {"mesh": {"positions": [0, 1, 2], "indices": [0.5, 1, 2]}}),
        ("solid", {"mesh": {"positions": [0, 1, 2]}}),
        ("solid", {"mesh": {"positions": "012", "indices": []}}),
    ],
)
def test_a_value_that_does_not_fit_its_import_is_refused(
    front: Front, extract: str, value: dict[str, Any]
) -> None:
    reply = _evaluated(front, f'[let x [import :{extract} "entity:1"]] [cube 1 1 1]', value)
    assert reply.code == "INVALID_PARAMS"
    assert reply.details["path"].startswith("imports.import-1")


def test_errors_show_the_users_text_where_it_was_sent_and_the_symbols_otherwise(front: Front) -> None:
    text = '[let box [import :bbox "entity:7"]] [cube [get box :max] 1 1]'
    data = {"data": {"min": [0, 0, 0], "max": [1, 1, 1]}}
    with_text = _evaluated(front, text, data)
    without = _evaluated(front, text.replace("entity:7", "entity:8"), data, shown=False)
    assert with_text.details["text"] == text
    assert "import" not in without.details["text"]
    assert with_text.details["column"] == without.details["column"] == text.index("[cube") + 1
