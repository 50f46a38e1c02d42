"""The service as it is, with places at which a test can stop it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.service.faults.checkpoints import install_in_front
from tests.service.warm import with_warm_workers
from vcad_kernel.service import __main__ as service


def main(arguments: Sequence[str]) -> int:
    install_in_front()
    with_warm_workers()
    return service.main(arguments)
