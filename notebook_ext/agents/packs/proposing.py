"""`vcad_propose`: another text for a part, which the person sees as a change of its shape, and takes or not.

While it is asked, viewers show it as a ghost. Nothing of the model changes before. What is taken is written
where the part's source stands, its file or its cell, and the part follows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Changing
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.packs.core.pictures.thumbnails import of_change
from notebook_ext.agents.packs.core.placed import changing, updated
from notebook_ext.agents.packs.core.solids import meant
from notebook_ext.agents.packs.files.writing import rewriting
from notebook_ext.session.node_names import name_of, node_id_of
from notebook_ext.workspace.files.files import TextFile, read_text, rewrite
from notebook_ext.workspace.files.text_diff import unified
from notebook_ext.workspace.notebooks.opened import own_notebook
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure
from vcad_kernel.request_id import new_request_id

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.viewer.relay.changes import Changes
    from notebook_ext.workspace.notebooks.opened import PageAccess

__all__ = ["tools"]

_TOOL: Final = "vcad_propose"
_HEAD: Final = re.compile(r"\A(%%loon[ \t]+(\S+)[^\n]*\n)")
"""The first line of a cell that makes a named part."""


class _Propose(Changing):
    node_id: str
    content: str = Field(min_length=1, description="the whole new text of its file, or of its cell")
    why: str = Field(min_length=1, description="one sentence for the person")


class _Taken(Answer):
    node_id: str
    revision: int
    where: str = Field(description="the file or cell that has the text now")
    before: float = Field(description="its volume, mm³, that was")
    volume: float
    in_sketchup: bool


class _Cell(NamedTuple):
    """The cell that makes a part, on its page."""

    access: PageAccess
    cell_id: str
    head: str
    text: str


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            _TOOL,
            "viewer",
            "W",
            False,
            "Propose another text for a part: the person sees how shape, figures and lines would change, and "
            "takes it, edits it or not. Nothing changes before.",
            _Propose,
            _Taken,
            _take,
            _proposal,
        ),
    )


def _proposal(arguments: _Propose, call: Call) -> Preview:
    """What would change. Raises: as evaluating the text; CapabilityUnavailable where no page could take
    it."""
    before, after = _shapes(arguments, call)
    source = _source(arguments, call)
    compared = _Comparison(before, after)
    seen = Preview(
        summary=f"{arguments.why}\n{_figures(before, after)}",
        picture=of_change(compared),
        is_proposal=True,
        while_asked=lambda: _ghost(arguments, compared, call),
    )
    if isinstance(source, TextFile):
        return replace(
            rewriting(source, arguments.content, call),
            summary=seen.summary,
            picture=seen.picture,
            is_proposal=True,
            while_asked=seen.while_asked,
        )
    where = f"cell {name_of(node_id_of(arguments.node_id))}"
    return replace(
        seen,
        diff=unified(source.text, arguments.content, where),
        objects=(where,),
        undo="Ctrl+Z in the cell, then run it.",
    )


class _Comparison:
    """What one part would be instead of another, of all their bodies; found once, from any thread."""

    def __init__(self, before: Part, after: Part) -> None:
        self.before, self.after = before, after
        self._finding = threading.Lock()
        self._found: Changes | None = None

    def __call__(self) -> Changes:
        """What stays, comes and goes. Raises: as `changes`."""
        from notebook_ext.viewer.relay.changes import changes

        with self._finding:
            if self._found is None:
                self._found = changes(self.after.parts, self.before.parts)
            return self._found


@contextmanager
def _ghost(arguments: _Propose, compared: _Comparison, call: Call) -> Iterator[None]:
    """Have every viewer show what would change, until the person has answered."""
    from notebook_ext.viewer.relay.messages import Parcel, Proposal

    viewers, proposal_id = call.session.viewers, new_request_id().replace("r-", "p-", 1)
    revision = call.session.revision(node_id_of(arguments.node_id))

    def made() -> Parcel:
        both = compared()
        said = Proposal(
            proposal_id=proposal_id,
            why=arguments.why,
            node_id=name_of(node_id_of(arguments.node_id)),
            revisions=(revision, revision + 1),
            figures={"old": compared.before.known_summary, "new": compared.after.known_summary},
            parts=both.names,
        )
        return Parcel(said, both.buffers())

    viewers.propose(made)
    try:
        yield
    finally:
        viewers.withdraw(proposal_id)


def _take(arguments: _Propose, call: Call) -> _Taken:
    node_id = node_id_of(arguments.node_id)
    name = name_of(node_id)
    before, after = _shapes(arguments, call)
    source = _source(arguments, call)
    revision, in_sketchup = call.session.revision(node_id), False
    if isinstance(source, TextFile):
        written = rewrite(call.files, source, arguments.content, operation=_TOOL)
        call.files.updates.seen(call.agent, written.path, written.data)
        where = source.shown
    else:
        text = f"{source.head}{arguments.content}"
        source.access.set_source(source.cell_id, text, None, agent=call.agent, expect_sha256=None)
        call.session.evaluate(arguments.content, name)
        revision, where = call.session.revision(node_id), f"cell {source.cell_id}"
    if node_id in call.session.standing.components:
        with changing(node_id, call) as done:
            text_of_cell = None if isinstance(source, TextFile) else arguments.content
            done.push(lambda: call.session.update(name, text_of_cell))
            answer = updated(done)
        revision, in_sketchup = answer.revision, answer.in_sketchup
    return _Taken(
        node_id=node_id,
        revision=revision,
        where=where,
        before=before.figures.volume,
        volume=after.figures.volume,
        in_sketchup=in_sketchup,
    )


def _shapes(arguments: _Propose, call: Call) -> tuple[Part, Part]:
    """The part as it is, and as it would be. Raises: VcadError, LoonCellFailed."""
    before = meant(f"node:{name_of(node_id_of(arguments.node_id))}", call)
    return before.part, call.session.part(arguments.content, title=before.name)


def _source(arguments: _Propose, call: Call) -> TextFile | _Cell:
    """Where the part's text stands. Raises: CapabilityUnavailable for a cell that no page shows."""
    node_id = node_id_of(arguments.node_id)
    component = call.session.standing.components.get(node_id)
    if component is not None and component.source.file is not None:
        return read_text(call.files, component.source.file, operation=_TOOL)
    try:
        access = own_notebook(call.files, call.session.front_ends, operation=_TOOL)
    except CapabilityUnavailable as unseen:
        unseen.fix = "place the part from a file with vcad_place, then propose"
        raise
    for row in access.notebook().rows():
        source = access.cell(row.cell_id).source
        head = _HEAD.match(source)
        if head is not None and head[2] == name_of(node_id):
            return _Cell(access, row.cell_id, head[1], source[head.end() :])
    raise ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"no cell of {access.path} makes {name_of(node_id)}",
        fix="vcad_node says what it is made from",
        details={"node_id": node_id},
    )


def _figures(before: Part, after: Part) -> str:
    """``volume 12000 → 11500 mm³ · 40 × 20 × 5 → 40 × 20 × 6 mm``."""
    volumes = [f"{part.figures.volume:,.6g}".replace(",", "") for part in (before, after)]
    sizes = [_size(part) for part in (before, after)]
    size = f"{sizes[0]} → {sizes[1]} mm" if sizes[0] != sizes[1] else f"{sizes[0]} mm as before"
    return f"volume {volumes[0]} → {volumes[1]} mm³ · {size}"


def _size(part: Part) -> str:
    bounds = part.figures.bounds
    if bounds is None:
        return "nothing"
    return " × ".join(f"{high - low:.6g}" for low, high in zip(*bounds, strict=True))
