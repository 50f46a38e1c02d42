"""``use``: which file a module is, what it exports, and what happens when files are missing or change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.modules.modules import LARGEST, Project
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files of the project: ``write({"lib/b.oo": "…"})``."""

    def files(texts: dict[str, str]) -> None:
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    return files


def findings(folder: Path, text: str, environment: Environment | None = None) -> list[str]:
    """The codes of what a check finds."""
    environment = environment or Environment(project=Project(folder))
    return [one.code for one in environment.check(Source("main.oo", text))]


def run(folder: Path, text: str, printed: list[str] | None = None) -> str:
    environment = Environment(
        project=Project(folder), stdout=printed.append if printed is not None else lambda _: None
    )
    return display(environment.run(Source("main.oo", text)))


def error(folder: Path, text: str) -> LoonError:
    with pytest.raises(LoonError) as caught:
        run(folder, text)
    return caught.value


@pytest.mark.parametrize(
    ("files", "program", "value"),
    [
        ({"a.oo": "[let k 3] [fn f [] k]"}, "[use a] [a.f]", "3"),
        ({"a.oo": "[let k 3] [fn f [] k]"}, "[use a] a.k", "3"),
        ({"a.oo": "[let k 3] [pub fn f [] k]"}, "[use a [f]] [f]", "3"),
        ({"a.oo": "[let k 1]", "a.loon": "[let k 2]"}, "[use a] a.k", "1"),
        ({"lib/b.oo": "[use c] [pub fn g [] c.x]", "lib/c.oo": "[let x 1]"}, "[use lib.b] [lib.b.g]", "1"),
        ({"s.oo": "[pub type Sh [Sq Float]]"}, "[use s [Sq]] [Sq 2.0]", "[Sq 2]"),
        ({"s.oo": "[pub type Sh Dot [Sq Float]]"}, "[use s [Dot]] [match [Some 1] Dot 1 _ 2]", "2"),
        ({"m.oo": "[macro dbl [x] `[* 2 ~x]] [pub fn q [] [dbl 4]]"}, "[use m] [m.q]", "8"),
        ({"src/build.loon": "[pub fn rib [] 7]"}, "[use build] [build.rib]", "7"),
        ({"bracket.cmp.oo": "[let w 5]"}, "[use bracket :as b] b.w", "5"),
        ({"a.oo": "[let x 1] [let y 2]"}, "[use a #[x y]] (x y)", "(1, 2)"),
        ({"a.oo": "[let x 1]"}, "[use a] [let x 5] a.x", "1"),
        ({"a.oo": "[pub let [p q] #[1 2]]"}, "[use a [q]] q", "2"),
        ({"a.oo": "[type V [V3 :x Float]] [pub let v [V3 4.0]]"}, "[use a [v]] v.x", "4"),
        ({"a.oo": "[type V [V3 :x Float]] [pub impl T V3 [fn go [s] s.x]]"}, "[use a [V3.go]] 1", "1"),
        ({"a.oo": "[type S [Bx Float [fn side [w] w]]]"}, "[use a] [a.side [a.Bx 2.0]]", "2"),
        ({"a.oo": "[println 1] [let k 1]"}, "5 [use a]", "5"),
        ({"a.oo": "[fn hole [d] d]"}, "[macro hole [d e] `0] [use a [hole]] [hole 1 2]", "0"),
        ({"a.oo": "[let k 4]"}, "[macro take-in [m] `[use ~m]] [take-in a] a.k", "4"),
    ],
)
def test_a_module_gives_what_it_exports(
    tmp_path: Path, write: Write, files: dict[str, str], program: str, value: str
) -> None:
    write(files)
    assert run(tmp_path, program) == value


