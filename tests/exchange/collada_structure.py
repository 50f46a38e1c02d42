"""What COLLADA 1.4.1 demands of a document that holds nothing but meshes, checked from outside.

Not the schema itself: its rules for the elements that we write, put down by hand. Each complaint names
the element; a document without complaints has none of the mistakes that make importers give up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from math import isfinite
from xml.etree import ElementTree

__all__ = ["complaints"]

NAMESPACE = "http://www.collada.org/2005/11/COLLADASchema"
_NC_NAME = re.compile(r"[^\W\d][\w.\-]*")

_CHILDREN: dict[str, tuple[tuple[str, int, int | None], ...]] = {
    "COLLADA": (
        ("asset", 1, 1),
        ("library_effects", 0, None),
        ("library_materials", 0, None),
        ("library_geometries", 0, None),
        ("library_visual_scenes", 0, None),
        ("scene", 0, 1),
    ),
    "asset": (
        ("contributor", 0, None),
        ("created", 1, 1),
        ("modified", 1, 1),
        ("unit", 0, 1),
        ("up_axis", 0, 1),
    ),
    "contributor": (("authoring_tool", 0, 1),),
    "library_effects": (("effect", 1, None),),
    "effect": (("profile_COMMON", 1, None),),
    "profile_COMMON": (("technique", 1, 1),),
    "technique": (("phong", 0, 1), ("name", 0, 1)),
    "phong": (("diffuse", 0, 1), ("specular", 0, 1), ("shininess", 0, 1)),
    "diffuse": (("color", 1, 1),),
    "specular": (("color", 1, 1),),
    "shininess": (("float", 1, 1),),
    "library_materials": (("material", 1, None),),
    "material": (("instance_effect", 1, 1),),
    "library_geometries": (("geometry", 1, None),),
    "geometry": (("mesh", 1, 1),),
    "mesh": (("source", 1, None), ("vertices", 1, 1), ("polylist", 0, None), ("triangles", 0, None)),
    "source": (("float_array", 1, 1), ("technique_common", 1, 1)),
    "accessor": (("param", 0, None),),
    "vertices": (("input", 1, None),),
    "polylist": (("input", 1, None), ("vcount", 1, 1), ("p", 1, 1)),
    "triangles": (("input", 1, None), ("p", 1, None)),
    "library_visual_scenes": (("visual_scene", 1, None),),
    "visual_scene": (("node", 1, None),),
    "node": (("instance_geometry", 0, None), ("extra", 0, None)),
    "instance_geometry": (("bind_material", 0, 1),),
    "bind_material": (("technique_common", 1, 1),),
    "extra": (("technique", 1, None),),
    "scene": (("instance_visual_scene", 0, 1),),
}
"""Children in the order that the schema fixes: name, least, most. Our primitives come polylist first,
which the schema's free choice of primitives allows."""

_REFERENCES = {
    ("instance_effect", "url"): "effect",
    ("instance_geometry", "url"): "geometry",
    ("instance_visual_scene", "url"): "visual_scene",
    ("instance_material", "target"): "material",
    ("accessor", "source"): "float_array",
}


def complaints(text: bytes) -> list[str]:
    """What is wrong with a document; raises ParseError when it is no XML at all."""
    root = ElementTree.fromstring(text)
    if root.tag != f"{{{NAMESPACE}}}COLLADA" or root.get("version") != "1.4.1":
        return [f"the root is {root.tag} {root.get('version')}"]
    return [*_order(root), *_asset(root), *_identities(root), *_numbers(root), *_primitives(root)]


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _all(root: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if _name(element) in names)


