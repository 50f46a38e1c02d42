"""Every code block in README and docs/ runs, and gives what it says it gives."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.command import vcad
from tests.integration.kernel import Kernel
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCell
from vcad_kernel.service.summary import result_line

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "spec"),
]
"""The specifications are left out: the conformance cases hold the code to them."""
FENCE = re.compile(r"^```(\w[\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"; file: (\S+)\n")
"""A block that begins so is a file for the blocks after it."""
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
LASTING = {"view", "repl", "lab", "lsp", "mcp", "session", "service", "sketchup"}
"""Commands that go on until somebody ends them, or that make files beside the project."""
RUN_ELSEWHERE = {"sh", "text", "json"}
"""Of shell lines, those of `vcad` run; text and JSON are shown, not run."""
LINE_BY_LINE = {"cheatsheet.md"}
"""Pages whose lines of Loon are run one by one, in a test of their own."""


class Block(NamedTuple):
    """One fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    @property
    def is_cell(self) -> bool:
        return self.text.startswith("%%loon")


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(page.name, text.count("\n", 0, found.start()) + 2, found[1], found[2])
        for found in FENCE.finditer(text)
    ]


def claims(text: str) -> Iterator[tuple[str, str | None]]:
    """Loon code in runs, each ending where a comment `; → value` says what it gives."""
    pending: list[str] = []
    for line in text.splitlines():
        code, arrow, value = line.partition("; → ")
        pending.append(code)
        if arrow:
            yield "\n".join(pending), value.strip()
            pending = []
    if "".join(pending).strip():
        yield "\n".join(pending), None


def pages_with(kind: str) -> list[Path]:
    return [page for page in PAGES if any(block.language == kind for block in blocks(page))]


def test_every_fence_has_a_language_that_is_run_or_said_not_to_be() -> None:
    known = RUN_ELSEWHERE | {"loon", "python"}
    assert not [block for page in PAGES for block in blocks(page) if block.language not in known]


@pytest.mark.parametrize(
    "page",
    [page for page in pages_with("loon") if page.name not in LINE_BY_LINE],
    ids=lambda page: page.name,
)
def test_loon_blocks_give_what_their_comments_say(page: Path, tmp_path: Path) -> None:
    service, history = DirectService(), []
    for block in blocks(page):
        if block.language != "loon" or block.is_cell:
            continue
        named = FILE.match(block.text)
        if named:
            tmp_path.joinpath(named[1]).parent.mkdir(parents=True, exist_ok=True)
            tmp_path.joinpath(named[1]).write_text(block.text, encoding="utf-8")
            continue
        for code, value in claims(block.text):
            cell = CellSource(f"{page.name}:{len(history)}", code, page.name)
            result = service.evaluate(
                EvalCell(cell.source, tuple(history), cell_id=cell.cell_id, name=cell.name, base_dir=tmp_path)
            )
            history.append(cell)
            if value is not None:
                assert result_line("part", result) == value, f"{page.name}:{block.line}: {code.strip()}"


@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.name)
def test_python_blocks_and_cells_run_in_a_notebook(page: Path, tmp_path: Path) -> None:
    kernel = Kernel(cwd=tmp_path)
    try:
        assert kernel.run("%load_ext notebook_ext").status == "ok"
        for block in blocks(page):
            if block.language == "python" or (block.language == "loon" and block.is_cell):
                done = kernel.run(block.text)
                assert done.status == "ok", f"{page.name}:{block.line}\n{done.traceback}"
    finally:
        kernel.stop()


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "guide.md"], ids=lambda page: page.name)
def test_calls_within_sentences_are_as_one_writes_them(page: Path) -> None:
    library = Environment(prelude=PRELUDE)
    for call in re.findall(r"`(\[[^`…]*\])`(?!\()", FENCE.sub("", page.read_text("utf-8"))):
        found = library.check(Source(page.name, call))
        assert not [one for one in found if one.code != "E0201"], call  # names stand for what they say


def test_vcad_lines_do_what_they_say(tmp_path: Path) -> None:
    """Those that end by themselves are run one after the other; of the others the options are known."""
    tmp_path.joinpath("bracket.oo").write_text("[cylinder 10 5]\n")
    tmp_path.joinpath("plate.oo").write_text("[fillet 1 [cube 9 9 9]]\n")
    tmp_path.joinpath("parts").mkdir()
    tmp_path.joinpath("parts/lid.oo").write_text("[cube 1 1 1]\n[test holds [] [assert-eq 1 1]]\n")
    vcad("run", "bracket.oo", "-o", "bracket.ops", folder=tmp_path)
    lines = [
        shlex.split(line, comments=True)
        for page in PAGES
        for block in blocks(page)
        if block.language == "sh"
        for line in block.text.splitlines()
        if line.startswith("vcad ")
    ]
    assert len(lines) > 12
    for _, *arguments in lines:
        if arguments[0] in LASTING or "--write" in arguments:
            done = vcad(*arguments, "--help")
        else:
            done = vcad(*arguments, folder=tmp_path)
        assert done.returncode == 0, (arguments, done.stderr)


def test_make_lines_name_targets_that_there_are() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = "".join(block.text for page in PAGES for block in blocks(page) if block.language == "sh")
    targets = re.findall(r"^make ([a-z-]+)", text, re.MULTILINE)
    assert {"lab", "test"} <= {*targets}
    assert not [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=str)
def test_links_lead_to_what_there_is(page: Path) -> None:
    for target, anchor in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file.read_text("utf-8")), f"{target}#{anchor}"


def anchors(text: str) -> set[str]:
    """What headings of a page are called in links: as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_the_guides_diagnostic_is_what_that_mistake_says() -> None:
    mistake = "\n[pipe [cube 60 40 6]\n  [difference [cylinder -3.5 10]]]"
    with pytest.raises(VcadError) as wrong:
        DirectService().evaluate(EvalCell(mistake, name="bracket"))
    (shown,) = [block for block in blocks(ROOT / "docs/guide.md") if block.language == "text"]
    assert shown.text.rstrip() == wrong.value.render()
