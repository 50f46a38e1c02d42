"""The ``vcad`` command: models from a terminal. One module per subcommand.

Exit status: 0 all is well; 1 the program, a test or a file is at fault; 2 the command was used wrongly.
Whatever is slow to load is loaded by the subcommand that needs it.
"""

from __future__ import annotations

from vcad_kernel.cli.app import app, main

__all__ = ["app", "main"]
