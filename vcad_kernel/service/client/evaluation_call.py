"""The calls that evaluate, for asyncio: what goes beyond asking a tool once.

A cell's history is sent as hashes where the service has seen the texts, and once more in full when it says
that it has not. A mesh that comes with an answer is taken before anybody can lose it. What is printed is
passed on as it comes, and whole in the end, since pieces may be lost on their way. What a cell has defined is
read from its result, or from the details of its error, where the service says it for the client alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from vcad_kernel.contracts.messages import CellNames, CellSource, named_block
from vcad_kernel.contracts.validation import validate
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.service.client.async_client import AsyncServiceClient, Linked, Listener
from vcad_kernel.service.client.connection import Connection
from vcad_kernel.service.client.mapped_block import arrays_in, mesh_in
from vcad_kernel.service.requests import EvalCell, EvalCode, arguments
from vcad_kernel.service.wire import history_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vcad_kernel.contracts.mesh_block import MeshViews
    from vcad_kernel.service.protocol import Output
    from vcad_kernel.service.wire.definitions_json import KnownDefinitions

__all__ = ["Answered", "CellOutcome", "PrintedText", "ask", "evaluate"]

Release: TypeAlias = Callable[[Connection, str], None]
"""Gives back a block that came over a connection; called on any thread."""

_DELIVERY: Final = {
    "mesh_dtype": "f64",  # so that nothing is lost on the way
    "defer_figures": True,
    "document": True,
    "drawn": True,
}
"""In which form this client wants results."""


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """What a tool has said, as it came."""

    fields: Mapping[str, Any]
    mesh: MeshViews | None
    """The meshes that came with it, side by side; None where none did."""
    arrays: Mapping[str, NDArray[Any]] | None = None
    """The arrays that came with it, by name; None where none did."""


async def ask(
    arguments: Mapping[str, Any],
    release: Release,
    client: AsyncServiceClient,
    request_id: str,
    _listener: Listener,
) -> Answered:
    """The answer of ``vcad.ask``. Raises: as :meth:`AsyncServiceClient.tool`."""
    linked = await client.linked()
    fields = await client.tool("vcad.ask", arguments, request_id=request_id, linked=linked)
    return _answered("vcad.ask", fields, linked, release)


async def evaluate(
    request: EvalCell | EvalCode,
    known: Mapping[str, Any],
    release: Release,
    client: AsyncServiceClient,
    request_id: str,
    listener: Listener,
) -> Answered:
    """What a request gives. known: arguments that say what need not be sent again.

    Raises: as :meth:`AsyncServiceClient.tool`.
    """
    asked = {**arguments(request), **_DELIVERY, **known}
    history = request.prelude if isinstance(request, EvalCell) else ()
    texts = {entry.hash for entry in history if isinstance(entry, CellSource)}
    while True:
        linked = await client.linked()
        in_full = texts - linked.sent
        if isinstance(request, EvalCell):
            asked["prelude"] = [history_json.encode(entry, in_full) for entry in history]
        try:
            fields = await client.tool(
                request.TOOL, asked, request_id=request_id, listener=listener, linked=linked
            )
        except VcadError as error:
            if error.error_code != ErrorCode.PRELUDE_UNKNOWN:
                raise
            unknown = set(error.details.get("unknown") or ()) - in_full
            if not unknown & linked.sent:
                raise  # it has received them just now
            linked.sent.difference_update(unknown)
            continue
        linked.sent.update(texts)
        if isinstance(request, EvalCell):
            linked.sent.add(request.cell.hash)
        return _answered(request.TOOL, fields, linked, release)


def _answered(tool: str, fields: Any, linked: Linked, release: Release) -> Answered:
    """An answer with its mesh, or with its arrays.

    Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED, CAPABILITY_UNAVAILABLE.
    """
    connection = linked.connection
    named = named_block(fields)
    try:
        validate(f"{tool}#result", fields, operation=tool)
    except ServiceFailure:
        if named is not None:
            release(connection, str(named[1].get("block")))
        raise
    if named is None:
        return Answered(fields, None)
    member, said = named
    place = said["block"], said.get("path") or "", said.get("size") or 0

    def released(name: str) -> None:
        release(connection, name)

    if member == "mesh":
        return Answered(fields, mesh_in(*place, released, drawn_at=said.get("drawn")))
    return Answered(fields, None, arrays_in(*place, released))


class PrintedText:
    """Of one evaluation. onward: who takes it."""

    def __init__(self, onward: Output | None) -> None:
        self._onward = onward
        self._passed_on: list[str] = []
        self._length = 0

    def piece(self, offset: int, text: str) -> None:
        """A piece that begins at a character of the whole; one after a gap waits for the result."""
        if offset == self._length and text:
            self._pass_on(text)

    def whole(self, text: str) -> None:
        """All that has been printed."""
        passed_on = "".join(self._passed_on)
        rest = text.removeprefix(passed_on)
        if rest:
            self._pass_on(rest)

    def _pass_on(self, text: str) -> None:
        self._passed_on.append(text)
        self._length += len(text)
        if self._onward is not None:
            self._onward(text)


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """The outcome of a cell besides its value."""

    ran: bool
    """Whether it is part of the history; one that was stopped from outside is not."""
    stdout: str = ""
    defined: frozenset[str] = frozenset()
    """The names that its text has bound."""
    known: KnownDefinitions | None = None
    """All that cells have defined by now; None of a cell that did not run."""
    obsolete: tuple[int, ...] = ()
    """The entries of its history, itself at the end, that matter no more."""
    names: CellNames = field(default_factory=CellNames)
    """Which names it defines and uses."""

    @classmethod
    def of_result(cls, fields: Mapping[str, Any], known: KnownDefinitions | None) -> CellOutcome:
        """Of a cell that succeeded. known: what was known when it was asked for; None for nothing.

        Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED.
        """
        from vcad_kernel.service.wire import values
        from vcad_kernel.service.wire.definitions_json import KnownDefinitions

        return cls(
            True,
            str(fields.get("stdout") or ""),
            frozenset(fields.get("defined") or ()),
            (known or KnownDefinitions()).after(fields),
            tuple(fields.get("obsolete") or ()),
            values.decode(fields.get("names") or {}, CellNames, "names"),
        )

    @classmethod
    def taken_from(cls, error: VcadError, known: KnownDefinitions | None) -> CellOutcome:
        """Of a cell that failed; the error no longer speaks of it. known: as of `of_result`.

        Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED.
        """
        said = {name: error.details.pop(name) for name in _SAID if name in error.details}
        if "defined" in said:
            return cls.of_result(said, known)
        return cls(False, str(said.get("stdout") or ""))


_SAID = (
    "stdout",
    "defined",
    "definitions",
    "definitions_since",
    "definitions_gone",
    "definitions_tag",
    "names",
    "obsolete",
)
