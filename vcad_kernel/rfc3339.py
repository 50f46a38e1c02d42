"""Moments as logs and files write them: RFC 3339, in UTC, to the millisecond.

>>> rfc3339(datetime(2026, 1, 2, 3, 4, 5, 6000, UTC))
'2026-01-02T03:04:05.006Z'
"""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["rfc3339"]


def rfc3339(moment: datetime) -> str:
    """A moment of any time zone; without one, it is of the machine's own."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
