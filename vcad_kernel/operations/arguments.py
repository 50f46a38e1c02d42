"""What an argument of an operation may be, and the keys of the maps among them.

An annotation says it of an argument, a `Key` of what stands under a key:

    Corners: TypeAlias = Annotated[str, Given(Choice("round", "sharp"))]
    Place: TypeAlias = Annotated[Keys, keyed("a place", Key("at", Point, (0, 0, 0), "the origin"), ...)]

All of it is data: the library's text, the checker, the reference, completion and conversion read it.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, get_args

from vcad_kernel.operations.node import NodeId

__all__ = [
    "LEAST_FIDELITY",
    "MOVABLE",
    "SHAPE",
    "TRAITS",
    "AnyKind",
    "Argument",
    "Choice",
    "Coordinates",
    "Count",
    "Degrees",
    "Either",
    "Fidelity",
    "Flag",
    "Given",
    "Index",
    "Indices",
    "Key",
    "Keyed",
    "Keys",
    "Kind",
    "Mm",
    "Numbers",
    "Real",
    "Reals",
    "Several",
    "Sketch",
    "Sketches",
    "Solid",
    "Solids",
    "String",
    "Surface",
    "Trait",
    "given_of",
    "joined",
    "keyed",
]

LEAST_FIDELITY = 8
"""The fewest pieces that a form with a fidelity hint takes."""


_WORDS = ":all, :top, :bottom, :left, :right, :front, :back"
"""The selections of one word."""


_PLANE = "a plane (:xy, :xz, :yz, their backs :yx, :zx, :zy, or what plane and face-plane give)"


class Kind(Enum):
    """A plain kind of value: how messages name it, how the checker reads it, and how it is stored.

    ``Real`` and ``Count`` take ints and floats alike. An empty type: any value, conversion looks at it.
    """

    REAL = "a number", "Real", "Float"
    COUNT = "a whole number from 1", "Count", "Int"
    FIDELITY = f"a whole number from {LEAST_FIDELITY}", "Count", "Int"
    INDEX = "a whole number from 0", "Count", "Int"
    SOLID = "a solid", "Solid", "Solid"
    SKETCH = "a profile", "Sketch", "Sketch"
    FLAG = "true or false", "Bool", "Bool"
    TEXT = "a text", "String", "String"
    SEGMENTS = "a vector of lines and arcs", "Vec SketchSeg", "[Vec SketchSeg]"
    STEPS = "a vector of steps of a pen", "Vec Step", "[Vec Step]"
    SOLIDS = "a vector of solids", "Vec Solid", "[Vec Solid]"
    SKETCHES = "a vector of profiles", "Vec Sketch", "[Vec Sketch]"
    REALS = "a vector of numbers", "Vec Real", "[Vec Float]"
    INDICES = "a vector of whole numbers from 0", "Vec Count", "[Vec Int]"
    FUNCTION = "a function of a number that gives #[x y]", "(Float -> Vec Real)", ""
    PATH = "a path", "Path", "Path"
    PATHS = "a vector of paths", "Vec Path", "[Vec Path]"
    SURFACE = "a surface", "Surface", "Surface"
    PLANE = _PLANE, "", ""
    PLANE_OR_NUMBERS = _PLANE, "", "", "of numbers where it stands on no face"
    FACE = "a selection of one plane face, as :top, or a plane", "", ""
    PLACES = "points #[#[x y] …], or what grid, ring, corners, along-edge and centers-of give", "", ""
    EDGES = f"a selection of edges: {_WORDS}, :inside, :outside, a map, or edges", "", ""
    FACES = f"a selection of faces: {_WORDS}, a map, or faces", "", ""
    SELECTION = f"a selection of edges or faces: {_WORDS}, a map, edges or faces", "", ""

    def __init__(self, words: str, type_: str, stored: str, given: str = "") -> None:
        self.words, self.type, self.stored = words, type_, stored
        self.given = given
        """How builders get it, where that is all that tells it from another kind."""


class Choice:
    """One keyword of several; builders get its name."""

    type, stored = "Keyword", "Keyword"

    def __init__(self, *names: str) -> None:
        self.names = names

    @property
    def words(self) -> str:
        """``:round or :sharp``."""
        return joined([f":{name}" for name in self.names])


class Numbers:
    """A vector or a tuple of so many numbers; builders get a tuple."""

    type = stored = ""

    def __init__(self, count: int) -> None:
        self.count = count

    @property
    def words(self) -> str:
        """``a vector of 3 numbers``."""
        return f"a vector of {self.count} numbers"


class Several:
    """A vector of values of one kind; builders get a tuple."""

    type = stored = ""

    def __init__(self, of: "AnyKind") -> None:
        self.of = of

    @property
    def words(self) -> str:
        """``a vector, in which each is a number``."""
        return f"a vector, in which each is {self.of.words}"


class Either:
    """A value of one of several kinds that differ in how they are written: a number, or a keyword."""

    type = stored = ""

    def __init__(self, *kinds: "AnyKind") -> None:
        self.kinds = kinds

    @property
    def words(self) -> str:
        """``a number or :next``."""
        return joined([kind.words for kind in self.kinds])


class Keyed:
    """A map of keys that are known; builders get a mapping from each key's name to its value or default."""

    type = stored = ""

    def __init__(self, what: str, keys: tuple["Key", ...]) -> None:
        self.what = what
        """What the map describes: ``a hole``."""
        self.keys = keys

    @property
    def words(self) -> str:
        """``a map of options (:twist, :taper)``."""
        return f"a map of {self.what} ({', '.join(f':{key.name}' for key in self.keys)})"


