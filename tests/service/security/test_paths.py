"""No path in any request leads out of the workspace, however it is written and whatever lies at its end."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.service.security.real_service import RealService, Wire, real_service
from vcad_kernel.service.client.launcher import ServiceLog
from vcad_kernel.service.front.lifetime import artifact_folder
from vcad_kernel.settings import Settings

pytestmark = pytest.mark.xdist_group("security")  # they share one service

SECRET = "[cube 9 9 9]"
SECRET_VOLUME = 729.0

CUBE_STL = "solid s\nendsolid s\n"


@pytest.fixture(scope="module")
def grounds(service: RealService) -> Path:
    """The workspace, and beside it what nobody is to reach."""
    inside, outside = service.workspace, service.folder / "outside"
    neighbour = inside.with_name(inside.name + "-2")
    for folder in (inside / "parts", outside, neighbour):
        folder.mkdir()
    for file in (outside / "secret.loon", neighbour / "secret.loon", outside / "secret.oo"):
        file.write_text(SECRET)
    (outside / "secret.stl").write_text(CUBE_STL)
    (inside / "parts" / "a.loon").write_text("[cube 1 2 3]")
    (inside / "link").symlink_to(outside)
    (inside / "link.loon").symlink_to(outside / "secret.loon")
    (inside / "link.oo").symlink_to(outside / "secret.oo")
    (inside / "link.stl").symlink_to(outside / "secret.stl")
    (inside / "chain.loon").symlink_to("parts/../link.loon")
    (inside / "zero.loon").symlink_to("/dev/zero")
    (inside / "itself.loon").symlink_to("itself.loon")
    (inside / "folder.loon").mkdir()
    os.mkfifo(inside / "pipe.loon")
    os.mkfifo(inside / "pipe.stl")
    os.mkfifo(inside / "piped.oo")
    return inside


def outside(grounds: Path) -> list[str]:
    """Names of what lies outside."""
    beside = grounds.parent / "outside"
    return [
        "../outside/secret.loon",
        "parts/../../outside/secret.loon",
        "parts/./.././../outside/secret.loon",
        str(beside / "secret.loon"),
        f"{grounds}/../outside/secret.loon",
        f"../{grounds.name}-2/secret.loon",
        f"{grounds}-2/secret.loon",
        "link/secret.loon",
        "link/../outside/secret.loon",
        "link.loon",
        "chain.loon",
        "zero.loon",
        f"/proc/self/root{beside}/secret.loon",
        "/proc/self/cwd/secret.loon",
        "/proc/self/fd/0.loon",
        "parts/a\0.loon",
        "parts/a.loon\0/../../outside/secret.loon",
        "\ud800.loon",
        "a" * 5000 + "/../../../outside/secret.loon",
    ]


PLACES: Mapping[str, Mapping[str, Any]] = {
    "vcad.eval_file": {"path": ...},
    "vcad.inspect": {"code_or_path": ...},
    "vcad.check": {"code_or_path": ...},
    "vcad.eval_code": {"code": "[cube 1 2 3]", "base_dir": ...},
    "vcad.eval_cell": {"code": "[cube 1 2 3]", "base_dir": ...},
    "vcad.watch_start": {"dir": ...},
    "vcad.modules": {"path": ...},
    "vcad.ask": {"question": "figures", "document_hash": "x", "base_dir": ...},
}
"""Where tools take a path; `...` stands for it."""


@pytest.mark.parametrize("tool", PLACES)
def test_what_lies_outside_is_refused_by_every_tool(tool: str, grounds: Path, peer: Wire) -> None:
    for path in outside(grounds):
        arguments = {name: path if value is ... else value for name, value in PLACES[tool].items()}
        if tool == "vcad.watch_start" and path == "zero.loon":
            continue
        refusal = peer.refusal(tool, arguments)
        assert refusal["error_code"] == "PATH_NOT_ALLOWED", (path[:80], refusal)
        assert refusal["details"]["operation"] == tool
        assert "729" not in str(refusal)
    assert peer.is_usable()


@pytest.mark.parametrize(
    "arguments",
    [
        {"code_or_path": ..., "format": "stl", "output_path": "out.stl"},
        {"code_or_path": "[cube 1 2 3]", "format": "loon", "output_path": ...},
    ],
)
def test_nothing_is_exported_from_or_to_the_outside(
    grounds: Path, peer: Wire, arguments: Mapping[str, Any]
) -> None:
    before = sorted((grounds.parent / "outside").iterdir())
    for path in outside(grounds):
        given = {name: path if value is ... else value for name, value in arguments.items()}
        refusal = peer.refusal("vcad.export", given)
        assert refusal["error_code"] == "PATH_NOT_ALLOWED", (path[:80], refusal)
    assert sorted((grounds.parent / "outside").iterdir()) == before
    assert (grounds.parent / "outside" / "secret.loon").read_text() == SECRET


def test_both_parts_of_a_question_are_looked_at(grounds: Path, peer: Wire) -> None:
    for path in outside(grounds):
        other = {"document_hash": "y", "base_dir": path, "node": 0}
        arguments = {"question": "clearance", "document_hash": "x", "node": 0, "other": other}
        assert peer.refusal("vcad.ask", arguments)["error_code"] == "PATH_NOT_ALLOWED"


def test_mesh_files_of_imports_lie_in_the_workspace(grounds: Path, peer: Wire) -> None:
    for path in (*outside(grounds), "link.stl", "link/secret.stl"):
        one = {"extract": "solid", "injected_symbol": "vcad-import-0", "mesh_file": path}
        arguments = {"transformed_source": "vcad-import-0", "imports": {"0": one}}
        assert peer.refusal("vcad.eval_with_imports", arguments)["error_code"] == "PATH_NOT_ALLOWED"


@pytest.mark.parametrize(
    "form", ['[import-mesh "{}"]', '[import-mesh-scaled 2 2 2 "{}"]', '[import-step "{}"]']
)
def test_files_that_programs_read_lie_in_the_workspace(form: str, grounds: Path, peer: Wire) -> None:
    escaped = {"\0", "\ud800"}
    for path in (*outside(grounds), "link.stl", "link/secret.stl"):
        if not escaped & set(path):
            refusal = peer.refusal("vcad.eval_code", {"code": form.format(path)})
            assert refusal["error_code"] == "PATH_NOT_ALLOWED", (path[:80], refusal)


@pytest.mark.parametrize(
    "module",
    ["link", "link.secret", "..outside.secret", "../outside/secret", "/etc/passwd", ".", "parts..a", "piped"],
)
def test_modules_lie_in_the_workspace(module: str, grounds: Path, peer: Wire) -> None:
    assert grounds.is_dir()
    for code in (f"[use {module}]", f"[use {module} x]", f'[use "{module}"]'):
        refusal = peer.refusal("vcad.eval_code", {"code": f"{code}\n[cube 1 2 3]"})
        assert refusal["error_code"] in ("LOON_RUNTIME", "LOON_SYNTAX"), refusal
        assert refusal["details"]["code"].startswith("E0"), refusal
        assert "729" not in str(refusal)


@pytest.mark.parametrize("path", ["pipe.loon", "folder.loon", "itself.loon"])
def test_what_is_no_ordinary_file_is_neither_read_nor_waited_for(
    path: str, grounds: Path, peer: Wire
) -> None:
    assert grounds.is_dir()
    for tool, name in (("vcad.eval_file", "path"), ("vcad.inspect", "code_or_path")):
        assert peer.refusal(tool, {name: path})["error_code"] == "PATH_NOT_ALLOWED"
    refusal = peer.refusal("vcad.eval_code", {"code": '[import-mesh "pipe.stl"]'})
    assert refusal["error_code"] == "PATH_NOT_ALLOWED"


def test_names_that_no_file_can_have_are_refused(peer: Wire) -> None:
    for path in ("a" * 300 + ".loon", "a/" * 3000 + "a.loon", "\u00e9" * 200 + ".loon"):
        for tool, name in (("vcad.eval_file", "path"), ("vcad.watch_start", "dir"), ("vcad.modules", "path")):
            assert peer.refusal(tool, {name: path})["error_code"] == "PATH_NOT_ALLOWED"
        refusal = peer.refusal("vcad.eval_code", {"code": f'[import-mesh "{path}"]'})
        assert refusal["error_code"] == "FILE_NOT_FOUND"


@pytest.mark.parametrize(
    "path", ["PARTS/a.loon", "parts/A.loon", "~/a.loon", "$HOME/a.loon", "%2e%2e/a.loon"]
)
def test_names_mean_what_they_say(path: str, grounds: Path, peer: Wire) -> None:
    assert grounds.is_dir()
    assert peer.refusal("vcad.eval_file", {"path": path})["error_code"] == "FILE_NOT_FOUND"


def test_a_name_in_another_normal_form_is_another_name(grounds: Path, peer: Wire) -> None:
    (grounds / "caf\u00e9.loon").write_text("[cube 1 1 1]")
    assert peer.result("vcad.eval_file", {"path": "caf\u00e9.loon"})["volume"] == 1.0
    assert peer.refusal("vcad.eval_file", {"path": "cafe\u0301.loon"})["error_code"] == "FILE_NOT_FOUND"
    # full-width dots are no dots
    assert peer.refusal("vcad.eval_file", {"path": "．．/a.loon"})["error_code"] == "FILE_NOT_FOUND"


def test_what_lies_inside_is_read_in_every_honest_spelling(grounds: Path, peer: Wire) -> None:
    for path in ("parts/a.loon", "./parts//a.loon", "parts/../parts/a.loon", f"{grounds}/parts/a.loon"):
        assert peer.result("vcad.eval_file", {"path": path})["volume"] == 6.0


@contextmanager
def swapping(place: Path, honest: Path, elsewhere: Path) -> Iterator[None]:
    """A name that leads to two places by turns, as fast as can be."""
    ended = threading.Event()
    waiting = place.with_name(f"{place.name}.next")

    def swap() -> None:
        while not ended.is_set():
            for target in (honest, elsewhere):
                waiting.symlink_to(target)
                waiting.replace(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        place.unlink()


def test_a_link_that_changes_between_the_check_and_the_reading_is_not_followed(
    grounds: Path, peer: Wire
) -> None:
    honest, elsewhere = grounds / "parts", grounds.parent / "outside"
    (honest / "secret.loon").write_text("[cube 1 1 1]")
    (honest / "secret.oo").write_text("[pub fn size [] 1]")
    (elsewhere / "secret.oo").write_text("[pub fn size [] 9]")
    with swapping(grounds / "swapped", honest, elsewhere):
        for _ in range(60):
            asked = [
                peer.begin("vcad.eval_file", {"path": "swapped/secret.loon"}),
                peer.begin("vcad.eval_code", {"code": "[use swapped.secret]\n[cube 1 1 [secret.size]]"}),
            ]
            for number in asked:
                answer = peer.answer(number)
                if "result" in answer:
                    assert answer["result"]["volume"] == 1.0
                else:
                    code = answer["error"]["data"]["error_code"]
                    assert code in ("PATH_NOT_ALLOWED", "FILE_NOT_FOUND", "LOON_RUNTIME"), answer


def test_a_link_that_takes_the_place_of_an_export_is_not_followed(grounds: Path, peer: Wire) -> None:
    victim = grounds.parent / "outside" / "victim.stl"
    victim.write_text("untouched")
    with swapping(grounds / "out.stl", grounds / "parts" / "honest.stl", victim):
        for _ in range(20):
            peer.tool(
                "vcad.export",
                {"code_or_path": "[cube 1 1 1]", "format": "stl", "output_path": "out.stl"},
            )
    assert victim.read_text() == "untouched"


# ---- the workspace that a connection chooses ---------------------------------------------------


def test_a_connection_works_in_no_folder_outside_the_services(grounds: Path, service: RealService) -> None:
    beside = grounds.parent
    for workspace in (
        str(beside),
        str(beside / "outside"),
        f"{grounds}-2",
        str(grounds / "link"),
        f"{grounds}/..",
        f"{grounds}/parts/../../outside",
        "/",
        "/does/not/exist",
        "/proc/self/root",
        "parts",
        ".",
        "~",
        "\ud800",
        f"{grounds}\0",
        "/" + "x" * 5000,
    ):
        with service.connect() as wire:
            answer = wire.hello(workspace)
            assert answer["error"]["data"]["error_code"] == "PATH_NOT_ALLOWED", workspace[:80]
            # nothing else is allowed then
            assert wire.call("ping")["error"]["data"]["error_code"] == "AUTH_REQUIRED"


def test_whether_something_exists_outside_is_not_told(grounds: Path, service: RealService) -> None:
    said = []
    for name in ("outside", "nothing"):
        with service.connect() as wire:
            workspace = str(grounds.parent / name)
            said.append(wire.hello(workspace)["error"]["data"]["message"].replace(workspace, "…"))
    assert len(set(said)) == 1
    with service.session() as wire:
        for tool, name in (("vcad.eval_file", "path"), ("vcad.watch_start", "dir")):
            told = [
                wire.refusal(tool, {name: path})["message"].replace(path, "…")
                for path in (f"../{one}" for one in ("outside/secret.loon", "outside/nothing.loon"))
            ]
            assert len(set(told)) == 1


def test_a_workspace_inside_the_services_is_a_fence_of_its_own(grounds: Path, service: RealService) -> None:
    with service.session(grounds / "parts") as wire:
        assert wire.result("vcad.eval_file", {"path": "a.loon"})["volume"] == 6.0
        for path in ("../top.loon", str(grounds / "top.loon")):
            assert wire.refusal("vcad.eval_file", {"path": path})["error_code"] == "PATH_NOT_ALLOWED"


def test_a_service_without_a_workspace_lets_each_connection_choose_one_and_stay_there(
    tmp_path: Path,
) -> None:
    with real_service(tmp_path, bounded=False) as running:
        (tmp_path / "secret.loon").write_text(SECRET)
        with running.connect() as wire:
            assert wire.hello("/")["error"]["data"]["error_code"] == "PATH_NOT_ALLOWED"
        with running.session(running.workspace) as wire:
            refusal = wire.refusal("vcad.eval_file", {"path": "../secret.loon"})
            assert refusal["error_code"] == "PATH_NOT_ALLOWED"


@pytest.mark.parametrize("link", [".vcad", ".vcad/artifacts", ".vcad/logs"])
def test_a_project_cannot_lead_the_workbenchs_own_files_elsewhere(link: str, tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    (workspace / link).parent.mkdir(parents=True)
    elsewhere.mkdir()
    (workspace / link).symlink_to(elsewhere)
    assert not artifact_folder(Settings(), workspace).is_relative_to(workspace)
    log = ServiceLog.beside(workspace)
    log.close()
    there = log.path.resolve()
    log.path.unlink()
    assert not there.is_relative_to(elsewhere)
    assert list(elsewhere.iterdir()) == []
