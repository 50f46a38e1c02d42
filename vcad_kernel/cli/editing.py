"""``vcad lsp``: Loon in any editor that speaks the language server protocol."""

from __future__ import annotations

from importlib.util import find_spec

from vcad_kernel.cli.sources import fail

__all__ = ["lsp"]


def lsp() -> None:
    """Serve an editor on standard input and output: findings, completion, hover, rename, layout."""
    if find_spec("pygls") is None:
        raise fail("the language server needs pygls: pip install 'vcad-workbench[lsp]'")
    from vcad_kernel.lsp.server import main

    main()
