"""What docs/agents.md tells people to paste is well formed, and names what there is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.packs import PACKS
from tests.cli.command import vcad
from vcad_kernel.errors import ErrorCode

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def command_of(configuration: dict[str, Any]) -> list[str]:
    """The command line that a client's configuration starts."""
    (servers,) = configuration.values()
    server = servers["vcad"]
    command = server["command"]
    return [*command] if isinstance(command, list) else [command, *server["args"]]


@pytest.mark.parametrize("block", blocks("json"))
def test_a_configuration_starts_the_server(block: str) -> None:
    assert command_of(json.loads(block))[:2] == ["vcad", "mcp"]


def test_the_toml_configuration_starts_the_server() -> None:
    (block,) = [one for one in blocks("text") if "mcp_servers" in one]
    assert command_of(tomllib.loads(block))[:2] == ["vcad", "mcp"]


def test_the_options_are_those_of_the_command() -> None:
    table = PAGE[PAGE.index("## What `vcad mcp` is told") : PAGE.index("## Which session it works in")]
    told = set(re.findall(r"^\| `(--[a-z-]+)", table, re.MULTILINE))
    shown = set(re.findall(r"--[a-z][a-z-]+", vcad("mcp", "--help").stdout))
    assert told == shown - {"--help"}
    packs = re.findall(r"`([a-z]+)`", re.findall(r"^\| `--pack.*$", table, re.MULTILINE)[0])
    assert set(packs) == (set(PACKS) | {"all"}) - {"core"}


def test_the_codes_exist() -> None:
    codes = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", PAGE))
    assert {"SESSION_UNAVAILABLE", "UNKNOWN_OUTCOME"} <= codes
    assert {one for one in codes if not one.startswith("VCAD_")} <= {str(one) for one in ErrorCode}
