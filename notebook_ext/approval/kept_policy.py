"""The policy from one kernel to the next: in the workspace's own state, sealed with this person's key.

A workspace may come from anywhere, and scripts that were approved may write in it. So what such a file
allows beyond the usual counts only where the seal shows that this person's session wrote it, for this very
folder; what it forbids counts always. What was to be remembered "in this session" is not kept.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from notebook_ext.approval.policy import DEFAULTS, RULES, Policy, Rule
from notebook_ext.state_file import StateFile

__all__ = ["KeptPolicy"]

_SECTION: Final = "approval_policy"
_KEY_BYTES: Final = 32


class KeptPolicy:
    """state: where it is kept. record: called where something could not be read, trusted or written.

    key: this person's, made with the first policy that allows more than usual.
    """

    def __init__(
        self,
        state: StateFile,
        workspace: Callable[[], Path],
        record: Callable[[str, Mapping[str, Any]], object],
        key: Callable[[], bytes] | None = None,
    ) -> None:
        self._state = state
        self._workspace = workspace
        self._record = record
        self._key = key or _personal_key
        self._written: object = None

    def follow(self, policy: Policy) -> None:
        """Take what is kept, and keep each change from now on."""
        self._take(policy)
        self._written = _content(policy)
        policy.on_change(lambda: self._keep(policy))

    def _take(self, policy: Policy) -> None:
        try:
            kept = self._state.read(_SECTION)
            if kept is None:
                return
            content = _checked(kept)
            sealed = _allows_more(content) and hmac.compare_digest(str(kept.get("seal")), self._seal(content))
        except (OSError, ValueError) as unreadable:
            self._record("approval_policy_unreadable", {"level": "warning", "error": str(unreadable)})
            return
        ignored = []
        for risk, agent, rule in content["rules"]:
            if sealed or _stricter(rule, DEFAULTS[risk]):
                policy.set(risk, rule, agent)
            elif rule != DEFAULTS[risk]:
                ignored.append(f"{risk} {rule}" + (f" for {agent}" if agent else ""))
        if sealed or content["network"] == "deny":
            policy.network = content["network"]
        else:
            ignored.append(f"network {content['network']}")
        policy.step_mode = content["step_mode"]
        if ignored:
            self._record("approval_policy_not_trusted", {"level": "warning", "ignored": ignored})

    def _keep(self, policy: Policy) -> None:
        content = _content(policy)
        if content == self._written:
            return
        self._written = content
        self._record("approval_policy_changed", dict(content))
        try:
            sealed = {"seal": self._seal(content)} if _allows_more(content) else {}
            self._state.write(_SECTION, {**content, **sealed})
        except OSError as unwritten:  # it holds in this session all the same
            self._record("approval_policy_not_kept", {"level": "warning", "error": str(unwritten)})

    def _seal(self, content: Mapping[str, Any]) -> str:
        text = json.dumps([str(self._workspace().resolve()), content], sort_keys=True)
        return hmac.new(self._key(), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _content(policy: Policy) -> dict[str, Any]:
    rules = [
        [risk, agent, rule]
        for (risk, agent), rule in policy.rules().items()
        if agent is not None or rule != DEFAULTS[risk]
    ]
    rules.sort(key=lambda row: (str(row[0]), row[1] or ""))
    return {"rules": rules, "network": policy.network, "step_mode": policy.step_mode}


def _checked(kept: Any) -> dict[str, Any]:
    """What is kept, without its seal. Raises: ValueError where it is not as it would be written."""
    content = {name: kept.get(name) for name in ("rules", "network", "step_mode")} if _is_object(kept) else {}
    rules = content.get("rules")
    well = (
        isinstance(rules, list)
        and all(isinstance(row, list) and len(row) == 3 for row in rules)
        and all(
            risk in DEFAULTS and rule in RULES and isinstance(agent, str | None)
            for risk, agent, rule in rules
        )
        and content["network"] in RULES
        and isinstance(content["step_mode"], bool)
    )
    if not well:
        raise ValueError("it holds no policy")
    return content


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _allows_more(content: Mapping[str, Any]) -> bool:
    """Whether it allows more than usual, and so needs a seal."""
    return content["network"] != "deny" or any(
        not _stricter(rule, DEFAULTS[risk]) for risk, _, rule in content["rules"]
    )


def _stricter(rule: Rule, usual: Rule) -> bool:
    """Whether a rule is at least as strict as another."""
    return RULES.index(rule) >= RULES.index(usual)


def _personal_key() -> bytes:
    """This person's key, which no workspace holds; made where there is none. Raises: OSError."""
    from jupyter_core.paths import jupyter_data_dir

    path = Path(jupyter_data_dir()) / "vcad-workbench" / "policy.key"
    with suppress(FileNotFoundError):
        return _read_key(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):  # another session was faster: its key counts
            os.link(fresh, path)
    finally:
        fresh.unlink()
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) != _KEY_BYTES:
        raise OSError(f"{path} holds no key; remove it, and set the policy again")
    return key
