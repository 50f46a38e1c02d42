"""Our client and a SketchUp that dies, comes back, or wants to hear a token."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from notebook_ext.sketchup.bridge.bridge import Bridge
from tests.sketchup.bridge.client import connected, refused, telling
from tests.sketchup.headless import headless_sketchup
from tests.sketchup.part_files import write_box

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")


def test_a_sketchup_that_dies_in_the_middle_of_an_update_and_comes_back(
    tmp_path: Path, kept_port: int
) -> None:
    folder = tmp_path.resolve()
    box = write_box(folder / "box.dae", 1, 2, 3)
    with headless_sketchup(workspace=folder, port=kept_port) as sketchup:
        connection = connected(kept_port, folder, connect=telling(b"update_vcad_node", sketchup.kill))
        bridge = Bridge(connection)
        bridge.place_node("crate", box)
        sketchup.control("_test.delay_next", tool="update_vcad_node", seconds=5)
        sketchup.control.close()
        refused(lambda: bridge.update_node("crate", box, request_id="r-1"), "UNKNOWN_OUTCOME")
        error = refused(bridge.nodes, "CONNECTION_FAILED")
        assert "vcad sketchup --headless" in (error.fix or "")
    with headless_sketchup(workspace=folder, port=kept_port), connection:
        assert bridge.nodes() == ()
        assert bridge.place_node("crate", box).created


def test_a_token_is_asked_for_and_a_wrong_one_ends_the_connection(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    with headless_sketchup(workspace=folder, token="s3cret") as sketchup:
        for token, error_code in (("wrong", "AUTH_INVALID"), (None, "AUTH_REQUIRED")):
            with connected(sketchup.port, folder, token=token) as connection:
                error = refused(lambda connection=connection: connection.call("ping"), error_code)
            assert "SUPEX_AUTH_TOKEN" in (error.fix or "")
            assert "s3cret" not in error.render()
        with connected(sketchup.port, folder, token="s3cret") as connection:
            assert connection.call("ping")["status"] == "connected"
            assert connection.ensure_handshake().supports("auth.required")
