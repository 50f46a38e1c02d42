"""Documents: sharing, checks, digests, depth."""

from __future__ import annotations

import pytest

from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.ir.document import Document, DocumentBuilder, Root
from vcad_kernel.operations.bodies.booleans import Difference, Union
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.scene import Material
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.shapes import Cube, Cylinder
from vcad_kernel.operations.solids.sweeps import Loft


class _Site:
    """A place that is always the same."""

    def __init__(self, line: int) -> None:
        self.line = line

    def place(self) -> Place:
        return Place("m.oo", self.line, 1, self.line, 2, "x")


def test_children_get_ids_before_their_parent() -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 1.0, 1.0)))
    tool = builder.add(Cylinder(1.0, 2.0))
    assert [box, tool, builder.add(Difference(box, tool))] == [0, 1, 2]


def test_equal_subtrees_become_one_node_that_keeps_all_sites() -> None:
    builder = DocumentBuilder()
    first, second = _Site(3), _Site(9)
    a = builder.add(Cube((1.0, 2.0, 3.0)), first)
    b = builder.add(Cube((1.0, 2.0, 3.0)), second)
    builder.add_root(builder.add(Union(a, b)))
    document = builder.build()
    assert a == b
    assert document.sites[a] == (first, second)
    place = document.place_of(a)
    assert place is not None
    assert place.line == 3


def test_minus_zero_and_zero_are_the_same_solid() -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 1.0, 1.0)))
    assert builder.add(Translate(box, (0.0, 0.0, 0.0))) == builder.add(Translate(box, (-0.0, 0.0, 0.0)))


def test_how_fine_a_mesh_is_is_left_open_unless_a_node_says_it() -> None:
    builder = DocumentBuilder()
    assert builder.add(Gear(1.0, 20, 5.0)) == builder.add(Gear(1.0, 20, 5.0, flank=0))
    assert builder.add(Cylinder(1.0, 2.0)) == builder.add(Cylinder(1.0, 2.0, segments=0))


def test_default_material_is_added_once_there_is_a_part() -> None:
    builder = DocumentBuilder()
    assert builder.build().materials == {}
    builder.add_root(builder.add(Cube((1.0, 1.0, 1.0))))
    assert builder.build().materials["default"].color == (0.8, 0.8, 0.8)


def test_a_given_default_material_is_kept() -> None:
    builder = DocumentBuilder()
    builder.add_material(Material("default", (1.0, 0.0, 0.0)))
    builder.add_root(builder.add(Cube((1.0, 1.0, 1.0))))
    assert builder.build().materials["default"].color == (1.0, 0.0, 0.0)


def _loaded(nodes: dict[int, Node], root: int = 0) -> Document:
    return Document({NodeId(key): node for key, node in nodes.items()}, {}, (Root(NodeId(root), "default"),))


def test_digest_does_not_depend_on_ids_or_names() -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 2.0, 3.0)))
    top = builder.add(Translate(box, (1.0, 0.0, 0.0)))
    loaded = Document(
        {NodeId(40): Cube((1.0, 2.0, 3.0)), NodeId(7): Translate(NodeId(40), (1.0, 0.0, 0.0))},
        {},
        (Root(NodeId(7), "default"),),
        names={NodeId(40): "body"},
    )
    assert loaded.digest(NodeId(7)) == builder.build().digest(top)


def test_digest_tells_operand_order_and_sizes_apart() -> None:
    builder = DocumentBuilder()
    a, b = builder.add(Cube((1.0, 2.0, 3.0))), builder.add(Cube((1.0, 3.0, 2.0)))
    document = builder.build()
    assert document.digest(a) != document.digest(b)
    assert builder.add(Difference(a, b)) != builder.add(Difference(b, a))


def test_dangling_reference_is_refused_with_its_path() -> None:
    with pytest.raises(GeometryError, match=r"nodes\[5\]\.Translate\.child") as caught:
        _loaded({5: Translate(NodeId(6), (0.0, 0.0, 0.0))}, root=5)
    assert caught.value.code == "MISSING_NODE"


def test_dangling_reference_in_a_list_names_the_position() -> None:
    with pytest.raises(GeometryError, match=r"nodes\[2\]\.Loft\.sketches\[1\]"):
        _loaded({1: Cube((1.0, 1.0, 1.0)), 2: Loft((NodeId(1), NodeId(9)))}, root=2)


def test_dangling_root_is_refused() -> None:
    with pytest.raises(GeometryError, match=r"roots\[0\]\.root"):
        _loaded({0: Cube((1.0, 1.0, 1.0))}, root=3)


def test_cycle_is_refused_with_its_path() -> None:
    nodes: dict[int, Node] = {
        0: Translate(NodeId(1), (0.0, 0.0, 0.0)),
        1: Union(NodeId(2), NodeId(0)),
        2: Cube((1.0, 1.0, 1.0)),
    }
    with pytest.raises(
        GeometryError, match=r"nodes\[0\]\.Translate\.child → nodes\[1\]\.Union\.right"
    ) as caught:
        _loaded(nodes)
    assert caught.value.code == "GRAPH_CYCLE"
    assert caught.value.details["cycle"] == [0, 1]


def test_ten_thousand_nested_nodes_need_no_host_stack() -> None:
    nodes: dict[int, Node] = {0: Cube((1.0, 1.0, 1.0))}
    for index in range(10_000):
        nodes[index + 1] = Translate(NodeId(index), (1.0, 0.0, 0.0))
    document = _loaded(dict(reversed(nodes.items())), root=10_000)
    assert document.subgraph(NodeId(10_000)) == list(range(10_001))
    assert len(document.digest(NodeId(10_000))) == 32


def test_subgraph_lists_shared_nodes_once_children_first() -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 1.0, 1.0)))
    moved = builder.add(Translate(box, (1.0, 0.0, 0.0)))
    top = builder.add(Union(moved, box))
    assert builder.build().subgraph(top) == [box, moved, top]


def test_scene_digest_sees_materials_and_visibility() -> None:
    node = Cube((1.0, 1.0, 1.0))
    red, blue = Material("m", (1.0, 0.0, 0.0)), Material("m", (0.0, 0.0, 1.0))
    digests = {
        Document({NodeId(0): node}, {"m": look}, (Root(NodeId(0), "m", visible),)).content_digest
        for look in (red, blue)
        for visible in (None, True, False)
    }
    assert len(digests) == 4  # not saying whether it is visible means that it is
