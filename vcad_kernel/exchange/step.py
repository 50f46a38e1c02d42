"""STEP (ISO 10303-21, AP214) through OpenCASCADE's XCAF: exact surfaces, names, colours, millimetres.

One part is one product; several are an assembly of products under the name of the file. Equal
parts give equal bytes: the header carries no author and a fixed date, what OpenCASCADE counts through
the life of the process is counted anew, and the colours, which it would write in the order of memory
addresses, are written here.

Loaded only when a STEP file is written: it brings OpenCASCADE with it.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence

from OCP.APIHeaderSection import APIHeaderSection_MakeHeader
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import GeomAbs_Sphere, GeomAbs_Torus
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.ShapeUpgrade import ShapeUpgrade_ShapeDivideClosed
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Reader
from OCP.TCollection import TCollection_ExtendedString, TCollection_HAsciiString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Shape
from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.geometry.occt.blends.reseaming import in_tiles, reseamed
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, compound_of, solids_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS, quiet
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.validity import area_of, is_elementary, is_valid, volume_of
from vcad_kernel.operations.scene import Material

__all__ = ["encode"]

_METRES_PER_UNIT = 0.001
_SAME = 1e-6
"""Relative: what volume and area may lose in a file, which has 15 digits, and edges that are laid anew."""
_ROUND = frozenset({GeomAbs_Sphere.value, GeomAbs_Torus.value})
_DATE = "2000-01-01T00:00:00"
"""Required by the format; a fixed one keeps equal models equal byte for byte."""
_PROGRAM = "vcad-workbench"
_ENTITY = re.compile(rb"^#(\d+) = ", re.MULTILINE)
_SOLID = re.compile(rb"^#(\d+) = (?:MANIFOLD_SOLID_BREP|BREP_WITH_VOIDS)\(", re.MULTILINE)
_REPRESENTATION = re.compile(rb"= (?:ADVANCED_BREP_)?SHAPE_REPRESENTATION\('[^']*',\(([^)]*)\),\s*#(\d+)\)")
_REFERENCE = re.compile(rb"#(\d+)")
_OCCURRENCE = re.compile(rb"(NEXT_ASSEMBLY_USAGE_OCCURRENCE\(')\d+(')")


def encode(parts: Sequence[ExactPart], stem: str) -> dict[str, bytes]:
    """The parts as one STEP file; ``stem`` names the assembly. Raises ExportError."""
    bodies = [unified(part.brep) for part in parts]
    shapes = [body.shape for body in bodies]
    try:
        with quiet():
            data = _written(_document(parts, shapes, stem), stem)
            if not _holds(data, shapes):
                readable = [_readable(part, body) for part, body in zip(parts, bodies, strict=True)]
                data = _written(_document(parts, readable, stem), stem)
    except OCCT_ERRORS as failed:
        raise ExportError("OpenCASCADE could not write the STEP file", why=str(failed)) from failed
    return {".step": _colored(_renumbered(data), [part.material for part in parts])}


def _readable(part: ExactPart, body: Brep) -> TopoDS_Shape:
    """The body, each solid in the first form in which a file of it is read as it was written.

    Raises ExportError.
    """
    readable: list[TopoDS_Shape] = []
    for solid in solids_of(body.shape):
        for shape in _forms(Brep.made(solid, b"")):
            if _holds(_written(_document([part], [shape], part.name), part.name), [solid]):
                readable.append(shape)
                break
        else:
            raise _unreadable(part)
    return readable[0] if len(readable) == 1 else compound_of(readable)


def _unreadable(part: ExactPart) -> ExportError:
    return ExportError(
        f"a STEP file of part {part.name!r} would hold another body",
        why="OpenCASCADE reads back other faces than it has written",
        fix="write the part as .3mf or .stl, or build the faces that come round in another way",
    )


def _forms(body: Brep) -> Iterator[TopoDS_Shape]:
    """A solid as it is, with faces that come round cut in two, with other seams, with none on balls."""
    yield body.shape
    yield _divided(body.shape)
    yield from (other.shape for other in reseamed(body))
    yield from (_divided(other.shape) for other in in_tiles(body))


def _holds(data: bytes, shapes: Sequence[TopoDS_Shape]) -> bool:
    """Whether a file, read again, is these bodies.

    Of faces that come round and are trimmed, OpenCASCADE may take the other side. Planes, cylinders and cones
    between lines and circles are read as they were written.
    """
    if all(map(_is_read_as_written, shapes)):
        return True
    elementary = all(map(is_elementary, shapes))
    reader = STEPControl_Reader()
    if reader.ReadStream("part", io.BytesIO(data)) != IFSelect_RetDone:
        return False
    reader.TransferRoots()
    read, written = reader.OneShape(), compound_of(shapes)
    if len(solids_of(read)) != len(solids_of(written)) or not is_valid(read):
        return False
    # what has kept its parameters is measured alike by the quick integrals, however wrong they are
    return (elementary and _alike(_quickly(read), _quickly(written))) or _alike(
        (volume_of(read), area_of(read)), (volume_of(written), area_of(written))
    )


def _is_read_as_written(shape: TopoDS_Shape) -> bool:
    numbers = boundary_numbers(shape)
    return numbers.is_elementary and numbers.curves.is_plain() and _ROUND.isdisjoint(numbers.kinds)


def _quickly(shape: TopoDS_Shape) -> tuple[float, float]:
    """Volume and area by integrals of OpenCASCADE's that are not adapted to the borders."""
    volume, area = GProp_GProps(), GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, volume)
    BRepGProp.SurfaceProperties_s(shape, area)
    return volume.Mass(), area.Mass()


