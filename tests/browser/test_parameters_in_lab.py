"""Sliders for parameters in a real JupyterLab."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notebook_ext.agents.client import HookClient
from tests.browser.agent import attached_agent
from tests.browser.conftest import OpenNotebook
from tests.browser.lab import Lab
from tests.browser.notebook import Notebook

BAR = """%%loon bar
[defparam width 40.0 {:unit "mm" :min 10 :max 80 :doc "outer width"}]
[defparam wall 2.0 {:unit "mm" :min 0 :max 9 :step 0.5}]
[scale 1 1 wall [cube width 20 5]]"""


def test_a_slider_moved_by_keys_changes_the_picture_in_its_place(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", BAR])
    notebook.run_all()
    view = notebook.view(cell=1)
    before = view.wait_for(lambda state: state["parts"] == ["bar"])
    sliders = notebook.output(1).locator(".vcad-parameter")
    assert sliders.count() == 2
    assert "width (mm)" in sliders.first.inner_text()
    handle = sliders.first.locator(".noUi-handle")
    handle.focus()
    handle.press("PageUp")
    after = view.wait_for(lambda state: state["revision"] > before["revision"])
    assert after["position"] == before["position"]
    assert float(notebook.execute("print(bar.bounds[1][0])")) > 40.0

    error = notebook.output(1).locator(".vcad-parameter-error")
    wall = sliders.nth(1).locator(".noUi-handle")
    wall.focus()
    wall.press("Home")
    error.wait_for()
    assert "must" in error.inner_text()
    assert view.state["parts"] == ["bar"]
    wall.press("End")
    error.wait_for(state="detached")
    assert notebook.execute("print(bar.parameters['wall'].value)").strip() == "9.0"


def _declarations(count: int) -> list[str]:
    """Parameters with ranges, steps and values at random: whole numbers, decimals, thirds; tiny and huge."""
    rng = random.Random(17)
    declarations = [
        "[defparam p0 75.0 {:min 20 :max 200}]",
        "[defparam p1 61 {:min 20 :max 200 :step 2 :whole true}]",
        "[defparam p2 33.3 {:min 20 :max 200}]",
        "[defparam p3 0.001 {:min 0 :max 1}]",
    ]
    while len(declarations) < count:
        name = f"p{len(declarations)}"
        if rng.random() < 0.3:
            low = rng.randint(-100, 100)
            high = low + rng.randint(1, 300)
            value, step = rng.randint(low, high), rng.choice(["", f" :step {rng.randint(1, 9)}"])
            declarations.append(f"[defparam {name} {value} {{:min {low} :max {high}{step} :whole true}}]")
            continue
        digits, size = rng.randint(0, 15), 10.0 ** rng.randint(-2, 4)
        low = round(rng.uniform(-size, size), 3)
        high = round(low + rng.uniform(0.01, 2) * size, 3) + 0.01
        value = min(high, max(low, round(rng.uniform(low, high), digits)))
        step = rng.choice(["", f" :step {rng.choice([0.1, 0.25, 0.5, 1.0, 0.3])}"])
        declarations.append(f"[defparam {name} {value!r} {{:min {low!r} :max {high!r}{step}}}]")
    return declarations


LOOK = """
import json
print(json.dumps({name: [each.value, each.min, each.max] for name, each in slid.parameters.items()}))
"""


@contextlib.contextmanager
def _setters(
    notebook: Notebook, jupyter: Lab, *, with_agent: bool
) -> Iterator[list[Callable[[str, float], object]]]:
    """The ways in which a value is set by somebody else than the slider: from Python, over HTTP, by a tool.

    with_agent: the tool is called over MCP by a process of its own, else over HTTP.
    """
    url, token, folder = notebook.execute(
        "print(session.gateway.url, session.gateway.token, session.workspace)"
    ).split()
    client = HookClient(url, token=token)

    def over_http(name: str, value: float) -> None:
        client.set_value(f"param.{name}", value)
        assert client.wait_for_event("task_done") is not None

    with contextlib.ExitStack() as stack:
        agent = None
        if with_agent:
            runtime = jupyter.root.parent / "runtime"
            agent = stack.enter_context(attached_agent(notebook.page, Path(folder), runtime))

        def by_tool(name: str, value: float) -> None:
            tool, asked = "vcad_set_parameter", {"node_id": "slid", "name": name, "value": value}
            answer = client.call(tool, asked) if agent is None else agent.call(tool, **asked)
            assert answer["success"], answer

        yield [
            lambda name, value: notebook.execute(f"session.set_parameter({name!r}, {value!r})"),
            over_http,
            by_tool,
        ]


# The process of an agent, and the other 160: the way from page to kernel is the same.
@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.soak)])
def test_a_slider_that_nobody_moves_sends_nothing_whatever_its_range_and_step(
    open_notebook: OpenNotebook, jupyter: Lab, count: int
) -> None:
    declared = _declarations(count)
    cell = "\n".join(["%%loon slid", *declared, "[cube 1 1 1]"])
    notebook = open_notebook(cells=["%load_ext notebook_ext", cell])
    notebook.run_all()
    handles = notebook.output(1).locator(".vcad-parameter .noUi-handle")
    handles.nth(count - 1).wait_for()

    def look() -> dict[str, list[float]]:
        return json.loads(notebook.execute(LOOK))

    def moved_by_a_key(expected: float) -> dict[str, list[float]]:
        """What all parameters are once a real move has come, and with it all that was sent before."""
        handles.first.focus()
        handles.first.press("ArrowRight")
        notebook.execute_until("slid.parameters['p0'].value", repr(expected))
        return look()

    values = {name: value for name, (value, _, _) in moved_by_a_key(76.0).items()}
    as_declared = {line.split()[1]: line.split()[2] for line in declared}
    assert {name: repr(value) for name, value in values.items()} == {**as_declared, "p0": "76.0"}

    rng = random.Random(18)
    chosen = {
        name: rng.randint(round(low), round(high)) if isinstance(value, int) else rng.uniform(low, high)
        for name, (value, low, high) in list(look().items())[4::7]
    }
    with _setters(notebook, jupyter, with_agent=count == 200) as setters:
        for (name, value), put in zip(chosen.items(), itertools.cycle(setters), strict=False):
            put(name, value)
    values = {**values, **chosen, "p0": 77.0}
    notebook.execute("session.set_parameter('p0', 76)")
    assert {name: value for name, (value, _, _) in moved_by_a_key(77.0).items()} == values
