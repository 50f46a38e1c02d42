"""How busy the kernel is and how much it holds; of the front end what somebody measures, else nothing.

A figure that nothing measures is None: never an invented number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from notebook_ext.session.session import Session

__all__ = ["measured"]

_MEBIBYTE: Final = 2**20
_LOOK_SECONDS: Final = 0.1
"""How long the processor's use is looked at."""


def measured(session: Session) -> dict[str, Any]:
    """Frame times in ms, the processor's use in percent of one core, memory in MiB; takes 0.1 s."""
    import psutil

    kernel = psutil.Process()
    try:
        with_load = float(kernel.cpu_percent(interval=_LOOK_SECONDS))
        held = round(kernel.memory_info().rss / _MEBIBYTE, 1)
    except psutil.Error:
        with_load, held = None, None
    return {
        "frame_ms_p50": None,
        "frame_ms_p95": None,
        "fps": None,
        "kernel_busy": session.busy,
        "cpu_percent": with_load,
        "rss_mb": held,
        "input_lag_ms": None,
    }
