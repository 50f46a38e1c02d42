"""What all tests share: how hypothesis searches."""

from __future__ import annotations

import os

from hypothesis import settings

# No example passes or fails by the clock. CI repeats the same examples, so that a change is judged by
# what it changed; on a developer's machine the search goes on at random.
settings.register_profile("search", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "search")
