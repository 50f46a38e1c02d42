"""Servers that end at once: uvicorn looks ten times a second whether it is to, and waits a tenth more."""

from __future__ import annotations

import asyncio
from types import ModuleType

import pytest
import uvicorn.server

__all__ = ["quick_server"]


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.005))


@pytest.fixture(autouse=True)
def quick_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of this process look more often."""
    quick = ModuleType("asyncio")
    vars(quick).update(vars(asyncio), sleep=_sleep)
    monkeypatch.setattr(uvicorn.server, "asyncio", quick)
