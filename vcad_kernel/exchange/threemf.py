"""3MF: millimetres, one object per part with its name and base colour.

The package is, byte for byte, the one that lib3mf 2.5 writes, with which the tests compare; lib3mf itself
has no wheel for Linux on ARM, and this way a part gives the same file on every machine. The UUIDs follow
from names and places, so equal models give equal bytes.

The core specification of the 3MF consortium (1.3) says what is in the model, the Open Packaging Conventions
(ECMA-376 part 2) what is around it, PKWARE's APPNOTE 6.3 how that is packed.
"""

from __future__ import annotations

import re
import struct
import uuid
import zlib
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

import numpy as np

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.digits import integer_rows, padded_rows
from vcad_kernel.exchange.palette import distinct_materials
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import Material

__all__ = ["encode"]

_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_URL, "vcad-workbench/3mf")
_FARTHEST: Final = 1e9
"""Millimetres, beyond which lib3mf takes no coordinate."""
_DECIMALS: Final = 6
"""Of a coordinate, as lib3mf writes them: multiplied and cut off in single precision."""
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (2.2) holds in no form."""
_ESCAPES: Final = {'"': "&quot;", "'": "&apos;"}

_TYPES: Final = b"""<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
	<Default Extension="jpeg" ContentType="image/jpeg"/>
	<Default Extension="jpg" ContentType="image/jpeg"/>
	<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
	<Default Extension="png" ContentType="image/png"/>
	<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
	<Default Extension="texture" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodeltexture"/>
</Types>
"""
_RELATIONS: Final = b"""<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
	<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"\
 Target="/3D/3dmodel.model" Id="rel0"/>
</Relationships>
"""
_SPACES: Final = {
    "m": "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "p": "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    "b": "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    "s": "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "t": "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    "sc": "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04",
    "v": "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
    "i": "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
}
"""lib3mf's; only p is used."""


def encode(parts: Sequence[PartMesh], stem: str) -> dict[str, bytes]:
    """The parts as one 3MF package. Raises: ExportError for a coordinate that is too far away."""
    model = b"".join(_model(parts, stem))
    entries = (("3D/3dmodel.model", model), ("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS))
    return {".3mf": _zipped(entries)}


def _model(parts: Sequence[PartMesh], stem: str) -> Iterator[bytes]:
    materials = distinct_materials(parts)
    spaces = "".join(f' xmlns:{prefix}="{space}"' for prefix, space in _SPACES.items())
    yield (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"'
        f' unit="millimeter" xml:lang="en-US"{spaces}>\n'
        '\t<resources>\n\t\t<basematerials id="1">\n'
    ).encode()
    for material in materials:
        yield f'\t\t\t<base name="{_attribute(material.name)}" displaycolor="{_color(material)}"/>\n'.encode()
    yield b"\t\t</basematerials>\n"
    for number, part in enumerate(parts):
        name = f' name="{_attribute(part.name)}"' if part.name else ""
        unique = uuid.uuid5(_NAMESPACE, f"{stem}/object/{number}")
        yield (
            f'\t\t<object id="{number + 2}"{name} type="model" p:UUID="{unique}"'
            f' pid="1" pindex="{materials[part.material]}">\n'
        ).encode()
        yield from _mesh(part.mesh)
        yield b"\t\t</object>\n"
    yield f'\t</resources>\n\t<build p:UUID="{uuid.uuid5(_NAMESPACE, stem)}">\n'.encode()
    for number in range(len(parts)):  # what is not in the build is not printed
        unique = uuid.uuid5(_NAMESPACE, f"{stem}/item/{number}")
        yield f'\t\t<item objectid="{number + 2}" p:UUID="{unique}"/>\n'.encode()
    yield b"\t</build>\n</model>\n"


def _mesh(mesh: TriMesh) -> Iterator[bytes]:
    positions = mesh.positions.astype(np.float32)
    if not np.abs(positions).max(initial=0.0) <= _FARTHEST:
        raise ExportError(
            f"a point lies farther than {_FARTHEST:g} mm from the origin, where 3MF ends",
            fix="move the part nearer, or export to another format",
        )
    scaled = (positions * np.float32(10**_DECIMALS)).astype(np.int64)
    yield b"\t\t\t<mesh>\n\t\t\t\t<vertices>\n"
    vertex = b'\t\t\t\t\t<vertex x="'
    yield padded_rows(scaled, _DECIMALS, head=vertex, gaps=(b'" y="', b'" z="'), end=b'" />\n')
    yield b"\t\t\t\t</vertices>\n\t\t\t\t<triangles>\n"
    triangle = b'\t\t\t\t\t<triangle v1="'
    columns = [mesh.indices[:, corner] for corner in range(3)]
    yield integer_rows(columns, head=triangle, gaps=(b'" v2="', b'" v3="'), end=b'" />\n')
    yield b"\t\t\t\t</triangles>\n\t\t\t</mesh>\n"


def _attribute(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text), _ESCAPES)


def _color(material: Material) -> str:
    return "#" + "".join(f"{round(255 * value):02X}" for value in (*material.color, material.opacity))


def _zipped(entries: Sequence[tuple[str, bytes]]) -> bytes:
    """A ZIP64 archive (APPNOTE 4.3) as lib3mf packs it: deflated quickly, without dates.

    `zipfile` writes neither sizes in the local headers' extra fields nor files without a date.
    """
    version, deflated, unknown = 45, 8, 0xFFFFFFFF
    files, directory = bytearray(), bytearray()
    for name, data in entries:
        offset = len(files)
        packing = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packing.compress(data) + packing.flush()
        path = name.encode("ascii")
        common = (0, deflated, 0, 0, zlib.crc32(data), unknown, unknown, len(path))
        files += struct.pack("<4sH4H3I2H", b"PK\3\4", version, *common, 20) + path
        files += struct.pack("<HHQQ", 1, 16, len(data), len(packed)) + packed
        directory += struct.pack("<4sHH4H3I2H", b"PK\1\2", version, version, *common, 28)
        directory += struct.pack("<HHHII", 0, 0, 0, 0x80, unknown) + path
        directory += struct.pack("<HHQQQ", 1, 24, len(data), len(packed), offset)
    count, size, begin = len(entries), len(directory), len(files)
    end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, version, version, 0, 0, count, count, size, begin)
    end += struct.pack("<4sIQI", b"PK\6\7", 0, begin + size, 1)
    end += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, size, unknown, 0)
    return bytes(files + directory + end)
