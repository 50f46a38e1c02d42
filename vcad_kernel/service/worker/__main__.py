"""``python -m vcad_kernel.service.worker --region PATH --control FD --output FD``: started by the front.

What is on the standard streams is for the front's log. Ends when the front says so, closes the socket or
ends itself; status 0 then, 3 when memory did not suffice for a request.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

PLUGIN: Final = "VCAD_WORKER_PLUGIN"
"""Names a module that is imported at the start: a test's, which adds functions to the language. The front
passes it on only where it was started for tests."""


def main(arguments: Sequence[str] | None = None, variables: Mapping[str, str] = os.environ) -> int:
    """Serve the front that has started this process; the exit status."""
    given = _parsed(arguments)
    # until requests come there is nothing to interrupt, and Python would end with a traceback
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    from vcad_kernel.service.worker.process_limits import die_with_parent, limit_memory

    die_with_parent()
    from vcad_kernel.service.shared.region import Region
    from vcad_kernel.service.worker.front_link import FrontLink
    from vcad_kernel.service.worker.loop import Worker
    from vcad_kernel.service.worker.printed_text import PrintedText
    from vcad_kernel.service.worker.process_limits import Interrupts
    from vcad_kernel.service.worker.tools.operations import Operations
    from vcad_kernel.settings import Settings

    settings = Settings.load(variables=variables)
    if plugin := variables.get(PLUGIN, "").strip():
        importlib.import_module(plugin)
    limit_memory(settings.worker_memory_mb)
    operations = Operations(settings)
    gc.freeze()  # what is here now stays for good, and need not be looked through again
    interrupts = Interrupts()
    interrupts.install()
    printed = PrintedText(given.output)
    region = Region.attach(Path(given.region))
    try:
        with socket.socket(fileno=given.control) as connected:
            worker = Worker(
                FrontLink(connected),
                region,
                operations.tool,
                printed,
                interrupts,
                pid=os.getpid(),
                memory_mb=settings.worker_memory_mb,
            )
            return worker.serve()
    finally:
        region.close()
        printed.close()
        os.close(given.output)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vcad_kernel.service.worker", description=__doc__)
    parser.add_argument("--region", required=True, help="file of the region")
    parser.add_argument("--control", required=True, type=int, help="descriptor of the socket to the front")
    parser.add_argument("--output", required=True, type=int, help="descriptor of the pipe for printed text")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
