"""What a script's environment is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.workspace.shell.environment import ScriptEnvironment, script_environment
from vcad_kernel.errors import ServiceFailure

OWN = {"PATH": "/bin", "HOME": "/home/me", "VCAD_AUTH_TOKEN": "secret", "JPY_API_TOKEN": "x", "LANG": "C"}
ROOT = Path("/project")


def made(file: str | None = None, given: dict[str, str] | None = None) -> ScriptEnvironment:
    content = None if file is None else file.encode()
    return script_environment(OWN, content, given or {}, workspace=ROOT, operation="run_shell")


def test_only_a_short_list_is_taken_over() -> None:
    assert made().variables == {"PATH": "/bin", "HOME": "/home/me", "LANG": "C"}


def test_the_file_puts_folders_before_the_path_and_adds_variables() -> None:
    found = made('[path]\nprepend = ["tools/bin", "/opt/x"]\n[env]\nOUT = "${HOME}/out"\nNEXT = "${OUT}/n"\n')

    assert found.variables["PATH"] == "/project/tools/bin:/opt/x:/bin"
    assert found.variables["OUT"] == "/home/me/out"
    assert found.variables["NEXT"] == "/home/me/out/n"
    assert found.unknown == ()


def test_a_variable_that_is_not_there_becomes_nothing_and_is_told_so_of_tokens_too() -> None:
    found = made('[env]\nA = "<${VCAD_AUTH_TOKEN}${NONE}${NONE}>"\n')

    assert found.variables["A"] == "<>"
    assert found.unknown == ("VCAD_AUTH_TOKEN", "NONE")


def test_what_the_call_gives_is_taken_as_it_is() -> None:
    assert made('[env]\nA = "1"\n', {"A": "${HOME}"}).variables["A"] == "${HOME}"


@pytest.mark.parametrize(
    "file",
    [
        "[env\n",
        "[other]\n",
        '[path]\nprepend = "x"\n',
        "[path]\nprepend = [1]\n",
        "[env]\nA = 1\n",
        '[env]\n"a b" = "1"\n',
        'path = "x"\n',
        "env = 3\n",
    ],
)
def test_a_file_that_cannot_be_used_is_told(file: str) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        made(file)

    assert wrong.value.error_code == "SETTING_INVALID"
    assert "tool_env.toml" in wrong.value.message


@pytest.mark.parametrize("given", [{"A B": "1"}, {"": "1"}, {"A": "\0"}, {"A=B": "1"}])
def test_what_no_variable_can_be_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        made(None, given)

    assert wrong.value.error_code == "INVALID_PARAMS"
