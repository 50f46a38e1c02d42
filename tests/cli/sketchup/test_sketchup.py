"""`vcad sketchup`: the headless one listens and ends as told; the package is what SketchUp installs."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tomllib
import zipfile
from pathlib import Path

import psutil
import pytest

from tests.cli.command import COMMAND, vcad
from vcad_kernel.cli.sketchup.extension_package import ExtensionPackage, PackageRefused
from vcad_kernel.cli.sketchup.ruby_runtime import NoRuby, extension_sources, launcher, ruby

PATIENCE = 30.0

needs_ruby = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")


@needs_ruby
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_headless_one_says_where_it_listens_and_ends_on_a_signal(
    tmp_path: Path, how: signal.Signals
) -> None:
    with subprocess.Popen(
        [*COMMAND, "sketchup", "--headless", "--port", "0", "--repl-port", "0", "--workspace", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.match(r"headless SketchUp listening on 127\.0\.0\.1:(\d+), Ruby REPL on (\d+)\n", line)
        assert match, line + process.communicate()[1]
        assert f"SUPEX_PORT={match[1]}" in process.stdout.readline()
        assert "Ctrl-C" in process.stdout.readline()
        with socket.create_connection(("127.0.0.1", int(match[1])), PATIENCE) as client:
            client.sendall(_request("hello", name="t", version="1", agent="t", pid=os.getpid()))
            lines = client.makefile()
            assert json.loads(lines.readline())["result"]["success"] is True
            process.send_signal(how)
            assert process.wait(PATIENCE) == (0 if how is signal.SIGINT else -signal.SIGTERM)
            assert lines.readline() == ""  # the Ruby process does not outlive the command


@needs_ruby
def test_an_end_that_nobody_wanted_is_an_error() -> None:
    with subprocess.Popen(
        [*COMMAND, "sketchup", "--headless", "--port", "0", "--repl-port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        match = re.search(r":(\d+),", process.stdout.readline())
        assert match
        with socket.create_connection(("127.0.0.1", int(match[1])), PATIENCE) as client:
            client.sendall(_request("hello", name="t", version="1", agent="t", pid=os.getpid()))
            client.makefile().readline()
            psutil.Process(process.pid).children()[0].kill()
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 1
    assert "ended by itself" in said
    assert "Traceback" not in said


@needs_ruby
def test_a_token_from_standard_input_is_asked_of_clients() -> None:
    with subprocess.Popen(
        [*COMMAND, "sketchup", "--headless", "--port", "0", "--repl-port", "0", "--token-stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("secret\n")
        process.stdin.flush()
        match = re.search(r":(\d+),", process.stdout.readline())
        assert match
        told = process.stdout.readline()
        assert "SUPEX_AUTH_TOKEN" in told
        assert "secret" not in told
        for token, code in (("wrong", "AUTH_INVALID"), ("secret", None)):
            with socket.create_connection(("127.0.0.1", int(match[1])), PATIENCE) as client:
                client.sendall(
                    _request("hello", name="t", version="1", agent="t", pid=os.getpid(), token=token)
                )
                answer = json.loads(client.makefile().readline())
            assert answer.get("error", {}).get("data", {}).get("error_code") == code
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)


@needs_ruby
def test_a_taken_port_is_told_with_what_can_be_done() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = vcad("sketchup", "--headless", "--port", str(port), "--repl-port", "0")
    assert done.returncode == 1
    assert str(port) in done.stderr
    assert "`--port 0` takes a free port" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_without_ruby_it_says_how_to_get_it(tmp_path: Path) -> None:
    done = vcad("sketchup", "--headless", "--port", "0", PATH=str(tmp_path))
    assert done.returncode == 1
    assert "apt install ruby" in done.stderr
    assert "brew install ruby" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="the programs here are shell scripts")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'ruby 2.7.8p225 (2023-03-30) [x86_64-linux]'", "too old"),
        ("echo nonsense", "does not tell its version"),
    ],
)
def test_a_ruby_that_will_not_do_is_refused(tmp_path: Path, script: str, said: str) -> None:
    program = tmp_path / "ruby"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(NoRuby, match=said):
        ruby(str(tmp_path))


def test_alone_it_shows_what_can_be_asked_of_it() -> None:
    done = vcad("sketchup", COLUMNS="200")
    assert done.returncode == 2
    assert "--headless" in done.stdout
    assert "package" in done.stdout


def test_a_token_is_never_an_argument() -> None:
    text = vcad("sketchup", "--help", COLUMNS="200").stdout
    assert "--token-stdin" in text
    assert not re.search(r"--token\s", text)


def test_the_package_is_what_sketchup_installs(tmp_path: Path) -> None:
    target = tmp_path / "bridge.rbz"
    done = vcad("sketchup", "package", "--output", str(target))
    assert done.returncode == 0, done.stderr
    assert "Extension Manager" in done.stdout
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        metadata = json.loads(archive.read("vcad_bridge/extension.json"))
    roots = {name.split("/")[0] for name in names}
    assert roots == {"vcad_bridge.rb", "vcad_bridge"}
    assert "vcad_bridge/main.rb" in names
    assert names == ["vcad_bridge.rb", *sorted(names[1:])]
    assert not [name for name in names if "\\" in name or name.startswith("/") or "test" in name.split("/")]
    assert re.fullmatch(r"\d+\.\d+\.\d+", metadata["version"])


def test_a_wheel_carries_the_extension_and_the_headless_sketchup() -> None:
    project = extension_sources().parents[1]
    settings = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for folder in (extension_sources(), launcher().parent):
        assert included[f"ruby_runtime/{folder.name}"] == f"vcad_kernel/ruby_runtime/{folder.name}"


def test_two_packages_are_the_same_bytes(tmp_path: Path) -> None:
    package = ExtensionPackage.of(extension_sources())
    package.write(tmp_path / "one.rbz")
    package.write(tmp_path / "two.rbz")
    assert (tmp_path / "one.rbz").read_bytes() == (tmp_path / "two.rbz").read_bytes()


def test_the_package_gets_its_name_and_version_when_none_is_given(tmp_path: Path) -> None:
    done = vcad("sketchup", "package", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.iterdir()
    assert re.fullmatch(r"vcad_bridge-\d+\.\d+\.\d+\.rbz", made.name)


def test_a_package_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    done = vcad("sketchup", "package", "--output", str(tmp_path / "no" / "folder.rbz"))
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr
    assert vcad("sketchup", "package", "--output", "bridge.tar").returncode == 2


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: (folder / "second.rb").touch(), "exactly one file"),
        (lambda folder: (folder / "other").mkdir(), "one folder"),
        (lambda folder: (folder / "part" / "extension.json").unlink(), "missing"),
        (lambda folder: (folder / "part" / "extension.json").write_text("{"), "not JSON"),
        (lambda folder: (folder / "part" / "extension.json").write_text('{"name": "x"}'), "does not say"),
    ],
)
def test_sources_that_sketchup_would_refuse_are_refused(tmp_path: Path, break_it: object, said: str) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part.rb").touch()
    complete = dict.fromkeys(("name", "description", "version", "creator", "copyright"), "x")
    (tmp_path / "part" / "extension.json").write_text(json.dumps(complete))
    assert ExtensionPackage.of(tmp_path).name == "part"
    assert callable(break_it)
    break_it(tmp_path)
    with pytest.raises(PackageRefused, match=said):
        ExtensionPackage.of(tmp_path)


def _request(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode() + b"\n"