@pytest.mark.parametrize(
    ("files", "program", "code"),
    [
        ({}, "[use ghost]", "E0500"),
        ({"a.oo": "[let k 3] [pub fn f [] k]"}, "[use a [k]]", "E0501"),
        ({"a.oo": "[let k 3] [pub fn f [] k]"}, "[use a] a.k", "E0201"),
        ({"m.oo": "[macro dbl [x] `[* 2 ~x]] [fn q [] 1]"}, "[use m] [dbl 4]", "E0201"),
        ({"a.oo": "[use b]", "b.oo": "[use a]"}, "[use a]", "E0502"),
        ({"a.oo": "[use a]"}, "[use a]", "E0502"),
        ({"a.oo": "[let x"}, "[use a]", "E0500"),
        ({"a.oo": "[let x 1]"}, "[use]", "E0500"),
        ({"a.oo": "[let x 1]"}, '[use "a"]', "E0500"),
        ({"a.oo": "[let x 1]"}, "[use a :with b]", "E0500"),
        ({"a.oo": "[let x 1]"}, "[use sub/../a]", "E0500"),
        ({"a.oo": "[let x 1]"}, "[use a..b]", "E0500"),
        ({"a.oo": "[let x [/ 1 0]]"}, "[use a]", "zero-division"),
        ({"a.oo": "[macro m [x] `~x] [m]"}, "[use a]", "E0500"),
        ({"a.oo": "[use]"}, "[use a]", "E0500"),
        ({}, f"[use {'long' * 100}]", "E0500"),
    ],
)
def test_an_import_that_cannot_be_says_why(
    tmp_path: Path, write: Write, files: dict[str, str], program: str, code: str
) -> None:
    write(files)
    failed = error(tmp_path, program)
    assert failed.code == code
    assert failed.place is not None


