"""What an agent may do without being asked: a table by risk class and agent, which only the person changes.

    policy = Policy()
    policy.rule(tool, {"script": "ls"}, agent="claude", paths=(), workspace=folder)      # "ask"
    policy.set("D", "deny", agent="claude")

Reading is allowed. So is writing what can be undone and belongs to the model: its Loon sources, the
project's file, pictures and exports; any other file is asked for. What destroys and what runs any code is
asked for, and the network is closed until the person opens it. Asks no person. Safe on any thread.

The model's own files are those that may be written without a question.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from notebook_ext.approval.calls import ApprovableTool, Preview, Risk, class_of
from notebook_ext.workspace.files.outputs import OUTPUT_FOLDERS, OUTPUT_SUFFIXES

__all__ = [
    "DEFAULTS",
    "KEY_HEADER",
    "RULES",
    "Caller",
    "Policy",
    "Remembered",
    "Rule",
    "belongs_to_the_model",
    "may_be_remembered",
]


_log = logging.getLogger("vcad.notebook.approvals")

Rule: TypeAlias = Literal["allow", "ask", "deny"]

RULES: Final[tuple[Rule, ...]] = get_args(Rule)
"""From the loosest to the strictest."""

DEFAULTS: Final[Mapping[Risk, Rule]] = {"R": "allow", "W": "allow", "D": "ask", "X": "ask"}

_NETWORK_PACK: Final = "web"
_PATH_NAMES: Final = ("path", "file_path", "output_path", "output_dir")
"""Arguments that name a file to be written, for tools that do not say what they affect."""


KEY_HEADER: Final = "x-agent-key"
"""Of HTTP: a secret of the calling program's own, by which it is known again; it may leave it out."""


class Caller(NamedTuple):
    """Which program calls."""

    name: str
    """As it calls itself; another may call itself so too."""
    connection: str | None = None
    """What no other program has: of its connection, or a secret of its own. None where there is none."""


Remembered: TypeAlias = tuple[str, Risk, Caller]
"""Tool, class and agent that need not be asked for again."""


class Policy:
    """One session's table. What has been said of one agent goes before what holds for all."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._rules: dict[tuple[Risk, str | None], Rule] = {(risk, None): DEFAULTS[risk] for risk in DEFAULTS}
        self._network: Rule = "deny"
        self._step_mode = False
        self._remembered: dict[Remembered, None] = {}
        self._agents: dict[str, None] = {}
        self._listeners: dict[object, Callable[[], object]] = {}
        self.edition = 0
        """Grows with each change of the table, so that what was allowed under another one shows."""

    # ---- the table -------------------------------------------------------------------------

    @property
    def step_mode(self) -> bool:
        """Whether writing is asked for as well, each time."""
        return self._step_mode

    @step_mode.setter
    def step_mode(self, on: bool) -> None:
        with self._lock:
            if bool(on) == self._step_mode:
                return
            self._step_mode = bool(on)
            if on:
                self._remembered.clear()
        self._changed()

    @property
    def network(self) -> Rule:
        """What holds for searching the web and fetching pages; "deny" until the person opens it."""
        return self._network

    @network.setter
    def network(self, rule: Rule) -> None:
        if _checked(rule) != self._network:
            self._network = rule
            self._changed()

    def set(self, risk: Risk, rule: Rule | None, agent: str | None = None) -> None:
        """Have a rule for a class; what was to be remembered of it is asked for again.

        rule: None takes an agent's own rule away. agent: for this one only, as it calls itself; by default
        for all. Raises: ValueError for a class or a rule that there is none of.
        """
        if risk not in DEFAULTS:
            raise ValueError(f"there is no class {risk!r}; the classes are {', '.join(DEFAULTS)}")
        with self._lock:
            if rule is None and agent is not None:
                self._rules.pop((risk, agent), None)
            else:
                self._rules[risk, agent] = _checked(rule)
            if agent is not None:
                self._agents.setdefault(agent)
            for key in [key for key in self._remembered if agent in (None, key[2].name)]:
                del self._remembered[key]
        self._changed()

    def of(self, risk: Risk, agent: str | None = None) -> Rule:
        """The rule of a class, for an agent."""
        with self._lock:
            return self._rules.get((risk, agent), self._rules[risk, None])

    def own(self, risk: Risk, agent: str) -> Rule | None:
        """The rule that was set for this agent; None where it has none of its own."""
        return self._rules.get((risk, agent))

    def rules(self) -> dict[tuple[Risk, str | None], Rule]:
        """All rules, by class and agent; None stands for all agents."""
        with self._lock:
            return dict(self._rules)

    # ---- what has been said yes to ---------------------------------------------------------

    def remember(
        self, tool: ApprovableTool, arguments: Mapping[str, Any], agent: Caller, effect: Preview | None = None
    ) -> bool:
        """Do not ask again for calls of this class of this tool of this very program, in this session.

        False where that may not be.
        """
        if not may_be_remembered(tool, arguments, agent):
            return False
        with self._lock:
            self._remembered[tool.name, class_of(tool, effect), agent] = None
        self._changed(edition=False)
        return True

    @property
    def remembered(self) -> tuple[Remembered, ...]:
        """What need not be asked for again."""
        with self._lock:
            return tuple(self._remembered)

    def forget(self) -> None:
        """Ask again for all that was to be remembered."""
        with self._lock:
            self._remembered.clear()
        self._changed()

    # ---- a call ----------------------------------------------------------------------------

    def rule(
        self,
        tool: ApprovableTool,
        arguments: Mapping[str, Any],
        *,
        agent: Caller,
        effect: Preview | None,
        workspace: Path,
    ) -> Rule:
        """What holds for one call. effect: what it would do; see `class_of`."""
        risk = class_of(tool, effect)
        rule = self.of(risk, agent.name)
        if tool.pack == _NETWORK_PACK and rule != "deny":
            rule = self._network
        if risk == "W" and rule == "allow":
            written = [*map(Path, () if effect is None else effect.paths), *_named_in(arguments)]
            of_the_model = all(belongs_to_the_model(path, workspace) for path in written)
            rule = "ask" if self._step_mode or not of_the_model else "allow"
        if effect is not None and effect.is_proposal:
            return "deny" if rule == "deny" else "ask"
        if rule == "ask" and (tool.name, risk, agent) in self._remembered:
            return "allow" if may_be_remembered(tool, arguments, agent) else "ask"
        return rule

    # ---- subscribers -----------------------------------------------------------------------

    @property
    def agents(self) -> tuple[str, ...]:
        """Those that have called, or that have rules of their own."""
        with self._lock:
            return tuple(self._agents)

    def met(self, agent: str) -> None:
        """This one calls: it can be given rules of its own."""
        with self._lock:
            if agent in self._agents or len(self._agents) >= _AGENTS:
                return
            self._agents[agent] = None
        self._changed(edition=False)

    def on_change(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Have a function called after each change, on any thread; what this gives ends that."""
        key = object()
        with self._lock:
            self._listeners[key] = listener

        def stop() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return stop

    def _changed(self, *, edition: bool = True) -> None:
        with self._lock:
            self.edition += edition
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener()
            except Exception:  # noqa: BLE001 - a panel that cannot follow must not undo what the person has set
                _log.exception("a change of the policy could not be told")


