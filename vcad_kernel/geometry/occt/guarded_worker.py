"""A program of its own that runs scripts for :mod:`vcad_kernel.geometry.occt.separate_process`.

    python guarded_worker.py SCRIPT...

The scripts are loaded at once, and OpenCASCADE with them, which takes most of a second. Then each line of
standard input is a request, ``[script, [argument, …]]`` in JSON. It is answered by the line ``taken``,
and then by one with the number that the script's ``main(arguments)`` gave, negative for the signal that
killed it. The end of the input ends the program. On Linux every request runs in a fork that has waited for
it, so that one that dies costs nothing but itself; elsewhere, where forks of loaded libraries are not safe,
it runs here and may take the program along. Imports nothing of ours.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO, TypeAlias

__all__ = ["FORKS", "main"]

_Main: TypeAlias = Callable[[Sequence[str]], int]
FORKS = sys.platform == "linux"
"""Whether each script runs in a process of its own."""
_PR_SET_PDEATHSIG = 1
"""Of <sys/prctl.h>."""
_RAISED = 1
"""What a script gives that ends by an exception, as Python's own exit status."""
_NO_MORE = 250
"""What a fork ends with that has waited in vain."""


def main(scripts: Sequence[str]) -> int:
    """Serve until the input ends. scripts: to be loaded before the first request."""
    # what OpenCASCADE prints must not get among the answers, nor a script at the requests
    # unbuffered: what one fork does not read is left to the next one
    requests, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    # whoever is interrupted ends this program; a Ctrl-C of the terminal reaches both
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loaded = {script: _main_of(script) for script in scripts}
    serve = _forked if FORKS else _served
    while serve(loaded, requests, answers):
        pass
    return 0


def _say(answers: BinaryIO, line: bytes) -> None:
    answers.write(line + b"\n")
    answers.flush()


def _main_of(script: str) -> _Main:
    spec = importlib.util.spec_from_file_location(Path(script).stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    main: _Main = module.main
    return main


def _status(loaded: dict[str, _Main], script: str, arguments: Sequence[str]) -> int:
    try:
        return int((loaded.get(script) or _main_of(script))(arguments))
    except Exception:  # noqa: BLE001 - whatever a script raises is its failure, which the caller reports
        return _RAISED


def _served(loaded: dict[str, _Main], requests: RawIOBase, answers: BinaryIO) -> bool:
    """Answer the next request; False when there is none any more."""
    line = requests.readline()
    if not line:
        return False
    _say(answers, b"taken")
    script, arguments = json.loads(line)
    _say(answers, b"%d" % _status(loaded, script, arguments))
    return True


def _forked(loaded: dict[str, _Main], requests: RawIOBase, answers: BinaryIO) -> bool:
    """The same in a child, which dies with this program. Nothing else runs here, so forking is safe.

    The child answers by itself, since to end takes it as long as many a script; for one that is killed this
    program does.
    """
    child = os.fork()
    if child:
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if ended not in (0, _NO_MORE):
            _say(answers, b"%d" % ended)
        return ended != _NO_MORE
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os._exit(0 if _served(loaded, requests, answers) else _NO_MORE)
    finally:
        os._exit(_RAISED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
