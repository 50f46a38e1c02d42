"""What waits for an answer, and what agents may do unasked: the panel that `session.approvals()` shows.

Real ipywidgets. The policy is changed here by the person; no tool of an agent changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from notebook_ext.agents.approval.policy import RULES, Policy
from notebook_ext.shell_channel import answer_meanwhile
from notebook_ext.viewer.widget_tree import close_tree

if TYPE_CHECKING:
    from notebook_ext.agents.registry import Risk

__all__ = ["SidePanel"]

_CLASSES: Final[tuple[tuple[Risk, str], ...]] = (
    ("R", "read"),
    ("W", "write the model"),
    ("D", "destroy"),
    ("X", "run code"),
)

_NARROW: Final = "240px"


class SidePanel:
    """policy: whose table is shown, as it is when the panel is made."""

    def __init__(self, policy: Policy) -> None:
        self._badge = ipywidgets.HTML()
        self._waiting = ipywidgets.VBox()
        controls = [_chooser(policy, risk, meaning) for risk, meaning in _CLASSES]
        network = _dropdown("network", policy.network)
        network.observe(lambda change: _set(policy, "network", change), "value")
        step_mode = ipywidgets.Checkbox(
            value=policy.step_mode, description="ask before every change", indent=False
        )
        step_mode.observe(lambda change: _set(policy, "step_mode", change), "value")
        controls += [network, step_mode]
        answer_meanwhile(controls)
        rules = ipywidgets.VBox(controls)
        self.widget: Any = ipywidgets.VBox(
            [self._badge, self._waiting, ipywidgets.HTML("<small>What agents may do:</small>"), rules]
        )
        self.widget.add_class("vcad-approvals")
        self.show(())

    def show(self, panels: Sequence[Any]) -> None:
        """Show these questions, and how many they are."""
        self._badge.value = (
            f'<b role="status">{len(panels)} waiting for your answer</b>'
            if panels
            else '<span role="status">Nothing waits for your answer</span>'
        )
        self._waiting.children = tuple(panels)

    def close(self) -> None:
        """Free the widgets, but not the questions', which have owners of their own."""
        self._waiting.children = ()
        close_tree(self.widget)


def _chooser(policy: Policy, risk: Risk, meaning: str) -> Any:
    chooser = _dropdown(meaning, policy.of(risk))
    chooser.observe(lambda change: policy.set(risk, change["new"]), "value")
    return chooser


def _dropdown(text: str, value: str) -> Any:
    return ipywidgets.Dropdown(
        options=list(RULES),
        value=value,
        description=text,
        style={"description_width": "110px"},
        layout=ipywidgets.Layout(width=_NARROW),
    )


def _set(policy: Policy, name: str, change: Mapping[str, Any]) -> None:
    setattr(policy, name, change["new"])
