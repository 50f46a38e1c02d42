"""What a user may set from outside, read from the environment: typed, with units in the names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SettingError", "Settings"]


class SettingError(ValueError):
    """A setting with a value that it cannot have; the message names both."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults."""

    eval_timeout_ms: int = 60_000
    """``VCAD_EVAL_TIMEOUT_MS``: how long one program may run, before geometry; 0 for any time."""
    cache_dir: Path | None = None
    """``VCAD_CACHE_DIR``: a folder in which solids outlive the kernel, from the workspace when relative,
    as in ``.vcad/cache``. Nothing is written to disk without it."""

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> Settings:
        """The settings that are in force.

        Raises: SettingError.
        """
        cache_text = variables.get("VCAD_CACHE_DIR", "").strip()
        cache_dir = Path(cache_text).expanduser() if cache_text else None
        text = variables.get("VCAD_EVAL_TIMEOUT_MS", "").strip()
        if not text:
            return cls(cache_dir=cache_dir)
        if not (text.isascii() and text.isdigit()):
            raise SettingError(f"VCAD_EVAL_TIMEOUT_MS must be a whole number of milliseconds, not {text!r}")
        return cls(eval_timeout_ms=int(text), cache_dir=cache_dir)

    @property
    def eval_seconds(self) -> float | None:
        """The time for one program in seconds; None for any."""
        return self.eval_timeout_ms / 1000 or None
