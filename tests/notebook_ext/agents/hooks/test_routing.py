"""The paths that there are, as the specification lists them (agent_tools.md §6)."""

from __future__ import annotations

from notebook_ext.agents.hooks.routing import _ROUTES

SPECIFIED = {
    ("GET", "/project"), ("POST", "/project"), ("GET", "/session"), ("POST", "/session"),
    ("GET", "/performance"), ("GET", "/events"), ("GET", "/gui/value"), ("GET", "/gui/value/{tag}"),
    ("GET", "/gui/tags"), ("GET", "/gui/state"), ("GET", "/gui/diagnostics"), ("GET", "/asks"),
    ("GET", "/logs/{stream}"), ("POST", "/gui"), ("POST", "/ask"), ("POST", "/ask/respond"),
    ("POST", "/tools/{name}"), ("POST", "/pair"), ("POST", "/pair/confirm"),
}  # fmt: skip


def test_every_specified_path_is_there_and_no_other() -> None:
    assert {(method, path) for method, path, _ in _ROUTES} == SPECIFIED
    assert len(_ROUTES) == len(SPECIFIED)
