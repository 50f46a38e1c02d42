"""The special forms of the language, by name, in the order of the reference."""

from __future__ import annotations

from collections.abc import Mapping

from vcad_kernel.loon.forms.catch_errors import CATCH_ERRORS
from vcad_kernel.loon.forms.comment import COMMENT
from vcad_kernel.loon.forms.defparam import DEFPARAM
from vcad_kernel.loon.forms.derive import DERIVE
from vcad_kernel.loon.forms.do import DO
from vcad_kernel.loon.forms.effect import EFFECT
from vcad_kernel.loon.forms.fn import FN
from vcad_kernel.loon.forms.handle import HANDLE
from vcad_kernel.loon.forms.if_ import IF
from vcad_kernel.loon.forms.impl import IMPL
from vcad_kernel.loon.forms.inspect import INSPECT
from vcad_kernel.loon.forms.let import LET
from vcad_kernel.loon.forms.macro import MACRO, MACRO_PLUS, MACROEXPAND
from vcad_kernel.loon.forms.match import MATCH
from vcad_kernel.loon.forms.mut import MUT
from vcad_kernel.loon.forms.pipe import PIPE
from vcad_kernel.loon.forms.pub import PUB
from vcad_kernel.loon.forms.record import SpecialForm
from vcad_kernel.loon.forms.set import SET
from vcad_kernel.loon.forms.sig import SIG
from vcad_kernel.loon.forms.test import TEST
from vcad_kernel.loon.forms.trait import TRAIT
from vcad_kernel.loon.forms.try_ import TRY
from vcad_kernel.loon.forms.type_ import TYPE
from vcad_kernel.loon.forms.use import USE

__all__ = ["FORMS"]

_ALL = (
    LET,
    DEFPARAM,
    SET,
    FN,
    MUT,
    IF,
    DO,
    PIPE,
    MATCH,
    TRY,
    HANDLE,
    EFFECT,
    TYPE,
    DERIVE,
    SIG,
    TRAIT,
    IMPL,
    MACRO,
    MACRO_PLUS,
    MACROEXPAND,
    USE,
    PUB,
    TEST,
    INSPECT,
    CATCH_ERRORS,
    COMMENT,
)

FORMS: Mapping[str, SpecialForm] = {form.name: form for form in _ALL}
"""Every list that begins with one of these names is a special form."""
