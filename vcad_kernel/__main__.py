"""``python -m vcad_kernel`` is the ``vcad`` command."""

from __future__ import annotations

from vcad_kernel.cli import main

if __name__ == "__main__":
    main()
