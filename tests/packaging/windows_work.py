"""What can be imported and done on Windows, and what is refused: ``main([folder])``, for `like_windows`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from tests.test_imports import modules

NOT_IMPORTED = ("__main__", "notebook_ext.workspace.shell.jail")
"""Programs: what they do, they do at once; the jail is started by its path, on Linux."""


def not_imported() -> Iterator[str]:
    """A line for each module of the product that cannot be."""
    for name in modules():
        if not name.endswith(NOT_IMPORTED):
            try:
                importlib.import_module(name)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                yield f"{name}: {type(error).__name__}: {error}"


def main(words: Sequence[str]) -> int:
    """Model, measure, show, export, read again, keep a log and a lock; then what is refused."""
    folder = Path(words[0])
    print("modules", list(not_imported()))
    os.chdir(folder)
    from notebook_ext import Session
    from vcad_kernel.errors import CapabilityUnavailable
    from vcad_kernel.settings import Settings

    assert Settings.load().in_process
    with Session() as session:
        part = session.evaluate(
            '[union [translate 3 5 29 [text 4 2 "A"]] [fillet 1 [cube 10 20 30]]]', "block"
        )
        print(f"exact {part.exact}")
        print(f"volume {part.volume:.3f}")
        print("png", part.png()[:4])
        for name in ("block.step", "block.3mf", "block.stl"):
            print(name, part.export(name).stat().st_size > 1000)
        print("dxf", part.section("block.dxf", normal=(0, 0, 1), origin=(0, 0, 5)))
        again = session.evaluate('[import-step "block.step"]', "again")
        print(f"again {again.volume:.3f}")
        session.note("seen", line="as it is")
    logs = [path.read_bytes() for path in (folder / ".vcad" / "logs").rglob("*") if path.is_file()]
    print("log", any(b"as it is" in log for log in logs) and not any(b"\r" in log for log in logs))

    from notebook_ext.session.project.workspace_lock import WorkspaceLock

    first, second = WorkspaceLock(folder), WorkspaceLock(folder)
    print("locks", first.acquire(), second.acquire(), f"process {os.getpid()}" in str(second.reason))
    first.release()
    print("freed", second.acquire())
    second.release()

    from vcad_kernel.service.client import ServiceClient

    try:
        ServiceClient.start(folder).eval_cell("[cube 1 2 3]")
    except CapabilityUnavailable as refused:
        print("client", refused.error_code, refused.message)
    with patch("sys.argv", ["vcad", "service"]):
        from vcad_kernel.cli import main as command

        try:
            command()
        except SystemExit as ended:
            print("service", ended.code)
    return 0
