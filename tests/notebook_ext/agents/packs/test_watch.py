"""Agents pause what follows changes, and have it go on."""

from __future__ import annotations

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.reactive.trigger_window import Trigger


def test_a_pause_is_the_sessions_own_and_one_flush_follows_it(world: AgentWorld) -> None:
    session = world.session
    first, again = (call_tool(world, "vcad_watch_pause", {}, agent="a").body for _ in range(2))
    assert first == {"success": True, "status": "paused", "pending_count": 0}
    session.watching.put(Trigger("node", "a"), Trigger("node", "b"), Trigger("node", "a"))
    assert again["status"] == "already_paused"
    assert session.watch_status().reactive.pending == 2
    resumed = call_tool(world, "vcad_watch_resume", {}, agent="a").body
    assert resumed == {"success": True, "status": "resumed", "flushed": 2}
    assert call_tool(world, "vcad_watch_resume", {}, agent="a").body["status"] == "already_running"
    assert not session.watch_status().reactive.paused
