"""The viewer's program for browsers, which `make labextension` builds: one module for widget, page and file.

    program()           # its text
    widget_program()    # the same for a widget, which says what to do where it has not been built

Knows where it lies, and nothing of what it does.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

from vcad_kernel.errors import CapabilityUnavailable

__all__ = ["BUILT", "program", "widget_program"]

BUILT: Final = Path(__file__).parent / "built" / "viewer.js"
"""Not in the repository; wheels have it."""
_BUILD: Final = "make labextension"


def program() -> str:
    """The text of the module. Raises: CapabilityUnavailable where it has not been built."""
    return _text(BUILT, BUILT.stat().st_mtime_ns if BUILT.is_file() else None)


@cache
def _text(path: Path, changed: int | None) -> str:
    """changed: when, so that one that is built anew is read anew."""
    if changed is None:
        raise CapabilityUnavailable(
            "the viewer has not been built in this source checkout",
            fix=f"run `{_BUILD}`; pictures (part.png()) and the views below cells need no build",
            details={"required_capability": "viewer", "negotiated_capabilities": []},
        )
    return path.read_text(encoding="utf-8")


def widget_program() -> str:
    """The module for a widget; where it has not been built, one that shows why and what to do."""
    try:
        return program()
    except CapabilityUnavailable as missing:
        said = json.dumps(f"[{missing.error_code}] {missing.message}: {missing.fix}")
        return f"export default {{ render({{ el }}) {{ el.textContent = {said}; }} }};"
