"""What is said of one function of the CAD library, and the short hand in which the tables say it.

The user writes the subject last (``[translate 1 2 3 s]``), the variant stores it first
(``Translate s 1 2 3``). Knows no function; those are in the tables that signatures.py puts together.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["LEAST_FIDELITY", "Kind", "Parameter", "Signature", "parameters_of", "solid"]

LEAST_FIDELITY = 8
"""The fewest pieces that a form with a fidelity hint takes."""


class Kind(Enum):
    """What an argument may be; the value is how messages name it."""

    REAL = "a number"
    COUNT = "a whole number from 1"
    FIDELITY = f"a whole number from {LEAST_FIDELITY}"
    INDEX = "a whole number from 0"
    SOLID = "a solid"
    SKETCH = "a sketch"
    FLAG = "true or false"
    TEXT = "a text"
    SEGMENTS = "a vector of lines and arcs"
    SKETCHES = "a vector of sketches"
    REALS = "a vector of numbers"
    INDICES = "a vector of whole numbers from 0"
    PATH = "a path"
    EDGES = "a map that says which edges, or edges"
    FACES = "a map that says which faces, or faces"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument."""

    name: str
    kind: Kind
    unit: str = ""
    """``mm``, ``deg`` or empty."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One library function or constant."""

    name: str
    """As the user writes it."""
    variant: str
    parameters: tuple[Parameter, ...]
    """In the order in which the user writes them."""
    gives: str
    """``Solid``, ``Sketch``, ``SketchSeg``, ``Path``, ``Selection``, ``SceneEntry`` or ``Material``."""
    doc: str
    """Plain sentences; the first one stands alone."""
    example: str
    """A call, as short as messages need it; it may use names that ``program`` binds."""
    subject_last: bool = False
    """Whether the last argument is what the function acts on, which the variant stores first."""
    program: str = ""
    """A model that runs by itself and holds the example; empty where the example is one already."""
    swappable: bool = False
    """Whether the first argument may, for pipes, also come last."""

    @property
    def fields(self) -> tuple[Parameter, ...]:
        """The parameters in the order of the variant's fields."""
        if self.subject_last:
            return (self.parameters[-1], *self.parameters[:-1])
        return self.parameters

    @property
    def usage(self) -> str:
        """``[cube x y z]``; a constant is just its name."""
        if not self.parameters and self.name == self.variant:
            return self.name
        return f"[{' '.join((self.name, *(parameter.name for parameter in self.parameters)))}]"

    @property
    def type(self) -> str:
        """As the checker reads it; where the arguments may be swapped, both orders."""
        given = _arrows(self.parameters, self.gives)
        if self.swappable:
            return f"{given} | {_arrows((*self.parameters[1:], self.parameters[0]), self.gives)}"
        return given

    @property
    def variant_type(self) -> str:
        """The type of the constructor."""
        return _arrows(self.fields, self.gives)


def _arrows(parameters: tuple[Parameter, ...], gives: str) -> str:
    return " -> ".join((*(_TYPES[parameter.kind] for parameter in parameters), gives))


_TYPES = {
    Kind.REAL: "Real",
    Kind.COUNT: "Count",
    Kind.SOLID: "Solid",
    Kind.SKETCH: "Sketch",
    Kind.FLAG: "Bool",
    Kind.TEXT: "String",
    Kind.SEGMENTS: "Vec SketchSeg",
    Kind.SKETCHES: "Vec Sketch",
    Kind.REALS: "Vec Real",
    Kind.INDICES: "Vec Count",
    Kind.FIDELITY: "Count",
    Kind.INDEX: "Count",
    Kind.PATH: "Path",
    Kind.EDGES: "which",
    Kind.FACES: "which",
}
"""In the checker's notation: ``Real`` and ``Count`` take ints and floats alike. The maps of selections have
values of many types; conversion looks at them."""


_KINDS = {
    "": Kind.REAL,
    "mm": Kind.REAL,
    "deg": Kind.REAL,
    "count": Kind.COUNT,
    "solid": Kind.SOLID,
    "sketch": Kind.SKETCH,
    "bool": Kind.FLAG,
    "text": Kind.TEXT,
    "segments": Kind.SEGMENTS,
    "sketches": Kind.SKETCHES,
    "reals": Kind.REALS,
    "indices": Kind.INDICES,
    "fidelity": Kind.FIDELITY,
    "index": Kind.INDEX,
    "path": Kind.PATH,
    "edges": Kind.EDGES,
    "faces": Kind.FACES,
}


def _parameter(text: str) -> Parameter:
    name, _, kind = text.partition(":")
    return Parameter(name, _KINDS[kind], kind if kind in ("mm", "deg") else "")


def parameters_of(text: str) -> tuple[Parameter, ...]:
    """``"x:mm count:count s:solid"``; nothing after the name is a plain number."""
    return tuple(_parameter(item) for item in text.split())


def solid(name: str, variant: str, parameters: str, doc: str, example: str, program: str = "") -> Signature:
    """A function that gives a solid; what it works on, if anything, is its last argument."""
    read = parameters_of(parameters)
    subject = bool(read) and read[-1].kind in (Kind.SOLID, Kind.SKETCH)
    return Signature(name, variant, read, "Solid", doc, example, subject, program)
