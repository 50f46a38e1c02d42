"""What a user may set from outside: every setting with its name, type, unit, default and meaning.

    settings = Settings.load()                       # what is in force in this process
    settings = Settings.load({"VCAD_PORT": 0})       # the same, but for one
    for row in settings.describe(): ...              # what `vcad config` prints

A value comes from the first that has one: the caller, the environment, the file ``vcad.toml`` in the
user's configuration folder, the default. In the file a setting has its full name, as
``VCAD_MAX_QUEUE = 16``. A value that a setting cannot have is refused with the setting's name. Secrets
are never printed, neither by ``describe`` nor in a complaint.
"""
# ruff: noqa: RUF009 (`_setting` makes a field, anew for each setting)

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

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
from vcad_kernel.system.platforms import HAS_SERVICE

__all__ = ["SettingError", "SettingRow", "Settings", "config_path"]

_T = TypeVar("_T")


def config_path() -> Path:
    """Where the user's own settings stand, whether or not there are any."""
    from platformdirs import user_config_path

    return user_config_path("vcad-workbench", appauthor=False) / "vcad.toml"


@dataclass(frozen=True, slots=True)
class _Setting:
    """What there is to know of one setting but its default: the metadata of its field."""

    name: str
    kind: Kind
    doc: str


def _setting(name: str, kind: Kind, default: _T, doc: str) -> _T:
    """A field of `Settings`. doc: what the setting is for, as `vcad config` prints it."""
    return field(default=default, repr=not kind.secret, metadata={"setting": _Setting(name, kind, doc)})


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
    """All settings: each with its name outside, the kind of its value, its default and its meaning."""

    host: str = _setting("VCAD_HOST", ADDRESS, "127.0.0.1", "address that the service listens on")
    port: int = _setting(
        "VCAD_PORT", whole(0, 65535), 9877, "port that the service listens on; 0 takes a free one"
    )
    timeout_seconds: float = _setting(
        "VCAD_TIMEOUT", decimal("s", above=0), 30.0, "how long a client waits for an answer"
    )
    auth_token: str | None = _setting("VCAD_AUTH_TOKEN", SECRET, None, "what a client must know")
    allow_remote: bool = _setting(
        "VCAD_ALLOW_REMOTE", SWITCH, False, "let the service listen beyond this machine; needs a token"
    )
    max_queue: int = _setting("VCAD_MAX_QUEUE", whole(1, unit="requests"), 64, "evaluations that may wait")
    eval_timeout_ms: int = _setting(
        "VCAD_EVAL_TIMEOUT_MS", whole(0, unit="ms"), 120_000, "how long an evaluation may wait and run; 0 any"
    )
    display_tolerance: float | None = _setting(
        "VCAD_TOLERANCE",
        decimal("mm", above=0),
        None,
        "chord error of curved faces where an evaluation names none; by default 0.02",
    )
    line_max_bytes: int = _setting(
        "VCAD_LINE_MAX", whole(4096, unit="bytes"), 16 * 2**20, "longest message to and from the service"
    )
    temp_dir: Path | None = _setting(
        "VCAD_TEMP_DIR", PATH, None, "folder of artifacts; by default the workspace's, or one of the user"
    )
    temp_ttl_seconds: int = _setting(
        "VCAD_TEMP_TTL_SEC", whole(0, unit="s"), 3600, "age at which artifacts are removed"
    )
    temp_max_files: int = _setting(
        "VCAD_TEMP_MAX_FILES", whole(1, unit="pairs"), 500, "artifacts that are kept at most"
    )
    adt_cache_max: int = _setting(
        "VCAD_ADT_CACHE_MAX", whole(1, unit="models"), 256, "models that the worker keeps by name"
    )
    geometry_cache_mb: int = _setting(
        "VCAD_GEOMETRY_CACHE_MB", whole(0, unit="MiB"), 256, "memory for solids that were built before"
    )
    worker_memory_mb: int = _setting(
        "VCAD_WORKER_MEMORY_MB", whole(256, unit="MiB"), 4096, "memory at which a worker is stopped"
    )
    shell_processes: int = _setting(
        "VCAD_SHELL_PROCESSES",
        whole(8, unit="processes"),
        256,
        "processes and threads that an agent's script may have at a time",
    )
    shell_memory_mb: int = _setting(
        "VCAD_SHELL_MEMORY_MB", whole(64, unit="MiB"), 4096, "memory at which an agent's script is stopped"
    )
    shell_file_mb: int = _setting(
        "VCAD_SHELL_FILE_MB", whole(1, unit="MiB"), 1024, "largest file that an agent's script may write"
    )
    shell_open_files: int = _setting(
        "VCAD_SHELL_OPEN_FILES",
        whole(32, unit="files"),
        1024,
        "files that each of its processes may have open",
    )
    cache_dir: Path | None = _setting(
        "VCAD_CACHE_DIR",
        PATH,
        None,
        "folder in which solids outlive the process, from the workspace when relative; by default none",
    )
    in_process: bool = _setting(
        "VCAD_IN_PROCESS",
        SWITCH,
        not HAS_SERVICE,
        "evaluate in the notebook's own process, without a service; so by default on Windows",
    )
    service_path: Path | None = _setting(
        "VCAD_SERVICE_PATH", PATH, None, "program to start as the service; by default this Python's"
    )
    state_path: Path | None = _setting(
        "VCAD_STATE_PATH", PATH, None, "the session's own state; by default .vcad/session.json"
    )
    session: str | None = _setting("VCAD_SESSION", TEXT, None, "session that commands and agents mean")
    workspace: Path | None = _setting(
        "VCAD_WORKSPACE", PATH, None, "folder of the project; by default found from the notebook's own"
    )
    auto: bool = _setting(
        "VCAD_AUTO", SWITCH, True, "whether cells are evaluated again when something that they use changes"
    )
    observer_poll_ms: int = _setting(
        "VCAD_OBSERVER_POLL_MS", whole(10, unit="ms"), 250, "how often SketchUp is asked what has changed"
    )
    observer_max_queue: int = _setting(
        "VCAD_OBSERVER_MAX_QUEUE", whole(1, unit="events"), 2048, "changes of SketchUp that may wait"
    )
    trigger_coalesce_ms: int = _setting(
        "VCAD_TRIGGER_COALESCE_MS", whole(0, unit="ms"), 150, "time in which changes count as one"
    )
    viewer_relay_port: int = _setting(
        "VCAD_VIEWER_RELAY_PORT", whole(0, 65535), 9878, "port of the viewers; the next free one if taken"
    )
    gateway_origins: str | None = _setting(
        "VCAD_GATEWAY_ORIGINS",
        TEXT,
        None,
        "web pages that may speak with a session, as in http://localhost:3000, separated by commas",
    )
    hooks: bool | None = _setting(
        "VCAD_HOOKS",
        SWITCH,
        None,
        "answer below /api; by default in notebooks, and not in sessions that were started for an agent",
    )
    agent_packs: str | None = _setting(
        "VCAD_AGENT_PACKS",
        TEXT,
        None,
        "packs of tools that agents may ask for, as in files,python, besides core; by default all",
    )
    web_search_url: str | None = _setting(
        "VCAD_WEB_SEARCH_URL", TEXT, None, "search that agents may ask, with {query} in it; by default none"
    )
    supex_host: str = _setting("SUPEX_HOST", ADDRESS, "127.0.0.1", "address of SketchUp's extension")
    supex_port: int = _setting("SUPEX_PORT", whole(1, 65535), 9876, "port of SketchUp's extension")
    supex_timeout_seconds: float = _setting(
        "SUPEX_TIMEOUT", decimal("s", above=0), 15.0, "how long SketchUp may take to answer"
    )
    supex_retries: int = _setting("SUPEX_RETRIES", whole(0), 2, "how often a lost connection is tried again")
    supex_auth_token: str | None = _setting(
        "SUPEX_AUTH_TOKEN", SECRET, None, "the token that SketchUp's extension expects"
    )
    supex_workspace: Path | None = _setting(
        "SUPEX_WORKSPACE", PATH, None, "folder that SketchUp's extension may read and write"
    )
    supex_idle_timeout_seconds: float = _setting(
        "SUPEX_IDLE_TIMEOUT", decimal("s", above=0), 300.0, "rest after which SketchUp is connected to anew"
    )
    supex_max_response: int = _setting(
        "SUPEX_MAX_RESPONSE",
        whole(4096, unit="bytes"),
        10 * 2**20,
        "longest answer of SketchUp's that is read",
    )
    supex_expected_model: str | None = _setting(
        "SUPEX_EXPECTED_MODEL", TEXT, None, "file of the only SketchUp model that is changed; by default any"
    )
    supex_agent: str = _setting(
        "SUPEX_AGENT", TEXT, "notebook", "what we call ourselves to SketchUp's extension"
    )
    supex_log_dir: Path | None = _setting(
        "SUPEX_LOG_DIR", PATH, None, "folder of the record of calls to SketchUp; by default .vcad/logs"
    )
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
        for attribute, setting in _SETTINGS.items():
            name, kind = setting.name, setting.kind
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
                setting.name,
                setting.kind.shown(getattr(self, attribute)),
                setting.kind.unit,
                self.sources.get(setting.name, "default"),
                setting.doc,
            )
            for attribute, setting in _SETTINGS.items()
        )

    @property
    def eval_seconds(self) -> float | None:
        """The time for one evaluation in seconds; None for any."""
        return self.eval_timeout_ms / 1000 or None


_SETTINGS: Final[Mapping[str, _Setting]] = {
    attribute.name: attribute.metadata["setting"]
    for attribute in fields(Settings)
    if "setting" in attribute.metadata
}
"""Every setting, by the attribute that holds it."""

_NAMES: Final = frozenset(setting.name for setting in _SETTINGS.values())


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
        values = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise SettingError(f"{file} is not a TOML file: {wrong}") from wrong
    _refuse_unknown(values, f"{file} sets what is no setting:")
    return values
