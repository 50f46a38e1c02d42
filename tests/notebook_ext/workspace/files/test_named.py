"""The files that a script names, so that a yes to it is one to them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.files.named import named_files
from vcad_kernel.errors import ErrorCode, ServiceFailure


@pytest.fixture
def gate(tmp_path: Path) -> FileGate:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "build.oo").write_text("echo built; source inner.sh\n")
    (tmp_path / "parts" / "inner.sh").write_text("echo inner\n")
    (tmp_path / "notes.md").write_text("notes\n")
    (tmp_path / ".env").write_text("SECRET=1\n")
    return FileGate(tmp_path)


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("bash parts/build.oo", ["parts/build.oo"]),
        ("cd parts && bash build.oo", ["parts/build.oo", "parts/inner.sh"]),
        ("cd parts; . ./inner.sh", ["parts/inner.sh"]),
        ("bash 'parts/build.oo'|cat>out;wc<notes.md", ["notes.md", "parts/build.oo"]),
        ("for f in parts/*.sh; do bash $f; done", ["parts/inner.sh"]),
        ("cat .env; ls /etc/passwd; echo hello", []),
    ],
)
def test_names_are_found_from_where_the_script_runs(gate: FileGate, script: str, named: list[str]) -> None:
    found = named_files(script, gate.workspace, gate)
    assert [name for name, _ in found] == named
    for name, sha256 in found:
        assert sha256 == hashlib.sha256((gate.workspace / name).read_bytes()).hexdigest()


def test_what_is_being_run_is_not_written_meanwhile(gate: FileGate) -> None:
    path = gate.workspace / "parts" / "build.oo"
    approved = named_files("bash parts/build.oo", gate.workspace, gate)
    with gate.held(approved, operation="run_shell"):
        with pytest.raises(ServiceFailure) as refused:
            gate.write(path, b"rm -rf .", operation="write_file")
        assert refused.value.error_code == ErrorCode.BUSY
    gate.write(path, b"echo other\n", operation="write_file")
    with (
        pytest.raises(ServiceFailure, match="not what was approved") as changed,
        gate.held(approved, operation="run_shell"),
    ):
        raise AssertionError("it must not come this far")
    assert changed.value.error_code == ErrorCode.REVISION_CONFLICT
    gate.write(path, b"echo again\n", operation="write_file")  # nothing is held any more
