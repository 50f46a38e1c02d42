"""Every function of the CAD library as data: for error messages, completion, hover and the reference.

The Loon text that defines the functions is ``library.oo``; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vcad_kernel.cad.operations import OPERATIONS
from vcad_kernel.cad.scene import SCENE
from vcad_kernel.cad.shapes import SHAPES
from vcad_kernel.cad.signature import Kind, Parameter, Signature
from vcad_kernel.cad.sketching import SKETCHING

__all__ = ["FUNCTIONS", "SIGNATURES", "VARIANTS", "Kind", "Parameter", "Signature"]

SIGNATURES: Final[tuple[Signature, ...]] = (*SHAPES, *OPERATIONS, *SKETCHING, *SCENE)

FUNCTIONS: Final[Mapping[str, Signature]] = {signature.name: signature for signature in SIGNATURES}
"""By the name the user writes."""

VARIANTS: Final[Mapping[str, Signature]] = {signature.variant: signature for signature in SIGNATURES}
"""By the tag of the value."""
