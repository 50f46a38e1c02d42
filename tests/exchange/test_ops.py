"""Op-record files: what is read again is the model that was written, and what is broken says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.errors import CapabilityUnavailable, ExportError, GeometryError
from vcad_kernel.exchange import ops
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.scene import Material
from vcad_kernel.operations.solids.shapes import Cube, Cylinder
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.export import export
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.requests import EvalCode, Options

SCENE = """
[let lid [difference [translate 5 5 -1 [cylinder 2 10]] [cube 10 20 2]]]
[let pin [fillet-at 0.5 {:made-by "rod"} [union [cube 9 9 1] [translate 20 0 0 [cylinder 3 20]]]]]
#[[material "steel" 0.5 0.6 0.7 1.0 0.3]
  [root lid "steel"]
  [root pin "brass"]
  [root-named [translate 20 0 0 [cylinder 3 20]] "steel" "rod"]]
"""


def scene() -> EvaluationResult:
    return DirectService().evaluate(EvalCode(SCENE, allow_scene=True))


def again(result: EvaluationResult, path: Path, *numbers: int) -> tuple[ops.Model, EvaluationResult]:
    """What comes of parts of a result that are written and read."""
    export(path, result, [result.parts[number] for number in numbers] or None)
    model = ops.decode(path.read_bytes())
    return model, DirectService().eval_document(model.document, model.names)


def test_a_scene_that_is_written_and_read_is_the_same_scene(tmp_path: Path) -> None:
    result = scene()
    _, read = again(result, tmp_path / "scene.ops")
    assert read.document_hash == result.document_hash
    assert [part.name for part in read.parts] == ["lid", "pin", "rod"]
    for one, other in zip(read.parts, result.parts, strict=True):
        assert (one.figures, one.material, one.digest) == (other.figures, other.material, other.digest)
    assert [one.code for one in read.all_warnings()] == [one.code for one in result.all_warnings()]


def test_a_model_that_is_read_writes_the_same_bytes_and_the_same_files(tmp_path: Path) -> None:
    result = scene()
    _, read = again(result, tmp_path / "scene.ops")
    for suffix in (".ops", ".stl", ".step"):
        export(tmp_path / f"one{suffix}", result)
        export(tmp_path / f"two{suffix}", read)
    assert (tmp_path / "one.ops").read_bytes() == (tmp_path / "two.ops").read_bytes()
    assert (tmp_path / "one.stl").read_bytes() == (tmp_path / "two.stl").read_bytes()
    assert (tmp_path / "one.step").stat().st_size == (tmp_path / "two.step").stat().st_size


def test_of_one_part_only_what_it_stands_on_is_written(tmp_path: Path) -> None:
    result = scene()
    model, read = again(result, tmp_path / "lid.ops", 0)
    assert {type(node) for node in model.document.nodes.values()} == {Difference, Translate, Cylinder, Cube}
    assert list(model.document.materials) == ["steel"]
    assert [part.name for part in read.parts] == ["lid"]
    assert read.parts[0].digest == result.parts[0].digest


def test_a_part_that_selects_by_the_name_of_another_keeps_what_the_name_stands_for(tmp_path: Path) -> None:
    result = scene()
    _, read = again(result, tmp_path / "pin.ops", 1)
    assert len(read.parts) == 1
    assert read.parts[0].digest == result.parts[1].digest
    assert read.parts[0].figures == result.parts[1].figures


def test_parameters_are_kept_with_their_values(tmp_path: Path) -> None:
    result = DirectService().evaluate(EvalCode('[defparam width 40.0 {:unit "mm"}] [cube width 1 1]'))
    model, read = again(result, tmp_path / "bar.ops")
    assert model.document.parameters == result.parameters
    assert read.parameters == result.parameters


def test_imported_files_are_looked_for_again(tmp_path: Path) -> None:
    service = DirectService()
    export(tmp_path / "box.stl", service.evaluate(EvalCode("[cube 1 2 3]")))
    result = service.evaluate(EvalCode('[translate 1 0 0 [import-mesh "box.stl"]]', base_dir=tmp_path))
    export(tmp_path / "moved.ops", result)
    model = ops.decode((tmp_path / "moved.ops").read_bytes())
    read = DirectService().eval_document(model.document, model.names, Options(base_dir=tmp_path))
    assert read.parts[0].figures == result.parts[0].figures
    assert read.modules == ("box.stl",)
    (tmp_path / "box.stl").unlink()
    with pytest.raises(Exception, match=r"box\.stl"):
        DirectService().eval_document(model.document, model.names, Options(base_dir=tmp_path))


def test_no_parts_are_nothing_to_export(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="nothing to export"):
        export(tmp_path / "a.ops", DirectService().evaluate(EvalCode("[+ 1 2]", allow_scene=True)))
    assert list(tmp_path.iterdir()) == []


def _plate() -> Document:
    builder = DocumentBuilder()
    box = builder.add(Cube((10.0, 20.0, 30.0)))
    builder.add_material(Material("steel", (0.1, 0.2, 0.3)))
    builder.add_root(builder.add(Difference(box, builder.add(Cylinder(3.0, 40.0)))), "steel")
    return builder.build()


@pytest.mark.parametrize("length", [0, 3, 23, 40, 100, 150, -1])
def test_a_file_that_is_cut_off_says_at_which_byte(length: int) -> None:
    data = ops.encode(ops.Model(_plate(), ("plate",)))
    with pytest.raises(GeometryError) as caught:
        ops.decode(data[:length])
    assert caught.value.code == "DECODE_FAILED"
    assert 0 <= caught.value.details["offset"] <= len(data)


def test_a_table_that_does_not_list_the_roots_is_refused() -> None:
    data = bytearray(ops.encode(ops.Model(_plate(), ("plate",))))
    assert data[36] == 3
    data[36] = 1  # the root of the first object
    with pytest.raises(GeometryError, match="table of objects") as caught:
        ops.decode(bytes(data))
    assert caught.value.details == {"offset": 24, "record": None}


@given(change=st.data(), standard=st.booleans())
@examples(100)
def test_whatever_the_bytes_are_there_is_a_model_or_a_refusal(change: st.DataObject, standard: bool) -> None:
    model = ops.Model(_plate(), ("plate",))
    data = bytearray(ops.encode_standard(model) if standard else ops.encode(model))
    for _ in range(change.draw(st.integers(1, 3))):
        at = change.draw(st.integers(0, len(data) - 1))
        data[at : at + change.draw(st.integers(0, 4))] = change.draw(st.binary(max_size=4))
    try:
        read = ops.decode(bytes(data))
    except CapabilityUnavailable:
        return
    except GeometryError as error:
        if error.code != "DECODE_FAILED" or "offset" not in error.details:
            raise
        return
    assert len(read.names) == len(read.document.roots)
