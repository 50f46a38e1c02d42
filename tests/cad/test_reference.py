"""What is said of the CAD library's names: all of them, with examples that are models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vcad_kernel import evaluate
from vcad_kernel.cad.reference import ENTRIES
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.codec_json import dumps, loads
from vcad_kernel.ir.op_document import decode, encode
from vcad_kernel.loon.reference import Entry
from vcad_kernel.operations.library import OPERATIONS, VARIANTS, WORDS
from vcad_kernel.operations.sections import SECTIONS
from vcad_kernel.operations.words import TESTS
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.export import export
from vcad_kernel.service.requests import EvalCode

ALL = list(ENTRIES.values())
NAMES = [entry.name for entry in ALL]


def test_every_function_and_constructor_has_an_entry_and_no_other_has() -> None:
    assert set(NAMES) == set(WORDS) | set(VARIANTS) | {*TESTS}


def test_every_function_stands_in_one_section() -> None:
    assert {one.section for one in OPERATIONS} == set(SECTIONS)
    assert len(SECTIONS) == len(set(SECTIONS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the files that the examples import."""
    made = tmp_path_factory.mktemp("workspace")
    block = evaluate("[cube 30 20 10]", allow_scene=True)
    export(made / "bracket.stl", block, block.parts, None)
    export(made / "bracket.step", block, block.parts, None)
    circle = ("0", "CIRCLE", "10", "0", "20", "0", "40", "4")
    (made / "plate.dxf").write_text(
        "\n".join(("0", "SECTION", "2", "ENTITIES", *circle, "0", "ENDSEC", "0", "EOF"))
    )
    (made / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>')
    return made


@pytest.fixture(scope="module")
def service() -> DirectService:
    """One for all examples: a constructor's makes the same solid as its function's, which is then known."""
    return DirectService()


def _volume(mesh: TriMesh) -> float:
    """Enclosed volume, by the divergence theorem."""
    a, b, c = (mesh.positions[mesh.indices[:, corner]] for corner in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c))) / 6.0


@pytest.mark.parametrize("entry", ALL, ids=NAMES)
def test_an_entry_is_in_form_and_its_example_is_a_faultless_model(
    entry: Entry, folder: Path, service: DirectService
) -> None:
    """All of an entry with one evaluation of its example."""
    first, stop, _ = entry.doc.partition(".")
    assert stop, "the first sentence stands alone, so it ends"
    assert len(first) < 120, "the first sentence stands alone, so it is short"
    assert f"[{entry.name} " in entry.example or f" {entry.name} " in entry.example, "shows another name"
    result = service.evaluate(EvalCode(entry.example, file="example.oo", base_dir=folder, allow_scene=True))
    assert result.diagnostics == (), "something is found in the example"
    # of the mesh: exact figures of gears are slow, and others' business
    assert sum(_volume(part.mesh) for part in result.parts) > 0, "the example is no model"
    document = result.document
    assert document is not None
    written = dumps(document)
    for form, again in (("JSON", loads(written)), ("op records", decode(encode(document)))):
        assert again == document, f"the document does not survive as {form}"
        assert again.content_digest == document.content_digest, f"another digest as {form}"
        assert dumps(again) == written, f"another text as {form}"


def test_functions_are_told_from_the_constructors_that_they_call() -> None:
    kinds = {name: ENTRIES[name].kind for name in ("cube", "Cube", "Empty", "ImportedMesh", "import-mesh")}
    assert kinds == {
        "cube": "function",
        "Cube": "constructor",
        "Empty": "constructor",
        "ImportedMesh": "constructor",
        "import-mesh": "function",
    }


def test_lengths_and_angles_say_their_units() -> None:
    assert "x, y, z: a number, mm" in ENTRIES["cube"].parameters
    assert "x, y, z: a number, degrees" in ENTRIES["rotate"].parameters


def test_types_are_those_of_the_arguments_in_order() -> None:
    assert ENTRIES["cube"].type == "Real -> Real -> Real -> Solid"
    assert ENTRIES["fillet"].type == "Real -> Solid -> Solid"
    assert ENTRIES["Fillet"].type == "Solid -> Real -> Solid"
    assert ENTRIES["loft"].type == "Vec Sketch -> Solid"
    assert ENTRIES["Empty"].type == "Solid"


def test_a_constructor_lists_its_fields_as_the_variant_stores_them() -> None:
    assert ENTRIES["Translate"].usage == "[Translate s x y z]"
    assert ENTRIES["Translate"].example == "[Translate [cube 4 4 4] 10 0 5]"
    assert ENTRIES["Union"].example == "[Union [cube 9 9 9] [sphere 6]]"
