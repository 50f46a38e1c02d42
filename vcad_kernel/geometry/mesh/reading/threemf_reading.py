"""3MF packages in: the triangles of what their build holds, where it puts them, in millimetres.

The core specification of the 3MF consortium (1.3) and its production extension (1.1), by which slicers keep
each object in a file of its own. What is neither, and makes a body - beams, booleans, implicit or encrypted
bodies -, is refused, as the core specification asks of readers without that extension; colours and slices
change no shape.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.paths import LARGEST_FILE

__all__ = ["UnreadableError", "built_meshes"]

_UNITS: Final = {
    "micron": 1e-3,
    "millimeter": 1.0,
    "centimeter": 10.0,
    "inch": 25.4,
    "foot": 304.8,
    "meter": 1000.0,
}
"""Millimetres (core 3.4)."""
_MODEL_RELATION: Final = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
_RELATIONS: Final = "_rels/.rels"
_CORE: Final = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_PRODUCTION: Final = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
_SLICE: Final = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
_KEEPS_SHAPES: Final = frozenset(
    {
        _CORE,
        _PRODUCTION,
        _SLICE,
        "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
        "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    }
)
"""Extensions that a package may require: with them, a mesh is still its triangles."""
_BODIES: Final = frozenset({"beamlattice", "booleanshape", "displacementmesh", "levelset"})
"""Elements of other extensions that are bodies beside, or in place of, triangles."""
_MOST_TRIANGLES: Final = LARGEST_FILE // 50
"""Placed in all: as many as an STL of the largest size that is read holds, at 50 bytes for each."""
_MOST_VERTICES: Final = 3 * _MOST_TRIANGLES
"""Placed in all: a mesh whose triangles share no vertex has three for each."""
_MOST_OBJECTS: Final = 20_000
"""Placed in all; components of components multiply, so they are counted before any is placed."""
_DEEPEST: Final = 64
"""Objects within objects; slicers write two levels."""

_Matrix: TypeAlias = NDArray[np.float64]
"""(4, 3), for points as rows (core 3.3)."""
_Key: TypeAlias = tuple[str, str]
"""Model part, number of the object in it."""
_Element: TypeAlias = Callable[[str, Mapping[str, str]], None]


class UnreadableError(Exception):
    """What is wrong with a file, in words."""


@dataclass(slots=True)
class _Object:
    vertices: array[float] = field(default_factory=lambda: array("d"))
    triangles: array[int] = field(default_factory=lambda: array("q"))
    components: list[tuple[_Key, _Matrix]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Count:
    """What an object builds, with all that it holds; of any size, since these are Python's integers."""

    objects: int = 0
    triangles: int = 0
    vertices: int = 0
    levels: int = 0
    """Objects within objects, of the deepest."""

    def __add__(self, other: _Count) -> _Count:
        return _Count(
            self.objects + other.objects,
            self.triangles + other.triangles,
            self.vertices + other.vertices,
            max(self.levels, other.levels),
        )


def built_meshes(data: bytes) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """(vertices, triangles) of each mesh that is built, in the order of the build.

    Raises: UnreadableError; KeyError, ValueError and expat's errors for a package that is damaged.
    """
    package = _Package(data)
    root = package.model(_root_of(package.read(_RELATIONS)))
    unit = 1.0 if root.unit is None else root.unit
    total = sum((package.count(key, 0) for key, _ in root.items), _Count())
    if total.objects > _MOST_OBJECTS or total.triangles > _MOST_TRIANGLES or total.vertices > _MOST_VERTICES:
        raise UnreadableError(
            f"it builds {total.objects} objects, {total.triangles} triangles and {total.vertices} vertices; "
            f"at most {_MOST_OBJECTS}, {_MOST_TRIANGLES} and {_MOST_VERTICES} are read"
        )
    pieces: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []
    for key, place in root.items:
        for solid, matrix in package.placed(key, place):
            triangles = np.array(solid.triangles, np.int64).reshape(-1, 3)
            vertices = np.array(solid.vertices, np.float64).reshape(-1, 3)
            if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(vertices):
                raise UnreadableError("a triangle names a vertex that is not there")
            if np.linalg.det(matrix[:3]) < 0.0:  # a mirror image is inside out
                triangles = triangles[:, ::-1]
            if len(triangles):
                pieces.append(((vertices @ matrix[:3] + matrix[3]) * unit, triangles))
    return pieces


