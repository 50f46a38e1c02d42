"""Breaks one place of the product at a time and looks whether a test notices: ``python -m tools.mutants``.

Cosmic Ray knows how Python can be broken; which places are tried, and which tests are asked, is decided here.
The places are drawn by a digest of their text, so that a change of the code leaves the other places as they
were, and two runs can be compared. The tests are those that ran the broken line, as coverage.py noted it
(``make coverage`` comes first); where a line ran in another process only, those of the folder that mirrors
its own. Prints a table by package, then what nobody noticed, as a difference.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from coverage import CoverageData

__all__ = ["Mutant", "Outcome", "main", "mutants_of"]

ROOT = Path(__file__).parents[1]
PRODUCT = ("vcad_kernel", "notebook_ext")
_LEAST = 6
"""Mutants of a package, however small it is."""
_BUDGET = 30.0
"""Seconds of tests that are tried on one mutant, by their last durations."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One place, broken in one way."""

    path: str
    line: int
    """1-based."""
    operator: str
    occurrence: int

    @property
    def package(self) -> str:
        """``vcad_kernel/loon``; the top of a package for its loose files."""
        return "/".join(Path(self.path).parts[:-1][:2])

    def applied(self, source: str) -> str:
        """The text with this place broken."""
        broken = mutate_code(source, get_operator(self.operator)(), self.occurrence)
        if broken is None:
            raise ValueError(f"{self} is not in the text")
        return str(broken)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mutant."""

    mutant: Mutant
    status: str
    """``killed``, ``survived`` or ``unreached`` (no test runs the line)."""
    tests: int
    difference: str
    noticed_by: str = ""
    """The test that failed, as pytest names it; empty where they did not end."""


def mutants_of(path: str, source: str) -> Iterator[tuple[str, Mutant]]:
    """All places of a file that can be broken, each with the digest that it is drawn by."""
    silent = _Silent(source)
    lines = source.splitlines()
    tree = get_ast(source)
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():
            continue
        positions = (place for node in ast_nodes(tree) for place in operator().mutation_positions(node))
        for occurrence, ((line, column), _) in enumerate(positions):
            if (line, column) not in silent:
                text = f"{path}:{name}:{lines[line - 1].strip()}:{column}"
                digest = hashlib.sha256(text.encode()).hexdigest()
                yield digest, Mutant(path, line, name, occurrence)


class _Silent:
    """Places that say something to readers and tools, and change nothing when the program runs."""

    def __init__(self, source: str) -> None:
        self.spans: list[tuple[tuple[int, int], tuple[int, int]]] = []
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._take(node.returns, *node.decorator_list)
                case ast.ClassDef():
                    self._take(*node.decorator_list)
                case ast.arg() | ast.AnnAssign():
                    self._take(node.annotation)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.BitOr())):
                    if name[:1].isupper() or name[:2].strip("_").isupper():
                        self._take(node.value)  # the name of a union of types

    def _take(self, *nodes: ast.expr | None) -> None:
        for node in nodes:
            if node is not None and node.end_lineno is not None and node.end_col_offset is not None:
                start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
                self.spans.append((start, end))

    def __contains__(self, place: tuple[int, int]) -> bool:
        return any(start <= place < end for start, end in self.spans)


def _drawn(root: Path, count: int) -> list[Mutant]:
    """About `count` mutants: of each package by the size of its code, no file twice before each once."""
    files: dict[str, list[tuple[str, str, str]]] = {}
    for path in sorted(place for name in PRODUCT for place in (root / name).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if "/labextension/" in name:
            continue
        package = "/".join(Path(name).parts[:-1][:2])
        digest = hashlib.sha256(name.encode()).hexdigest()
        files.setdefault(package, []).append((digest, name, path.read_text(encoding="utf-8")))
    lines = {package: sum(len(text) for *_, text in sources) for package, sources in files.items()}
    everything = sum(lines.values())
    drawn = []
    for package, sources in sorted(files.items()):
        wanted = max(_LEAST, round(count * lines[package] / everything))
        drawn += _of_package(sorted(sources), wanted)
    return drawn


def _of_package(files: Sequence[tuple[str, str, str]], wanted: int) -> list[Mutant]:
    drawn: list[Mutant] = []
    rounds: list[list[tuple[str, Mutant]]] = []
    for _, name, text in files:
        if len(drawn) == wanted:
            break
        places = sorted(mutants_of(name, text), key=lambda pair: pair[0])
        if places:
            drawn.append(places[0][1])
            rounds.append(places[1:])
    more = sorted((pair for rest in rounds for pair in rest), key=lambda pair: pair[0])
    return drawn + [mutant for _, mutant in more[: wanted - len(drawn)]]


@dataclass(frozen=True, slots=True)
class Reach:
    """Which tests run which line, and how long each took."""

    data: CoverageData
    seconds: Mapping[str, float]
    """By test as coverage.py names it, ``tests.loon.reading.test_reader.test_spans``."""
    folder: Path

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests to ask, the quickest first, as pytest wants them."""
        noted = self.data.contexts_by_lineno(str(self.folder / mutant.path)).get(mutant.line, [])
        names = [name for name in noted if name.startswith("tests.")]
        if not names:
            inside = _mirrored(self.folder, mutant)
            names = [name for name in self.seconds if name.startswith(inside)]
        names.sort(key=self._cost)
        chosen: list[str] = []
        spent = 0.0
        for name in names:
            spent += self._cost(name)
            if chosen and spent > _BUDGET:
                break
            if test := _selected(self.folder, name):
                chosen.append(test)
        return chosen

    def reached(self, mutant: Mutant) -> bool:
        """Whether anything ran the line, in whichever process."""
        return mutant.line in (self.data.lines(str(self.folder / mutant.path)) or ())

    def _cost(self, name: str) -> float:
        return self.seconds.get(name, 1.0)