def _order(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        rules = _CHILDREN.get(_name(element))
        found = [_name(child) for child in element]
        if rules is None:
            continue
        known = [name for name, _, _ in rules]
        if unknown := set(found) - set(known):
            yield f"<{_name(element)}> holds {sorted(unknown)}"
            continue
        if found != sorted(found, key=known.index):
            yield f"<{_name(element)}> has its children in the order {found}"
        for name, least, most in rules:
            if not least <= found.count(name) <= (most if most is not None else len(found)):
                yield f"<{_name(element)}> has {found.count(name)} <{name}>"


def _asset(root: ElementTree.Element) -> Iterator[str]:
    for date in _all(root, "created", "modified"):
        datetime.fromisoformat((date.text or "").replace("Z", "+00:00"))
    for axis in _all(root, "up_axis"):
        if axis.text not in ("X_UP", "Y_UP", "Z_UP"):
            yield f"<up_axis> is {axis.text}"
    for unit in _all(root, "unit"):
        if not float(unit.get("meter", "nan")) > 0.0 or not unit.get("name"):
            yield "<unit> needs a positive meter and a name"


def _identities(root: ElementTree.Element) -> Iterator[str]:
    kinds: dict[str, str] = {}
    for element in root.iter():
        for attribute in ("id", "name", "sid", "symbol"):
            # the schema lets an accessor's <param> and a unit be named more freely
            value = element.get(attribute)
            if value is not None and not _NC_NAME.fullmatch(value) and _name(element) != "unit":
                yield f"<{_name(element)}> has the {attribute} {value!r}, which is no NCName"
        if (identity := element.get("id")) is not None:
            if identity in kinds:
                yield f"the id {identity} occurs twice"
            kinds[identity] = _name(element)
    for element in root.iter():
        for attribute in ("url", "target", "source"):
            address = element.get(attribute)
            if address is None:
                continue
            wanted = _REFERENCES.get((_name(element), attribute))
            if not address.startswith("#") or kinds.get(address[1:]) is None:
                yield f"<{_name(element)}> refers to {address}, which is not there"
            elif wanted and kinds[address[1:]] != wanted:
                yield f"<{_name(element)}> refers to a <{kinds[address[1:]]}> instead of a <{wanted}>"
    for node in _all(root, "instance_geometry"):
        geometries = [e for e in _all(root, "geometry") if f"#{e.get('id')}" == node.get("url")]
        primitives = [e for one in geometries for e in _all(one, "polylist", "triangles")]
        wanted_symbols = {e.get("material") for e in primitives} - {None}
        bound = {e.get("symbol") for e in _all(node, "instance_material")}
        if wanted_symbols != bound:
            yield f"the materials {wanted_symbols} of a geometry are bound as {bound}"


def _numbers(root: ElementTree.Element) -> Iterator[str]:
    for source in _all(root, "source"):
        array = next(_all(source, "float_array"))
        accessor = next(_all(source, "accessor"))
        values = [float(word) for word in (array.text or "").split()]
        stride, count = int(accessor.get("stride", "1")), int(accessor.get("count", "-1"))
        if len(values) != int(array.get("count", "-1")):
            yield f"{array.get('id')} says {array.get('count')} values and holds {len(values)}"
        if count * stride + int(accessor.get("offset", "0")) > len(values):
            yield f"the accessor of {source.get('id')} reaches beyond its array"
        if len(accessor) != stride:
            yield f"the accessor of {source.get('id')} has {len(accessor)} params for a stride of {stride}"
        if not all(map(isfinite, values)):
            yield f"{array.get('id')} holds a value that is not finite"
    for color in _all(root, "color"):
        parts = [float(word) for word in (color.text or "").split()]
        if len(parts) != 4 or not all(0.0 <= part <= 1.0 for part in parts):
            yield f"a colour is {color.text}"


def _primitives(root: ElementTree.Element) -> Iterator[str]:
    sizes = {
        source.get("id"): int(next(_all(source, "accessor")).get("count", "0"))
        for source in _all(root, "source")
    }
    for vertices in _all(root, "vertices"):
        (place,) = [e for e in vertices if e.get("semantic") == "POSITION"]
        sizes[vertices.get("id")] = sizes[(place.get("source") or "")[1:]]
    for element in _all(root, "polylist", "triangles"):
        kind = _name(element)
        inputs = [child for child in element if _name(child) == "input"]
        offsets = [int(one.get("offset", "-1")) for one in inputs]
        if sum(one.get("semantic") == "VERTEX" for one in inputs) != 1 or sorted(set(offsets)) != list(
            range(len(set(offsets)))
        ):
            yield f"<{kind}> has inputs at {offsets}"
            continue
        width = max(offsets) + 1
        indices = [
            int(word) for child in element if _name(child) == "p" for word in (child.text or "").split()
        ]
        count = int(element.get("count", "-1"))
        corners = [3] * count
        if kind == "polylist":
            corners = [int(word) for word in (next(_all(element, "vcount")).text or "").split()]
            if len(corners) != count or min(corners, default=3) < 3:
                yield f"<polylist> says {count} polygons and lists {corners}"
        if len(indices) != sum(corners) * width:
            yield f"<{kind}> needs {sum(corners) * width} indices and holds {len(indices)}"
        for one, offset in zip(inputs, offsets, strict=True):
            used = indices[offset::width]
            if used and not 0 <= min(used) <= max(used) < sizes[(one.get("source") or "")[1:]]:
                yield f"<{kind}> has {one.get('semantic')} indices beyond their source"
