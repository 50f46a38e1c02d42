"""Files that the service has written, brought to where the user wants them.

They are put in place as if written here: an old file stays until the new one is whole, a link keeps pointing
where it did, and what the disk refuses is told in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from vcad_kernel.errors import ExportError

__all__ = ["put_in_place"]

_BESIDE: Final = {".obj": ".mtl"}
"""Formats that come in two files."""


def put_in_place(answer: Mapping[str, Any], target: Path) -> int:
    """Move a file to its place, and those that belong to it beside it; the bytes of the file itself.

    answer: ``path`` and ``bytes``. target: what the user called it.
    Raises: ExportError when it cannot be written there.
    """
    from vcad_kernel.exchange.formats import replace_all

    main = Path(answer["path"])
    beside = _BESIDE.get(main.suffix)
    companion = None if beside is None else main.with_suffix(beside)
    staged = [main] if companion is None or not companion.exists() else [main, companion]
    try:
        contents = {
            target if one == main else target.with_suffix(one.suffix): one.read_bytes() for one in staged
        }
    except OSError as failed:
        raise ExportError(
            f"cannot write {str(target)!r}: the service's file is not there ({failed.strerror or failed})",
            details={"path": str(target)},
        ) from failed
    finally:
        for one in staged:
            with suppress(OSError):  # the service clears its folder in the end
                one.unlink()
    replace_all(contents, target)
    return len(contents[target])
