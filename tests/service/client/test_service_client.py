"""The client as an `EvaluationService`, before a service that does as it is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.service.client.fake_server import FakeCall, FakeServer
from vcad_kernel.contracts import mesh_block
from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import ErrorCode, LoonRuntimeError, LoonTypeError, ServiceFailure, VcadError
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.questions import ClearanceOf, EdgesOf, Export, FiguresOf
from vcad_kernel.service.requests import EvalCell, EvalCode
from vcad_kernel.service.wire import definitions_json, document_json, figures_json, result_json, values
from vcad_kernel.settings import Settings


class Model:
    """What a service would say of some code, and where its mesh would lie."""

    def __init__(self, folder: Path) -> None:
        self.service = DirectService()
        self.folder = folder
        self.blocks = 0

    def result(self, code: str) -> dict[str, Any]:
        found = self.service.evaluate(EvalCell(code))
        data = result_json.encode(found, figures=False, document=True, definitions=self.service.definitions())
        if found.parts:
            data["mesh"] = self.block(TriMesh.joined([part.mesh for part in found.parts]))
        return data

    def block(self, mesh: TriMesh) -> dict[str, Any]:
        self.blocks += 1
        name = f"b{self.blocks}"
        content = bytearray(mesh_block.size_for(mesh.vertex_count, mesh.triangle_count, double=True))
        size = mesh_block.write(content, mesh.positions, mesh.indices, nodes=mesh.source_nodes, double=True)
        (self.folder / name).write_bytes(content)
        counts = {"vertices": mesh.vertex_count, "triangles": mesh.triangle_count}
        return {"block": name, "path": str(self.folder / name), "size": size, **counts}

    def answer(self, call: FakeCall) -> None:
        call.answer(self.result(call.arguments["code"]))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeServer]:
    with FakeServer() as running:
        running.on("vcad.eval_cell", Model(tmp_path).answer)
        yield running


@pytest.fixture
def client(server: FakeServer, tmp_path: Path) -> Iterator[ServiceClient]:
    address = server.address
    with ServiceClient.connect(
        address.host, address.port, address.token, tmp_path, settings=Settings()
    ) as one:
        yield one


def preludes(server: FakeServer) -> list[list[tuple[str, bool]]]:
    """For each call of a cell, the earlier cells that it named, and whether with their texts."""
    calls = [call for call in server.heard if call.name == "vcad.eval_cell"]
    return [
        [(one["cell_id"], "source" in one) for one in call.arguments["prelude"] if "cell_id" in one]
        for call in calls
    ]


HISTORY: tuple[HistoryEntry, ...] = (
    CellSource("a", "[let a 1]"),
    TakenBack(frozenset({"x"})),
    CellSource("b", "[let b a]", bindings={"x": 1.5}, bind="name"),
)


def test_a_text_is_sent_once(server: FakeServer, client: ServiceClient) -> None:
    client.evaluate(EvalCell("1", HISTORY, cell_id="c"))
    client.evaluate(EvalCell("2", (*HISTORY, CellSource("c", "1")), cell_id="d"))
    assert preludes(server) == [
        [("a", True), ("b", True)],
        [("a", False), ("b", False), ("c", False)],
    ]


def test_texts_that_the_service_has_forgotten_are_sent_again(
    server: FakeServer, client: ServiceClient, tmp_path: Path
) -> None:
    client.evaluate(EvalCell("1", HISTORY))
    model = Model(tmp_path)

    def forgetful(call: FakeCall) -> None:
        unknown = [
            one["source_hash"] for one in call.arguments["prelude"] if one.get("source", "") is None
        ] or [
            one["source_hash"]
            for one in call.arguments["prelude"]
            if "cell_id" in one and "source" not in one
        ]
        if unknown:
            call.refuse("PRELUDE_UNKNOWN", unknown=unknown[:1])
        else:
            model.answer(call)

    server.on("vcad.eval_cell", forgetful)
    assert client.evaluate(EvalCell("2", HISTORY)).display == "2"
    assert preludes(server)[1:] == [
        [("a", False), ("b", False)],
        [("a", True), ("b", False)],
        [("a", True), ("b", True)],
    ]


def test_a_service_that_never_learns_is_not_told_for_ever(server: FakeServer, client: ServiceClient) -> None:
    server.on(
        "vcad.eval_cell",
        lambda call: call.refuse(
            "PRELUDE_UNKNOWN",
            unknown=[one["source_hash"] for one in call.arguments["prelude"] if "cell_id" in one],
        ),
    )
    with pytest.raises(ServiceFailure) as failed:
        client.evaluate(EvalCell("2", HISTORY))
    assert failed.value.error_code == ErrorCode.PRELUDE_UNKNOWN
    assert len(preludes(server)) == 1


def test_another_connection_is_told_everything(server: FakeServer, client: ServiceClient) -> None:
    client.evaluate(EvalCell("1", HISTORY))
    server.stop_listening()
    server.listen_again()
    client.evaluate(EvalCell("2", HISTORY))
    assert preludes(server)[1] == [("a", True), ("b", True)]


def test_what_a_failing_cell_left_is_known_and_not_shown(server: FakeServer, client: ServiceClient) -> None:
    direct = DirectService()
    direct.evaluate(EvalCell("[let kept 1]", cell_id="c"))

    def fail(call: FakeCall) -> None:
        call.notify("vcad.output", offset=0, text="be")
        call.refuse(
            "LOON_RUNTIME",
            "index 0",
            code="index",
            file="c",
            line=1,
            column=1,
            end_line=1,
            end_column=2,
            text="x",
            stdout="before",
            defined=["kept"],
            definitions=definitions_json.encode(direct.definitions()),
            obsolete=[],
        )

    server.on("vcad.eval_cell", fail)
    printed: list[str] = []
    with pytest.raises(LoonRuntimeError) as failed:
        client.evaluate(EvalCell("[let kept 1] [nth #[] 0] [let lost 2]", cell_id="c"), output=printed.append)
    assert printed == ["be", "fore"]
    assert set(failed.value.details) == {"operation"}
    assert list(client.definitions()) == ["kept"]
    assert client.check("[+ kept 1]") == ()
    assert client.check("lost")


@pytest.mark.parametrize("code", ["EVAL_CANCELLED", "VCAD_EVAL_TIMEOUT", "WORKER_OUT_OF_MEMORY"])
def test_a_cell_that_was_stopped_leaves_nothing(server: FakeServer, client: ServiceClient, code: str) -> None:
    client.evaluate(EvalCell("[let a 1]", cell_id="a"))
    server.on("vcad.eval_cell", lambda call: call.refuse(code, limit=1))
    with pytest.raises(VcadError):
        client.evaluate(EvalCell("[let a 2] [let b 3]", (CellSource("a", "[let a 1]"),), cell_id="b"))
    assert list(client.definitions()) == ["a"]
    assert client.check("b")
    assert client.check("[+ a 1]") == ()


def test_names_taken_back_are_gone_at_once(client: ServiceClient) -> None:
    client.evaluate(EvalCell("[let a 1] [let b 2]"))
    client.take_back(["a"])
    assert list(client.definitions()) == ["b"]
    assert client.check("a")


def test_definitions_are_a_snapshot(client: ServiceClient) -> None:
    client.evaluate(EvalCell("[let a 1]"))
    before = client.definitions()
    client.take_back(["a"])
    assert list(before) == ["a"]


def test_checks_need_no_service(tmp_path: Path) -> None:
    client = ServiceClient.connect("127.0.0.1", 1, None, tmp_path, settings=Settings())
    assert client.check("[cube 1 2 3]") == ()
    assert client.check("[cube 1")
    assert client.definitions() == {}
    client.close()


def test_a_mesh_is_copied_and_its_block_given_back_at_once(server: FakeServer, client: ServiceClient) -> None:
    result = client.evaluate(EvalCell("#[[cube 1 2 3] [translate 9 0 0 [sphere 2]]]"))
    cube, ball = result.parts
    assert server.await_call("vcad.release").arguments == {"block": "b1"}
    assert cube.mesh.positions.shape == (8, 3)
    assert not cube.mesh.positions.flags.writeable
    assert (ball.mesh.positions[:, 0] > 6).all()
    assert int(ball.mesh.indices.max()) == ball.mesh.vertex_count - 1


def test_a_notebook_of_weeks_holds_no_descriptor_for_what_it_has_shown(client: ServiceClient) -> None:
    process = psutil.Process()
    client.evaluate(EvalCell("[cube 1 1 1]"))
    before = process.num_fds()
    shown = [client.evaluate(EvalCell(f"[cube 1 1 {height}]")) for height in range(1, 81)]
    assert process.num_fds() <= before
    assert len(shown) == 80


def test_the_mesh_of_an_old_part_is_asked_for_again(
    server: FakeServer, client: ServiceClient, tmp_path: Path
) -> None:
    first = client.evaluate(EvalCell("#[[cube 1 2 3] [translate 9 0 0 [sphere 2]]]"))
    before = [part.mesh.positions.tobytes() for part in first.parts]
    for height in range(1, 65):
        client.evaluate(EvalCell(f"[cube 1 1 {height}]"))
    whole = Model(tmp_path)

    def answer(call: FakeCall) -> None:
        if "document" not in call.arguments:
            call.refuse("DOCUMENT_UNKNOWN", unknown=[call.arguments["document_hash"]])
            return
        found = whole.service.evaluate(EvalCell("#[[cube 1 2 3] [translate 9 0 0 [sphere 2]]]"))
        nodes = [int(part.node) for part in found.parts]
        assert call.arguments["nodes"] == nodes
        call.answer({"mesh": whole.block(TriMesh.joined([part.mesh for part in found.parts]))})

    server.on("vcad.ask", answer)
    assert [part.mesh.positions.tobytes() for part in first.parts] == before
    assert len(asked(server)) == 2  # once more with the document; both parts at once
    assert asked(server)[0]["shown"]


def test_a_result_that_is_none_is_refused_and_its_mesh_given_back(
    server: FakeServer, client: ServiceClient
) -> None:
    server.on("vcad.eval_cell", lambda call: call.answer({"mesh": {"block": "b9"}}))
    with pytest.raises(ServiceFailure) as failed:
        client.evaluate(EvalCell("1"))
    assert failed.value.error_code == ErrorCode.SCHEMA_VALIDATION_FAILED
    assert server.await_call("vcad.release").arguments == {"block": "b9"}
    server.on("vcad.eval_cell", lambda call: call.answer([1]))
    with pytest.raises(ServiceFailure):
        client.evaluate(EvalCell("1"))


def test_a_value_that_loon_cannot_take_is_not_even_sent(server: FakeServer, client: ServiceClient) -> None:
    with pytest.raises(LoonTypeError, match="object"):
        client.evaluate(EvalCell("given", bindings={"given": object()}))
    assert not server.heard


def test_progress_is_told(server: FakeServer, client: ServiceClient, tmp_path: Path) -> None:
    model = Model(tmp_path)

    def slow(call: FakeCall) -> None:
        call.notify("vcad.progress", phase="queued", queue_place=1)
        call.notify("vcad.progress", phase="geometry", done=3, total=9, elapsed_ms=1.5)
        model.answer(call)

    server.on("vcad.eval_cell", slow)
    heard: list[tuple[str, int, int]] = []
    client.evaluate(EvalCell("1"), progress=lambda *told: heard.append(told))
    assert heard == [("queued", 0, 0), ("geometry", 3, 9)]


# ---- questions ---------------------------------------------------------------------------------


def asked(server: FakeServer) -> list[dict[str, Any]]:
    return [call.arguments for call in server.heard if call.name == "vcad.ask"]


def curved(client: ServiceClient) -> EvaluationResult:
    return client.evaluate(EvalCell("[cylinder 2 5]"))


def test_what_the_mesh_says_exactly_is_not_asked(server: FakeServer, client: ServiceClient) -> None:
    (part,) = client.evaluate(EvalCell("[cube 1 2 3]")).parts
    assert part.figures.volume == 6
    assert part.answers.ask(FiguresOf(exact=True), part).volume == 6
    assert not asked(server)


def test_a_question_names_the_document_and_sends_it_only_when_it_is_not_known(
    server: FakeServer, client: ServiceClient
) -> None:
    result = curved(client)
    (part,) = result.parts
    figures = values.encode(figures_json.encode(part.mesh_figures, part.document))

    def answer(call: FakeCall) -> None:
        if "document" in call.arguments:
            assert document_json.decode(call.arguments["document"]).nodes == part.document.nodes
            call.answer({"figures": figures})
        else:
            call.refuse("DOCUMENT_UNKNOWN", unknown=[call.arguments["document_hash"]])

    server.on("vcad.ask", answer)
    assert part.figures.volume == part.mesh_figures.volume
    assert part.figures is part.figures
    first, second = asked(server)
    assert first["document_hash"] == result.document_hash
    assert first["node"] == int(part.node)
    assert "document" in second


def test_a_question_about_two_parts_sends_each_document_that_is_missing(
    server: FakeServer, client: ServiceClient
) -> None:
    (one,), (other,) = curved(client).parts, client.evaluate(EvalCell("[sphere 3]")).parts

    def answer(call: FakeCall) -> None:
        given = call.arguments
        unknown = [said["document_hash"] for said in (given, given["other"]) if "document" not in said]
        if unknown:
            call.refuse("DOCUMENT_UNKNOWN", unknown=unknown[-1:])
        else:
            call.answer({"clearance": {"distance": 1.5, "points": None, "exact": True, "tolerance": None}})

    server.on("vcad.ask", answer)
    assert one.answers.ask(ClearanceOf(), one, other).distance == 1.5
    assert len(asked(server)) == 3


def test_a_service_that_never_knows_a_document_is_asked_twice(
    server: FakeServer, client: ServiceClient
) -> None:
    (part,) = curved(client).parts
    server.on(
        "vcad.ask", lambda call: call.refuse("DOCUMENT_UNKNOWN", unknown=[call.arguments["document_hash"]])
    )
    with pytest.raises(ServiceFailure) as failed:
        part.answers.ask(EdgesOf(), part)
    assert failed.value.error_code == ErrorCode.DOCUMENT_UNKNOWN
    assert len(asked(server)) == 2


def test_a_part_of_this_process_is_not_compared_with_one_of_the_services(client: ServiceClient) -> None:
    (part,) = curved(client).parts
    (here,) = DirectService().evaluate(EvalCode("[sphere 1]")).parts
    with pytest.raises(VcadError, match="another process"):
        part.answers.ask(ClearanceOf(), part, here)


def test_a_file_is_moved_from_where_the_service_wrote_it(
    server: FakeServer, client: ServiceClient, tmp_path: Path
) -> None:
    result = curved(client)
    staged = tmp_path / "staged"
    staged.mkdir()

    def write(call: FakeCall) -> None:
        path = staged / f"{call.arguments['stem']}.obj"
        path.write_bytes(b"o")
        path.with_suffix(".mtl").write_bytes(b"m")
        call.answer({"path": str(path), "bytes": 1, "format": "obj"})

    server.on("vcad.ask", write)
    target = tmp_path / "my part.obj"
    assert result.parts[0].answers.ask(Export(path=target), *result.parts) == 1
    assert (target.read_bytes(), target.with_suffix(".mtl").read_bytes()) == (b"o", b"m")
    assert list(staged.iterdir()) == []
    (question,) = asked(server)
    assert question["format"] == ".obj"
    assert question["chord"] is None
    assert [part["name"] for part in question["parts"]] == [result.parts[0].name]


def test_making_a_client_loads_no_geometry() -> None:
    program = (
        "import sys; from pathlib import Path;"
        "from vcad_kernel.service.client.service_client import ServiceClient;"
        "ServiceClient.start(Path('.'));"
        "heavy = ('numpy', 'manifold3d', 'OCP', 'vcad_kernel.loon.program.environment');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr
