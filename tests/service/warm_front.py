"""The service as it is, whose workers begin warm."""

from __future__ import annotations

from collections.abc import Sequence

from tests.service.warm import with_warm_workers
from vcad_kernel.service import __main__ as service


def main(arguments: Sequence[str]) -> int:
    with_warm_workers()
    return service.main(arguments)
