"""``python -m tests.service.faults.front``: the service as it is, with places at which a test can stop it."""

from __future__ import annotations

import sys

from tests.service.faults.checkpoints import install_in_front
from vcad_kernel.service.__main__ import main

if __name__ == "__main__":
    install_in_front()
    sys.exit(main())
