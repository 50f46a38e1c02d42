"""3MF packages as other programs write them, and what is refused in them."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from vcad_kernel.geometry.mesh.reading.threemf_reading import UnreadableError, built_meshes

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r"'
    ' Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model"/>'
    "</Relationships>"
)
MESH = (
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="2" z="0"/>'
    '<vertex x="0" y="0" z="3e0"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>'
    '<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/>'
    "</triangles>{}</mesh>"
)
SOLID = f'<object id="1">{MESH.format("")}</object>'
BUILD = '<build><item objectid="1"/></build>'


def model(inside: str, head: str = "") -> str:
    production = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
    return f'<model xmlns="{CORE}" xmlns:p="{production}" {head}>{inside}</model>'


def package(root: str | bytes, **others: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("3D/3dmodel.model", root)
        for name, content in others.items():
            archive.writestr(f"3D/Objects/{name}.model", content)
    return packed.getvalue()


def corners(data: bytes) -> np.ndarray:
    return np.concatenate([vertices[triangles] for vertices, triangles in built_meshes(data)])


def volume(data: bytes) -> float:
    return float(np.linalg.det(corners(data)).sum()) / 6.0


def solids(inside: str) -> str:
    return f"<resources>{inside}</resources>"


def test_what_is_built_counts_and_nothing_else() -> None:
    unused = SOLID.replace('id="1"', 'id="2"')
    assert volume(package(model(solids(SOLID + unused) + BUILD))) == pytest.approx(1.0)
    assert built_meshes(package(model(solids(SOLID)))) == []
    assert volume(package(model(solids(SOLID) + BUILD, 'unit="inch"'))) == pytest.approx(25.4**3)


def test_an_object_in_a_file_of_its_own_is_found_in_whatever_case_its_name_is() -> None:
    """As slicers write a project: the build names a group, whose component is another part's."""
    part = '<component p:path="/3d/objects/A.MODEL" objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/>'
    group = f'<object id="8"><components>{part}</components></object>'
    item = '<build><item objectid="8" transform="2 0 0 0 2 0 0 0 2 0 0 10"/></build>'
    data = package(model(solids(group) + item, 'requiredextensions="p"'), a=model(solids(SOLID)))
    assert volume(data) == pytest.approx(8.0)
    assert corners(data).min(axis=(0, 1)) == pytest.approx([10.0, 0.0, 10.0])
    inches = package(model(solids(group) + item), a=model(solids(SOLID), 'unit="inch"'))
    with pytest.raises(UnreadableError, match="different units"):
        built_meshes(inches)


def test_a_mirror_image_is_not_inside_out() -> None:
    mirrored = BUILD.replace("/>", ' transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>')
    assert volume(package(model(solids(SOLID) + mirrored))) == pytest.approx(1.0)


def test_a_model_in_another_encoding_is_read() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?>' + model(solids(SOLID) + BUILD)
    assert volume(package(text.encode("utf-16"))) == pytest.approx(1.0)


BEAMS = MESH.format('<b:beamlattice xmlns:b="http://beams"/>')
MATERIALS = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
SLICES = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
NESTED = "".join(
    f'<object id="{number}"><components>'
    + 10 * f'<component objectid="{number - 1}"/>'
    + "</components></object>"
    for number in range(2, 12)
)


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (model(solids(f'<object id="1">{BEAMS}</object>') + BUILD), "beamlattice"),
        (
            model(solids(SOLID) + BUILD, 'xmlns:x="http://x.org/implicit" requiredextensions="x"'),
            "x.org/implicit",
        ),
        (model(solids(SOLID) + BUILD, 'requiredextensions="nowhere"'), "nowhere"),
        (model(solids(SOLID) + BUILD, 'unit="cubit"'), "cubit"),
        (model(solids(SOLID.replace('v3="1"', 'v3="4"')) + BUILD), "a vertex that is not there"),
        (model(solids(SOLID.replace('v3="1"', 'v3="-1"')) + BUILD), "a vertex that is not there"),
        (model(solids(SOLID) + BUILD.replace("1", "7")), "object '7' is not there"),
        (model(solids(SOLID) + BUILD.replace("/>", ' transform="1 0 0"/>')), "3 numbers in place of 12"),
        (
            model(solids(SOLID + NESTED) + '<build><item objectid="11"/></build>'),
            "11111111111 objects, 40000000000 triangles",
        ),
        (
            model(
                solids('<object id="1"><components><component objectid="1"/></components></object>') + BUILD
            ),
            "64 deep",
        ),
        (
            model(
                solids(SOLID.replace("<object", f'<object xmlns:s="{SLICES}" s:meshresolution="lowres"'))
                + BUILD
            ),
            "slices",
        ),
        ('<!DOCTYPE a [<!ENTITY b "c">]>' + model(solids(SOLID) + BUILD), "document type"),
    ],
)
def test_what_would_be_another_body_than_the_file_means_is_refused(root: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        built_meshes(package(root))


def test_extensions_that_only_colour_are_read() -> None:
    head = f'xmlns:m="{MATERIALS}" requiredextensions="m p"'
    assert volume(package(model(solids(SOLID) + BUILD, head))) == pytest.approx(1.0)


def test_a_package_without_a_model_says_so() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("_rels/.rels", RELATIONS.replace('3dmodel"', 'thumbnail"'))
    with pytest.raises(UnreadableError, match="no model is named"):
        built_meshes(packed.getvalue())
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("_rels/.rels", RELATIONS)
    with pytest.raises(UnreadableError, match="there is no 3d/3dmodel"):
        built_meshes(packed.getvalue())


def test_objects_are_as_deep_as_the_deepest_way_to_them() -> None:
    """The chain's lower half is counted first, by an item of its own."""
    chain = "".join(
        f'<object id="{number}"><components><component objectid="{number - 1}"/></components></object>'
        for number in range(2, 100)
    )
    assert volume(package(model(solids(SOLID + chain) + BUILD.replace("1", "60")))) == pytest.approx(1.0)
    items = '<build><item objectid="60"/><item objectid="99"/></build>'
    with pytest.raises(UnreadableError, match="64 deep"):
        built_meshes(package(model(solids(SOLID + chain) + items)))


def test_components_of_components_are_counted_before_any_is_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vertices that no triangle names are placed too, and count."""
    monkeypatch.setattr("vcad_kernel.geometry.mesh.reading.threemf_reading._Package.placed", None)
    spare = SOLID.replace("</vertices>", 3000 * '<vertex x="0" y="0" z="0"/>' + "</vertices>")
    data = package(model(solids(spare + NESTED) + '<build><item objectid="5"/></build>'))
    with pytest.raises(
        UnreadableError, match="11111 objects, 40000 triangles and 30040000 vertices; at most"
    ):
        built_meshes(data)
