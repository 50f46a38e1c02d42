"""Weeks of use: random steps on one kernel, each held against formulas, while processes are killed beside it.

    week = Week(kernel, seed=7)
    for _ in range(5000):
        week.step()
    print(week.table())

What a part is to be is worked out here, from closed formulas, by a model of the notebook that knows nothing
of how the product evaluates: which names there are, and each one's volume. After every step the kernel says
what Python, the session and Loon make of the names; all three must be what the model says. The same seed
takes the same steps. Interrupts and kills come at events (a cell has printed, a part has been made, its
picture is begun), never by the clock.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.integration.kernel import Kernel, Outcome

__all__ = ["Week"]

_IN_THE_KERNEL = '''
import gc, json, os, pathlib, signal, psutil
import vcad_kernel.render.picture as _picture
from vcad_kernel.loon.recent import Recent

_armed, _drawn = "", _picture.draw

def _interrupt():
    """As a front end does."""
    global _armed
    _armed = ""
    os.kill(os.getpid(), signal.SIGINT)

def _interrupt_request():
    """On the session's thread, and wait until the request there has heard of it."""
    _interrupt()
    requests = session._requests
    while requests.is_here and not requests._under_way.interrupted:
        pass

def _evaluated(event):
    if _armed == "evaluated" and event.kind == "evaluated":
        _interrupt_request()

def _draw(*arguments, **options):
    if _armed == "drawing":
        _interrupt()
    return _drawn(*arguments, **options)

_picture.draw = _draw
session.subscribe(_evaluated)

def _volume(part):
    return None if part is None else part.volume

def _names(python, loon):
    """What Python, the session and Loon make of names, once all has followed."""
    session.settle()
    known = globals()
    parts = {name: [_volume(known.get(name)), None] for name in python}
    for name in session.nodes():
        parts.setdefault(name, [None, None])[1] = session[name].volume
    looked = {name: session.inspect(f"[translate 1 2 3 {name}]").volume for name in loon}
    print(json.dumps([parts, looked]))

def _processes():
    own = psutil.Process()
    front = psutil.Process(session._cells.evaluator._service.background.own_pid)
    return own, front, *front.children()

def _taken():
    """Descriptors, MB and, of this process, objects; caches that have a limit are emptied first."""
    for cache in [it for it in gc.get_objects() if isinstance(it, Recent)]:
        cache.clear()
    gc.collect()
    told = [[it.num_fds(), round(it.memory_info().rss / 2**20)] for it in _processes()]
    print(json.dumps([*told[0], len(gc.get_objects()), *told[1], *told[2]]))
