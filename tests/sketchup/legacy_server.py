"""A server that behaves as supex 0.2.0's: one call per connection, no versions, no codes.

It closes after the first reply that is not hello's, parses whatever one read gives it (so that a split line
or two lines at once are a parse error), answers -32603 for everything that goes wrong in a tool, and has
none of the fields that came later. Lengths are texts, as SketchUp's JSON makes them.
"""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

__all__ = ["LegacyServer"]

LIMIT = 10.0


class LegacyServer:
    """Serves in a thread of its own while the context lasts."""

    def __init__(self, *, token: str | None = None) -> None:
        self._token = token
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LIMIT)
        self.port: int = self._listener.getsockname()[1]
        self.hellos: list[dict[str, Any]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        """Every tool that was asked for, with its arguments."""
        self.pieces: list[bytes] = []
        """What each read of a socket has given."""
        self.mute: set[str] = set()
        """Tools that are carried out and never answered."""
        self.nodes: dict[str, dict[str, Any]] = {}
        self._next_id = 100
        self._ended = False
        self._thread = threading.Thread(target=self._serve, name="legacy-server")

    def __enter__(self) -> LegacyServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        with socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT):
            self._thread.join(LIMIT)
        self._listener.close()
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        while not self._ended:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with sock:
                if not self._ended:
                    sock.settimeout(LIMIT)
                    self._talk(sock)

    def _talk(self, sock: socket.socket) -> None:
        identified = False
        while True:
            try:
                piece = sock.recv(2**22)
            except OSError:
                return None
            if not piece:
                return None
            self.pieces.append(piece)
            try:
                request = json.loads(piece)
            except ValueError:
                return self._write(sock, self._error(None, -32700, "Parse error"))
            if request.get("method") == "hello":
                reply, identified = self._hello(request)
                self._write(sock, reply)
                continue
            reply = (
                self._tool(request)
                if identified
                else self._error(request.get("id"), -32600, "Client not identified")
            )
            if reply is not None:
                self._write(sock, reply)
            return None

    def _hello(self, request: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        params = request.get("params") or {}
        self.hellos.append(params)
        if self._token is not None and params.get("token") != self._token:
            return self._error(request["id"], -32001, "Authentication failed"), False
        if not all(params.get(key) for key in ("name", "version", "agent", "pid")):
            return self._error(request["id"], -32600, "Missing required params"), False
        result = {
            "success": True,
            "message": "Client identified",
            "server": {"name": "supex", "version": "0.2.0"},
        }
        return {"jsonrpc": "2.0", "result": result, "id": request["id"]}, True

    def _tool(self, request: dict[str, Any]) -> dict[str, Any] | None:
        params = request["params"]
        name, arguments = params["name"], params.get("arguments") or {}
        self.calls.append((name, arguments))
        carried_out = getattr(self, f"_do_{name}", None)
        try:
            if carried_out is None:
                raise RuntimeError(f"Unknown tool: {name}")
            result = carried_out(arguments)
        except RuntimeError as failed:
            return self._error(request["id"], -32603, str(failed), {"success": False})
        if name in self.mute:
            return None
        return {"jsonrpc": "2.0", "result": result, "id": request["id"]}

    # the tools that the tests ask for

    def _do_ping(self, _: dict[str, Any]) -> Any:
        return {"success": True, "status": "connected", "message": "Connected", "version": "0.2.0"}

    def _do_get_model_info(self, _: dict[str, Any]) -> Any:
        return {"success": True, "title": "Untitled", "units": "millimeters", "num_components": 0}

    def _do_get_camera_info(self, _: dict[str, Any]) -> Any:
        return {"success": True, "eye": ["100 mm", "~ 33,3 mm", "0 mm"], "fov": 35.0}

    def _do_get_selection(self, _: dict[str, Any]) -> Any:
        return {"success": False, "error": "No active model"}

    def _do_open_model(self, arguments: dict[str, Any]) -> Any:
        return {"success": False, "error": f"File not found: {arguments['path']}"}

    def _do_save_model(self, arguments: dict[str, Any]) -> Any:
        raise RuntimeError(f"Path access denied for save_model: {arguments['path']}")

    def _do_eval_ruby(self, arguments: dict[str, Any]) -> Any:
        raise RuntimeError("Ruby evaluation error: undefined local variable or method `x'")

    def _do_place_vcad_node(self, arguments: dict[str, Any]) -> Any:
        if not arguments["obj_path"].endswith(".dae"):
            raise RuntimeError(f"IMPORT_DEFINITION_NOT_FOUND: {arguments['obj_path']}")
        self._next_id += 1
        node_id = arguments["node_id"]
        self.nodes[node_id] = {
            "node_id": node_id,
            "source_file": arguments.get("source_file"),
            "version": 1,
            "name": f"vcad_{node_id}",
            "instances": 1,
        }
        return {
            "success": True,
            "node_id": node_id,
            "entity_id": self._next_id,
            "definition_name": f"vcad_{node_id}",
        }

    def _do_update_vcad_node(self, arguments: dict[str, Any]) -> Any:
        node = self.nodes.get(arguments["node_id"])
        if node is None:
            raise RuntimeError(f"vcad node not found: {arguments['node_id']}")
        node["version"] += 1
        return {
            "success": True,
            "node_id": node["node_id"],
            "version": node["version"],
            "definition_name": node["name"],
            "replaced_instances": 1,
        }

    def _do_get_vcad_node(self, arguments: dict[str, Any]) -> Any:
        empty = {"min": [2.54e31] * 3, "max": [-2.54e31] * 3}
        return {**self.nodes[arguments["node_id"]], "bounds": empty}

    def _do_list_vcad_nodes(self, _: dict[str, Any]) -> Any:
        return list(self.nodes.values())

    def _do_resolve_vcad_import(self, arguments: dict[str, Any]) -> Any:
        raise RuntimeError(f"Entity not found: {arguments['entity_id']}")

    @staticmethod
    def _error(number: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        return {"jsonrpc": "2.0", "error": error, "id": number}

    @staticmethod
    def _write(sock: socket.socket, reply: dict[str, Any]) -> None:
        sock.sendall(json.dumps(reply).encode() + b"\n")