def _selected(root: Path, name: str) -> str | None:
    """``tests.loon.test_recent.TestX.test_y`` as ``tests/loon/test_recent.py::TestX::test_y``."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        path = Path(*parts[:end]).with_suffix(".py")
        if (root / path).is_file():
            return "::".join([path.as_posix(), *parts[end:]])
    return None


def _mirrored(root: Path, mutant: Mutant) -> str:
    """The first part of the names of the tests that mirror the broken file's folder: ``tests.service.``."""
    inner = Path(mutant.path).parent
    place = inner if inner.parts[0] == "notebook_ext" else Path(*inner.parts[1:])
    while not (root / "tests" / place).is_dir():
        place = place.parent
    return ".".join(["tests", *place.parts, ""])


def _seconds(report: Path) -> dict[str, float]:
    """Seconds of each test function in a JUnit report, all its cases together."""
    seconds: dict[str, float] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{str(case.get('name')).split('[')[0]}"
        seconds[name] = seconds.get(name, 0.0) + float(case.get("time", "0"))
    return seconds


def _tried(mutant: Mutant, reach: Reach, tree: Path, left_out: Collection[str] = ()) -> Outcome:
    """Break a copy of the tree, ask the tests, mend it again."""
    path = tree / mutant.path
    source = path.read_text(encoding="utf-8")
    broken = mutant.applied(source)
    shown = "".join(
        difflib.unified_diff(source.splitlines(True), broken.splitlines(True), mutant.path, mutant.path, n=1)
    )
    tests = reach.tests_of(mutant)
    if not tests or not reach.reached(mutant):
        return Outcome(mutant, "unreached", 0, shown)
    path.write_text(broken, encoding="utf-8")
    try:
        failed = _failed([*tests, *(f"--deselect={test}" for test in left_out)], tree)
    finally:
        path.write_text(source, encoding="utf-8")
    return Outcome(mutant, "survived" if failed is None else "killed", len(tests), shown, failed or "")


