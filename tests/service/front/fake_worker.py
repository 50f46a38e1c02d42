"""A worker that does what it is told by the request: answer, sleep, crash, grow, eat memory, hang.

Runs as a process of its own and knows nothing but the region and the control lines. What is to be done
stands as JSON in the `code` (or `source`, `code_or_path` …) of the arguments: a list of steps, each
``[name, …]``, in order, then the result.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

from vcad_kernel.service.shared import control
from vcad_kernel.service.shared.payloads import EMPTY_SCENE, ErrorPayload, RequestPayload
from vcad_kernel.service.shared.region import Region, RegionFull

FIGURES: dict[str, Any] = {
    "volume": 1.0,
    "surface_area": 6.0,
    "bbox": {"min": [0, 0, 0], "max": [1, 1, 1]},
    "center_of_mass": [0.5, 0.5, 0.5],
    "is_empty": False,
    "is_manifold": True,
    "genus": 0,
    "triangles": 12,
    "exact": False,
    "tolerance": 0.1,
}
EVALUATION: dict[str, Any] = {
    **FIGURES,
    "mesh": None,
    "materials": [],
    "parameters": [],
    "source_hash": "a" * 64,
    "document_hash": "b" * 64,
    "timings_ms": {
        "queue": 0,
        "load": 0,
        "expand": 0,
        "compile": 0,
        "run": 0,
        "geometry": 0,
        "export": 0,
        "total": 0,
    },
    "cache": {"hits": 0, "misses": 0},
    "stdout": "",
    "warnings": [],
    "modules": [],
}


class Interrupted(Exception):
    pass


class FakeWorker:
    def __init__(self, region: Region, connected: socket.socket, output: int) -> None:
        self.region = region
        self.socket = connected
        self.lines = connected.makefile("rb")
        self.output = output
        self.hoard: list[bytearray] = []
        self.ignores = False
        self.running = False
        self.served = 0
        signal.signal(signal.SIGINT, self.interrupt)

    def interrupt(self, *_: object) -> None:
        if self.running and not self.ignores:
            raise Interrupted

    def send(self, message: control.Message) -> None:
        self.socket.sendall(control.encode(message))

    def receive(self) -> control.Message:
        line = self.lines.readline()
        if not line:
            os._exit(0)
        return control.decode(line)

    def serve(self) -> None:
        self.send(control.Ready(os.getpid()))
        while True:
            message = self.receive()
            if isinstance(message, control.Grown):
                self.region.remap()
            elif isinstance(message, control.Request):
                self.request(message.seq)
            else:
                return

    def request(self, seq: int) -> None:
        payload = RequestPayload.parse(self.region.read_request(seq))
        self.served += 1
        self.running = True
        try:
            result, failure = self.perform(seq, payload)
        except Interrupted:
            result, failure = {}, ("EVAL_CANCELLED", {})
        self.running = False
        if failure is not None:
            code, details = failure
            result = {"error_code": code, "message": code.lower(), "details": details}
            self.answer(seq, ErrorPayload(1, 0, 0, 0, 0, 0, "", "", code).to_bytes(), result, failed=True)
        else:
            self.answer(seq, EMPTY_SCENE, result)

    def answer(self, seq: int, payload: bytes, result: Any, *, failed: bool = False) -> None:
        data = result if isinstance(result, bytes) else json.dumps(result).encode()
        while True:
            try:
                self.region.write_response(seq, payload, data, is_error=failed)
                break
            except RegionFull as full:
                self.send(control.Grow(seq, full.needed))
                assert isinstance(self.receive(), control.Grown)
                self.region.remap()
        self.send(control.Failed(seq) if failed else control.Responded(seq))

    def perform(self, seq: int, payload: RequestPayload) -> tuple[Any, tuple[str, dict[str, Any]] | None]:
        options = payload.options
        operation, arguments = options["operation"], options["arguments"]
        result: Any = {}
        if operation.startswith("eval_") and operation != "eval_repl":
            result = json.loads(json.dumps(EVALUATION))
        elif operation == "eval_repl":
            result = {"display": str(len(arguments["prelude"])), "type": None, "stdout": ""}
        elif operation == "inspect":
            result = dict(FIGURES)
        elif operation == "check":
            result = {"diagnostics": []}
        elif operation == "export":
            result = {"path": arguments["output_path"], "bytes": 1, "format": "stl"}
        text = arguments.get("code") or arguments.get("code_or_path") or arguments.get("transformed_source")
        if not isinstance(text, str) or not text.startswith("["):
            return result, None
        for step in json.loads(text):
            name, *rest = step
            if name == "fail":
                return result, (rest[0], rest[1])
            result = self.step(seq, name, rest, result, options)
        return result, None

    def step(self, seq: int, name: str, rest: list[Any], result: Any, options: Any) -> Any:
        if name == "sleep":
            time.sleep(rest[0])
        elif name == "hold":  # until a file is there
            while not Path(rest[0]).exists():
                time.sleep(0.002)
        elif name == "touch":
            with Path(rest[0]).open("a") as file:
                file.write(str(rest[1] if len(rest) > 1 else os.getpid()) + "\n")
        elif name == "ignore":
            self.ignores = True
        elif name == "die":
            os.kill(os.getpid(), getattr(signal, rest[0]))
        elif name == "exit":
            os._exit(rest[0])
        elif name == "eat":
            eaten = bytearray(rest[0] * 2**20)
            eaten[::4096] = b"x" * (rest[0] * 256)  # a page is only there once it is written to
            self.hoard.append(eaten)
        elif name == "print":
            data = rest[0].encode()
            os.write(self.output, struct.pack("<II", seq, len(data)) + data)
            result["stdout"] = result.get("stdout", "") + rest[0]
        elif name == "progress":
            self.send(control.Progress(seq, rest[1], rest[2], rest[0]))
        elif name == "pad":
            result["padding"] = "x" * rest[0]
        elif name == "block":
            self.send(control.Block(seq, rest[0]))
            reply = self.receive()
            if isinstance(reply, control.BlockReady):
                with Path(reply.path).open("r+b") as block:
                    block.write(b"MESH")
                result["mesh"] = {"block": reply.name, "vertices": 1, "triangles": 1}
            else:
                assert isinstance(reply, control.NoBlock)
                result["no_block"] = reply.reason
        elif name == "mesh":
            if options["artifact_stage"] is not None:
                Path(options["artifact_stage"]).write_bytes(b"<collada/>")
        elif name == "set":
            result.update(rest[0])
        elif name == "nonsense":
            self.socket.sendall(b"WHAT IS THIS\n")
            time.sleep(60)
        elif name == "garbage":
            return b"{not json"
        elif name == "echo":
            result["options"] = options
        elif name == "say":
            sys.stderr.write(rest[0])
            sys.stderr.flush()
        elif name == "rows":
            result["rows"] = [
                {"node": index, "name": "x", "ms": 0.1, "cached": False} for index in range(rest[0])
            ]
        elif name == "served":
            result["served"] = self.served
        elif name == "pid":
            result["pid"] = os.getpid()
        else:
            raise AssertionError(name)
        return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--region", type=Path)
    parser.add_argument("--control", type=int)
    parser.add_argument("--output", type=int)
    parser.add_argument("--start", default="well")
    given = parser.parse_args()
    if given.start == "exit":
        sys.exit(3)
    if given.start == "hang":
        time.sleep(60)
    if given.start.startswith("file:") and not Path(given.start[5:]).exists():
        sys.exit(4)
    region = Region.attach(given.region)
    try:
        FakeWorker(region, socket.socket(fileno=given.control), given.output).serve()
    finally:
        region.close()


if __name__ == "__main__":
    main()
