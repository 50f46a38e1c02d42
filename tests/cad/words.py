"""Records as a family of the library has them, for the tests of how words are called."""

from typing import Annotated, Any, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import (
    Choice,
    Degrees,
    Either,
    Flag,
    Given,
    Key,
    Keys,
    Kind,
    Mm,
    Numbers,
    Real,
    Sketch,
    Solid,
    String,
    Surface,
    keyed,
)
from vcad_kernel.operations.node import Node, Record
from vcad_kernel.operations.record import Operation, operation
from vcad_kernel.operations.sections import BOOLEANS

Path: TypeAlias = Annotated[Any, Given(Kind.PATH)]
Ends: TypeAlias = Annotated[str, Given(Choice("sharp", "round"))]
Direction: TypeAlias = Annotated[tuple[float, float, float], Given(Numbers(3))]
Height: TypeAlias = Annotated[float | str, Given(Either(Kind.REAL, Choice("next")), "mm")]
Head: TypeAlias = Annotated[Keys, keyed("a head", Key("kind", Annotated[str, Given(Choice("flat"))], "flat"))]
Hole: TypeAlias = Annotated[Keys, keyed("a hole", Key("d", Mm), Key("head", Head, None))]


class Made(Record):
    """A solid, and what its record's function was given."""

    GIVES: ClassVar[str] = "Solid"
    given: tuple[Any, ...] = ()


class MadeProfile(Made):
    """A profile."""

    GIVES: ClassVar[str] = "Sketch"


class MadePath(Made):
    """A path."""

    GIVES: ClassVar[str] = "Path"


class MadeSurface(Made):
    """A surface."""

    GIVES: ClassVar[str] = "Surface"


assert not issubclass(Made, Node)


@operation(BOOLEANS, "[blob 2]")
def blob(r: Mm) -> Made:
    """A solid."""
    return Made((r,))


@operation(BOOLEANS, "[patch 2]")
def patch(r: Mm) -> MadeProfile:
    """A profile."""
    return MadeProfile((r,))


@operation(BOOLEANS, "[way 2]")
def way(r: Mm) -> MadePath:
    """A path."""
    return MadePath((r,))


@operation(BOOLEANS, "[sail 2]")
def sail(r: Mm) -> MadeSurface:
    """A surface."""
    return MadeSurface((r,))


@operation(
    BOOLEANS,
    "[grow 5 [blob 2]]",
    options=(
        Key("twist", Degrees, 0.0, "turn of the end"),
        Key("ends", Ends, "sharp"),
        Key("towards", Direction, None),
    ),
)
def grow(h: Height, s: Solid, *, twist: float, ends: str, towards: tuple[float, ...] | None) -> Made:
    """A solid grown."""
    del s
    return Made((h, twist, ends, towards))


@operation(BOOLEANS, "[pierce {:d 4} [blob 2]]")
def pierce(hole: Hole, s: Solid) -> Made:
    """A solid with a hole."""
    del s
    return Made((hole["d"], hole["head"]["kind"]))


@operation(BOOLEANS, "[shift 1 [blob 2]]")
def shift(x: Mm, s: Solid) -> Made:
    """A thing moved."""
    return Made((x, s))


@operation(BOOLEANS, "[shift 1 [patch 2]]", name="shift", variant="ShiftProfile")
def shift_profile(x: Mm, s: Sketch) -> MadeProfile:
    return MadeProfile((x, s))


@operation(BOOLEANS, "[shift 1 [way 2]]", name="shift", variant="ShiftPath")
def shift_path(x: Mm, s: Path) -> MadePath:
    return MadePath((x, s))


@operation(BOOLEANS, "[shift 1 [sail 2]]", name="shift", variant="ShiftSurface")
def shift_surface(x: Mm, s: Surface) -> MadeSurface:
    return MadeSurface((x, s))


@operation(BOOLEANS, "[fuse [blob 1] [blob 2]]")
def fuse(other: Solid, s: Solid) -> Made:
    """Two things as one."""
    return Made((other, s))


@operation(BOOLEANS, "[fuse [patch 1] [patch 2]]", name="fuse", variant="FuseProfile")
def fuse_profile(other: Sketch, s: Sketch) -> MadeProfile:
    return MadeProfile((other, s))


@operation(
    BOOLEANS,
    '[letters 3 "a"]',
    name="letters",
    variant="LettersProfile",
    subject_last=True,
    options=(Key("bold", Flag, False),),
)
def letters_profile(size: Real, text: String, *, bold: bool) -> MadeProfile:
    """Letters."""
    return MadeProfile((size, text, bold))


@operation(BOOLEANS, '[letters 3 5 "a"]', subject_last=True)
def letters(size: Real, height: Real, text: String) -> Made:
    return Made((size, height, text))


ALL = tuple(value for value in list(globals().values()) if isinstance(value, Operation))
