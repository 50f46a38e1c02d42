"""Pack core: what every agent is shown, to model, measure and look; files and pictures are elsewhere."""

from __future__ import annotations

from notebook_ext.agents.call import Tool
from notebook_ext.agents.packs.core import health, node_state, parameters, placing, sources

__all__ = ["tools"]


def tools() -> tuple[Tool, ...]:
    """The tools of the core that deal with the model and the session."""
    return (
        *health.tools(),
        *node_state.tools(),
        *placing.tools(),
        *parameters.tools(),
        *sources.tools(),
    )