_AGENTS: Final = 32
"""Agents of which is kept that they have called: they choose their names themselves."""


def may_be_remembered(tool: ApprovableTool, arguments: Mapping[str, Any], agent: Caller) -> bool:
    """Whether a yes may hold for later calls.

    Never for what runs any code, nor for a full clean; nor where another program could say it were this one.
    """
    return tool.risk != "X" and arguments.get("clean") != "full" and agent.connection is not None


def _named_in(arguments: Mapping[str, Any]) -> list[Path]:
    named = (arguments.get(name) for name in _PATH_NAMES)
    return [Path(path) for path in named if isinstance(path, str) and path]


def _checked(rule: Rule | None) -> Rule:
    if rule not in RULES:
        raise ValueError(f"there is no rule {rule!r}; the rules are {', '.join(RULES)}")
    return rule


_SOURCES: Final = frozenset({".loon", ".oo"})
_EXPORTS: Final = frozenset({".dae", ".obj", ".stl", ".3mf", ".glb", ".step", ".stp", ".ops"})
_PROJECT_FILE: Final = "design_model.json"
_OWN: Final = ".vcad"


def belongs_to_the_model(path: Path, workspace: Path) -> bool:
    """Whether a file is the model's own: a Loon source, the project's file, a picture, mesh or drawing.

    Only inside the workspace; links are followed. A file with several names is not the model's own: the other
    name may be any file.
    """
    try:
        real = (workspace / path).resolve()
        inside = real.relative_to(workspace.resolve())
        if real.is_file() and real.stat().st_nlink > 1:
            return False
    except (ValueError, OSError):
        return False
    parts = inside.parts
    if parts and parts[0] == _OWN:
        return len(parts) > 2 and parts[1] in OUTPUT_FOLDERS and inside.suffix.lower() in OUTPUT_SUFFIXES
    if any(part.startswith(".") for part in parts):  # a tool's folder, whatever its files are called
        return False
    if inside == PurePath(_PROJECT_FILE):
        return True
    return inside.suffix.lower() in _SOURCES | _EXPORTS
