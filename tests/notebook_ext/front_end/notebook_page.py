"""A page with notebooks, as far as the kernel can see it: the other end of the comm `vcad.notebook`."""

from __future__ import annotations

import threading
import uuid
from base64 import b64decode
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from notebook_ext.front_end.notebook_comm import FrontEnds

__all__ = ["Page", "cell"]


def cell(cell_id: str, source: str, kind: str = "code", **more: Any) -> dict[str, Any]:
    """A cell as a page tells it."""
    outputs = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"id": cell_id, "cell_type": kind, "metadata": {}, "source": source, **outputs, **more}


class Page:
    """Opens the comm, and answers on a thread of its own, in order.

    root: the server's. notebooks: their cells by path. own: the path of the kernel's own notebook.
    """

    def __init__(
        self,
        front_ends: FrontEnds,
        root: Path,
        notebooks: dict[str, list[dict[str, Any]]] | None = None,
        own: str | None = None,
    ) -> None:
        self.root = str(root)
        self.notebooks = notebooks or {}
        self.own = own
        self.asked: list[dict[str, Any]] = []
        self.told: list[tuple[str, Any]] = []
        self.silent = False
        self.reply: dict[str, Any] = {}
        self.replied = threading.Event()
        self.typed: Callable[[dict[str, Any]], object] = lambda _request: None
        """What the person does just before a request is answered."""
        self.asks: Callable[[], object] = lambda: None
        """What happens when it is asked, also where it is silent."""
        self.running: dict[int, threading.Event] = {}
        """By the number of the request: set, the cell ends."""
        self.comm = SimpleNamespace(
            comm_id=uuid.uuid4().hex,
            send=self._received,
            close=lambda: None,
            on_msg=lambda answer: setattr(self, "_answer", answer),
            on_close=lambda closed: setattr(self, "_closed", closed),
        )
        front_ends._opened(self.comm, {})

    def tell_cells(self) -> None:
        """Tell the kernel which cells its notebook has, as after every change of them."""
        own = [] if self.own is None else [self.own]
        cells = {path: [cell["id"] for cell in self.notebooks[path]] for path in own}
        self._answer({"content": {"data": {"event": "cells", "notebooks": cells}}})

    def leave(self) -> None:
        """Close the comm, as a page that is closed in good order."""
        self._closed({})

    def ask(self, method: str, **fields: Any) -> dict[str, Any]:
        """What the session answers to a request of the page: a result or an error."""
        self.replied.clear()
        self._answer({"content": {"data": {"ask": 1, "method": method, **fields}}})
        assert self.replied.wait(30.0)
        return self.reply

    def _received(self, message: dict[str, Any]) -> None:
        if "reply" in message:
            self.reply = message
            self.replied.set()
            return
        if "event" in message:
            self.told.append((message["event"], message["value"]))
            return
        self.asked.append(message)
        self.asks()
        if message["method"] == "run":  # it may be told to stop before the thread has begun
            self.running[message["id"]] = threading.Event()
        if not self.silent:
            threading.Thread(target=self._reply, args=(message,), daemon=True).start()

    def _reply(self, message: dict[str, Any]) -> None:
        self.typed(message)
        try:
            answer = {"result": getattr(self, f"_{message['method']}")(message)}
        except _Refused as refused:
            answer = {"error": {"code": refused.args[0], "message": refused.args[1]}}
        if not self.silent:
            self._answer({"content": {"data": {"id": message["id"], **answer}}})

    def _notebooks(self, _request: Mapping[str, Any]) -> dict[str, Any]:
        shown = [{"path": path, "own": path == self.own} for path in self.notebooks]
        return {"root": self.root, "notebooks": shown}

    def _list(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"cells": self.notebooks[request["path"]]}

    def _get(self, request: Mapping[str, Any]) -> dict[str, Any]:
        index = self._index(request)
        return {"index": index, "cell": self.notebooks[request["path"]][index]}

    def _open_form(self, _request: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    _insert_text = _open_form

    def _set(self, request: Mapping[str, Any]) -> dict[str, Any]:
        index = self._expected(request)
        self.notebooks[request["path"]][index]["source"] = request["source"]
        return {"index": index, "cell": request["cell"]}

    def _insert(self, request: Mapping[str, Any]) -> dict[str, Any]:
        after = request["after"]
        index = 0 if after is None else self._index({**request, "cell": after}) + 1
        made = cell("made", request["source"], request["kind"])
        self.notebooks[request["path"]].insert(index, made)
        return {"index": index, "cell": "made"}

    def _delete(self, request: Mapping[str, Any]) -> dict[str, Any]:
        index = self._expected(request)
        del self.notebooks[request["path"]][index]
        return {"index": index, "cell": request["cell"]}

    def _set_output(self, request: Mapping[str, Any]) -> dict[str, Any]:
        index = self._index(request)
        shown = request["said"], request["model_id"], b64decode(request["bundle"]["image/png"])
        self.notebooks[request["path"]][index]["kept"] = shown
        return {"kept": True, "index": index}

    def _run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        index = self._expected(request)
        if "forever" in request["expected"]:
            self.running[request["id"]].wait(60)
        ran = dict(self.notebooks[request["path"]][index], execution_count=7)
        ran["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "ran\n"}]
        return {"index": index, "ok": "fails" not in request["expected"], "begun": True, "cell": ran}

    def _stop(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self.running[request["run"]].set()
        return {"runs": True, "begun": True}

    def _index(self, request: Mapping[str, Any]) -> int:
        cells = self.notebooks[request["path"]]
        found = [index for index, one in enumerate(cells) if one["id"] == request["cell"]]
        if not found:
            raise _Refused("INVALID_PARAMS", "there is no such cell")
        return found[0]

    def _expected(self, request: Mapping[str, Any]) -> int:
        index = self._index(request)
        there = self.notebooks[request["path"]][index]
        if there["metadata"].get("editable") is False:
            raise _Refused("PATH_NOT_ALLOWED", "the cell is locked")
        if there["source"] != request["expected"]:
            raise _Refused("REVISION_CONFLICT", "the cell has been changed meanwhile")
        return index

    _answer: Callable[[dict[str, Any]], object]
    _closed: Callable[[dict[str, Any]], object]


class _Refused(Exception):
    """A code and what is said."""
