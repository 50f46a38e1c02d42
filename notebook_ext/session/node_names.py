"""Names of parts as SketchUp's side takes them: letters, digits and ``. _ -`` of ASCII.

Python's names may hold any letter. What does not fit is written as its code point between colons, so that
two names never become one:

    >>> node_id_of("lid"), node_id_of("träger")
    ('lid', 'tr:e4:ger')
    >>> name_of("tr:e4:ger")
    'träger'
"""

from __future__ import annotations

import re
from typing import Final

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["checked_node_id", "name_of", "node_id_of"]

_MOST: Final = 128
"""Characters of a node's id."""


def node_id_of(name: str) -> str:
    """The node's id of a part of this name; safe to apply twice."""
    return re.sub(r"[^A-Za-z0-9._:-]", lambda match: f":{ord(match[0]):x}:", name)


def name_of(node_id: str) -> str:
    """The name of a part from its node's id; what is no code point stays as it is."""
    return re.sub(r":(10[0-9a-f]{4}|[0-9a-f]{1,5}):", lambda match: chr(int(match[1], 16)), node_id)


def checked_node_id(name: str, *, argument: str = "node_id") -> str:
    """The same for a name that SketchUp is to know. Raises: ServiceFailure INVALID_PARAMS."""
    node_id = node_id_of(name)
    if not 0 < len(node_id) <= _MOST:
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"the name {name[:40]!r} is too long for SketchUp" if name else "a part in SketchUp needs a name",
            fix=f"choose one of at most {_MOST} letters; those outside of ASCII count several",
            details={"path": argument, "expected": f"1 to {_MOST} characters"},
        )
    return node_id
