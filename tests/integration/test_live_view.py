"""The live view in a kernel: its comm carries meshes, also while a cell computes and prints."""

from __future__ import annotations

from itertools import islice
from math import prod

import pytest

from tests.integration.kernel import Kernel

READY = {"type": "viewer.ready", "view_id": "v-1", "protocol_version": "1.0", "features": [], "has": []}
NOISY = """import sys, threading
stop = threading.Event()
def noise():
    while not stop.wait(0.002):
        print('x' * 1000, flush=True); print('y' * 1000, file=sys.stderr, flush=True)
maker = threading.Thread(target=noise)
maker.start()
for radius in range(50, 56):
    session.evaluate(f'[sphere {radius}]', name='ball')
print('evaluated', flush=True)
go_on.wait(60)
stop.set()
maker.join()
"""


@pytest.fixture(scope="module")
def viewer(kernel: Kernel) -> str:
    """The model of the viewer's widget."""
    kernel.run("%%loon ball\n[sphere 50]", cell_id="ball")
    shown = kernel.begin("view = session.view(); display(view)")
    return kernel.widget_shown(shown, lambda state: "_esm" in state)


def test_a_view_is_served_while_a_cell_computes_and_its_meshes_come_whole(
    kernel: Kernel, viewer: str
) -> None:
    front = kernel.subshell()
    kernel.run("import threading; go_on = threading.Event()")
    cell = kernel.begun("evaluated", NOISY)
    kernel.say(viewer, READY, front)
    (_, _), (update, buffers), (rows, _) = islice(kernel.said(viewer), 3)
    assert update["node"]["figures"].startswith("ball: ≈ 110 × 110 × 110 mm")
    assert [len(each) for each in buffers] == [4 * prod(one["shape"]) for one in update["buffers"]]
    assert max(map(len, buffers)) > 65536  # above that ZeroMQ copies nothing
    assert (rows["type"], rows["digest"]) == ("mesh.rows", update["node"]["digest"])
    kernel.say(viewer, {"type": "viewer.state", "view_id": "v-1", "visible": ["ball"]}, front)
    kernel.begin("go_on.set()", subshell=front)
    assert kernel.outcome(cell).status == "ok"
    assert kernel.value("session.viewers.latest_state.visible") == "('ball',)"
