"""What is asked of evaluation: each request is one struct, and an option of evaluation is one of its fields.

    service.evaluate(EvalCell("[cube w 1 1]", history, bindings={"w": 3}, exact=True))

Who only passes a request on passes it on unread; an option is known here and where it takes effect. On the
wire a request is the arguments of the tool that is named after it (`arguments`, `read`). Imports neither
geometry nor the language, so that every process of the service may use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec
from msgspec import Meta

from vcad_kernel.contracts.messages import CellSource, HistoryEntry, Imported
from vcad_kernel.service.wire import plain_json, values

__all__ = ["EvalCell", "EvalCode", "Options", "arguments", "read"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How something is to be evaluated: what all requests share."""

    bindings: Annotated[
        Mapping[str, Any] | None, Meta(description="name → value from outside the program")
    ] = None
    base_dir: Annotated[
        Path | None, Meta(description="folder that modules and imported files are looked for in")
    ] = None
    """None lets no file be used."""
    tolerance: Annotated[float, Meta(gt=0, description="chord error of curved faces, mm")] | None = None
    """None takes the display default."""
    parameters: Annotated[
        Mapping[str, Any] | None, Meta(description="values in place of the defaults of declared parameters")
    ] = None
    """What the model declares with `defparam`."""
    imports: Annotated[
        Mapping[str, Imported] | None,
        Meta(description="extract and reference of an import → what it gives: data, node or mesh"),
    ] = None
    """As the session has found them."""
    exact: bool = False
    """Demand figures of the exact body, whatever it costs; a body with an imported mesh has none."""
    search_trials: (
        Annotated[
            int, Meta(ge=0, description="bodies that a refused feature builds to find the largest size")
        ]
        | None
    ) = None
    """How often, at most, a feature that cannot be built looks for the largest size that can. 0 refuses at
    once, as for a slider that moves; None takes what costs some seconds at most."""


class EvalCell(Options, frozen=True):
    """Evaluate a cell in the environment that the cells of ``prelude``, in order, have made.

    A scene of several parts is welcome, and a value that is no model is displayed. A cell that fails is part
    of the history from then on; one that was stopped from outside is not (`history.was_stopped`). The result
    says which entries are needed no more (`obsolete`): who keeps the history drops them, and the next prelude
    is what is left.
    """

    TOOL: ClassVar = "vcad.eval_cell"

    code: str
    prelude: Sequence[HistoryEntry] = ()
    cell_id: str = "cell"
    """A cell of the prelude with the same id is its earlier run; what that defined is taken back first."""
    name: str = ""
    """What errors call the cell."""
    bind: str | None = None
    """A name that the value gets for later cells, unless the cell defines it or Loon has a function of it."""
    private: bool = False
    """Whether later cells see nothing of it but that name."""

    @classmethod
    def after(cls, prelude: Sequence[HistoryEntry], cell: CellSource, options: Options) -> EvalCell:
        """Evaluate a cell that stands in a history, with its own bindings and parameters."""
        own = {"bindings": cell.bindings, "parameters": cell.parameters, "imports": cell.imports}
        how = msgspec.structs.asdict(options) | own
        return cls(cell.source, prelude, cell.cell_id, cell.name, cell.bind, cell.private, **how)

    @property
    def cell(self) -> CellSource:
        """The cell as it stands in the history from now on."""
        given, values = dict(self.bindings or {}), dict(self.parameters or {})
        imports = dict(self.imports or {})
        return CellSource(self.cell_id, self.code, self.name, given, self.bind, values, imports, self.private)


class EvalCode(Options, frozen=True):
    """Evaluate a program of its own, as from a file: nothing before it, ``main`` is called."""

    TOOL: ClassVar = "vcad.eval_code"

    code: str
    file: str = "<code>"
    """What errors call the program."""
    allow_scene: bool = False
    """Whether it may give several parts, a profile, which is shown flat, or a value that is no model;
    otherwise it must give one part."""
    tests: str | None = None
    """Call its tests, those with this text in their names, in place of ``main``; the value is then a list of
    what came of each (`Verdict.plain`)."""


Request = TypeVar("Request", EvalCell, EvalCode, Options)

_PLAIN: Final = ("bindings", "parameters")
_ELSEWHERE: Final = ("code", "prelude")


def arguments(request: EvalCell | EvalCode) -> dict[str, Any]:
    """The arguments of a request's tool, without its history: who sends it knows which texts are known there.

    Raises: LoonTypeError, TypeError for bindings that are no plain values.
    """
    shared = Options.__struct_fields__
    own = [name for name in request.__struct_fields__ if name not in (*shared, *_ELSEWHERE)]
    return {name: _wire(name, getattr(request, name)) for name in (*own, "code", *shared)}


def _wire(name: str, value: Any) -> Any:
    if name in _PLAIN:
        return plain_json.encode_members(value or {})
    if name == "imports":
        return values.encode(value or {})
    return str(value) if isinstance(value, Path) else value


def read(kind: type[Request], given: Mapping[str, Any], **known: Any) -> Request:
    """The request of some arguments that fit their tool's schema; null is the same as nothing.

    known: fields that are made of more than the arguments, as paths and the history.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    fields = {name: given[name] for name in kind.__struct_fields__ if given.get(name) is not None}
    for name in _PLAIN:
        if name in fields:
            fields[name] = plain_json.decode_members(fields[name])
    if "imports" in fields:
        fields["imports"] = values.decode(fields["imports"], dict[str, Imported], "imports")
    return kind(**fields | known)
