"""What one warm cell runs: ``python -m tools.cell_profile [--functions] [--again]``.

A real kernel evaluates a cell a few times, each time with another number, and once more while the calls of
the product's own functions are counted in all of its processes: notebook, front of the service, worker.
Printed are, for each process, the distinct files and functions and the calls, and the hops: the functions
under way in all three while the worker begins to evaluate, less those that wait there when nothing runs.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jupyter_client.manager import KernelManager

from tools.call_profile.sitecustomize import COUNT, SNAPSHOT, WAIT, WRITE, until_seen

__all__ = ["Profile", "main", "profiled", "table"]

_HOOK = Path(__file__).parent / "call_profile"
_LIMIT = 120.0
"""Seconds for anything."""
_STANDS_BY = "separate_process.py"
"""Waits for a process that may die, which is begun at any time after the first exact body."""
Function = tuple[str, str]
"""File and qualified name."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What one process did for a cell."""

    process: str
    calls: Mapping[Function, int]
    hops: tuple[Function, ...]
    """Under way while the worker evaluates, outermost last."""

    @property
    def files(self) -> set[str]:
        """Those that a function was called in."""
        return {file for file, _ in self.calls}


def _process(command: list[str]) -> str:
    said = " ".join(command)
    if "ipykernel" in said:
        return "notebook"
    return "worker" if "worker" in said else "front"


class _Profiled:
    """A kernel whose processes count."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._control = folder / "control"
        self._control.write_bytes(bytes([WAIT]))
        surroundings = os.environ | {
            "CELL_PROFILE": str(self._control),
            "PYTHONPATH": os.pathsep.join((str(_HOOK), os.environ.get("PYTHONPATH", ""))),
        }
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=str(folder), env=surroundings)
        self._client = self._manager.client()
        # as JupyterLab names its cells: a cell that is run again replaces itself, and its view is the same
        self._client.session.metadata = {"cellId": "profiled"}
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_LIMIT)

    def run(self, code: str) -> None:
        """Run a cell. Raises: RuntimeError when it fails."""
        reply = self._client.execute_interactive(code, timeout=_LIMIT, output_hook=lambda _: None)
        if reply["content"]["status"] != "ok":
            raise RuntimeError("\n".join(reply["content"].get("traceback", [])))

    def tell(self, what: int) -> None:
        """Set the byte, and let everybody see it."""
        with self._control.open("r+b") as file:
            file.write(bytes([what]))
        until_seen(self._folder, what, _LIMIT)

    def counted(self) -> Iterator[tuple[str, dict[Function, int], list[Function]]]:
        """What each process has counted since it was asked last."""
        for file in self._folder.glob("*.json"):
            file.unlink()
        self.tell(WRITE)
        self.tell(WAIT)
        for file in sorted(self._folder.glob("*.json")):
            said = json.loads(file.read_text())
            calls = {(path, name): count for path, name, count in said["calls"]}
            yield _process(said["command"]), calls, [(path, name) for path, name in said["under_way"]]

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@contextmanager
def _kernel() -> Iterator[_Profiled]:
    with tempfile.TemporaryDirectory() as folder:
        kernel = _Profiled(Path(folder))
        try:
            yield kernel
        finally:
            kernel.close()


def _cell(number: float) -> str:
    return f"%%loon part\n[difference [cylinder {number} 12] [cube 10 10 10]]"


def profiled(cell: Callable[[float], str] = _cell, *, again: bool = False) -> list[Profile]:
    """Profiles of the notebook's process, the front's and the worker's.

    cell: a cell's text for a number. again: count a run of a text that has been run before.
    """
    with _kernel() as kernel:
        kernel.run("%load_ext notebook_ext")
        for number in range(3, 9):
            kernel.run(cell(number / 2))
        kernel.tell(SNAPSHOT)
        idle = {process: Counter(under_way) for process, _, under_way in kernel.counted()}
        kernel.tell(COUNT)
        kernel.run(cell(4.0 if again else 4.25))
        counted = list(kernel.counted())
    profiles = []
    for process, calls, under_way in counted:
        if not calls:
            continue
        busy = Counter(under_way) - idle.get(process, Counter())
        hops = [name for name in under_way if busy[name] and not name[0].endswith(_STANDS_BY)]
        profiles.append(Profile(process, calls, tuple(dict.fromkeys(hops))))
    return sorted(profiles, key=lambda profile: ("notebook", "front", "worker").index(profile.process))


def table(profiles: list[Profile]) -> str:
    """In Markdown: a line for each process, and all of them together."""
    lines = ["| process | files | functions | calls | hops |", "|---|---|---|---|---|"]
    for profile in profiles:
        counts = (len(profile.files), len(profile.calls), sum(profile.calls.values()), len(profile.hops))
        lines.append(f"| {profile.process} | {' | '.join(map(str, counts))} |")
    counts = (
        len(set().union(*(profile.files for profile in profiles))),
        len(set().union(*(profile.calls for profile in profiles))),
        sum(sum(profile.calls.values()) for profile in profiles),
        sum(len(profile.hops) for profile in profiles),
    )
    lines.append(f"| all | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and with --functions every function, with --hops those under way."""
    parser = argparse.ArgumentParser(prog="python -m tools.cell_profile")
    parser.add_argument("--functions", action="store_true", help="list every function with its calls")
    parser.add_argument("--hops", action="store_true", help="list what is under way during evaluation")
    parser.add_argument("--again", action="store_true", help="run a text that has been run before")
    chosen = parser.parse_args()
    profiles = profiled(again=chosen.again)
    print(table(profiles))
    for profile in profiles:
        if chosen.hops:
            print(f"\n{profile.process}: hops")
            for file, name in reversed(profile.hops):
                print(f"  {file} {name}")
        if chosen.functions:
            print(f"\n{profile.process}: calls")
            for (file, name), count in sorted(profile.calls.items()):
                print(f"  {count:5} {file} {name}")


if __name__ == "__main__":
    main()
