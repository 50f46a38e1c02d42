"""A STEP file as another program sees it: products with names, colours, placed shapes and volumes."""

from __future__ import annotations

import io
from dataclasses import dataclass

from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.collections import Sequence_TDF_Label
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.Quantity import Quantity_ColorRGBA, Quantity_TOC_sRGB
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_SOLID
from OCP.TopExp import TopExp_Explorer
from OCP.XCAFDoc import (
    XCAFDoc_ColorGen,
    XCAFDoc_ColorSurf,
    XCAFDoc_ColorTool,
    XCAFDoc_DocumentTool,
    XCAFDoc_ShapeTool,
)

from vcad_kernel.geometry.occt.failures import quiet


@dataclass(frozen=True)
class Product:
    """One solid of the file, where the assembly puts it."""

    name: str
    volume: float
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    color: tuple[float, float, float] | None
    alpha: float
    valid: bool


def read_products(data: bytes) -> tuple[str, list[Product]]:
    """(name of what is at the top, its parts in order)."""
    document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(True)
    with quiet():
        assert reader.ReadStream("model", io.BytesIO(data)) == IFSelect_RetDone
        assert reader.Transfer(document)
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    free = Sequence_TDF_Label()
    shapes.GetFreeShapes(free)
    assert free.Length() == 1
    top = free.Value(1)
    if not XCAFDoc_ShapeTool.IsAssembly_s(top):
        return _name(top), [_product(top, top)]
    components = Sequence_TDF_Label()
    XCAFDoc_ShapeTool.GetComponents_s(top, components)
    found = []
    for index in range(1, components.Length() + 1):
        referred = TDF_Label()
        assert XCAFDoc_ShapeTool.GetReferredShape_s(components.Value(index), referred)
        found.append(_product(referred, components.Value(index)))
    return _name(top), found


def _name(label: TDF_Label) -> str:
    name = TDataStd_Name()
    assert label.FindAttribute(TDataStd_Name.GetID_s(), name)
    return str(name.Get().ToExtString())


def _product(label: TDF_Label, placed: TDF_Label) -> Product:
    shape = XCAFDoc_ShapeTool.GetShape_s(placed)
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, properties)
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    box.SetGap(0.0)
    low, high = box.CornerMin(), box.CornerMax()
    color = Quantity_ColorRGBA()
    colors = XCAFDoc_DocumentTool.ColorTool_s(label)
    solids = TopExp_Explorer(XCAFDoc_ShapeTool.GetShape_s(label), TopAbs_SOLID)
    known = True
    while solids.More():
        known &= any(
            XCAFDoc_ColorTool.GetColor_s(label, kind, color) or colors.GetColor(solids.Current(), kind, color)
            for kind in (XCAFDoc_ColorGen, XCAFDoc_ColorSurf)
        )
        solids.Next()
    return Product(
        _name(label),
        properties.Mass(),
        (low.X(), low.Y(), low.Z()),
        (high.X(), high.Y(), high.Z()),
        tuple(color.GetRGB().Values(Quantity_TOC_sRGB)) if known else None,
        color.Alpha(),
        BRepCheck_Analyzer(shape).IsValid(),
    )
