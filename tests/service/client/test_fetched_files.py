"""A file that the service has written comes to its place, or it is said why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcad_kernel.errors import ExportError
from vcad_kernel.service.client.remote_answers import put_in_place


def test_a_file_that_is_not_there_is_told_by_the_name_that_the_user_gave(tmp_path: Path) -> None:
    target = tmp_path / "part.stl"
    with pytest.raises(ExportError, match="the service's file is not there") as failed:
        put_in_place({"path": str(tmp_path / "gone.stl"), "bytes": 84}, target)
    assert failed.value.details == {"path": str(target)}
    assert not target.exists()
