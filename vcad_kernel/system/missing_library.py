"""What an import that failed says about the machine: the shared library that is missing, and who has it.

    missing = MissingLibrary.of(error)
    missing.name, missing.package       # "libGL.so.1", "libgl1"

A wheel brings most of what it links to; OpenCASCADE's expects libGL, libX11 and libexpat of the machine,
which a slim container has not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MissingLibrary"]

_OF_GLIBC = re.compile(r"(lib[^\s:/]+\.so(?:\.[\d.]+)?): cannot open shared object file")
"""What glibc's loader says, dl-load.c."""
_OF_MUSL = re.compile(r"Error loading shared library (lib[^\s:/]+\.so(?:\.[\d.]+)?):")
_ODD: dict[str, str] = {"libz.so.1": "zlib1g"}
"""Debian's packages that are older than its rule."""


@dataclass(frozen=True, slots=True)
class MissingLibrary:
    """A shared library that this machine has not."""

    name: str
    """Its soname: ``libGL.so.1``."""

    @classmethod
    def of(cls, error: ImportError) -> MissingLibrary | None:
        """The library that an import missed; None where it failed for another reason."""
        needed = _OF_GLIBC.search(str(error)) or _OF_MUSL.search(str(error))
        return None if needed is None else cls(needed[1])

    @property
    def package(self) -> str:
        """Debian's package of it.

        Debian Policy 8.1: the name without ``.so`` and the number of its version, between them a hyphen where
        the name ends in a digit; lower case, and no underscores.

        >>> MissingLibrary("libX11.so.6").package, MissingLibrary("libGL.so.1").package
        ('libx11-6', 'libgl1')
        """
        if self.name in _ODD:
            return _ODD[self.name]
        stem, _, version = self.name.lower().replace("_", "-").partition(".so")
        number = version.lstrip(".").partition(".")[0]
        return f"{stem}-{number}" if number and stem[-1].isdigit() else f"{stem}{number}"

    def __str__(self) -> str:
        return f"{self.name} is missing on this machine"

    @property
    def fix(self) -> str:
        """What to do about it."""
        return f"install the package {self.package} (apt install {self.package} on Debian and Ubuntu)"
