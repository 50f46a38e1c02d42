"""The service as it is started in earnest: its settings, its folders, its worker, its file system.

The one place that knows which artifact store, watcher, index and policy the front is given.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcad_kernel.paths import may_have_own_folder
from vcad_kernel.service.front.connection.connection import is_loopback
from vcad_kernel.service.front.files.artifacts import ArtifactStore, Recovered, Retention
from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.server import Server
from vcad_kernel.service.front.worker.process import WorkerCommand
from vcad_kernel.settings import SettingError, Settings

__all__ = ["ServiceOptions", "artifact_folder", "assemble", "check_exposure"]

_PLUGIN: Final = "VCAD_WORKER_PLUGIN"
_HIDDEN: Final = ("VCAD_AUTH_TOKEN", "SUPEX_AUTH_TOKEN")
"""Variables that are no business of the process that runs models."""


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """What a service is started with, besides the settings."""

    workspace: Path | None = None
    """The folder outside of which no connection may work; None for any folder."""
    watch_parent: bool = False
    """Whether the end of standard input is the end of the service."""
    allow_worker_plugin: bool = False
    """Whether ``VCAD_WORKER_PLUGIN`` reaches the worker; for tests."""


def check_exposure(settings: Settings) -> None:
    """See that nobody else's machine gets in without a token. Raises: SettingError."""
    if is_loopback(settings.host):
        return
    missing = [
        name
        for name, is_there in (
            ("VCAD_ALLOW_REMOTE=1", settings.allow_remote),
            ("VCAD_AUTH_TOKEN", bool(settings.auth_token)),
        )
        if not is_there
    ]
    if missing:
        raise SettingError(
            f"other machines may reach VCAD_HOST {settings.host!r}, which needs {' and '.join(missing)}"
        )


def artifact_folder(settings: Settings, workspace: Path | None) -> Path:
    """Where artifacts go: as is set, else into the workspace if it can be written, else to the user's own."""
    if settings.temp_dir is not None:
        return settings.temp_dir.absolute()
    if workspace is not None and may_have_own_folder(workspace):
        return workspace / ".vcad" / "artifacts"
    # nothing between it and the folder for all: whoever had made that first could put another in its place
    return Path(tempfile.gettempdir()) / f"vcad-{os.getuid()}"


def worker_command(options: ServiceOptions, variables: Mapping[str, str]) -> WorkerCommand:
    """How workers are started. variables: our own environment."""
    hidden = set(_HIDDEN) if options.allow_worker_plugin else {*_HIDDEN, _PLUGIN}
    environment = {name: value for name, value in variables.items() if name not in hidden}
    return WorkerCommand((sys.executable, "-P", "-m", "vcad_kernel.service.worker"), environment)


def assemble(
    settings: Settings, options: ServiceOptions, log: Logger, variables: Mapping[str, str] = os.environ
) -> Server:
    """A server that has not been started.

    Raises: SettingError; PathRefused and ExportError for a folder that is not ours.
    """
    check_exposure(settings)
    workspace = None if options.workspace is None else Path(os.path.realpath(options.workspace))
    if workspace is not None and not workspace.is_dir():
        raise SettingError(f"the workspace {str(options.workspace)!r} is no folder")
    folder = artifact_folder(settings, workspace)
    store = ArtifactStore(folder, Retention(settings.temp_ttl_seconds, settings.temp_max_files))
    recovered = store.recovered
    if recovered != Recovered():
        log.event(
            "artifacts_cleared",
            level="warning",
            half_pairs=recovered.half_pairs,
            staged_files=recovered.staged_files,
            markers=recovered.markers,
        )
    return Server(
        settings,
        store,
        worker_command(options, variables),
        log,
        staging_base=folder / "requested",
        workspace=workspace,
    )