def test_import_problems_are_of_class_module_and_point_at_the_use(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[let x 1]"})
    failed = error(tmp_path, "[let y 1]\n[use ghost]")
    assert class_of(failed) == "module"
    assert failed.place is not None
    assert (failed.place.file, failed.place.line, failed.place.column) == ("main.oo", 2, 1)
    assert "ghost.oo" in str(failed.why)
    assert "src/ghost.oo" in str(failed.why)


def test_a_mistake_in_a_module_is_told_with_its_own_file_and_line(tmp_path: Path, write: Write) -> None:
    write({"lib/a.oo": "[let x 1]\n\n[let y"})
    assert "lib/a.oo:3:1" in str(error(tmp_path, "[use lib.a]").why)


def test_a_failure_while_a_module_runs_points_into_the_module(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[fn half [n] [/ n 0]]"})
    failed = error(tmp_path, "[use a]\n[a.half 4]")
    assert failed.place is not None
    assert (failed.place.file, failed.place.line) == ("a.oo", 1)
    assert [entry.place.file for entry in failed.stack if entry.place] == ["main.oo", "a.oo"]


def test_a_circle_names_its_files_in_order(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[use b]", "b.oo": "[use c]", "c.oo": "[use a]"})
    assert "a.oo → b.oo → c.oo → a.oo" in error(tmp_path, "[use a]").message


def test_a_module_runs_once_however_often_it_is_used(tmp_path: Path, write: Write) -> None:
    write({"a.oo": '[println "load"] [let k 1]', "b.oo": "[use a] [let j a.k]"})
    printed: list[str] = []
    assert run(tmp_path, "[use a] [use a :as z] [use b] z.k", printed) == "1"
    assert printed == ["load\n"]


def test_a_module_sees_its_own_names_and_not_its_users(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[let k 1] [pub fn f [] k] [pub fn g [] secret]"})
    assert run(tmp_path, "[use a] [let k 9] [a.f]") == "1"
    assert error(tmp_path, "[use a] [let secret 1] [a.g]").code == "E0201"


def test_use_inside_another_form_is_no_import(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[let k 1]"})
    assert class_of(error(tmp_path, "[do [use a]]")) == "bad-form"


def test_modules_are_looked_for_beside_the_file_that_uses_them_first(tmp_path: Path, write: Write) -> None:
    write({"lib/b.oo": "[use c] [pub let v c.x]", "lib/c.oo": "[let x 1]", "c.oo": "[let x 2]"})
    assert run(tmp_path, "[use lib.b] lib.b.v") == "1"


def test_a_link_out_of_the_project_is_refused(tmp_path: Path, write: Write) -> None:
    write({"outside.oo": "[let k 1]", "project/inside.oo": "[let k 2]"})
    (tmp_path / "project" / "a.oo").symlink_to(tmp_path / "outside.oo")
    (tmp_path / "project" / "b.oo").symlink_to(tmp_path / "project" / "inside.oo")
    assert "outside the project" in error(tmp_path / "project", "[use a]").message
    assert run(tmp_path / "project", "[use b] b.k") == "2"


def test_one_file_reached_in_two_ways_is_one_module(tmp_path: Path, write: Write) -> None:
    write({"a.oo": '[println "load"] [let k 1]'})
    (tmp_path / "b.oo").symlink_to(tmp_path / "a.oo")
    printed: list[str] = []
    assert run(tmp_path, "[use a] [use b] b.k", printed) == "1"
    assert printed == ["load\n"]


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_bytes(b"\xff\xfe")
    (tmp_path / "b.oo").write_bytes(b" " * (LARGEST + 1))
    assert error(tmp_path, "[use a]").code == "E0500"
    assert "larger than" in str(error(tmp_path, "[use b]").why)


def test_without_a_project_there_are_no_modules() -> None:
    with pytest.raises(LoonError) as caught:
        Environment().run(Source("x.oo", "[use a]"))
    assert caught.value.code == "E0500"


def test_cells_see_a_changed_module_at_their_next_run(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[use b] [pub fn f [] b.k]", "b.oo": "[let k 1]"})
    environment = Environment(project=Project(tmp_path))
    cell = Source("cell", "[use a] [a.f]")
    assert environment.run(cell, cell=True) == 1
    write({"b.oo": "[let k 2]"})
    assert environment.run(cell, cell=True) == 2
    assert [file.name for file in environment.linker.files] == ["b.oo", "a.oo"]


def test_a_run_knows_the_modules_that_it_was_made_from_and_no_others(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[use b] [let k b.k]", "b.oo": "[let k 1]", "c.oo": "[use b] [let k b.k]"})
    environment = Environment(project=Project(tmp_path))

    def used_by(text: str) -> list[str]:
        environment.run(Source("cell", text), cell=True)
        return [file.name for file in environment.linker.used]

    assert used_by("[use a] a.k") == ["b.oo", "a.oo"]
    assert used_by("[use c]") == ["b.oo", "c.oo"]
    assert used_by("[+ a.k 1]") == []
    assert used_by("[use b] [use a]") == ["b.oo", "a.oo"]
    assert {file.name for file in environment.linker.files} == {"a.oo", "b.oo", "c.oo"}


def test_forgetting_a_cell_forgets_what_it_imported(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[let k 1]"})
    environment = Environment(project=Project(tmp_path))
    environment.run(Source("cell", "[use a]"), cell=True)
    assert environment.last_defined == {"a.k"}
    environment.user.forget(["a.k"])
    with pytest.raises(LoonError):
        environment.run(Source("cell", "a.k"), cell=True)


def test_what_was_imported_is_described_under_the_name_that_it_has_here(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "; twice as much\n[fn f ([x] [+ x x]) ([x y] y)] [let k 1] [type T [A Int]]"})
    environment = Environment(project=Project(tmp_path))
    environment.run(Source("cell", "[use a :as z]"), cell=True)
    entries = environment.user.entries()
    assert {name: entry.usage for name, entry in entries.items()} == {
        "z.A": "[z.A Int]",
        "z.f": "[z.f x] | [z.f x y]",
        "z.k": "z.k",
    }
    assert entries["z.f"].doc == "twice as much"
    assert entries["z.f"].place is not None
    assert entries["z.f"].place.file == "a.oo"


def test_a_project_lists_its_modules(tmp_path: Path, write: Write) -> None:
    write({"src/lib/a.loon": "", "b.oo": "", "part.cmp.oo": "", "not a module.oo": "", "c.txt": ""})
    assert Project(tmp_path).names() == ("b", "lib.a", "part", "src.lib.a")


@pytest.mark.parametrize(
    ("files", "program", "code"),
    [
        ({}, "[use ghost]", "E0500"),
        ({}, "[use]", "E0500"),
        ({}, f"[use {'long' * 100}]", "E0500"),
        ({"a.oo": "[let x"}, "[use a] a.x", "E0500"),
        ({"a.oo": "[use b] [let x b.x]", "b.oo": "[let x"}, "[use a] a.x", "E0500"),
        ({"a.oo": "[use ghost] [let x 1]"}, "[use a] a.x", "E0500"),
        ({"a.oo": "[use b [y]] [let x y]", "b.oo": "[let x 1]"}, "[use a] a.x", "E0501"),
        ({"a.oo": "[use b]", "b.oo": "[use c]", "c.oo": "[use a]"}, "[use a] a.x", "E0502"),
    ],
)
def test_a_check_finds_the_import_that_a_run_would_fail_at(
    tmp_path: Path, write: Write, files: dict[str, str], program: str, code: str
) -> None:
    write(files)
    assert findings(tmp_path, program) == [code]
    assert error(tmp_path, program).code == code


def test_a_finding_on_an_import_stands_at_the_use_and_says_where_it_fails(
    tmp_path: Path, write: Write
) -> None:
    write({"a.oo": "\n[use ghost]"})
    (found,) = Environment(project=Project(tmp_path)).check(Source("main.oo", "[let x 1]\n[use a]"))
    assert (found.place.file, found.place.line, found.place.column) == ("main.oo", 2, 1)
    assert "a.oo:2:1" in found.why


def test_without_a_project_a_check_reports_the_import_and_nothing_of_its_names() -> None:
    found = Environment().check(Source("x.oo", "[use a] [a.f a.k]"))
    assert [one.code for one in found] == ["E0500"]


def test_a_file_that_comes_before_the_one_that_was_used_is_used_at_the_next_run(
    tmp_path: Path, write: Write
) -> None:
    write({"a.oo": "[use b] [let k b.k]", "b.loon": "[let k 1]"})
    environment = Environment(project=Project(tmp_path))
    cell = Source("cell", "[use a] [+ a.k 1]")
    assert environment.run(cell, cell=True) == 2
    write({"b.oo": '[let k "text"]'})
    assert findings(tmp_path, cell.text, environment) == ["E0200"]
    write({"b.oo": "[let k 2]"})
    assert environment.run(cell, cell=True) == 3
    (tmp_path / "b.oo").unlink()
    assert environment.run(cell, cell=True) == 2


def test_a_module_that_loses_a_file_it_uses_fails_at_its_own_use_until_the_file_is_back(
    tmp_path: Path, write: Write
) -> None:
    write({"a.oo": "\n[use b] [let k b.k]", "b.oo": "[let k 1]"})
    environment = Environment(project=Project(tmp_path))
    cell = Source("cell", "[use a] a.k")
    environment.run(cell, cell=True)
    (tmp_path / "b.oo").unlink()
    with pytest.raises(LoonError) as caught:
        environment.run(cell, cell=True)
    assert "there is no module b" in caught.value.message
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == ("a.oo", 2)
    assert findings(tmp_path, cell.text, environment) == ["E0500"]
    write({"b.oo": "[let k 2]"})
    assert findings(tmp_path, cell.text, environment) == []
    assert environment.run(cell, cell=True) == 2


def test_a_circle_that_is_opened_again_is_forgotten(tmp_path: Path, write: Write) -> None:
    write({"a.oo": "[use b] [let k b.k]", "b.oo": "[use c] [let k c.k]", "c.oo": "[let k 1]"})
    environment = Environment(project=Project(tmp_path))
    cell = Source("cell", "[use a] a.k")
    assert environment.run(cell, cell=True) == 1
    write({"c.oo": "[use a] [let k 2]"})
    with pytest.raises(LoonError) as caught:
        environment.run(cell, cell=True)
    assert caught.value.code == "E0502"
    write({"c.oo": "[let k 3]"})
    assert findings(tmp_path, cell.text, environment) == []
    assert environment.run(cell, cell=True) == 3


def test_modules_that_share_what_they_use_are_looked_at_once_each(tmp_path: Path, write: Write) -> None:
    last = 30
    for layer in range(last):
        for side in "ab":
            write({f"{side}{layer}.oo": f"[use a{layer + 1}] [use b{layer + 1}] [let k 1]"})
    write({f"a{last}.oo": "[let k 1]", f"b{last}.oo": "[let k 2]"})
    reads: list[Path] = []

    def read(path: Path) -> str:
        reads.append(path)
        return path.read_text("utf-8")

    environment = Environment(project=Project(tmp_path, read=read))
    cell = Source("cell", "[use a0] a0.k")
    for text in ("[let k 1]", "[let k 3]", "[let k"):
        write({f"a{last}.oo": text})
        reads.clear()
        environment.check(cell)
        assert len(reads) < 20 * last


def test_a_file_may_begin_with_the_mark_of_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_bytes(b"\xef\xbb\xbf[let k 1]\r\n[let j\r\n 2]\r\n")
    assert run(tmp_path, "[use a] (a.k a.j)") == "(1, 2)"


def test_a_file_in_a_folder_that_may_not_be_entered_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refused)
    failed = error(tmp_path, "[use a]")
    assert failed.code == "E0500"
    assert failed.why == "Permission denied"
