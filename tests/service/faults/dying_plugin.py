"""A plugin with which a worker dies before it is ready, as long as a file says so."""

import os
import signal
from pathlib import Path

if Path(os.environ["VCAD_TEST_DYING"]).exists():
    signal.raise_signal(signal.SIGKILL)
