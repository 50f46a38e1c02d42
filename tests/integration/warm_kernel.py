"""A Jupyter kernel that begins warm, as does the service that its session starts."""

from __future__ import annotations

import os
import sys

import ipywidgets
from ipykernel import kernelapp

from tests.service.warm import with_warm_services

if __name__ == "__main__":
    with_warm_services()
    kernel = kernelapp.IPKernelApp.instance()
    # its parent is not who asked for it, but ends with that
    told = [*sys.argv[1:], f"--IPKernelApp.parent_handle={os.getppid()}"]
    kernel.initialize(told)  # type: ignore[no-untyped-call]
    ipywidgets._handle_ipython()  # as when it is imported in a kernel
    kernel.start()  # type: ignore[no-untyped-call]
