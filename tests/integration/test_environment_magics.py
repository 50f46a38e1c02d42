"""``%loon_env``, ``%loon_reset`` and ``%loon_explain`` in a real kernel."""

from __future__ import annotations

import re

import pytest

from tests.integration.kernel import Kernel


@pytest.fixture(autouse=True)
def _beginning(kernel: Kernel) -> None:
    kernel.run("%loon_reset")


def listed(kernel: Kernel) -> list[list[str]]:
    """The rows of the table, without its head."""
    lines = kernel.run("%loon_env").plain.split("\n")[1:]
    return [re.split(r"  +", line) for line in lines]


def test_the_environment_lists_what_cells_have_defined(kernel: Kernel) -> None:
    assert kernel.run("%loon_env").plain == "no cell has defined anything yet"
    kernel.run("%%loon first\n[let wide 3]\n; As high as wide.\n[fn block [t] [cube wide wide t]]")
    kernel.run("%%loon plate\n[block 2]")
    rows = {row[0]: row for row in listed(kernel)}
    assert rows["wide"][2:] == ["first", "3"]
    assert rows["block"][2:] == ["first", "As high as wide."]
    assert rows["plate"][3].startswith("plate: 3 × 3 × 2 mm")
    assert "<table>" in kernel.run("%loon_env").data[0]["text/html"]


def test_a_reset_forgets_definitions_parts_and_views(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let wide 3]")
    kernel.run("%%loon plate\n[cube wide 1 1]")
    kernel.run("session.view()")
    done = kernel.run("%loon_reset")
    assert (done.status, done.text, done.data) == ("ok", "", [])
    assert kernel.run("%loon wide").status == "error"
    assert kernel.value("session.nodes(), list(session.view().names)") == "((), [])"
    assert kernel.value("plate.volume") == "3.0"  # Python's own variable


def test_single_names_are_forgotten_and_the_rest_stays(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let wide 3] [let deep? true]")
    kernel.run("%%loon plate\n[cube wide 1 1]")
    assert kernel.run("%loon_reset deep? plate").status == "ok"
    assert [row[0] for row in listed(kernel)] == ["wide"]
    assert kernel.run("%loon [+ wide 1]").plain == "4"
    assert kernel.run("%loon plate").status == "error"


def test_an_unknown_name_is_refused_with_a_proposal(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let width 3]")
    refused = kernel.run("%loon_reset widht")
    assert refused.status == "error"
    assert "no cell has defined widht; did you mean width?" in refused.text + refused.traceback
    assert kernel.run("%loon width").plain == "3"


def test_a_macro_serves_later_cells_and_ends_with_its_text(kernel: Kernel) -> None:
    kernel.run("%%loon\n[macro twice [x] `[* 2 ~x]]", cell_id="macros")
    assert kernel.run("%%loon\n[twice 21]").plain == "42"
    kernel.run("%%loon\n[macro thrice [x] `[* 3 ~x]]", cell_id="macros")
    assert kernel.run("%%loon\n[thrice 2]").plain == "6"
    assert kernel.run("%%loon\n[twice 21]").status == "error"


def test_a_code_is_explained(kernel: Kernel) -> None:
    bundle = kernel.run("%loon_explain e0201").data[0]
    assert bundle["text/plain"].startswith("[E0201] ")
    assert "```loon" in bundle["text/markdown"]


def test_without_a_code_all_are_listed(kernel: Kernel) -> None:
    shown = kernel.run("%loon_explain").plain
    assert re.search(r"^E0201 +\w", shown, re.MULTILINE)
    assert re.search(r"^zero-division +\w", shown, re.MULTILINE)


def test_an_unknown_code_is_refused_with_proposals(kernel: Kernel) -> None:
    refused = kernel.run("%loon_explain E0299")
    assert refused.status == "error"
    assert "there is no lesson for E0299; near it are E0200, E0201, " in refused.text + refused.traceback
    misspelt = kernel.run("%loon_explain recursion")
    assert "recursion-depth" in misspelt.text + misspelt.traceback


@pytest.mark.parametrize("magic", ["%loon_env", "%loon_reset", "%loon_explain"])
def test_every_magic_explains_itself(kernel: Kernel, magic: str) -> None:
    assert kernel.run(f"{magic} --help").text.startswith(f"usage: {magic} [-h]")