def _failed(arguments: Sequence[str], tree: Path) -> str | None:
    """The first test that fails; empty where they do not end in several times what they usually take."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    running = subprocess.Popen(
        [*command, "--benchmark-disable", "-m", "not browser and not peer and not soak", *arguments],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "VCAD_TIER": "test"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        said, _ = running.communicate(timeout=8 * _BUDGET)
    except subprocess.TimeoutExpired:
        return ""
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    if running.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", said, re.MULTILINE)
    return failed[1] if failed else ""


def _fails_anyway(outcomes: Iterable[Outcome], tree: Path) -> set[str]:
    """Which of the tests that noticed something fail where nothing is broken."""
    wrong: set[str] = set()
    tests = {outcome.noticed_by for outcome in outcomes} - {""}
    while asked := sorted(test for test in tests - wrong if (tree / test.split("::")[0]).is_file()):
        failed = _failed(asked, tree)
        if not failed:
            break
        wrong.add(failed)
    return wrong


def _copies(root: Path, folder: Path, count: int) -> queue.Queue[Path]:
    """Trees to break, away from the one that people work in."""
    free: queue.Queue[Path] = queue.Queue()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout
    for number in range(count):
        tree = folder / str(number)
        for name in filter(None, listed.decode().split("\0")):
            if (root / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, tree / name)
        free.put(tree)
    return free


def _run(root: Path, mutants: Sequence[Mutant], reach: Reach, jobs: int) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        free = _copies(root, Path(folder), jobs)
        if _failed(["--collect-only", "tests"], free.queue[0]) is not None:
            raise SystemExit("the tests cannot be collected where nothing is broken")

        def one(mutant: Mutant, left_out: Collection[str] = ()) -> Outcome:
            tree = free.get()
            try:
                outcome = _tried(mutant, reach, tree, left_out)
            finally:
                free.put(tree)
            print(f"{outcome.status:<9} {outcome.tests:>4} tests  {mutant.path}:{mutant.line}", flush=True)
            return outcome

        outcomes = list(pool.map(one, mutants))
        tree = free.get()
        wrong = _fails_anyway(outcomes, tree)
        free.put(tree)
        for test in sorted(wrong):
            print(f"fails where nothing is broken, and is not asked: {test}")
        return [
            one(outcome.mutant, wrong) if outcome.noticed_by in wrong else outcome for outcome in outcomes
        ]


def _table(outcomes: Sequence[Outcome]) -> str:
    rows = ["| package | mutants | noticed | not noticed | not run |", "|---|---|---|---|---|"]
    packages = sorted({outcome.mutant.package for outcome in outcomes})
    for package in [*packages, "all"]:
        of = [outcome.status for outcome in outcomes if package in ("all", outcome.mutant.package)]
        counts = [of.count(status) for status in ("killed", "survived", "unreached")]
        rows.append(f"| {package} | {len(of)} | {' | '.join(map(str, counts))} |")
    return "\n".join(rows)


def main() -> None:
    """Draw, try and tell."""
    parser = argparse.ArgumentParser(description="Break the product and see whether a test notices.")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree that is broken (in copies)")
    parser.add_argument("--coverage", type=Path, required=True, help="coverage.py's data, with contexts")
    parser.add_argument("--report", type=Path, required=True, help="pytest's JUnit report of the same run")
    parser.add_argument("--count", type=int, default=240, help="how many mutants, at least")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="begin of the paths that are tried")
    parser.add_argument("--json", type=Path, help="where the outcomes are written")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    data = CoverageData(str(arguments.coverage))
    data.read()
    reach = Reach(data, _seconds(arguments.report), root)
    mutants = [mutant for mutant in _drawn(root, arguments.count) if mutant.path.startswith(arguments.only)]
    outcomes = _run(root, mutants, reach, arguments.jobs)
    print(_table(outcomes))
    for outcome in outcomes:
        if outcome.status != "killed":
            print(f"\n{outcome.status} ({outcome.tests} tests)\n{outcome.difference}")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))


if __name__ == "__main__":
    main()