def _alike(first: tuple[float, float], second: tuple[float, float]) -> bool:
    return all(math.isclose(a, b, rel_tol=_SAME) for a, b in zip(first, second, strict=True))


def _divided(shape: TopoDS_Shape) -> TopoDS_Shape:
    """The body with faces that come round cut in two, which can be read in one way only."""
    dividing = ShapeUpgrade_ShapeDivideClosed(shape)
    dividing.SetNbSplitPoints(1)
    dividing.Perform()
    return dividing.Result()


def _document(parts: Sequence[ExactPart], bodies: Sequence[TopoDS_Shape], stem: str) -> TDocStd_Document:
    """The XCAF document: a product for each part, under an assembly when there are several."""
    document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
    XCAFDoc_DocumentTool.SetLengthUnit_s(document, _METRES_PER_UNIT)
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    if len(parts) == 1:
        _add_product(shapes, parts[0], bodies[0])
        return document
    assembly = shapes.NewShape()
    _name(assembly, stem)
    for part, body in zip(parts, bodies, strict=True):
        product = _add_product(shapes, part, body)
        _name(shapes.AddComponent(assembly, product, TopLoc_Location()), part.name)
    shapes.UpdateAssemblies()
    return document


def _add_product(shapes: XCAFDoc_ShapeTool, part: ExactPart, body: TopoDS_Shape) -> TDF_Label:
    product = shapes.AddShape(_standing_alone(body), False, False)
    _name(product, part.name)
    return product


def _standing_alone(shape: TopoDS_Shape) -> TopoDS_Shape:
    """A copy in which each solid is where it is by its coordinates.

    OpenCASCADE makes one product of one colour out of a solid that two parts share, and drops the
    colour of what carries a location.
    """
    solids = [
        BRepBuilderAPI_Transform(
            solid.Located(TopLoc_Location()), solid.Location().Transformation(), True
        ).Shape()
        for solid in solids_of(shape)
    ]
    return solids[0] if len(solids) == 1 else compound_of(solids)


def _name(label: TDF_Label, text: str) -> None:
    TDataStd_Name.Set_s(label, TCollection_ExtendedString(_part21(text), True))


