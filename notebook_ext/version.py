"""The distribution's version, read when asked for: the look-up takes a millisecond."""

from __future__ import annotations

__all__ = ["version"]


def version() -> str:
    """Version of the installed distribution."""
    from importlib.metadata import version as installed

    return installed("vcad-workbench")
