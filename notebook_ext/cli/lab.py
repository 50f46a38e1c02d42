"""``vcad lab``: JupyterLab on the guided first quarter of an hour, of a package or of a clone.

The notebook and the pages that it links to are copied into a folder of the person's, where they are laid
out as in the repository, so that links lead on. What has been changed there is never written over: the
digest of each copy is kept, and only a file that still has it is brought up to date.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

import typer

from vcad_kernel.paths import own_folder
from vcad_kernel.system.files import replace_file

__all__ = ["copied", "lab", "shipped"]

_QUICKSTART: Final = Path("notebooks/quickstart.ipynb")
_PAGES: Final = tuple(
    Path("docs", f"{name}.md")
    for name in ("guide", "loon", "cad", "sketchup", "agents", "agent_workspace", "hooks")
)
_RECORD: Final = "copied.json"


def lab(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder to work in; by default vcad-workbench in your home folder.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    port: Annotated[int | None, typer.Option(help="Port of the server; 0 takes a free one.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="A new copy, beside one that you have changed.")
    ] = False,
    jupyter: Annotated[
        list[str] | None,
        typer.Option(help="An option of jupyter lab, as --jupyter=--ip=0.0.0.0; any number of these."),
    ] = None,
) -> None:
    """Open JupyterLab on the quickstart, which is copied into a folder of yours first.

    A copy that you have changed is never written over.
    """
    place = (folder or Path.home() / "vcad-workbench").absolute()
    try:
        notebook, kept = copied(place, fresh=fresh)
    except OSError as failed:
        typer.echo(
            f"Error: {place} cannot be written to: {failed.strerror or failed}; name another folder", err=True
        )
        raise typer.Exit(1) from failed
    stays = "; you have changed it, so it stays as it is (vcad lab --fresh has a new one)" if kept else ""
    typer.echo(f"the quickstart is {notebook}{stays}")
    _open(place, notebook, browser=browser, port=port, options=jupyter or ())


def copied(folder: Path, *, fresh: bool = False) -> tuple[Path, bool]:
    """Have the quickstart and its pages in a folder.

    fresh: a new copy where the one that is there has been changed.
    Returns: where the notebook is, and whether it is a changed one that was left as it is.
    Raises: OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = own_folder(folder) / _RECORD
    before = _digests(record)
    now: dict[str, str] = {}
    kept = False
    notebook = _QUICKSTART
    for path, data in shipped():
        name = path.as_posix()
        there = folder / path
        if there.is_file() and _digest(there.read_bytes()) not in (before.get(name), _digest(data)):
            kept = kept or path == _QUICKSTART
            now[name] = before.get(name, "")
            if not (fresh and path == _QUICKSTART):
                continue
            there = _free(there)
            notebook, kept = there.relative_to(folder), False
        else:
            now[name] = _digest(data)
        if not there.is_file() or there.read_bytes() != data:
            replace_file(folder, there, data)
    replace_file(folder, record, json.dumps(now, indent=1, sort_keys=True).encode())
    return folder / notebook, kept


def shipped() -> Iterator[tuple[Path, bytes]]:
    """The files that are copied, from the wheel or from the clone that this runs in, with what is in them."""
    package = Path(__file__).parents[1]
    base = package / "shipped"
    if not base.is_dir():
        base = package.parent
    for path in (_QUICKSTART, *_PAGES):
        yield path, (base / path).read_bytes()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digests(record: Path) -> dict[str, str]:
    """What was copied last, as far as that is known."""
    try:
        digests = json.loads(record.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): str(digest) for name, digest in digests.items()} if isinstance(digests, dict) else {}


def _free(path: Path) -> Path:
    """The first of quickstart-2, quickstart-3 … that is not there."""
    number = 2
    while (beside := path.with_stem(f"{path.stem}-{number}")).exists():
        number += 1
    return beside


def _open(folder: Path, notebook: Path, *, browser: bool, port: int | None, options: Sequence[str]) -> None:
    """Be a JupyterLab until it is ended."""
    from jupyterlab.labapp import LabApp

    # as the address, not as the file to be run: the line in the terminal leads there, too
    address = quote(notebook.relative_to(folder).as_posix())
    words = [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab/tree/{address}"]
    if not browser:
        words.append("--no-browser")
    if port is not None:
        words.append(f"--ServerApp.port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-root")  # a container, where Jupyter asks root for an extra word
    os.chdir(folder)  # as where `jupyter lab` is started: its kernels find modules there
    LabApp.launch_instance([*words, *options])
