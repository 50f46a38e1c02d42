"""Questions that wait: their time, their end with the process."""

from __future__ import annotations

import subprocess
import sys
from itertools import count

from notebook_ext.approval.asks import Asks, Question

LEAVING = """
import threading
from notebook_ext.approval.asks import Asks, Question

asks = Asks()
opened = threading.Event()

def wait():
    ask = asks.open(Question(kind="question", summary="?"), 600.0)
    opened.set()
    print(dict(asks.wait(ask).response), flush=True)

threading.Thread(target=wait).start()
opened.wait(30)
"""
"""The main thread ends while another waits for an answer."""


def test_a_process_that_leaves_answers_no() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVING], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "{'approved': False, 'reason': 'session ended'}"


def test_who_waits_is_told_how_long_is_left() -> None:
    seconds = count()
    asks = Asks(lambda: float(next(seconds)))
    told: list[float] = []
    assert asks.wait(asks.open(Question(kind="question", summary="?"), 9.0), told.append) is None
    assert told
    assert told == sorted(told, reverse=True)
    assert all(0 < left < 9 for left in told)


def test_what_is_told_of_a_question_says_until_when_it_waits() -> None:
    asks = Asks()
    ask = asks.open(Question(kind="question", summary="?", payload={"of": "wall"}), 30.0, "mine")
    body = ask.to_json()
    assert body["request_id"] == "mine"
    assert body["opened_at"] < body["expires_at"]
    assert (body["payload"], body["remember_offered"]) == ({"of": "wall"}, False)
    assert "tool" not in body
    assert asks.cancel("mine")
    assert not asks.cancel("mine")


def test_a_question_that_nobody_waits_for_ends_with_its_time() -> None:
    now = [0.0]
    asks = Asks(lambda: now[0])
    heard: list[str] = []
    asks.listen(lambda event, ask: heard.append(event))
    asks.open(Question(kind="question", summary="?"), 30.0)
    now[0] = 31.0
    assert len(asks.all_open()) == 1
    now[0] = 33.0
    assert asks.all_open() == ()
    assert heard == ["ask_received", "ask_timeout"]


def test_a_question_that_comes_after_the_end_is_answered_no_and_shown_to_nobody() -> None:
    asks = Asks()
    heard: list[str] = []
    asks.listen(lambda event, ask: heard.append(event))
    asks.close()
    answer = asks.wait(asks.open(Question(kind="question", summary="?"), 30.0))
    assert answer is not None
    assert answer.response["approved"] is False
    assert heard == []
