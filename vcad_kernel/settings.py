"""What a user may set from outside: every setting with its name, type, unit, default and meaning.

    settings = Settings.load()                       # what is in force in this process
    settings = Settings.load({"VCAD_PORT": 0})       # the same, but for one
    for row in settings.describe(): ...              # what `vcad config` prints

A value comes from the first that has one: the caller, the environment, the file ``vcad.toml`` in the
user's configuration folder, the default. In the file a setting has its full name, as
``VCAD_MAX_QUEUE = 16``. A value that a setting cannot have is refused with the setting's name. Secrets
are never printed, neither by ``describe`` nor in a complaint.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from vcad_kernel.setting_values import (
    ADDRESS,
    PATH,
    SECRET,
    SWITCH,
    TEXT,
    Kind,
    SettingError,
    decimal,
    whole,
)

__all__ = ["SettingError", "SettingRow", "Settings", "config_path"]


def config_path() -> Path:
    """Where the user's own settings stand, whether or not there are any."""
    from platformdirs import user_config_path

    return user_config_path("vcad-workbench", appauthor=False) / "vcad.toml"


@dataclass(frozen=True, slots=True)
class _Setting:
    """What there is to know of one setting but its default."""

    name: str
    kind: Kind
    doc: str


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as it is in force."""

    name: str
    value: str
    """As people read it; empty for none, and of a secret only whether it is set."""
    unit: str
    """Empty for what has none."""
    source: str
    """``given``, ``environment``, ``file`` or ``default``."""
    doc: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults; what each is for stands in the table below."""

    host: str = "127.0.0.1"
    port: int = 9877
    timeout_seconds: float = 30.0
    auth_token: str | None = field(default=None, repr=False)
    allow_remote: bool = False
    max_queue: int = 64
    eval_timeout_ms: int = 120_000
    line_max_bytes: int = 16 * 2**20
    temp_dir: Path | None = None
    temp_ttl_seconds: int = 3600
    temp_max_files: int = 500
    adt_cache_max: int = 256
    geometry_cache_mb: int = 256
    worker_memory_mb: int = 4096
    cache_dir: Path | None = None
    in_process: bool = False
    service_path: Path | None = None
    state_path: Path | None = None
    session: str | None = None
    workspace: Path | None = None
    observer_poll_ms: int = 250
    observer_max_queue: int = 2048
    trigger_coalesce_ms: int = 150
    viewer_relay_port: int = 9878
    gateway_origins: str | None = None
    hooks: bool | None = None
    agent_packs: str | None = None
    web_search_url: str | None = None
    supex_host: str = "127.0.0.1"
    supex_port: int = 9876
    supex_timeout_seconds: float = 15.0
    supex_retries: int = 2
    supex_auth_token: str | None = field(default=None, repr=False)
    supex_workspace: Path | None = None
    supex_idle_timeout_seconds: float = 300.0
    supex_max_response: int = 10 * 2**20
    supex_expected_model: str | None = None
    supex_agent: str = "notebook"
    supex_log_dir: Path | None = None
    sources: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Where each value that is no default comes from, by the setting's name."""

    @classmethod
    def load(
        cls,
        given: Mapping[str, Any] | None = None,
        *,
        variables: Mapping[str, str] | None = None,
        file: Path | None = None,
    ) -> Settings:
        """The settings that are in force.

        given: values by name (``VCAD_PORT``), before all others; None leaves a setting as it is.
        variables: the environment; by default this process's. file: by default the user's own.
        Raises: SettingError: for a bad value, an unknown name, and a file that cannot be read.
        """
        explicit = {name: value for name, value in (given or {}).items() if value is not None}
        _refuse_unknown(explicit, "there is no setting")
        return cls._from(
            explicit,
            os.environ if variables is None else variables,
            _written(config_path() if file is None else file),
        )

    @classmethod
    def from_environment(cls, variables: Mapping[str, str]) -> Settings:
        """The settings of these variables alone; the rest has its default.

        Raises: SettingError.
        """
        return cls._from({}, variables, {})

    @classmethod
    def _from(
        cls, given: Mapping[str, Any], variables: Mapping[str, str], written: Mapping[str, Any]
    ) -> Settings:
        values: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for attribute, one in _SETTINGS.items():
            name, kind = one.name, one.kind
            text = variables.get(name, "").strip()
            if name in given:
                values[attribute], sources[name] = kind.value(name, given[name]), "given"
            elif text:
                values[attribute], sources[name] = kind.read(name, text), "environment"
            elif name in written:
                values[attribute], sources[name] = kind.value(name, written[name]), "file"
        return cls(**values, sources=MappingProxyType(sources))

    def describe(self) -> tuple[SettingRow, ...]:
        """Every setting as it is in force; secrets are not shown."""
        return tuple(
            SettingRow(
                one.name,
                one.kind.shown(getattr(self, attribute)),
                one.kind.unit,
                self.sources.get(one.name, "default"),
                one.doc,
            )
            for attribute, one in _SETTINGS.items()
        )

    @property
    def eval_seconds(self) -> float | None:
        """The time for one evaluation in seconds; None for any."""
        return self.eval_timeout_ms / 1000 or None