'''

_ENDLESS = '[print "begun"] [fn turn [n] [turn [+ n 1]]] [turn 0]'
_NAMES = 8
"""Of cells that have an id."""
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class _Cell:
    """A cell of the notebook: what it makes, and of what volume."""

    name: str
    source: str
    volume: Callable[[], float]
    """Worked out when it runs."""
    parameter: str = ""
    """A parameter that it declares, whose cube is the volume."""
    uses: str = ""
    """Another part that it takes, and follows."""


@dataclass
class Week:
    """One kernel that has loaded the extension, and what its notebook must be."""

    kernel: Kernel
    folder: Path
    seed: int = 0
    steps: int = 0
    python: dict[str, float] = field(default_factory=dict)
    """Volume of each part that Python has a name for."""
    loon: dict[str, float] = field(default_factory=dict)
    """The same of what the session and Loon have."""
    shown: dict[int, float] = field(default_factory=dict)
    """Number of a run → volume of the part that it showed."""
    cells: dict[str, _Cell] = field(default_factory=dict)
    """By name, as they ran last."""
    told: dict[str, int] = field(default_factory=dict)
    """How often each kind of step was taken."""
    rows: list[list[Any]] = field(default_factory=list)
    """What the processes took, by steps."""
    peace: bool = False
    """Nothing is killed, so that front and worker grow old."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.touched = ""
        self.kinds: list[tuple[int, Callable[[], object]]] = [
            (30, self.defines),
            (10, self.runs_again),
            (8, self.looks),
            (6, self.fails),
            (8, self.sets_a_parameter),
            (3, self.forgets),
            (6, self.looks_at_an_old_result),
            (5, self.checks),
            (3, self.shows_without_a_cell_id),
            (4, self.is_interrupted_in_the_evaluation),
            (4, self.is_interrupted_when_evaluated),
            (4, self.is_interrupted_while_drawing),
            (4, self.is_interrupted_at_any_moment),
        ]
        self.kills: list[tuple[int, Callable[[], object]]] = [
            (1, self.worker_is_killed),
            (1, self.worker_is_killed_in_a_cell),
            (1, self.front_is_killed),
            (1, self.front_is_killed_in_a_cell),
        ]
        self._python(_IN_THE_KERNEL)
        self._run_cell(self._new("p0"))

    def step(self) -> None:
        """Do something at random, and see that everything is as it must be."""
        self.steps += 1
        kinds = self.kinds if self.peace else [*self.kinds, *self.kills]
        (act,) = self.random.choices([it for _, it in kinds], [weight for weight, _ in kinds])
        kind = act.__name__
        self.told[kind] = self.told.get(kind, 0) + 1
        try:
            act()
            self.look_around()
        except AssertionError as wrong:
            raise AssertionError(f"step {self.steps}, {kind}, seed {self.seed}: {wrong}") from wrong

    def measure(self) -> None:
        """Note what the processes take now."""
        self._ok(self.kernel.run("%loon [+ 1 1]"))  # what was killed is there again
        self.rows.append([self.steps, *json.loads(self._python("_taken()"))])

    def table(self) -> str:
        """What the processes took, as a table of docs/reliability.md."""
        of_kernel = "steps", "kernel: descriptors", "MB", "objects"
        of_service = "front: descriptors", "MB", "worker: descriptors", "MB"
        head = "| " + " | ".join((*of_kernel, *of_service)) + " |"
        rows = ["| " + " | ".join(map(str, row)) + " |" for row in self.rows]
        return "\n".join((head, "|---" * 8 + "|", *rows))

    # ---- what must hold ----------------------------------------------------------------------

    def look_around(self) -> None:
        """Python, the session and Loon must make of all names what the model says."""
        asked = [self.touched] if self.touched in self.loon else self.random.sample(sorted(self.loon), 1)
        parts, looked = json.loads(self._python(f"_names({sorted(self.python)!r}, {asked!r})"))
        want = {name: [self.python.get(name), self.loon.get(name)] for name in {*self.python, *self.loon}}
        assert parts.keys() == want.keys(), f"the names are {sorted(parts)}, they must be {sorted(want)}"
        for name, (python, session) in want.items():
            assert _same(parts[name][0], python), f"{name} is {parts[name][0]} in Python, it must be {python}"
            assert _same(parts[name][1], session), f"{name} is {parts[name][1]} here, it must be {session}"
        for name, volume in looked.items():
            assert _same(volume, self.loon[name]), f"{name} is {volume} in Loon, must be {self.loon[name]}"

    # ---- steps -------------------------------------------------------------------------------

    def defines(self) -> None:
        """A cell with a new text."""
        self._run_cell(self._new(self._any_name()))

    def runs_again(self) -> None:
        """A cell as it stands."""
        self._run_cell(self._known())

    def looks(self) -> None:
        """An expression on a line."""
        one, other = self.random.randrange(1000), self.random.randrange(1000)
        assert self._ok(self.kernel.run(f"%loon [+ {one} {other}]")).plain == str(one + other)

    def fails(self) -> None:
        """A cell whose text is wrong: in its reading, at a name, or when it runs."""
        wrong = self.random.choice(("[cube 1 2", "[cube 1 2 nowhere]", "[nth #[] 0]", "[cube 0 0 0]"))
        self._failed(self.kernel.run(f"%%loon scratch\n{wrong}", "scratch"))

    def sets_a_parameter(self) -> None:
        """As a slider does."""
        cells = [it for it in self.cells.values() if it.parameter and it.name in self.loon]
        if not cells:
            self._run_cell(self._cube_of("p1", self.random.uniform(5, 50)))
            return
        cell, value = self.random.choice(cells), round(self.random.uniform(5, 50), 3)
        self._python(f"session.set_parameter({cell.parameter!r}, {value})")
        self._is_now(cell.name, value**3)

    def forgets(self) -> None:
        """A name is taken back; Python's own stays."""
        if len(self.loon) < 3:
            return
        name = self.random.choice(sorted(self.loon))
        self._ok(self.kernel.run(f"%loon_reset {name}"))
        del self.loon[name]

    def looks_at_an_old_result(self) -> None:
        """Figures, mesh or file of what was shown long ago."""
        kept = [number for number in self.shown if number > max(self.shown) - 700]
        number = self.random.choice(kept)
        told = self.random.choice(
            (
                f"print(Out[{number}].volume)",
                f"Out[{number}].export('old.stl'); print(Out[{number}].volume)",
                f"mesh = Out[{number}].mesh; print(Out[{number}].volume if len(mesh.indices) else 0)",
                f"Out[{number}].png(); print(Out[{number}].volume)",
            )
        )
        volume = float(self._python(told))
        assert _same(volume, self.shown[number]), f"Out[{number}] is {volume}, was {self.shown[number]}"

    def checks(self) -> None:
        """What is being typed is looked at."""
        name = self.random.choice(sorted(self.loon))
        source = f"[union {name} [cube 1 2 nowhere]]"
        assert self._python(f"print(len(session.check({source!r}, cell_id='typed')))").strip() == "1"

    def shows_without_a_cell_id(self) -> None:
        """A front end that names no cells."""
        self._run(self._new(f"q{self.random.randrange(4)}"), None)

    def is_interrupted_in_the_evaluation(self) -> None:
        """All is as it was."""
        name = self._any_name()
        done = self.kernel.interrupt_when("begun", f"%%loon {name}\n[cube 1 1 1] {_ENDLESS}")
        self._failed(done)

    def is_interrupted_when_evaluated(self) -> None:
        """The part has just been made: it is there, for everybody."""
        cell = self._new(self._any_name())
        self._python("_armed = 'evaluated'")
        done = self.kernel.run(cell.source, f"cell-{cell.name}")
        self._failed(done)
        assert "interrupted after the evaluation; what the cell defined is there" in _plain(done)
        self._has_run(cell)

    def is_interrupted_while_drawing(self) -> None:
        """The cell has run, and its picture is being made: it is being measured, or shown."""
        cell = self._new(self._any_name())
        self._python("_armed = 'drawing'")
        done = self.kernel.run(cell.source, f"cell-{cell.name}")
        self._failed(done)
        stopped = ("interrupted; what was done until then is done", "measuring was interrupted")
        assert any(words in _plain(done) for words in stopped), _plain(done)
        self._has_run(cell)

    def is_interrupted_at_any_moment(self) -> None:
        """Right after it was asked for: it has run or it has not, and everybody says the same."""
        cell = self._new(self._any_name())
        request = self.kernel.begin(cell.source, f"cell-{cell.name}")
        while self.kernel.next_state(request) != "busy":
            pass
        self.kernel.interrupt()
        done = self.kernel.outcome(request, interrupted=True)
        # IPython shows its own where it was preparing the cell; ours never
        assert not re.search("notebook_ext|vcad_kernel", _plain(done)), _plain(done)
        parts, _ = json.loads(self._python(f"_names({[cell.name]!r}, [])"))
        volume = cell.volume()
        if _same(parts.get(cell.name, [None, None])[1], volume):
            self._has_run(cell)
        if done.status == "ok":
            self.shown[done.number] = volume

    def worker_is_killed(self) -> None:
        """While it has nothing to do."""
        _kill(self._processes()[1])

    def worker_is_killed_in_a_cell(self) -> None:
        """While it computes."""
        self._killed_in_a_cell(1)

    def front_is_killed(self) -> None:
        """While it has nothing to do."""
        _kill(self._processes()[0])

    def front_is_killed_in_a_cell(self) -> None:
        """While its worker computes."""
        self._killed_in_a_cell(0)

    # ---- their parts -------------------------------------------------------------------------

    def _killed_in_a_cell(self, which: int) -> None:
        those = self._processes()
        request = self.kernel.begun("begun", f"%%loon {self._any_name()}\n[cube 1 1 1] {_ENDLESS}")
        _kill(those[which])
        self._failed(self.kernel.outcome(request))

    def _processes(self) -> tuple[psutil.Process, psutil.Process]:
        """Front and worker; a cell waits for what was killed a moment ago to be replaced."""
        self._ok(self.kernel.run("%loon [+ 1 1]"))
        found = json.loads(self._python("print([it.pid for it in _processes()])"))
        return psutil.Process(found[1]), psutil.Process(found[2])

    def _any_name(self) -> str:
        return f"p{self.random.randrange(_NAMES)}"

    def _known(self) -> _Cell:
        return self.random.choice(list(self.cells.values()))

    def _new(self, name: str) -> _Cell:
        self.touched = name
        a, b, c = (round(self.random.uniform(2, 40), 3) for _ in range(3))
        kind = self.random.randrange(8)
        if kind == 0:
            return self._cube_of(name, a)
        others = sorted(it for it in self.loon if it != name and not self.cells[it].uses)
        if kind == 1 and others:
            other = self.random.choice(others)
            # each name has a place of its own, for parts lie in parts that lie in parts
            place = 100 * (1 + int(name[1:]) + (_NAMES if name.startswith("q") else 0))
            beside = f"[translate 0 {place} 0 [cube {a} {b} {c}]]"
            return _cell(name, f"[union {beside} {other}]", lambda: a * b * c + self.loon[other], uses=other)
        if kind == 2:
            return _cell(name, f"[cylinder {a} {b}]", lambda: math.pi * a * a * b)
        if kind == 3:
            r = round(min(a, b) / 5, 3)
            hole = f"[translate {a / 2} {b / 2} -1 [cylinder {r} {c + 2}]]"
            text = f"[difference {hole} [cube {a} {b} {c}]]"
            return _cell(name, text, lambda: a * b * c - math.pi * r * r * c)
        if kind == 4:
            text = f'[print "{name} "] [let wall-{name} {a}] [cube wall-{name} {b} {c}]'
            return _cell(name, text, lambda: a * b * c)
        return _cell(name, f"[cube {a} {b} {c}]", lambda: a * b * c)

    @staticmethod
    def _cube_of(name: str, side: float) -> _Cell:
        side = round(side, 3)
        wide = f"side-{name}"
        text = f"[defparam {wide} {side} {{:min 1 :max 60}}] [cube {wide} {wide} {wide}]"
        return _cell(name, text, lambda: side**3, parameter=wide)

    def _run_cell(self, cell: _Cell) -> None:
        self._run(cell, None if cell.name.startswith("q") else f"cell-{cell.name}")

    def _run(self, cell: _Cell, cell_id: str | None) -> None:
        if cell.uses and cell.uses not in self.loon:
            return  # what it is made of has been forgotten
        volume = cell.volume()
        done = self._ok(self.kernel.run(cell.source, cell_id))
        self._has_run(cell)
        self.shown[done.number] = volume

    def _has_run(self, cell: _Cell) -> None:
        self.cells[cell.name] = cell
        self.python[cell.name] = self.loon[cell.name] = cell.volume()
        self._followed(cell.name)

    def _is_now(self, name: str, volume: float) -> None:
        """A part has changed without a run of its cell: Python's name goes with it where it has that part."""
        if self.python.get(name) == self.loon[name]:
            self.python[name] = volume
        self.loon[name] = volume
        self._followed(name)

    def _followed(self, name: str) -> None:
        """What is made of a part that has changed is made anew, and what is made of that; in no circles."""
        for cell in self.cells.values():
            if cell.uses == name and cell.name in self.loon:
                self._is_now(cell.name, cell.volume())

    def _python(self, code: str) -> str:
        return self._ok(self.kernel.run(code)).text

    @staticmethod
    def _ok(done: Outcome) -> Outcome:
        assert done.status == "ok", _plain(done)
        return done

    @staticmethod
    def _failed(done: Outcome) -> None:
        assert done.status == "error", "it was to fail"
        assert ".py" not in _plain(done), _plain(done)
        assert "Traceback" not in _plain(done), _plain(done)


def _cell(name: str, text: str, volume: Callable[[], float], **more: str) -> _Cell:
    return _Cell(name, f"%%loon {name}\n{text}", volume, **more)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9)


def _plain(done: Outcome) -> str:
    return _ANSI.sub("", done.traceback + done.text)


def _kill(process: psutil.Process) -> None:
    process.kill()
