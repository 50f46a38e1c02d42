"""What an agent may do unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from notebook_ext.agents.calls.call import Preview, Risk
from notebook_ext.approval.policy import Caller, Policy, belongs_to_the_model, may_be_remembered
from tests.notebook_ext.approval.tools import tool


def rule(
    policy: Policy, risk: Risk, tmp_path: Path, *paths: str, agent: str = "a", pack: str = "files"
) -> str:
    effect = Preview(paths=paths)
    return policy.rule(
        tool(risk, pack=pack), {}, agent=Caller(agent, agent), effect=effect, workspace=tmp_path
    )


ROBOT = Caller("a", "a")


@pytest.mark.parametrize(("risk", "expected"), [("R", "allow"), ("W", "allow"), ("D", "ask"), ("X", "ask")])
def test_the_table_as_it_is_at_first(risk: Risk, expected: str, tmp_path: Path) -> None:
    assert rule(Policy(), risk, tmp_path) == expected


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("plate.loon", True),
        ("parts/plate.loon", True),
        ("design_model.json", True),
        ("plate.step", True),
        ("plate.ops", True),
        (".vcad/shots/one.png", True),
        (".vcad/exports/sub/One.STEP", True),
        (".vcad/exports/one.txt", False),
        (".vcad/exports/report.sh", False),
        (".vcad/exports/Makefile", False),
        (".vcad/shots/one.html", False),
        (".vcad/artifacts/one.step", False),
        (".github/plate.loon", False),
        (".vcad/shots", False),
        (".vcad/config.loon", False),
        (".vcad/shots/../logs/x.loon", False),
        ("tool_env.toml", False),
        ("notes.md", False),
        ("analysis.ipynb", False),
        ("sub/design_model.json", False),
        ("../plate.loon", False),
        ("/etc/plate.loon", False),
    ],
)
def test_only_the_models_own_files_are_written_unasked(path: str, own: bool, tmp_path: Path) -> None:
    assert belongs_to_the_model(Path(path), tmp_path) is own
    assert rule(Policy(), "W", tmp_path, path) == ("allow" if own else "ask")


def test_a_link_out_of_the_workspace_is_not_the_models_own(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "linked").symlink_to(outside)
    assert not belongs_to_the_model(Path("linked/plate.loon"), inside)


def test_a_tool_that_says_nothing_of_its_files_is_judged_by_its_arguments(tmp_path: Path) -> None:
    one = tool("W")

    def ruled(path: str) -> str:
        return Policy().rule(one, {"path": path}, agent=ROBOT, effect=None, workspace=tmp_path)

    assert (ruled("notes.md"), ruled("plate.loon")) == ("ask", "allow")


def test_step_mode_asks_for_every_change(tmp_path: Path) -> None:
    policy = Policy()
    policy.step_mode = True
    assert rule(policy, "W", tmp_path, "plate.loon") == "ask"
    assert rule(policy, "R", tmp_path) == "allow"


def test_what_was_remembered_is_asked_again_once_the_person_is_stricter(tmp_path: Path) -> None:
    policy = Policy()
    stricter: list[Callable[[], None]] = [
        lambda: setattr(policy, "step_mode", True),
        lambda: policy.set("W", "ask"),
        lambda: policy.set("W", "ask", agent="a"),
    ]
    for change in stricter:
        assert policy.remember(tool("W"), {}, ROBOT)
        before = policy.edition
        change()
        assert policy.remembered == ()
        assert policy.edition > before


def test_a_hard_link_may_be_any_file(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "plate.loon").hardlink_to(tmp_path / "setup.py")
    assert not belongs_to_the_model(Path("plate.loon"), tmp_path)


def test_agents_do_not_fill_the_table_with_names() -> None:
    policy = Policy()
    for number in range(100):
        policy.met(f"robot {number}")
    assert len(policy.agents) == 32


def test_a_listener_that_fails_undoes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    policy = Policy()

    def broken() -> None:
        raise RuntimeError("mine")

    stop = policy.on_change(broken)
    policy.set("D", "deny")
    assert policy.of("D") == "deny"
    assert "could not be told" in caplog.text
    stop()
    caplog.clear()
    policy.set("D", "ask")
    assert caplog.text == ""


def test_what_is_said_of_one_agent_holds_for_it_alone(tmp_path: Path) -> None:
    policy = Policy()
    policy.set("D", "deny", agent="b")
    assert rule(policy, "D", tmp_path, agent="b") == "deny"
    assert rule(policy, "D", tmp_path, agent="a") == "ask"
    with pytest.raises(ValueError, match="no rule 'perhaps'"):
        policy.set("D", "perhaps")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no class 'Z'"):
        policy.set("Z", "ask")  # type: ignore[arg-type]


def test_the_network_is_closed_until_it_is_opened(tmp_path: Path) -> None:
    policy = Policy()
    assert rule(policy, "X", tmp_path, pack="web") == "deny"
    policy.network = "ask"
    assert rule(policy, "X", tmp_path, pack="web") == "ask"
    policy.set("X", "deny")
    assert rule(policy, "X", tmp_path, pack="web") == "deny"


def test_a_yes_is_remembered_for_one_tool_of_one_agent(tmp_path: Path) -> None:
    policy = Policy()
    assert policy.remember(tool("D"), {}, ROBOT)
    assert rule(policy, "D", tmp_path) == "allow"
    assert rule(policy, "D", tmp_path, agent="b") == "ask"
    policy.forget()
    assert rule(policy, "D", tmp_path) == "ask"


def test_what_takes_something_away_is_of_class_d_whatever_its_tool_is(tmp_path: Path) -> None:
    going, policy = Preview(takes_away=("part lid",), paths=("design_model.json",)), Policy()
    assert policy.rule(tool("W"), {}, agent=ROBOT, effect=going, workspace=tmp_path) == "ask"
    policy.set("D", "deny")
    assert policy.rule(tool("W"), {}, agent=ROBOT, effect=going, workspace=tmp_path) == "deny"


def test_a_yes_to_writing_is_none_to_taking_away(tmp_path: Path) -> None:
    policy, going = Policy(), Preview(takes_away=("most of plate.loon",))
    policy.step_mode = True
    assert policy.remember(tool("W"), {}, ROBOT)
    assert policy.rule(tool("W"), {}, agent=ROBOT, effect=Preview(), workspace=tmp_path) == "allow"
    assert policy.rule(tool("W"), {}, agent=ROBOT, effect=going, workspace=tmp_path) == "ask"


def test_a_name_is_no_connection(tmp_path: Path) -> None:
    policy = Policy()
    assert policy.remember(tool("D"), {}, ROBOT)
    for other in (Caller("a", "b"), Caller("a")):
        assert policy.rule(tool("D"), {}, agent=other, effect=None, workspace=tmp_path) == "ask"
    assert not policy.remember(tool("D"), {}, Caller("a"))


def test_what_runs_code_or_cleans_everything_is_never_remembered(tmp_path: Path) -> None:
    policy = Policy()
    assert not policy.remember(tool("X"), {}, ROBOT)
    assert not may_be_remembered(tool("D"), {"clean": "full"}, ROBOT)
    assert policy.remember(tool("D"), {"clean": "managed"}, ROBOT)
    full = policy.rule(tool("D"), {"clean": "full"}, agent=ROBOT, effect=None, workspace=tmp_path)
    assert full == "ask"