_SETTINGS: Final[Mapping[str, _Setting]] = {
    "host": _Setting("VCAD_HOST", ADDRESS, "address that the service listens on"),
    "port": _Setting("VCAD_PORT", whole(0, 65535), "port that the service listens on; 0 takes a free one"),
    "timeout_seconds": _Setting(
        "VCAD_TIMEOUT", decimal("s", above=0), "how long a client waits for an answer"
    ),
    "auth_token": _Setting("VCAD_AUTH_TOKEN", SECRET, "what a client must know"),
    "allow_remote": _Setting(
        "VCAD_ALLOW_REMOTE", SWITCH, "let the service listen beyond this machine; needs a token"
    ),
    "max_queue": _Setting("VCAD_MAX_QUEUE", whole(1, unit="requests"), "evaluations that may wait"),
    "eval_timeout_ms": _Setting(
        "VCAD_EVAL_TIMEOUT_MS", whole(0, unit="ms"), "how long an evaluation may wait and run; 0 any"
    ),
    "line_max_bytes": _Setting(
        "VCAD_LINE_MAX", whole(4096, unit="bytes"), "longest message to and from the service"
    ),
    "temp_dir": _Setting(
        "VCAD_TEMP_DIR", PATH, "folder of artifacts; by default the workspace's, or one of the user"
    ),
    "temp_ttl_seconds": _Setting(
        "VCAD_TEMP_TTL_SEC", whole(0, unit="s"), "age at which artifacts are removed"
    ),
    "temp_max_files": _Setting(
        "VCAD_TEMP_MAX_FILES", whole(1, unit="pairs"), "artifacts that are kept at most"
    ),
    "adt_cache_max": _Setting(
        "VCAD_ADT_CACHE_MAX", whole(1, unit="models"), "models that the worker keeps by name"
    ),
    "geometry_cache_mb": _Setting(
        "VCAD_GEOMETRY_CACHE_MB", whole(0, unit="MiB"), "memory for solids that were built before"
    ),
    "worker_memory_mb": _Setting(
        "VCAD_WORKER_MEMORY_MB", whole(256, unit="MiB"), "memory at which a worker is stopped"
    ),
    "cache_dir": _Setting(
        "VCAD_CACHE_DIR",
        PATH,
        "folder in which solids outlive the process, from the workspace when relative; by default none",
    ),
    "in_process": _Setting(
        "VCAD_IN_PROCESS", SWITCH, "evaluate in the notebook's own process, without a service"
    ),
    "service_path": _Setting(
        "VCAD_SERVICE_PATH", PATH, "program to start as the service; by default this Python's"
    ),
    "state_path": _Setting("VCAD_STATE_PATH", PATH, "the session's own state; by default .vcad/session.json"),
    "session": _Setting("VCAD_SESSION", TEXT, "session that commands and agents mean"),
    "workspace": _Setting(
        "VCAD_WORKSPACE", PATH, "folder of the project; by default found from the notebook's own"
    ),
    "observer_poll_ms": _Setting(
        "VCAD_OBSERVER_POLL_MS", whole(10, unit="ms"), "how often SketchUp is asked what has changed"
    ),
    "observer_max_queue": _Setting(
        "VCAD_OBSERVER_MAX_QUEUE", whole(1, unit="events"), "changes of SketchUp that may wait"
    ),
    "trigger_coalesce_ms": _Setting(
        "VCAD_TRIGGER_COALESCE_MS", whole(0, unit="ms"), "time in which changes count as one"
    ),
    "viewer_relay_port": _Setting(
        "VCAD_VIEWER_RELAY_PORT", whole(0, 65535), "port of the viewers; the next free one if taken"
    ),
    "gateway_origins": _Setting(
        "VCAD_GATEWAY_ORIGINS",
        TEXT,
        "web pages that may speak with a session, as in http://localhost:3000, separated by commas",
    ),
    "hooks": _Setting(
        "VCAD_HOOKS",
        SWITCH,
        "answer below /api; by default in notebooks, and not in sessions that were started for an agent",
    ),
    "agent_packs": _Setting(
        "VCAD_AGENT_PACKS",
        TEXT,
        "packs of tools that agents may ask for, as in files,python, besides core; by default all",
    ),
    "web_search_url": _Setting(
        "VCAD_WEB_SEARCH_URL", TEXT, "search that agents may ask, with {query} in it; by default none"
    ),
    "supex_host": _Setting("SUPEX_HOST", ADDRESS, "address of SketchUp's extension"),
    "supex_port": _Setting("SUPEX_PORT", whole(1, 65535), "port of SketchUp's extension"),
    "supex_timeout_seconds": _Setting(
        "SUPEX_TIMEOUT", decimal("s", above=0), "how long SketchUp may take to answer"
    ),
    "supex_retries": _Setting("SUPEX_RETRIES", whole(0), "how often a lost connection is tried again"),
    "supex_auth_token": _Setting("SUPEX_AUTH_TOKEN", SECRET, "what SketchUp's extension wants to hear"),
    "supex_workspace": _Setting(
        "SUPEX_WORKSPACE", PATH, "folder that SketchUp's extension may read and write"
    ),
    "supex_idle_timeout_seconds": _Setting(
        "SUPEX_IDLE_TIMEOUT", decimal("s", above=0), "rest after which SketchUp is connected to anew"
    ),
    "supex_max_response": _Setting(
        "SUPEX_MAX_RESPONSE", whole(4096, unit="bytes"), "longest answer of SketchUp's that is read"
    ),
    "supex_expected_model": _Setting(
        "SUPEX_EXPECTED_MODEL", TEXT, "file of the only SketchUp model that is changed; by default any"
    ),
    "supex_agent": _Setting("SUPEX_AGENT", TEXT, "what we call ourselves to SketchUp's extension"),
    "supex_log_dir": _Setting(
        "SUPEX_LOG_DIR", PATH, "folder of the record of calls to SketchUp; by default .vcad/logs"
    ),
}
"""Every setting, by the attribute that holds it."""

_NAMES: Final = frozenset(one.name for one in _SETTINGS.values())


def _refuse_unknown(values: Mapping[str, Any], complaint: str) -> None:
    for name in values:
        if name not in _NAMES:
            raise SettingError(f"{complaint} {name!r}")


def _written(file: Path) -> Mapping[str, Any]:
    """What the file sets; a file that is not there sets nothing."""
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as failed:
        raise SettingError(f"cannot read {file}: {failed.strerror or failed}") from failed
    import tomllib

    try:
        found = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise SettingError(f"{file} is not a TOML file: {wrong}") from wrong
    _refuse_unknown(found, f"{file} sets what is no setting:")
    return found
