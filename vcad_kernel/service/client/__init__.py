"""The client of the evaluation service: one's own, or one that is running already.

    with ServiceClient.start(workspace) as service:
        service.eval_cell("[cube 1 2 3]")

:class:`~vcad_kernel.service.client.service_client.ServiceClient` is an `EvaluationService` for ordinary
code; :class:`~vcad_kernel.service.client.async_client.AsyncServiceClient` beneath it is for asyncio.
Importing the package loads neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vcad_kernel.service.client.async_client import AsyncServiceClient
    from vcad_kernel.service.client.service_client import ServiceClient

__all__ = ["AsyncServiceClient", "ServiceClient"]


def __getattr__(name: str) -> Any:
    """The classes, loaded on first use."""
    if name == "ServiceClient":
        from vcad_kernel.service.client.service_client import ServiceClient

        return ServiceClient
    if name == "AsyncServiceClient":
        from vcad_kernel.service.client.async_client import AsyncServiceClient

        return AsyncServiceClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
