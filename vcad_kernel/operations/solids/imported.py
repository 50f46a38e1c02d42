"""What comes from elsewhere: a mesh in the document, a mesh file, a body of a STEP file, and profiles of
drawings."""

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Index, Indices, Key, Real, Reals, String
from vcad_kernel.operations.node import Node, Vec3
from vcad_kernel.operations.numbers import ParameterFault, not_flat
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import FILES

__all__ = ["DxfFile", "Files", "ImportedMesh", "MeshFile", "StepFile", "SvgFile"]

Files: TypeAlias = Callable[[str], tuple[str, str]]
"""A file's path as documents keep it, and the hexadecimal blake3 of its bytes, from the path as written."""


class ImportedMesh(Node):
    """A triangle mesh as a solid: flat triples, indices 0-based."""

    FAILURE: ClassVar[str] = "MESH_NOT_MANIFOLD"

    positions: tuple[float, ...]
    indices: tuple[int, ...]
    normals: tuple[float, ...] | None = None
    source: str | None = None


@operation(
    FILES,
    "[ImportedMesh positions indices #[]]",
    "[let positions #[0 0 0  9 0 0  0 9 0  0 0 9]]\n"
    "[let indices #[0 2 1  0 1 3  0 3 2  1 2 3]]\n"
    "[ImportedMesh positions indices #[]]",
    name="ImportedMesh",
)
def imported_mesh(positions: Reals, indices: Indices, normals: Reals) -> ImportedMesh:
    """A closed triangle mesh as a solid: x y z of each corner in turn, three indices from 0 per
    triangle; normals may be #[]."""
    return ImportedMesh(positions, indices, normals or None)


class MeshFile(Node):
    """A mesh file as a solid without B-rep, scaled about the origin.

    ``content`` is the hash of the file's bytes when the program ran: the digest stands for the content.
    """

    FAILURE: ClassVar[str] = "MESH_NOT_MANIFOLD"

    path: str
    scale: Vec3
    content: str
    """Hexadecimal blake3."""

    @property
    def file(self) -> tuple[str, str]:
        """The mesh file."""
        return self.path, self.content

    def check(self) -> None:
        """No factor of 0."""
        not_flat(("sx", "sy", "sz"), self.scale)


@operation(FILES, '[import-mesh "bracket.stl"]')
def import_mesh(path: String, *, files: Files) -> MeshFile:
    """Mesh file as a solid, in millimetres. The path counts from the workspace; a mesh takes part in
    booleans but has no exact body."""
    kept, content = files(path)
    return MeshFile(kept, (1.0, 1.0, 1.0), content)


@operation(FILES, '[import-mesh-scaled 25.4 25.4 25.4 "bracket.stl"]')
def import_mesh_scaled(sx: Real, sy: Real, sz: Real, path: String, *, files: Files) -> MeshFile:
    """Mesh file as a solid, scaled about the origin. 25.4 thrice takes inches to millimetres."""
    kept, content = files(path)
    return MeshFile(kept, (sx, sy, sz), content)


class StepFile(Node):
    """One body of a STEP file, by its position from 0."""

    CURVED: ClassVar[bool] = True
    """Though it may be flat by chance; files are not looked into."""

    path: str
    body: int
    content: str
    """Hexadecimal blake3."""

    @property
    def file(self) -> tuple[str, str]:
        """The STEP file."""
        return self.path, self.content

    @property
    def functions(self) -> frozenset[str]:
        """``import-step-body`` names any body, the first too."""
        return frozenset(("import-step", "import-step-body"))

    def check(self) -> None:
        """Bodies are counted from 0."""
        if self.body < 0:
            raise ParameterFault("INVALID_PARAMETER", "i", f"bodies are counted from 0, got {self.body}")


@operation(FILES, '[import-step "bracket.step"]')
def import_step(path: String, *, files: Files) -> StepFile:
    """First body of a STEP file as a solid. The path counts from the workspace."""
    kept, content = files(path)
    return StepFile(kept, 0, content)


@operation(FILES, '[import-step-body "bracket.step" 0]')
def import_step_body(path: String, i: Index, *, files: Files) -> StepFile:
    """Body of a STEP file by its number, from 0."""
    kept, content = files(path)
    return StepFile(kept, i, content)


class _Drawing(Node):
    """The outlines of a drawing, on XY."""

    GIVES: ClassVar[str] = "Sketch"
    CURVED: ClassVar[bool] = True
    """Though they may be straight by chance; files are not looked into."""

    path: str
    content: str
    """Hexadecimal blake3."""

    @property
    def file(self) -> tuple[str, str]:
        """The drawing."""
        return self.path, self.content


class SvgFile(_Drawing):
    """What an SVG file draws."""


@operation(FILES, '[import-svg "logo.svg"]', '[pull 3 [import-svg "logo.svg"]]', subject_last=True)
def import_svg(path: String, *, files: Files) -> SvgFile:
    """What an SVG drawing shows, as a profile on XY. It has the size of its page, in millimetres, with y
    upwards from the lower left corner. What is filled is an area by its rule of filling, and areas are
    united; outlines that are drawn without filling count together: what lies within an odd number of them is
    inside. How thick lines are does not matter. Lines, circles, ellipses and Bézier curves stay what they
    are; texts, pictures and open lines are refused."""
    return SvgFile(*files(path))


class DxfFile(_Drawing):
    """What the model space of a DXF file draws."""

    layer: str | None = None
    """The only one that is read."""


@operation(
    FILES,
    '[import-dxf "plate.dxf"]',
    '[pull 3 [import-dxf "plate.dxf"]]',
    subject_last=True,
    options=(Key("layer", String, None, "the layer of the outlines; all that are seen if none is named"),),
)
def import_dxf(path: String, *, layer: str | None, files: Files) -> DxfFile:
    """What a DXF drawing shows, as a profile on XY. It counts in the unit that the file names, or in
    millimetres. Lines, arcs, circles, ellipses, polylines and splines are put together where they end within
    0.0001 mm of each other; what lies within an odd number of outlines is inside. Texts, dimensions and open
    lines are refused: name the layer of the outlines."""
    return DxfFile(*files(path), layer)