class _Package:
    """The files of a package, and its models as far as they are asked for."""

    def __init__(self, data: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile as error:
            raise UnreadableError(f"it is no proper .3mf file ({error})") from error
        entries = self._archive.infolist()
        size = sum(entry.file_size for entry in entries)
        # a few packed kilobytes must not unpack to all the memory there is
        if size > LARGEST_FILE:
            raise UnreadableError(f"it unpacks to {size} bytes, more than the {LARGEST_FILE} that are read")
        # names are the same in either case (ECMA-376 part 2, 6.3.5)
        self._names = {entry.filename.lower(): entry for entry in entries}
        self._models: dict[str, _Model] = {}
        self._counts: dict[_Key, _Count] = {}

    def read(self, path: str) -> bytes:
        entry = self._names.get(path.lower())
        if entry is None:
            raise UnreadableError(f"there is no {path} in it")
        return self._archive.read(entry)

    def model(self, path: str) -> _Model:
        """A model part, parsed once."""
        path = posixpath.normpath(path.lower().lstrip("/"))
        if path not in self._models:
            self._models[path] = model = _Model(path, self.read(path))
            # the first one is what the package is about
            if model.unit not in (None, next(iter(self._models.values())).unit or 1.0):
                raise UnreadableError("its models have different units")
        return self._models[path]

    def count(self, key: _Key, depth: int) -> _Count:
        """What an object builds; each is counted once, however often it is held.

        Raises: UnreadableError for objects that are not there, or that hold each other too deep.
        """
        known = self._counts.get(key)
        if depth + (0 if known is None else known.levels) > _DEEPEST:
            raise UnreadableError(f"its objects hold each other more than {_DEEPEST} deep")
        if known is None:
            solid = self._object(key)
            inside = sum((self.count(inner, depth + 1) for inner, _ in solid.components), _Count())
            known = inside + _Count(1, len(solid.triangles) // 3, len(solid.vertices) // 3, inside.levels + 1)
            self._counts[key] = known
        return known

    def placed(self, key: _Key, place: _Matrix) -> Iterator[tuple[_Object, _Matrix]]:
        """The meshes of an object that has been counted and of its components, each with its place."""
        solid = self._object(key)
        yield solid, place
        for inner, matrix in solid.components:
            turned = matrix @ place[:3]
            turned[3] += place[3]
            yield from self.placed(inner, turned)

    def _object(self, key: _Key) -> _Object:
        path, number = key
        solid = self.model(path).objects.get(number)
        if solid is None:
            raise UnreadableError(f"object {number!r} is not there")
        return solid


class _Model:
    """One model part: its objects, and what it builds."""

    def __init__(self, path: str, data: bytes) -> None:
        self.unit: float | None = None
        """Millimetres, where it says; else the unit of the model that names this one."""
        self.objects: dict[str, _Object] = {}
        self.items: list[tuple[_Key, _Matrix]] = []
        self._path = path
        self._open = _Object()
        self._spaces: dict[str, str] = {}
        _parse(data, self._element, self._spaces)

    def _element(self, name: str, given: Mapping[str, str]) -> None:
        """Begin an element. name: with its name space before it."""
        space, _, tag = name.rpartition(" ")
        if space != _CORE:
            if tag in _BODIES:
                raise UnreadableError(f"it holds a {tag}, which is not read")
        elif tag == "vertex":
            self._open.vertices.extend((float(given["x"]), float(given["y"]), float(given["z"])))
        elif tag == "triangle":
            self._open.triangles.extend((int(given["v1"]), int(given["v2"]), int(given["v3"])))
        elif tag == "object":
            if given.get(f"{_SLICE} meshresolution") == "lowres":
                raise UnreadableError("its shapes are slices, which are not read")
            self._open = self.objects[given["id"]] = _Object()
        elif tag == "component":
            self._open.components.append((self._named(given), _matrix(given.get("transform"))))
        elif tag == "item":
            self.items.append((self._named(given), _matrix(given.get("transform"))))
        elif tag == "model":
            self._begin(given)

    def _named(self, given: Mapping[str, str]) -> _Key:
        """The object that a component or an item names, which may be another part's."""
        return given.get(f"{_PRODUCTION} path", self._path), given["objectid"]

    def _begin(self, given: Mapping[str, str]) -> None:
        unit = given.get("unit")
        if unit is not None:
            if unit not in _UNITS:
                raise UnreadableError(f"its unit {unit!r} is not known")
            self.unit = _UNITS[unit]
        for prefix in given.get("requiredextensions", "").split():
            extension = self._spaces.get(prefix, prefix)
            if extension not in _KEEPS_SHAPES:
                raise UnreadableError(f"it needs the 3MF extension {extension}, which is not read")


def _root_of(relations: bytes) -> str:
    """Where the model is that a package is about."""
    targets: list[str] = []

    def element(name: str, given: Mapping[str, str]) -> None:
        if name.rpartition(" ")[2] == "Relationship" and given.get("Type") == _MODEL_RELATION:
            targets.append(given["Target"])

    _parse(relations, element, {})
    if not targets:
        raise UnreadableError("no model is named in it")
    return targets[0]


def _parse(data: bytes, element: _Element, spaces: dict[str, str]) -> None:
    """Call a function with each element's name and attributes, both with their name spaces before them.

    spaces: is given the name space of each prefix, before the element that declares it.
    Raises: UnreadableError for a document with a type, which could define entities without end (core 2.3.2
    forbids it); expat.ExpatError.
    """
    parser = expat.ParserCreate(namespace_separator=" ")

    def declared(prefix: str | None, uri: str | None) -> None:
        spaces[prefix or ""] = uri or ""

    def typed(*_: object) -> None:
        raise UnreadableError("it holds a document type, which 3MF forbids")

    parser.StartElementHandler = element
    parser.StartNamespaceDeclHandler = declared
    parser.StartDoctypeDeclHandler = typed
    parser.Parse(data, True)


def _matrix(text: str | None) -> _Matrix:
    """A place of twelve numbers, row by row; none is where it is."""
    if text is None:
        return np.eye(4, 3)
    numbers = np.array([float(word) for word in text.split()])
    if len(numbers) != 12:
        raise UnreadableError(f"a place has {len(numbers)} numbers in place of 12")
    return numbers.reshape(4, 3)
