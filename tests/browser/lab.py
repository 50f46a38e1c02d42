"""A real JupyterLab on loopback, for browser tests, sealed off from the person's own Jupyter.

Knows how to start and stop the server. Does not know browsers, notebooks or the viewer.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Lab", "running_lab"]

_REPOSITORY = Path(__file__).parents[2]
_START_SECONDS = 90.0
_STOP_SECONDS = 20.0
_URL = re.compile(r"(http://127\.0\.0\.1:\d+\S*?)/lab")


@dataclass(frozen=True, slots=True)
class Lab:
    """A running server."""

    url: str
    """Scheme, host, port and what all paths begin with, without a trailing slash."""
    token: str
    root: Path
    """The folder whose notebooks it serves."""
    log: list[str]
    """The server's output so far, line by line."""

    def workspace_url(self, workspace: str) -> str:
        """Where JupyterLab begins with nothing open, in a fresh workspace of its own."""
        return f"{self.url}/lab/workspaces/{workspace}?reset&token={self.token}"

    def page_url(self, path: str) -> str:
        """Another page of the server."""
        return f"{self.url}/{path}?token={self.token}"


@contextlib.contextmanager
def running_lab(folder: Path, *, overlay: Path | None = None, options: Sequence[str] = ()) -> Iterator[Lab]:
    """Start JupyterLab with every directory under `folder`, yield it, stop it and its kernels.

    overlay: a folder with another JupyterLab, which is taken in place of the one that is installed.
    options: further ones of the command line.
    Raises: RuntimeError when the server does not come up, with its output.
    """
    root = folder / "root"
    root.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(16)
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", *_options(root, token), *options],
        env=_environment(folder, overlay),
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    log: list[str] = []
    address: list[str] = []
    ready = threading.Event()
    reader = threading.Thread(target=_read, args=(process, log, address, ready), daemon=True)
    reader.start()
    try:
        ready.wait(_START_SECONDS)
        if not address:
            raise RuntimeError("JupyterLab did not start:\n" + "".join(log[-40:]))
        yield Lab(address[0], token, root, log)
    finally:
        _stop(process)
        reader.join(_STOP_SECONDS)
        if process.stdout is not None:
            process.stdout.close()


def _options(root: Path, token: str) -> list[str]:
    return [
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        "--ServerApp.allow_root=True",
        f"--ServerApp.root_dir={root}",
        f"--IdentityProvider.token={token}",
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]


def _environment(folder: Path, overlay: Path | None) -> dict[str, str]:
    """Ours, with every Jupyter and IPython directory inside `folder`, and this repository importable."""
    settings = folder / "settings"
    notification = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notification.parent.mkdir(parents=True, exist_ok=True)
    notification.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    python_path = [str(_REPOSITORY), *filter(None, [inherited.get("PYTHONPATH")])]
    if overlay is not None:
        python_path.insert(0, str(overlay))
        inherited["JUPYTERLAB_DIR"] = str(overlay / "share" / "jupyter" / "lab")
    return inherited | {
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": os.pathsep.join(python_path),
        # A warning of some library in the kernel must not become a failure of our page.
        "PYTHONWARNINGS": "default",
    }


def _read(process: subprocess.Popen[str], log: list[str], address: list[str], ready: threading.Event) -> None:
    """Drain the server's output, so that it never blocks, and note its address when it says it."""
    assert process.stdout is not None
    for line in process.stdout:
        log.append(line)
        found = _URL.search(line)
        if found and not address:
            address.append(found[1])
            ready.set()
    ready.set()


def _stop(process: subprocess.Popen[str]) -> None:
    """SIGTERM makes the server shut its kernels down; the whole group goes if that takes too long."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(_STOP_SECONDS)
