"""The page on SketchUp names what there is: codes, variables, magics, verbs."""

from __future__ import annotations

import re
from pathlib import Path

from notebook_ext.magics.loon import LoonMagics
from notebook_ext.magics.sketchup import SketchupMagics
from notebook_ext.session.session import Session
from vcad_kernel.error_codes import ErrorCode

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sketchup.md").read_text("utf-8")
EXTENSION = (ROOT / "ruby_runtime" / "src" / "vcad_bridge" / "settings.rb").read_text("utf-8")
NOTEBOOK = (ROOT / "vcad_kernel" / "settings.py").read_text("utf-8")
FOR_TESTS = {"SUPEX_RESPONSE_DELAY", "SUPEX_SILENT", "SUPEX_VERBOSE"}
OTHER_NAMES = {"SUPEX_VCAD_OBSERVER_MAX_QUEUE", "SUPEX_OBSERVER_MAX_QUEUE"}


def _variables(text: str) -> set[str]:
    return set(re.findall(r"\b(?:SUPEX|VCAD)_[A-Z_]+[A-Z]\b", text))


def test_every_code_on_the_page_is_one_of_ours() -> None:
    codes = set(re.findall(r"`([A-Z]{2,}(?:_[A-Z]+)*)`", PAGE)) - _variables(PAGE) - {"TOLERANCE_COLLAPSE"}
    assert len(codes) > 15
    assert codes <= set(ErrorCode)


def test_every_setting_of_the_extension_is_on_the_page_and_no_other() -> None:
    read = _variables(EXTENSION) - FOR_TESTS - OTHER_NAMES
    assert read <= _variables(PAGE)
    assert _variables(PAGE) <= read | _variables(NOTEBOOK)


def test_magics_and_verbs_on_the_page_exist() -> None:
    magics = set(re.findall(r"`%%?(loon\w*)", PAGE))
    assert magics <= {name for kind in (LoonMagics, SketchupMagics) for name in dir(kind)}
    for verb in re.findall(r"session\.(\w+)", PAGE):
        assert hasattr(Session, verb), verb
