"""The document: a directed acyclic graph of nodes, with materials and roots.

    builder = DocumentBuilder()
    box = builder.add(Cube((10.0, 20.0, 30.0)))
    builder.add_root(box, "steel")
    document = builder.build()

Building from a program goes through :class:`DocumentBuilder`, which maps structurally equal
sub-graphs to one node. A document from elsewhere (JSON) keeps its ids and is checked here: every
reference resolves, nothing is its own ancestor. Where nodes came from (``sites``) stands beside
the graph and takes no part in its digest. Nothing here recurses: graphs may be 10 000 deep.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from blake3 import blake3

from vcad_kernel.errors import GeometryError, Place, Site
from vcad_kernel.ir.digest import Digest, node_digest
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import Node, NodeId, fields_of
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

__all__ = ["Document", "DocumentBuilder", "Extras", "Root"]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Root:
    """One part of the scene: a solid and the name of its material."""

    node: NodeId
    material: str
    visible: bool | None = None
    """None = not said, which means visible; only False hides."""
    sites: tuple[Site, ...] = field(default=(), compare=False, repr=False)

    @property
    def shown(self) -> bool:
        """Whether evaluation looks at it."""
        return self.visible is not False


@dataclass(frozen=True, slots=True)
class Extras:
    """Members of a JSON document that this version does not know; carried through unchanged."""

    document: Mapping[str, Any] = field(default_factory=dict)
    nodes: Mapping[NodeId, Mapping[str, Any]] = field(default_factory=dict)
    operations: Mapping[NodeId, Mapping[str, Any]] = field(default_factory=dict)
    materials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    roots: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    parameters: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Document:
    """An immutable, checked document.

    Raises on construction: GeometryError MISSING_NODE or GRAPH_CYCLE, naming the path.
    """

    nodes: Mapping[NodeId, Node]
    materials: Mapping[str, Material]
    roots: tuple[Root, ...]
    names: Mapping[NodeId, str] = field(default_factory=dict)
    sites: Mapping[NodeId, tuple[Site, ...]] = field(default_factory=dict, compare=False, repr=False)
    """All calls that made each node; hash-consing may merge several."""
    called: Mapping[NodeId, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """The functions that the user called for each node, the first call's first; absent = by its kind."""
    extras: Extras = field(default_factory=Extras)
    version: str = "0.1"
    parameters: tuple[Parameter, ...] = ()
    """In the order in which the program declares them; no part of any digest."""
    _known_digests: dict[NodeId, Digest] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the invariants, unless a builder has kept them all along."""
        if self._known_digests is None:
            self._check_references()
            order = list(self.children_first(self.nodes))
            object.__setattr__(self, "_known_digests", self._compute_digests(order))

    def place_of(self, node: NodeId) -> Place | None:
        """Where the user wrote the (first) call that made a node."""
        for site in self.sites.get(node, ()):
            place = site.place()
            if place is not None:
                return place
        return None

    def function_of(self, node: NodeId) -> str:
        """The function that made a node, as the user wrote it: ``hex-prism`` rather than ``prism``."""
        called = self.called.get(node)
        return called[0] if called else self.nodes[node].function

    def digest(self, node: NodeId) -> Digest:
        """Content hash of the sub-graph under a node; ids play no part, and names only where it selects
        by them."""
        assert self._known_digests is not None
        return self._known_digests[node]

    @cached_property
    def content_digest(self) -> Digest:
        """Content hash of the whole scene: roots in order, visibility, and their materials."""
        parts: list[bytes] = []
        for root in self.roots:
            material = self.materials.get(root.material)
            parts += [self.digest(root.node), repr((root.material, root.shown, material)).encode()]
        return blake3(b"\0".join(parts)).digest()

    @cached_property
    def by_digest(self) -> Mapping[Digest, NodeId]:
        """The node that stands for a digest (the first, where a loaded document repeats itself)."""
        assert self._known_digests is not None
        result: dict[Digest, NodeId] = {}
        for node, digest in self._known_digests.items():
            result.setdefault(digest, node)
        return result

    def only(self, roots: Sequence[Root], materials: Mapping[str, Material]) -> Document:
        """What stands under some roots, with these materials; nodes keep their ids, names and digests.

        What is named stays where a selection under the roots asks for the name.
        """
        kept = set(self.children_first([root.node for root in roots]))
        asked = {name for node in kept for name in _selected_names(self.nodes[node])}
        kept.update(self.children_first([node for node, name in self.names.items() if name in asked]))
        extras = self.extras
        return Document(
            {node: held for node, held in self.nodes.items() if node in kept},
            materials,
            tuple(roots),
            _of(self.names, kept),
            _of(self.sites, kept),
            _of(self.called, kept),
            replace(
                extras,
                nodes=_of(extras.nodes, kept),
                operations=_of(extras.operations, kept),
                materials=_of(extras.materials, materials.keys()),
                roots={},
            ),
            self.version,
            self.parameters,
        )

    def subgraph(self, root: NodeId) -> list[NodeId]:
        """Ids under and including a node, each once, children first, fields left to right."""
        return list(self.children_first((root,)))

    def children_first(self, starts: Iterable[NodeId]) -> Iterator[NodeId]:
        """What stands under some nodes, each once, children before parents, fields left to right.

        Raises: GeometryError GRAPH_CYCLE with the path.
        """
        nodes = self.nodes
        done: set[NodeId] = set()
        for start in starts:
            if start in done:
                continue
            path = [start]
            open_ids = {start}
            pending = [iter(nodes[start].children())]
            while pending:
                child = next(pending[-1], None)
                if child is None:
                    pending.pop()
                    node = path.pop()
                    open_ids.discard(node)
                    done.add(node)
                    yield node
                elif child in open_ids:
                    raise _cycle(nodes, path[path.index(child) :], child)
                elif child not in done:
                    path.append(child)
                    open_ids.add(child)
                    pending.append(iter(nodes[child].children()))

    def _check_references(self) -> None:
        for node_id, node in self.nodes.items():
            for path, child in node.references():
                if child not in self.nodes:
                    raise _missing(f"nodes[{node_id}].{node.KIND}.{path}", child)
        for index, root in enumerate(self.roots):
            if root.node not in self.nodes:
                raise _missing(f"roots[{index}].root", root.node)

    def _compute_digests(self, order: Iterable[NodeId]) -> dict[NodeId, Digest]:
        digests: dict[NodeId, Digest] = {}
        for node_id in order:
            node = self.nodes[node_id]
            digests[node_id] = node_digest(node, digests.__getitem__)
            for name in _selected_names(node) if self.names else ():
                # the name alone does not say which faces it stands for
                made = sorted(digests[named] for named in self._named_below(node_id, name))
                digests[node_id] = blake3(b"".join((digests[node_id], name.encode(), b"\0", *made))).digest()
        return digests

    def _named_below(self, node_id: NodeId, name: str) -> set[NodeId]:
        """The nodes below one that the forms of a name are made of."""
        tops = [top for top, given in self.names.items() if given == name]
        if not tops:
            return set()
        return (set(self.subgraph(node_id)) - {node_id}) & set(self.children_first(tops))


def _of(members: Mapping[_Key, _Value], keys: Container[_Key]) -> dict[_Key, _Value]:
    """The members with some keys."""
    return {key: value for key, value in members.items() if key in keys}


def _selected_names(node: Node) -> list[str]:
    """What a node's selectors ask for with ``made_by``."""
    names = []
    given = [getattr(node, member.name) for member in fields_of(type(node)) if member.type is Selector]
    waiting = [selector for selector in given if selector is not None]
    while waiting:
        selector = waiting.pop(0)
        if selector.made_by is not None:
            names.append(selector.made_by)
        waiting[:0] = selector.within
    return names


