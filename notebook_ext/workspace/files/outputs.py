"""What lies in the folders of pictures and exports: drawings, meshes and pictures, as their endings say.

Agents write there without a question, so nothing may lie there that a shell, Python or a browser would run:
other endings are asked for like any other file, and content that is not what its ending says is refused. The
looks at content are cheap ones, at how each format must begin; they are no parsers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["OUTPUT_FOLDERS", "OUTPUT_SUFFIXES", "is_as_it_says"]

OUTPUT_FOLDERS: Final = frozenset({"shots", "exports"})
"""Below the workbench's own folder, where agents write unasked."""

_OBJ_WORDS: Final = frozenset(
    b"# v vn vt vp f l p o g s mg usemtl mtllib cstype deg bmat step curv curv2 surf parm trim hole scrv sp "
    b"end con bevel c_interp d_interp lod maplib usemap shadow_obj trace_obj ctech stech".split()
)
"""With which a line of an OBJ file may begin (Wavefront, Advanced Visualizer manual, appendix B1)."""
_MTL_WORDS: Final = frozenset(
    b"# newmtl Ka Kd Ks Ke Tf Tr Ni Ns Pr Pm Ps Pc d illum sharpness bump disp decal refl norm "
    b"map_Ka map_Kd map_Ks map_Ke map_Ns map_d map_bump map_Bump".split()
)


def _begins(*beginnings: bytes) -> Callable[[bytes], bool]:
    return lambda data: data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(beginnings)


def _lines_of(words: frozenset[bytes]) -> Callable[[bytes], bool]:
    """Whether each line begins with one of these words; ``#`` begins a comment, but for ``#!``."""

    def fits(data: bytes) -> bool:
        continued = False
        for line in data.splitlines():
            first = line.split(maxsplit=1)[:1]
            word = b"#" if first and first[0].startswith(b"#") and first[0][1:2] != b"!" else b"".join(first)
            if word and word not in words and not continued:
                return False
            continued = line.endswith(b"\\")
        return True

    return fits


def _is_stl(data: bytes) -> bool:
    """Text begins with ``solid``; a binary file has 50 bytes for each triangle that it counts."""
    is_binary = len(data) >= 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little")
    return is_binary or data.lstrip()[:5].lower() == b"solid"


_LOOKS: Final[Mapping[str, Callable[[bytes], bool]]] = {
    ".3mf": _begins(b"PK\x03\x04"),
    ".dae": _begins(b"<?xml", b"<COLLADA"),
    ".dxf": _begins(b"0", b"999", b"AutoCAD Binary DXF"),
    ".glb": _begins(b"glTF"),
    ".jpeg": _begins(b"\xff\xd8\xff"),
    ".jpg": _begins(b"\xff\xd8\xff"),
    ".mtl": _lines_of(_MTL_WORDS),
    ".obj": _lines_of(_OBJ_WORDS),
    ".ops": lambda data: b"\0" in data[:16],
    ".pdf": _begins(b"%PDF-"),
    ".png": _begins(b"\x89PNG"),
    ".skp": _begins(b"\xff\xfe\xff\x0eS\x00k\x00", b"PK\x03\x04"),
    ".step": _begins(b"ISO-10303-21;"),
    ".stl": _is_stl,
    ".stp": _begins(b"ISO-10303-21;"),
    ".svg": _begins(b"<?xml", b"<svg", b"<!--"),
}

OUTPUT_SUFFIXES: Final = frozenset(_LOOKS)
"""Endings of pictures, meshes and drawings, in small letters."""


def is_as_it_says(suffix: str, data: bytes) -> bool:
    """Whether content may be what its ending says; True for an ending that is none of these."""
    look = _LOOKS.get(suffix.lower())
    return look is None or look(data)
