"""A plugin with which a worker stops or dies before it is ready, as long as a file names the signal."""

import os
import signal
from contextlib import suppress
from pathlib import Path

with suppress(FileNotFoundError):
    signal.raise_signal(signal.Signals[Path(os.environ["VCAD_TEST_DYING"]).read_text("ascii")])
