"""What a worker answers with, in the form that any reader of the layout understands."""

from __future__ import annotations

import base64
import json

import pytest

from vcad_kernel.ir import op_document
from vcad_kernel.ir.document import DocumentBuilder
from vcad_kernel.ir.op_stream import Stream
from vcad_kernel.operations.solids.shapes import Cube
from vcad_kernel.service.worker.loop import answered


@pytest.mark.parametrize("written", [False, True], ids=["written here", "written for the client before"])
@pytest.mark.parametrize("diagnostics", ["", "a is not used"])
def test_findings_travel_with_the_scene_that_they_are_about(diagnostics: str, written: bool) -> None:
    builder = DocumentBuilder()
    builder.add_root(builder.add(Cube((1.0, 2.0, 3.0))))
    document = builder.build()
    records = op_document.encode(document)
    result = {"document": {"records": base64.b64encode(records).decode()}} if written else {"volume": 6}
    response = answered(result, document, diagnostics)
    assert (response.is_error, json.loads(response.result)) == (False, result)
    assert Stream.from_bytes(response.payload).diagnostics == diagnostics
    assert op_document.decode(response.payload) == document


def test_findings_without_a_scene_travel_alone() -> None:
    stream = Stream.from_bytes(answered({}, None, "a is not used").payload)
    assert (stream.objects, stream.records, stream.diagnostics) == ((), (), "a is not used")
