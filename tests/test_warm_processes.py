"""Processes that begin warm: they work on the streams that they are given, and end as others do."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.warm_processes import Popen, _connected, _found, command

pytestmark = pytest.mark.process

SERVER = ("http.server", "0", "--bind", "127.0.0.1")


@pytest.mark.parametrize(("text", "status"), [("[1, 2]", 0), ("[1, 2", 1)])
def test_a_command_has_its_streams_and_its_status(text: str, status: int) -> None:
    done = subprocess.run(command("json.tool", "--compact"), input=text, capture_output=True, text=True)
    assert done.returncode == status
    assert (done.stdout.strip(), done.stderr == "") == (("[1,2]", True) if status == 0 else ("", False))


def test_whoever_ends_a_command_ends_what_it_does() -> None:
    with subprocess.Popen(command(*SERVER), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        process.kill()
        process.stdout.read()  # as long as anybody holds the other end


def test_a_signal_is_the_status_of_what_it_ended() -> None:
    process = Popen([sys.executable, "-m", *SERVER], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20.0) == -signal.SIGTERM


@pytest.mark.parametrize("said", [b"", b'{"command": ['])
def test_who_dies_before_it_has_said_what_it_wants_takes_nobody_along(said: bytes) -> None:
    with _connected(_found()) as connection:
        connection.sendall(said)
    done = subprocess.run(command("json.tool", "--compact"), input="[1]", capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[1]", 0)
