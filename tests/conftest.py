"""What all tests share: how hard they search, which is set where `tests.tiers` is imported."""

from __future__ import annotations

import tests.tiers  # noqa: F401
