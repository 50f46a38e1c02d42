"""``python -m vcad_kernel.lsp``: the language server on standard input and output."""

from vcad_kernel.lsp.server import main

main()
