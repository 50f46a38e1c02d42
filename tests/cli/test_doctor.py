"""`vcad doctor`: what is needed, what is there, and what to do about the rest."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import vcad

WITHOUT_LIBGL = """
import sys

class Slim:
    def find_spec(self, name, path=None, target=None):
        if name == "OCP":
            raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

sys.meta_path.insert(0, Slim())
from vcad_kernel.cli import main
main()
"""


def slim(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command on a machine without libGL."""
    command = [sys.executable, "-c", WITHOUT_LIBGL, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def rows(*arguments: str, **variables: str) -> tuple[int, dict[str, dict[str, str]]]:
    done = vcad("doctor", "--json", *arguments, **variables)
    shown = json.loads(done.stdout)
    assert shown["ok"] == (done.returncode == 0)
    return done.returncode, {row["name"]: row for row in shown["checks"]}


def test_where_all_is_there_it_says_so() -> None:
    done = vcad("doctor")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("all that is needed is there\n")
    states = [line.split()[0] for line in done.stdout.splitlines() if line[:1].isalpha()]
    assert "missing" not in states


@pytest.mark.process
def test_a_machine_without_libgl_is_told_its_package_everywhere(tmp_path: Path) -> None:
    (tmp_path / "rod.oo").write_text("[cylinder 10 20]")
    (tmp_path / "soft.oo").write_text("[fillet 1 [cube 9 9 9]]")
    cure = "apt install libgl1"

    found = slim("doctor", folder=tmp_path)
    assert found.returncode == 1
    assert "missing   OpenCASCADE" in found.stdout
    assert cure in found.stdout

    figures, refused = slim("run", "rod.oo", folder=tmp_path), slim("run", "soft.oo", folder=tmp_path)
    assert (figures.returncode, refused.returncode) == (0, 1)
    assert "≈" in figures.stdout
    for done in (figures, refused):
        assert "libGL.so.1 is missing on this machine" in done.stderr
        assert cure in done.stderr
        assert "cadquery-ocp" not in done.stderr


@pytest.mark.soak  # as the refused feature above: another word of the same answer
def test_a_machine_without_libgl_writes_no_step_file(tmp_path: Path) -> None:
    (tmp_path / "rod.oo").write_text("[cylinder 10 20]")
    refused = slim("run", "rod.oo", "-o", "rod.step", folder=tmp_path)
    assert refused.returncode == 1
    assert "apt install libgl1" in refused.stderr
    assert "cadquery-ocp" not in refused.stderr


def test_a_folder_that_cannot_be_written_to_is_missing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, found = rows(VCAD_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert status == 1
    assert found["cache folder"]["state"] == "missing"
    assert "VCAD_CACHE_DIR" in found["cache folder"]["fix"]


def test_the_labextension_is_looked_for_where_jupyter_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *_: [str(tmp_path)])
    status, found = rows()
    assert status == 1
    assert found["JupyterLab extension"]["state"] == "missing"
    (tmp_path / "vcad-workbench").mkdir()
    (tmp_path / "vcad-workbench" / "package.json").write_text('{"version": "9.9"}')
    assert rows()[1]["JupyterLab extension"]["found"].startswith("9.9 ")


def test_extensions_that_views_need_are_looked_for_and_one_that_is_disabled_is_told(
    tmp_path: Path,
) -> None:
    assert rows()[1]["widgets in JupyterLab"]["state"] == "ok"
    config = tmp_path / "labconfig" / "page_config.json"
    config.parent.mkdir()
    config.write_text('{"disabledExtensions": {"jupyter-threejs": true}}')
    status, found = rows(JUPYTER_CONFIG_DIR=str(tmp_path))
    assert status == 1
    assert "is disabled" in found["views in JupyterLab"]["found"]
    assert found["views in JupyterLab"]["fix"] == "jupyter labextension enable jupyter-threejs"


def test_a_kernel_that_is_another_python_s_is_told(tmp_path: Path) -> None:
    assert rows()[1]["kernel"]["state"] == "ok"
    spec = tmp_path / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    for program, state in (("/elsewhere/bin/python", "missing"), ("python3", "ok"), (sys.executable, "ok")):
        spec.write_text(json.dumps({"argv": [program, "-m", "x"], "display_name": "x", "language": "python"}))
        status, found = rows(JUPYTER_PATH=str(tmp_path))
        assert found["kernel"]["state"] == state
        assert (status == 1) == (state == "missing")


def test_a_machine_that_has_no_wheels_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    status, found = rows()
    assert status == 1
    assert "this is Linux riscv64" in found["platform"]["found"]
    assert found["platform"]["fix"] == "take one of these"


def test_on_windows_it_says_that_there_is_no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vcad_kernel.cli.examination.HAS_SERVICE", False)
    status, found = rows()
    assert status == 0
    assert found["evaluation service"]["state"] == "optional"


def test_packages_that_are_too_old_or_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["msgspec>=999", "no-such-package>=2", "numpy>=2", 'no-such-server; extra == "lsp"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _name: wanted)
    status, found = rows()
    assert status == 1
    assert "where >=999 is needed" in found["msgspec"]["found"]
    assert found["no-such-package"]["fix"] == 'pip install "no-such-package>=2"'
    assert found["no-such-server"]["state"] == "optional"
    assert "numpy" not in found


def test_programs_and_sketchup_are_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = str(listening.getsockname()[1])
        assert rows(SUPEX_PORT=port)[1]["SketchUp"]["state"] == "ok"
    monkeypatch.setenv("PATH", "")
    status, found = rows(SUPEX_PORT=port)
    assert status == 0
    for name in ("Ruby", "Chromium", "Node", "SketchUp"):
        assert found[name]["state"] == "optional"
        assert found[name]["fix"]
