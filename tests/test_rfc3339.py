"""Moments in logs and files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from vcad_kernel.rfc3339 import rfc3339


def test_a_moment_is_written_in_utc_to_the_millisecond() -> None:
    assert rfc3339(datetime(2026, 1, 2, 3, 4, 5, 6999, UTC)) == "2026-01-02T03:04:05.006Z"
    assert rfc3339(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02T03:04:05.000Z"
    berlin = timezone(timedelta(hours=1))
    assert rfc3339(datetime(2026, 1, 2, 3, 4, 5, tzinfo=berlin)) == "2026-01-02T02:04:05.000Z"