AnyKind: TypeAlias = Kind | Choice | Numbers | Several | Either | Keyed

Keys: TypeAlias = Mapping[str, Any]
"""What builders get for a map of keys."""

REQUIRED: Final = object()
"""The default of a key that must be there."""


class Key:
    """A key of a map: an option of an operation, or part of a ``keyed`` argument.

    name: as users write it, without the colon. annotation: a type such as ``Mm``. default: what builders
    get where the key is not there; without one it must be.
    """

    def __init__(self, name: str, annotation: Any, default: Any = REQUIRED, doc: str = "") -> None:
        self.name = name
        self.kind, self.unit = given_of(annotation)
        self.default = default
        self.doc = doc

    @property
    def required(self) -> bool:
        """Whether a map without it is refused."""
        return self.default is REQUIRED

    @property
    def parameter(self) -> str:
        """What builders call it."""
        return self.name.replace("-", "_")


class Given(NamedTuple):
    """What an annotation says of an argument beside its Python type."""

    kind: AnyKind
    unit: str = ""
    """``mm``, ``deg`` or empty."""


def given_of(annotation: Any) -> Given:
    """What an annotation says of an argument."""
    given = get_args(annotation)[1]
    assert isinstance(given, Given), f"{annotation} says nothing of an argument"
    return given


def keyed(what: str, *keys: Key) -> Given:
    """What an annotation says of an argument that is a map of keys. what: it describes, ``a hole``."""
    return Given(Keyed(what, keys))


Real: TypeAlias = Annotated[float, Given(Kind.REAL)]
Mm: TypeAlias = Annotated[float, Given(Kind.REAL, "mm")]
Degrees: TypeAlias = Annotated[float, Given(Kind.REAL, "deg")]
Count: TypeAlias = Annotated[int, Given(Kind.COUNT)]
Fidelity: TypeAlias = Annotated[int, Given(Kind.FIDELITY)]
Index: TypeAlias = Annotated[int, Given(Kind.INDEX)]
Flag: TypeAlias = Annotated[bool, Given(Kind.FLAG)]
String: TypeAlias = Annotated[str, Given(Kind.TEXT)]
Reals: TypeAlias = Annotated[tuple[float, ...], Given(Kind.REALS)]
Coordinates: TypeAlias = Annotated[tuple[float, ...], Given(Kind.REALS, "mm")]
"""Those of points, one after the other."""
Indices: TypeAlias = Annotated[tuple[int, ...], Given(Kind.INDICES)]
Solid: TypeAlias = Annotated[NodeId, Given(Kind.SOLID)]
Sketch: TypeAlias = Annotated[NodeId, Given(Kind.SKETCH)]
Surface: TypeAlias = Annotated[NodeId, Given(Kind.SURFACE)]
Solids: TypeAlias = Annotated[tuple[NodeId, ...], Given(Kind.SOLIDS)]
Sketches: TypeAlias = Annotated[tuple[NodeId, ...], Given(Kind.SKETCHES)]


class Argument(NamedTuple):
    """One argument."""

    name: str
    kind: AnyKind
    unit: str = ""
    """``mm``, ``deg`` or empty."""

    @property
    def type(self) -> str:
        """In the checker's notation; what may be of many types goes by the argument's name."""
        if isinstance(self.kind, Keyed):
            return f"{{{self.name}}}"
        return self.kind.type or self.name

    @property
    def stored(self) -> str:
        """As the library's types write the field."""
        return self.kind.stored or self.name


class Trait(NamedTuple):
    """Types of which one word takes values of each alike."""

    name: str
    types: tuple[str, ...]
    words: str


SHAPE: Final = Trait("Shape", ("Solid", "Sketch"), "a solid or a profile")
MOVABLE: Final = Trait(
    "Movable", ("Solid", "Sketch", "Path", "Surface"), "a solid, a profile, a path or a surface"
)
DRAWN: Final = Trait("Drawn", ("Sketch", "Path"), "a profile or a path")
TRAITS: Final = (SHAPE, MOVABLE, DRAWN)


def joined(words: Sequence[str]) -> str:
    """``a, b or c``."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