def _missing(path: str, child: int) -> GeometryError:
    return GeometryError(
        f"{path} refers to node {child}, which does not exist",
        code="MISSING_NODE",
        details={"path": path},
    )


def _cycle(nodes: Mapping[NodeId, Node], ring: list[NodeId], again: NodeId) -> GeometryError:
    steps = []
    for here, after in zip(ring, [*ring[1:], again], strict=True):
        member = next(path for path, child in nodes[here].references() if child == after)
        steps.append(f"nodes[{here}].{nodes[here].KIND}.{member}")
    path = " → ".join(steps)
    return GeometryError(
        f"a node may not contain itself: {path} → node {again}",
        code="GRAPH_CYCLE",
        node_id=again,
        details={"path": steps[0], "cycle": [int(node) for node in ring]},
    )


class DocumentBuilder:
    """Grows a document bottom-up; equal sub-graphs become one node. The only mutable form."""

    def __init__(self) -> None:
        self._nodes: dict[NodeId, Node] = {}
        self._digests: dict[NodeId, Digest] = {}
        self._ids: dict[Digest, NodeId] = {}
        # by identity: thousands of copies made by one call in a loop share one site object
        self._sites: dict[NodeId, dict[int, Site]] = {}
        self._called: dict[NodeId, dict[str, None]] = {}
        self._materials: dict[str, Material] = {}
        self._roots: list[Root] = []
        self._parameters: dict[str, Parameter] = {}

    def add(self, node: Node, site: Site | None = None, called: str | None = None) -> NodeId:
        """The id of this node, new or already present. Children must have been added before.

        called: the function as the user wrote it.
        """
        digest = node_digest(node, self._digests.__getitem__)
        node_id = self._ids.get(digest)
        if node_id is None:
            node_id = NodeId(len(self._nodes))
            self._nodes[node_id] = node
            self._digests[node_id] = digest
            self._ids[digest] = node_id
        if site is not None:
            self._sites.setdefault(node_id, {})[id(site)] = site
        if called is not None:
            self._called.setdefault(node_id, {})[called] = None
        return node_id

    def add_material(self, material: Material) -> None:
        """Define a material; a later definition of the same name replaces an earlier one."""
        self._materials[material.name] = material

    def add_root(self, node: NodeId, material: str = DEFAULT_MATERIAL.name, site: Site | None = None) -> None:
        """Append a part."""
        self._roots.append(Root(node, material, sites=() if site is None else (site,)))

    def add_parameter(self, parameter: Parameter) -> None:
        """Note a parameter of the model; a later one of the same name takes the place of an earlier one."""
        self._parameters[parameter.name] = parameter

    def build(self) -> Document:
        """The document so far; gets the material ``default`` when it has a root and none was given."""
        materials = dict(self._materials)
        if self._roots:
            materials.setdefault(DEFAULT_MATERIAL.name, DEFAULT_MATERIAL)
        return Document(
            dict(self._nodes),
            materials,
            tuple(self._roots),
            sites={node: tuple(sites.values()) for node, sites in self._sites.items()},
            called={node: tuple(names) for node, names in self._called.items()},
            parameters=tuple(self._parameters.values()),
            _known_digests=dict(self._digests),
        )
