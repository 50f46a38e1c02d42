"""The service as it is, with places at which a test can stop it."""

from __future__ import annotations

import sys

from tests.service.faults.checkpoints import install_in_front
from tests.service.warm import with_warm_workers
from vcad_kernel.service import __main__ as service

if __name__ == "__main__":
    install_in_front()
    with_warm_workers()
    sys.exit(service.main())
