"""Pictures, meshes and drawings are what their endings say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.files.outputs import OUTPUT_SUFFIXES, is_as_it_says
from vcad_kernel.errors import PathRefused
from vcad_kernel.exchange.formats import SUFFIXES, encode
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\necho evil\n", "echo evil\n", "import os\n", "<script>1</script>"]
)
def test_no_script_passes_for_an_output(text: str) -> None:
    assert [suffix for suffix in OUTPUT_SUFFIXES if is_as_it_says(suffix, text.encode())] == []


def test_a_line_among_others_is_seen_in_the_formats_of_lines() -> None:
    assert not is_as_it_says(".obj", b"# a comment\nv 0 0 0\ntouch /tmp/x\n")
    assert is_as_it_says(".obj", b"# a comment\nv 0 0 \\\n 0\n\nf 1 1 1\n")


def test_what_the_workbench_writes_is_what_it_says() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float64)
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.uint32)
    part = PartMesh("wedge", TriMesh(corners, faces))
    for suffix in set(SUFFIXES) - {".step", ".stp", ".ops"}:  # which are made from models
        for written, data in encode(suffix, [part]).items():
            assert is_as_it_says(written, data), (written, data[:40])
    assert set(SUFFIXES) <= OUTPUT_SUFFIXES


def test_only_among_outputs_a_file_must_be_what_it_says(gate: FileGate, workspace: Path) -> None:
    for name in ("exports", "shots"):
        path = gate.path(f".vcad/{name}/report.step", operation="write_file")
        with pytest.raises(PathRefused, match=r"no \.step file") as refused:
            gate.write(path, b"#!/bin/sh\n", operation="write_file")
        assert refused.value.details["path"] == f".vcad/{name}/report.step"
        assert not path.exists()
        gate.write(path, b"ISO-10303-21;\n", operation="write_file")
        # what no ending vouches for is asked for before it gets here
        gate.write(path.with_suffix(".txt"), b"notes", operation="write_file")
    gate.write(workspace / "broken.step", b"for a test of what is refused", operation="write_file")