def _written(document: TDocStd_Document, stem: str) -> bytes:
    writer = STEPCAFControl_Writer()
    writer.SetNameMode(True)
    writer.SetColorMode(False)
    if not writer.Transfer(document, STEPControl_AsIs):
        raise ExportError("OpenCASCADE could not turn the parts into STEP")
    header = APIHeaderSection_MakeHeader(writer.ChangeWriter().Model())
    header.SetName(_ascii(_part21(stem)))
    header.SetTimeStamp(_ascii(_DATE))
    header.SetAuthorValue(1, _ascii(""))
    header.SetOrganizationValue(1, _ascii(""))
    header.SetOriginatingSystem(_ascii(_PROGRAM))
    header.SetPreprocessorVersion(_ascii(_PROGRAM))
    header.SetAuthorisation(_ascii(""))
    header.SetDescriptionValue(1, _ascii("solids, millimetres"))
    stream = io.BytesIO()
    if writer.WriteStream(stream) != IFSelect_RetDone:
        raise ExportError("OpenCASCADE could not write the STEP file")
    return stream.getvalue()


def _renumbered(data: bytes) -> bytes:
    """The occurrences of an assembly counted from 1; OpenCASCADE counts on from file to file."""
    count = 0

    def numbered(match: re.Match[bytes]) -> bytes:
        nonlocal count
        count += 1
        return b"%b%d%b" % (match[1], count, match[2])

    return _OCCURRENCE.sub(numbered, data)


def _colored(data: bytes, materials: Sequence[Material]) -> bytes:
    """The file with a surface colour for each solid; the solids of a part stand in one representation."""
    solids = {match[1] for match in _SOLID.finditer(data)}
    # one representation for each part: its solids, and the context that its styles belong to
    bodies = [
        (chosen, match[2])
        for match in _REPRESENTATION.finditer(data)
        if (chosen := [item for item in _REFERENCE.findall(match[1]) if item in solids])
    ]
    if len(bodies) != len(materials):
        raise ExportError("OpenCASCADE wrote a STEP file of another structure than expected")
    lines: list[str] = []
    number = 1 + max(int(match[1]) for match in _ENTITY.finditer(data))
    for (chosen, context), material in zip(bodies, materials, strict=True):
        red, green, blue = (f"{min(max(component, 0.0), 1.0):.9f}" for component in material.color)
        # readers that know no transparency find the plain colour beside it
        clear = (
            [
                f"SURFACE_STYLE_TRANSPARENT({1.0 - material.opacity:.9f})",
                f"SURFACE_STYLE_RENDERING_WITH_PROPERTIES(.NORMAL_SHADING.,#{number},(#{number + 7}))",
            ]
            if material.is_clear
            else []
        )
        beside = f",#{number + 8}" if clear else ""
        # each solid's style refers back along this chain by number
        style = number + 7 + len(clear)
        chain = [
            f"COLOUR_RGB('',{red},{green},{blue})",
            f"FILL_AREA_STYLE_COLOUR('',#{number})",
            f"FILL_AREA_STYLE('',(#{number + 1}))",
            f"SURFACE_STYLE_FILL_AREA(#{number + 2})",
            f"SURFACE_SIDE_STYLE('',(#{number + 3}{beside}))",
            f"SURFACE_STYLE_USAGE(.BOTH.,#{number + 4})",
            f"PRESENTATION_STYLE_ASSIGNMENT((#{number + 5}))",
            *clear,
            *(f"STYLED_ITEM('color',(#{number + 6}),#{solid.decode()})" for solid in chosen),
        ]
        items = ",".join(f"#{style + index}" for index in range(len(chosen)))
        chain.append(
            f"MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',({items}),#{context.decode()})"
        )
        lines += [f"#{number + index} = {entity};\n" for index, entity in enumerate(chain)]
        number += len(chain)
    end = data.rindex(b"ENDSEC;")
    return data[:end] + "".join(lines).encode() + data[end:]


def _part21(text: str) -> str:
    r"""Text in the alphabet of the format: other letters as ``\X2\…\X0\``, no control characters.

    >>> _part21("Bügel")
    'B\\X2\\00FC\\X0\\gel'
    """
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return re.sub(
        r"[^\x20-\x5b\x5d-\x7e]+",
        lambda match: "\\X2\\" + match[0].encode("utf-16-be", "replace").hex().upper() + "\\X0\\",
        printable,
    )


def _ascii(text: str) -> TCollection_HAsciiString:
    return TCollection_HAsciiString(text)
