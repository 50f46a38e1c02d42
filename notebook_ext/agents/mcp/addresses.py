"""The addresses of what agents may read, as far as the address alone shows it.

Knows no session: `vcad mcp` asks here too, while there is none.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, SubscriptionsListenRequestParams

__all__ = ["NODE", "SOURCE", "node_in", "only_offered", "require_offered"]

NODE: Final = "vcad://node/"
SOURCE: Final = "/source"
_STANDING: Final = frozenset({"vcad://nodes", "vcad://diagnostics", "vcad://selection", "vcad://reference"})
"""Those that are always there."""
_PAGE: Final = "vcad://reference/"


def _is_offered(uri: str) -> bool:
    """Whether there is something under an address, or may be: a node may come that is not there yet."""
    if uri.startswith(_PAGE):
        from vcad_kernel.cad.reference import ALL

        return unquote(uri.removeprefix(_PAGE)) in ALL
    return uri in _STANDING or bool(node_in(uri))


def require_offered(uri: str) -> None:
    """Raises: MCPError INVALID_PARAMS for an address under which there can never be anything."""
    if not _is_offered(uri):
        raise MCPError(INVALID_PARAMS, f"there is nothing under {uri} to subscribe to", {"uri": uri})


def node_in(uri: str) -> str:
    """The node that an address names, as it is called; "" where it names none."""
    if not uri.startswith(NODE):
        return ""
    name = uri.removeprefix(NODE).removesuffix(SOURCE)
    return "" if "/" in name else unquote(name)


def only_offered(params: SubscriptionsListenRequestParams) -> SubscriptionsListenRequestParams:
    """The same request without addresses under which there can never be anything."""
    wanted = params.notifications.resource_subscriptions
    if wanted is None:
        return params
    offered = [uri for uri in wanted if _is_offered(str(uri))]
    notifications = params.notifications.model_copy(update={"resource_subscriptions": offered})
    return params.model_copy(update={"notifications": notifications})
