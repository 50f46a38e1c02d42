"""What waits for an answer, and what agents may do unasked: the panel that `session.approvals()` shows.

Real ipywidgets, which follow the policy wherever it is changed. It is changed by the person, here or in a
cell; no tool of an agent changes it.
"""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from notebook_ext.approval.policy import RULES, Policy
from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.widgets import close_tree
from vcad_kernel.plain_text import plain

if TYPE_CHECKING:
    from notebook_ext.approval.calls import Risk

__all__ = ["SidePanel"]

_CLASSES: Final[tuple[tuple[Risk, str], ...]] = (
    ("R", "read"),
    ("W", "write the model"),
    ("D", "destroy"),
    ("X", "run code"),
)
_AS_ALL: Final = "as all"

_STYLE: Final = """<style>
.vcad-approvals { max-width: 780px; gap: 4px; color: var(--jp-ui-font-color1, inherit); }
.vcad-approvals-count { display: inline-block; min-width: 1.5em; padding: 0 4px; border-radius: 1em;
  text-align: center; font-weight: 600; color: #fff; background: #b71c1c; }
.vcad-approvals-none { background: #5f6368; }
.vcad-approvals .widget-dropdown { width: auto; margin: 1px 4px 1px 0; }
.vcad-approvals .widget-html-content { line-height: 22px; overflow-wrap: anywhere; }
</style>"""


class SidePanel:
    """policy: whose table is shown, and changed."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._drawing = threading.RLock()
        self._badge = ipywidgets.HTML()
        self._waiting = ipywidgets.VBox()
        self._choosers: dict[tuple[Risk, str | None], Any] = {}
        self._network = _dropdown("network, all agents", RULES)
        self._network.observe(self._network_chosen, "value")
        self._step_mode = ipywidgets.Checkbox(description="ask before every change", indent=False)
        self._step_mode.observe(self._step_mode_chosen, "value")
        self._remembered = ipywidgets.HTML()
        self._forget = ipywidgets.Button(
            description="Ask again", tooltip="Ask again for all that was approved for this session"
        )
        self._forget.on_click(lambda _button: policy.forget())
        self._table = ipywidgets.GridBox(
            layout=ipywidgets.Layout(
                grid_template_columns="minmax(90px, 1fr) repeat(5, minmax(96px, max-content))",
                grid_gap="0 4px",
                align_items="center",
            )
        )
        self._rows: tuple[str, ...] | None = None
        answer_meanwhile([self._network, self._step_mode, self._forget])
        self.widget: Any = ipywidgets.VBox(
            [
                self._badge,
                self._waiting,
                ipywidgets.HTML("<b>What agents may do unasked</b>"),
                self._table,
                self._step_mode,
                ipywidgets.HBox([self._remembered, self._forget]),
            ]
        )
        self.widget.add_class("vcad-approvals")
        self.show(())
        self._draw()
        self._unfollow = policy.on_change(self._draw)

    def show(self, panels: Sequence[Any]) -> None:
        """Show these questions, and how many they are."""
        count = len(panels)
        none = "" if count else " vcad-approvals-none"
        heading = "waiting for your answer" if count else "Nothing waits for your answer"
        number = f'<span class="vcad-approvals-count{none}">{count}</span> '
        self._badge.value = f'{_STYLE}<span role="status">{number}{heading}</span>'
        self._waiting.children = tuple(panels)

    def close(self) -> None:
        """Free the widgets, but not the questions', which have owners of their own."""
        self._unfollow()
        with self._drawing:
            self._waiting.children = ()
            close_tree(self.widget)

    def _draw(self) -> None:
        """Show the policy as it is now."""
        with self._drawing:
            agents = self._policy.agents
            if agents != self._rows:
                self._lay_out(agents)
            for (risk, agent), chooser in self._choosers.items():
                chooser.value = (
                    self._policy.of(risk) if agent is None else self._policy.own(risk, agent) or _AS_ALL
                )
            self._network.value = self._policy.network
            self._step_mode.value = self._policy.step_mode
            kept = ", ".join(f"{tool} of {agent.name}" for tool, _, agent in self._policy.remembered)
            self._remembered.value = html.escape(plain(f"Not asked again: {kept}", stays="")) if kept else ""
            self._forget.layout.display = "" if kept else "none"

    def _lay_out(self, agents: tuple[str, ...]) -> None:
        self._rows = agents
        titles = ("", *(meaning for _, meaning in _CLASSES), "network")
        cells: list[Any] = [ipywidgets.HTML(f"<small>{title}</small>") for title in titles]
        for agent in (None, *agents):
            name = "all agents" if agent is None else plain(agent, stays="")
            cells.append(ipywidgets.HTML(html.escape(name)))
            cells += [self._chooser(risk, meaning, agent, name) for risk, meaning in _CLASSES]
            cells.append(self._network if agent is None else ipywidgets.HTML())
        before, self._table.children = self._table.children, tuple(cells)
        for cell in before:
            if cell not in cells:
                close_tree(cell)

    def _chooser(self, risk: Risk, meaning: str, agent: str | None, name: str) -> Any:
        chooser = self._choosers.get((risk, agent))
        if chooser is None:
            options = RULES if agent is None else (_AS_ALL, *RULES)
            chooser = _dropdown(f"{meaning}, {name}", options)
            chooser.observe(self._chosen(risk, agent), "value")
            answer_meanwhile([chooser])
            self._choosers[risk, agent] = chooser
        return chooser

    def _chosen(self, risk: Risk, agent: str | None) -> Callable[[Mapping[str, Any]], None]:
        def choose(change: Mapping[str, Any]) -> None:
            rule = None if change["new"] == _AS_ALL else change["new"]
            now = self._policy.of(risk) if agent is None else self._policy.own(risk, agent)
            if rule != now:  # else it only shows what the policy says
                self._policy.set(risk, rule, agent)

        return choose

    def _network_chosen(self, change: Mapping[str, Any]) -> None:
        self._policy.network = change["new"]

    def _step_mode_chosen(self, change: Mapping[str, Any]) -> None:
        self._policy.step_mode = change["new"]


def _dropdown(what: str, options: Sequence[str]) -> Any:
    return ipywidgets.Dropdown(options=list(options), tooltip=what)
