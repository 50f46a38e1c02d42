"""The service as it is, whose workers, and what those start, begin warm."""

from __future__ import annotations

import sys

from tests.service.warm import with_warm_scripts, with_warm_workers
from vcad_kernel.service import __main__ as service

if __name__ == "__main__":
    with_warm_scripts()
    with_warm_workers()
    sys.exit(service.main())
