"""Cells, a real kernel, the real extension in the headless SketchUp: a part is pushed and stays linked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.kernel import Kernel
from tests.sketchup.conftest import sketchup, sketchup_process
from tests.sketchup.headless import RunningSketchUp

__all__ = ["sketchup", "sketchup_process"]

PLATE = "[pipe [cube 50 30 {}] [difference [translate 25 15 -1 [cylinder 3 12]]]]"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def linked(
    kernel_process: Kernel, project: Path, sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Kernel]:
    """A kernel whose notebook lies in the project, and that finds the headless SketchUp."""
    monkeypatch.setenv("SUPEX_PORT", str(sketchup.port))
    kernel_process.begin_anew(project)
    assert kernel_process.run("%load_ext notebook_ext").status == "ok"
    yield kernel_process
    kernel_process.begin_anew()  # nothing of the session outlives the test's folder


def truth(project: Path) -> Any:
    return json.loads((project / "design_model.json").read_text())


def in_sketchup(sketchup: RunningSketchUp, project: Path, instance: str = "bracket-1") -> dict[str, Any]:
    """What SketchUp itself says of an instance."""
    persistent_id = truth(project)["instances"][instance]["execution"]["persistent_id"]
    found: dict[str, Any] = sketchup.control("_test.get_entity", persistent_id=persistent_id)
    return found


def size(found: dict[str, Any]) -> list[float]:
    low, high = found["bounds_mm"]["min"], found["bounds_mm"]["max"]
    return [round(b - a, 3) for a, b in zip(low, high, strict=True)]


def test_a_cell_is_pushed_edited_undone_redone_and_removed(
    linked: Kernel, sketchup: RunningSketchUp, project: Path
) -> None:
    done = linked.run(f"%%loon bracket --push --at 10,20,0\n{PLATE.format(5)}", "cell")
    assert done.status == "ok", done.traceback
    assert "bracket: geometry, version 1" in done.text
    assert WIDGET in done.data[-1]
    first = in_sketchup(sketchup, project)
    assert size(first) == [50, 30, 5]
    assert first["transformation_mm"][12:15] == pytest.approx([10, 20, 0])

    sketchup.control("_test.modify_entity", entity_id=first["entity_id"], move_mm=[100, 0, 0])
    done = linked.run(f"%%loon bracket --push\n{PLATE.format(8)}", "cell")
    assert "bracket: geometry, version 2" in done.text
    second = in_sketchup(sketchup, project)
    assert second["entity_id"] == first["entity_id"]
    assert size(second) == [50, 30, 8]
    assert second["transformation_mm"][12] == pytest.approx(110)

    sketchup.control("_test.undo", steps=1)
    assert size(in_sketchup(sketchup, project)) == [50, 30, 5]
    assert "older in SketchUp" in linked.run("%loon_sketchup").plain
    sketchup.control("_test.redo", steps=1)
    assert size(in_sketchup(sketchup, project)) == [50, 30, 8]
    assert "up to date" in linked.run("%loon_sketchup").plain

    assert linked.run("session.remove('bracket')").status == "ok"
    assert sketchup.control("_test.get_state")["entity_count"] == 0


def test_a_slider_and_a_later_push_reach_every_copy(
    linked: Kernel, sketchup: RunningSketchUp, project: Path
) -> None:
    linked.run("%%loon bar --push\n[defparam width 40 {:min 10 :max 80}] [cube width 10 5]", "cell")
    linked.run("session.set_parameter('width', 60)")
    assert "1 undo step" in linked.run("%loon_plan").plain
    linked.run("%loon_push")
    assert size(in_sketchup(sketchup, project, "bar-1")) == [60, 10, 5]
    assert linked.run("%loon_push").plain == "SketchUp shows all of it already"


def test_a_part_from_python_values_is_built_again_by_a_later_kernel(
    linked: Kernel, sketchup: RunningSketchUp, project: Path
) -> None:
    earlier = Kernel(project)
    try:
        earlier.run("%load_ext notebook_ext\nwidth = 33")
        assert earlier.run("%%loon bar -i width --push\n[cube width 10 5]", "cell").status == "ok"
        sketchup.control("_test.new_model", title="another")
    finally:
        earlier.stop()
    done = linked.run("%loon_push --clean")
    assert done.status == "ok", done.traceback
    assert size(in_sketchup(sketchup, project, "bar-1")) == [33, 10, 5]


def test_with_nothing_listening_the_cell_shows_its_part_and_the_plan_is_kept(
    project: Path, sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPEX_PORT", "9")  # discard: nobody listens there
    kernel = Kernel(project)
    try:
        kernel.run("%load_ext notebook_ext")
        done = kernel.run("%%loon bracket --push\n[cube 1 2 3]")
        assert done.status == "ok"
        assert "not pushed: " in done.text
        assert "vcad sketchup --headless" in done.text
        assert "%loon_sketchup --headless" in done.text
        assert done.plain.startswith("bracket: 1 × 2 × 3 mm")
        assert "2 undo steps in SketchUp" in kernel.run("%loon_plan").plain
        failed = kernel.run("%loon_push")
        assert failed.status == "error"
        assert "[CONNECTION_FAILED]" in failed.traceback
        assert ".py" not in failed.traceback
        assert "get_ipython" not in failed.traceback
        assert "not connected" in kernel.run("%loon_sketchup").plain

        kernel.run(f"import os; os.environ['SUPEX_PORT'] = '{sketchup.port}'")
        assert kernel.run("%loon_push").status == "ok"
        assert size(in_sketchup(sketchup, project)) == [1, 2, 3]
    finally:
        kernel.stop()


def test_an_interrupt_ends_the_wait_for_a_busy_sketchup(
    linked: Kernel, sketchup: RunningSketchUp, project: Path
) -> None:
    linked.run("%%loon bracket --push\n[cube 1 2 3]", "cell")
    linked.run("%%loon bracket\n[cube 1 2 4]", "cell")
    sketchup.control("_test.delay_next", tool="upsert_vcad_definition", seconds=3)
    linked.run(
        "import threading, os, signal\n"
        "heard = session.subscribe(lambda event: None)\n"
        "def interrupt():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "timer = threading.Timer(0.7, interrupt)"
    )
    done = linked.run("timer.start()\nsession.push()")
    assert done.status == "error"
    assert truth(project)["components"]["bracket"]["applied_version"] == 1  # no answer was waited for
    # what was under way is found by looking, and done once
    again = linked.run("%loon_push")
    assert again.status == "ok", again.traceback
    assert size(in_sketchup(sketchup, project)) == [1, 2, 4]
    assert truth(project)["components"]["bracket"]["applied_version"] == 2


def test_the_magics_say_what_is_wrong_with_their_line(linked: Kernel) -> None:
    for line, said in [
        ("%%loon --push\n[cube 1 1 1]", "--push needs a name"),
        ("%%loon lid --at 1,2,3\n[cube 1 1 1]", "add --push"),
        ("%%loon lid --push --at 1,2\n[cube 1 1 1]", "three numbers in mm"),
        ("%%loon lid --push\n[+ 1 2]", "lid is no part"),
        ("%loon_push --clean lid", "takes no names"),
        ("%loon_push lid", "nothing is linked yet"),
    ]:
        done = linked.run(line)
        assert said in done.traceback + done.text, line
        assert os.sep + "notebook_ext" not in done.traceback
    for magic in ("loon_push", "loon_plan", "loon_sketchup"):
        assert f"%{magic}" in linked.run(f"%{magic} --help").text


def test_a_project_without_parts_says_so_and_a_broken_file_is_told_of(linked: Kernel, project: Path) -> None:
    for line in ("%loon_plan", "%loon_push", "%loon_sketchup"):
        assert "nothing is linked yet: %%loon NAME --push links a part" in linked.run(line).plain
    linked.run("%%loon bracket --push\n[cube 1 2 3]", "cell")
    (project / "design_model.json").write_text('{"components": ', encoding="utf-8")
    for line in ("%loon_plan", "%loon_push", "%loon_sketchup"):
        said = linked.run(line).plain
        assert "it is kept as design_model.corrupt-1.json" in said
        assert "give it its name back" in said
    assert "bracket: geometry, version 2" in linked.run("%%loon bracket --push\n[cube 1 2 4]", "cell").text


def test_a_part_that_sketchup_cannot_take_is_shown_all_the_same(linked: Kernel) -> None:
    done = linked.run("%%loon grain --push\n[cube 0.001 0.001 0.001]", "cell")
    assert done.status == "error"
    assert "grain" in done.traceback
    assert "0.025 mm" in done.traceback
    assert WIDGET in done.data[-1]


def test_what_cannot_be_pushed_may_be_left_out(linked: Kernel) -> None:
    linked.run("%%loon bracket --push\n[cube 1 2 3]", "cell")
    failed = linked.run(
        "%%loon void --push\n[intersection [cube 1 1 1] [translate 5 0 0 [cube 1 1 1]]]", "other"
    )
    assert "void" in failed.traceback
    assert "%loon_push --omit NAME" in failed.traceback
    assert "cannot be done" in linked.run("%loon_plan").plain
    linked.run("%%loon bracket\n[cube 1 2 4]", "cell")
    said = linked.run("%loon_push --omit void").plain
    assert said.startswith("bracket: geometry, version 2")
    assert said.endswith("left out: void")


def test_a_folder_that_holds_the_home_is_not_shared_and_that_is_said_before_a_push(
    linked: Kernel, project: Path
) -> None:
    linked.run(f"import os; os.environ['HOME'] = {str(project.parent)!r}")
    linked.run(f"os.environ['VCAD_WORKSPACE'] = {str(project.parent)!r}")
    said = linked.run("%loon_sketchup").plain
    assert "holds your home folder" in said
    assert "[PATH_NOT_ALLOWED]" in linked.run("%%loon bracket --push\n[cube 1 2 3]", "cell").traceback


def test_a_sketchup_without_a_window_says_that_it_has_no_picture(linked: Kernel) -> None:
    linked.run("%%loon bracket --push\n[cube 10 20 30]", "cell")
    refused = linked.run("%loon_sketchup --picture front")
    assert "[CAPABILITY_UNAVAILABLE]" in refused.traceback
    assert "%loon_view" in refused.traceback
    wrong = linked.run("session.picture_of_sketchup('up')")
    assert "there is no view 'up'" in wrong.traceback
    assert "iso, top, bottom, front" in wrong.traceback
    assert "up to date" in linked.run("session.sketchup()").plain


def test_unloading_takes_the_magics_back_and_leaves_the_project_to_others(linked: Kernel) -> None:
    linked.run("%%loon bracket --push\n[cube 1 2 3]", "cell")
    linked.run("%unload_ext notebook_ext")
    assert linked.value("'loon_push' in get_ipython().magics_manager.magics['line']") == "False"
    linked.run("%load_ext notebook_ext")
    assert "up to date" in linked.run("%loon_sketchup").plain
