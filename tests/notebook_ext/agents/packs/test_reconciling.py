"""What agents can find out and do after SketchUp has died."""

from __future__ import annotations

from tests.notebook_ext.agents.packs.headless_world import HeadlessWorld


def test_an_agent_puts_back_what_sketchup_has_lost_and_reads_what_was_found(headless: HeadlessWorld) -> None:
    assert headless.call("vcad_reconcile_status")["last_outcome"] == "never"
    headless.place()
    headless.sketchup.control("_test.new_model", title="after a crash")
    done = headless.call("vcad_reconcile")
    assert (done["last_outcome"], done["drift"]["missing_node"]) == ("restored", ["block"])
    assert headless.call("list_entities", entity_type="components")["count"] == 1
    again = headless.call("vcad_reconcile")
    assert (again["last_outcome"], again["pending_nodes"], again["problem"]) == ("unchanged", [], None)
    assert headless.call("vcad_reconcile_status") == again
    assert headless.call("list_entities", entity_type="components")["count"] == 1
