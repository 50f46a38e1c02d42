"""Whatever bytes arrive, a reader takes or refuses them: nothing else is raised, and nothing hangs."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.fuzz.changes import nearly
from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS
from tests.tiers import examples

EXAMPLES = int(os.environ.get("VCAD_FUZZ_EXAMPLES", "25"))
"""For each reader."""


@pytest.mark.parametrize("target", TARGETS)
def test_the_seeds_are_taken(target: str) -> None:
    for data in seeds(target):
        TARGETS[target](data)
        TARGETS[target](data[: len(data) // 2])
    TARGETS[target](b"")


@pytest.mark.parametrize("target", TARGETS)
def test_changed_bytes_are_taken_or_refused(target: str) -> None:
    @examples(EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def search(data: st.DataObject) -> None:
        TARGETS[target](data.draw(nearly(target)))

    search()
