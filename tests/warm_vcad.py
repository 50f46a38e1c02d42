"""The ``vcad`` command, beginning warm, as do the services and sessions that it starts."""

from __future__ import annotations

from notebook_ext.agents.proxy import headless_start
from tests.service.warm import with_warm_services
from tests.warm_processes import command
from vcad_kernel.cli import main

if __name__ == "__main__":
    with_warm_services()
    setattr(headless_start, "_VCAD", command("tests.warm_vcad"))  # noqa: B010 - no assignment that types could follow
    main()
