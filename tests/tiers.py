"""How hard the tests search: little in `make check`, the same each time in `make test`, long in `make soak`.

The tier is the environment's VCAD_TIER (``check``, ``test``, ``soak``; ``test`` where it is not set).
No example passes or fails by the clock. What `make test` tries is the same at every run, so that a change
is judged by what it changed; only `make soak` searches at random for what nobody has thought of.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

__all__ = ["SOAK", "TIER", "examples"]

TIER = os.environ.get("VCAD_TIER", "test")
SOAK = TIER == "soak"

_FACTORS = {"check": 0.05, "test": 1.0, "soak": 10.0}
_USUAL = 100
"""How many examples Hypothesis tries of a property that says nothing of its own."""

if TIER not in _FACTORS:
    raise ValueError(f"VCAD_TIER is {TIER!r}; it can be one of {', '.join(_FACTORS)}")

settings.register_profile(
    TIER, deadline=None, derandomize=not SOAK, max_examples=round(_USUAL * _FACTORS[TIER])
)
settings.load_profile(TIER)


def examples(count: int, **others: Any) -> settings:
    """`count` examples of a property in `make test`, a twentieth in `make check`, ten times as many in soak.

    others: further settings of Hypothesis, as ``suppress_health_check``.
    """
    return settings(max_examples=max(1, round(count * _FACTORS[TIER])), deadline=None, **others)
