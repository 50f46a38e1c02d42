"""Bytes to begin with: for each target some that it takes, from which others are made."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from tests.fuzz.targets import FOLDER, TARGETS
from vcad_kernel.contracts import array_block
from vcad_kernel.contracts.mesh_block import size_for, write
from vcad_kernel.ir import op_document
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.shared import control
from vcad_kernel.service.shared.payloads import ErrorPayload, RequestPayload
from vcad_kernel.service.wire import document_json, result_json, values

__all__ = ["seeds"]

MODEL = "[difference [union [cube 10 10 10] [translate 1 2 3 [sphere 4]]] [cylinder 2 30]]"

HELLO = {
    "name": "n",
    "version": "1",
    "agent": "a",
    "pid": 1,
    "workspace": str(FOLDER),
    "protocol_version": 1,
    "requested_capabilities": ["eval"],
}

CALLS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("vcad.eval_code", {"code": "1", "bindings": {"a": [1, {"b": 2.5}]}, "tolerance": 0.1, "exact": True}),
    ("vcad.eval_file", {"path": "a.loon", "parameters": {"w": 1}, "artifact": True}),
    ("vcad.eval_cell", {"code": "1", "prelude": [{"cell_id": "a", "source_hash": "b", "source": "2"}]}),
    ("vcad.eval_cell", {"code": "1", "prelude": [{"taken_back": ["x"]}], "bind": "b", "name": "n"}),
    (
        "vcad.eval_with_imports",
        {
            "transformed_source": "x",
            "imports": {"0": {"extract": "solid", "injected_symbol": "x", "mesh_file": "a.stl"}},
        },
    ),
    ("vcad.extract_imports", {"source": "[import a]"}),
    ("vcad.inspect", {"code_or_path": "a.loon"}),
    ("vcad.eval_repl", {"code": "1"}),
    ("vcad.export", {"code_or_path": "1", "format": "stl", "output_path": "a.stl"}),
    ("vcad.check", {"code_or_path": "1"}),
    ("vcad.ask", {"question": "clearance", "document_hash": "x", "other": {"document_hash": "y", "node": 1}}),
    ("vcad.cancel", {"request_id": "r"}),
    ("vcad.watch_start", {"dir": "."}),
    ("vcad.watch_stop", {}),
    ("vcad.watch_poll", {"wait_ms": 0}),
    ("vcad.modules", {"path": "a.loon"}),
    ("vcad.modules", {"node_id": "n"}),
    ("vcad.release", {"block": "mesh-1"}),
    ("vcad.cache_invalidate", {"node_id": "n"}),
    ("vcad.kernels", {}),
)


def _dumps(value: object) -> bytes:
    return json.dumps(value).encode()


def _line(method: str, params: object, rpc_id: object = 1) -> bytes:
    return _dumps({"jsonrpc": "2.0", "id": rpc_id, "method": method, "params": params})


def _calls() -> list[bytes]:
    hello = _line("hello", HELLO)
    return [
        hello + b"\n" + _line("tools/call", {"name": name, "arguments": arguments, "request_id": "r"})
        for name, arguments in CALLS
    ] + [hello + b"\n" + _line(method, {}) for method in ("ping", "tools/list", "resources/list", "no")]


def _mesh() -> bytes:
    positions, indices = np.eye(3), np.array([[0, 1, 2]], np.uint32)
    nodes = np.zeros(1, np.uint32)
    block = bytearray(size_for(3, 1, double=True))
    write(block, positions, indices, parts=nodes, nodes=nodes, double=True)
    return bytes(block)


def _arrays() -> bytes:
    arrays = {"lines": np.eye(3, dtype=np.float32), "line_tangent": np.zeros(0, np.uint8)}
    block = bytearray(array_block.size_for(arrays))
    array_block.write(block, arrays)
    return bytes(block)


def _header(state: int, request: tuple[int, int], response: tuple[int, int]) -> bytes:
    capacity = 2**20 + 2**16
    shared = struct.pack("<8sIIQQIIIIIII", b"VCADIPC1", 3, capacity, 7, 7, *request, *response, state, 0, 0)
    return shared + bytes(4) + struct.pack("<8sQQ", b"VCADEXT1", 2**20 + 8, 2)


def seeds(target: str) -> Sequence[bytes]:
    """Bytes that a target takes."""
    return _prepared()[target]


@cache
def _prepared() -> Mapping[str, Sequence[bytes]]:
    made = DirectService().evaluate(EvalCode(MODEL))
    assert made.document is not None
    fields = result_json.encode(made, figures=False, document=True, definitions=None, sources={})
    history = [{"cell_id": "a", "source_hash": "b", "source": "2", "bindings": {}}, {"taken_back": ["x"]}]
    prepared: Mapping[str, list[bytes]] = {
        "client_lines": _calls(),
        "control_line": [
            control.encode(one)
            for one in (
                control.Request(7),
                control.BlockReady(1, "mesh-1", "/dev/shm/a b%"),
                control.NoBlock(1, ""),
                control.Progress(1, 2, 3, "geometry"),
                control.Shutdown(),
            )
        ],
        "document": [
            op_document.encode(made.document),
            _dumps(values.encode(document_json.encode(made.document))),
        ],
        "error_payload": [ErrorPayload(1, 2, 3, 4, 5, 6, "file", "stack", "message").to_bytes()],
        "framing": [_line("ping", {}), _line("ping", {}, None), _line("ping", {}, "é"), b"[]", b"{}"],
        "history": [_dumps({"prelude": history}), *(_dumps(one) for one in history)],
        "array_block": [_arrays()],
        "mesh_block": [_mesh()],
        "op_records": [op_document.encode(made.document)],
        "output_frames": [struct.pack("<II", 7, 5) + b"hello" + struct.pack("<II", 7, 0)],
        "plain_value": [_dumps({"a": [1, 2.5, None, True, {"$tuple": [1]}, {"$float": "nan"}], "$dict": []})],
        "region_header": [
            _header(0, (0, 0), (0, 0)),
            _header(1, (4096, 3), (0, 0)),
            _header(2, (4096, 3), (0, 0)),
            _header(3, (4096, 3), (2**20, 2)),
        ],
        "request_payload": [RequestPayload("/a/b", {"operation": "check", "arguments": {}}).to_bytes()],
        "result": [_dumps(fields), _dumps({"error_code": "LOON_TYPE", "message": "m", "details": {}})],
        "result_fields": [_dumps(fields)],
    }
    assert set(prepared) == set(TARGETS)
    return prepared
