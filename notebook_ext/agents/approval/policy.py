"""What an agent may do without being asked: a table by risk class and agent, which only the person changes.

    policy = Policy()
    policy.rule(tool, {"script": "ls"}, agent="claude", paths=(), workspace=folder)      # "ask"
    policy.set("D", "deny", agent="claude")

Reading is allowed. So is writing what can be undone and belongs to the model: its Loon sources, the
project's file, pictures and exports; any other file is asked for. What destroys and what runs any code is
asked for, and the network is closed until the person opens it. Asks nobody. Safe on any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from notebook_ext.agents.registry import Risk, Tool

__all__ = ["RULES", "Policy", "Rule", "belongs_to_the_model", "may_be_remembered", "risk_of"]

Rule: TypeAlias = Literal["allow", "ask", "deny"]

RULES: Final[tuple[Rule, ...]] = get_args(Rule)

_DEFAULTS: Final[Mapping[Risk, Rule]] = {"R": "allow", "W": "allow", "D": "ask", "X": "ask"}
_NETWORK_PACK: Final = "web"

_SOURCES: Final = frozenset({".loon", ".oo"})
_EXPORTS: Final = frozenset({".dae", ".obj", ".stl", ".3mf", ".glb", ".step", ".stp"})
_PROJECT_FILE: Final = "design_model.json"
_OWN: Final = ".vcad"
_OWN_OPEN: Final = frozenset({"shots", "exports", "artifacts"})
_PATH_NAMES: Final = ("path", "file_path", "output_path")
"""Arguments that name a file to be written, for tools that do not say what they affect."""


class Policy:
    """One session's table. What has been said of one agent goes before what holds for all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: dict[tuple[Risk, str | None], Rule] = {
            (risk, None): _DEFAULTS[risk] for risk in _DEFAULTS
        }
        self._network: Rule = "deny"
        self._step_mode = False
        self._remembered: set[tuple[str, str]] = set()

    @property
    def step_mode(self) -> bool:
        """Whether writing is asked for as well, each time."""
        return self._step_mode

    @step_mode.setter
    def step_mode(self, on: bool) -> None:
        self._step_mode = bool(on)

    @property
    def network(self) -> Rule:
        """What holds for searching the web and fetching pages; "deny" until the person opens it."""
        return self._network

    @network.setter
    def network(self, rule: Rule) -> None:
        self._network = _checked(rule)

    def set(self, risk: Risk, rule: Rule, agent: str | None = None) -> None:
        """Have a rule for a class. agent: for this one only, as it calls itself; by default for all.

        Raises: ValueError for a class or a rule that there is none of.
        """
        if risk not in _DEFAULTS:
            raise ValueError(f"there is no class {risk!r}; the classes are {', '.join(_DEFAULTS)}")
        with self._lock:
            self._rules[risk, agent] = _checked(rule)

    def of(self, risk: Risk, agent: str | None = None) -> Rule:
        """The rule of a class, for an agent."""
        with self._lock:
            return self._rules.get((risk, agent), self._rules[risk, None])

    def remember(self, tool: Tool, arguments: Mapping[str, Any], agent: str) -> bool:
        """Do not ask again for this tool of this agent, in this session. False where that may not be."""
        if not may_be_remembered(tool, arguments):
            return False
        with self._lock:
            self._remembered.add((tool.name, agent))
        return True

    def forget(self) -> None:
        """Ask again for all that was to be remembered."""
        with self._lock:
            self._remembered.clear()

    def rule(
        self, tool: Tool, arguments: Mapping[str, Any], *, agent: str, paths: Iterable[Path], workspace: Path
    ) -> Rule:
        """What holds for one call. paths: files that it would write; relative ones are the workspace's."""
        risk = risk_of(tool, arguments)
        rule = self.of(risk, agent)
        if tool.pack == _NETWORK_PACK and rule != "deny":
            rule = self._network
        if risk == "W" and rule == "allow":
            written = [*paths, *_named_in(arguments)]
            of_the_model = all(belongs_to_the_model(path, workspace) for path in written)
            rule = "ask" if self._step_mode or not of_the_model else "allow"
        if rule == "ask" and (tool.name, agent) in self._remembered and may_be_remembered(tool, arguments):
            return "allow"
        return rule


def risk_of(tool: Tool, arguments: Mapping[str, Any]) -> Risk:
    """The class of one call: some tools destroy only with certain arguments."""
    told: Callable[[Any], Risk] | None = getattr(tool, "risk_of", None)
    return tool.risk if told is None else told(tool.arguments.model_validate(dict(arguments)))


def may_be_remembered(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a yes may hold for later calls: never for what runs any code, nor for a full clean."""
    return "X" not in (tool.risk, risk_of(tool, arguments)) and arguments.get("clean") != "full"


def belongs_to_the_model(path: Path, workspace: Path) -> bool:
    """Whether a file is the model's own: a Loon source, the project's file, a picture or an export.

    Only inside the workspace; links are followed.
    """
    try:
        inside = (workspace / path).resolve().relative_to(workspace.resolve())
    except (ValueError, OSError):
        return False
    parts = inside.parts
    if parts and parts[0] == _OWN:
        return len(parts) > 2 and parts[1] in _OWN_OPEN
    if inside == PurePath(_PROJECT_FILE):
        return True
    return inside.suffix.lower() in _SOURCES | _EXPORTS


def _named_in(arguments: Mapping[str, Any]) -> list[Path]:
    named = (arguments.get(name) for name in _PATH_NAMES)
    return [Path(one) for one in named if isinstance(one, str) and one]


def _checked(rule: Rule) -> Rule:
    if rule not in RULES:
        raise ValueError(f"there is no rule {rule!r}; the rules are {', '.join(RULES)}")
    return rule
