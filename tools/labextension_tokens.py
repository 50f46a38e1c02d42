"""``python -m tools.labextension_tokens``: the table of tokens that the JupyterLab extension highlights by.

The language's own table comes from ``vcad_kernel/loon/reading/tokens.py``; the names of the CAD library,
which the language does not know, are put beside it.
"""

from __future__ import annotations

import json
from pathlib import Path

from vcad_kernel.loon.highlighting import token_table_json
from vcad_kernel.operations.library import OPERATIONS

__all__ = ["TABLE", "table"]

TABLE = Path(__file__).parents[1] / "notebook_ext" / "labextension" / "src" / "language" / "tokens.json"


def table() -> str:
    """The text of the generated file."""
    tokens = json.loads(token_table_json())
    library = sorted(operation.name for operation in OPERATIONS)
    tokens["symbols"]["builtin"] = [name for name in tokens["symbols"]["builtin"] if name not in library]
    tokens["symbols"]["library"] = library
    return json.dumps(tokens, indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
