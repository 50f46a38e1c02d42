"""The project's truth and its file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from notebook_ext.session.project.canonical import canonical_json
from notebook_ext.session.project.truth import (
    Component,
    DesignModel,
    Execution,
    Instance,
    Source,
    Truth,
    placed_at,
)
from vcad_kernel.errors import ErrorCode, ServiceFailure


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path


def _model() -> DesignModel:
    return (
        DesignModel.empty()
        .with_component("plate", Component(Source.of_file("plate.cmp.oo"), revision=2, applied_revision=2))
        .with_instance("plate-1", Instance("plate", placed_at(10, 0, 2.5), layer="Steel"))
    )


def test_a_project_without_a_file_is_empty_and_gets_none_by_being_read(workspace: Path) -> None:
    truth = Truth.load(workspace)
    assert truth.model == DesignModel.empty()
    assert not truth.path.exists()


def test_what_was_saved_is_what_is_loaded(workspace: Path) -> None:
    truth = Truth.load(workspace)
    saved = truth.save(_model())
    truth.close()
    assert Truth.load(workspace).model == saved
    assert saved.revision == 1


def test_each_save_raises_the_revision_and_an_equal_model_writes_nothing(workspace: Path) -> None:
    truth = Truth.load(workspace)
    first = truth.save(_model())
    before = truth.path.stat().st_mtime_ns
    assert truth.save(_model()) == first
    assert truth.path.stat().st_mtime_ns == before
    assert truth.save(first.with_instance("plate-2", Instance("plate"))).revision == 2


def test_the_file_shows_a_moved_instance_as_one_changed_line_beside_its_revision(workspace: Path) -> None:
    truth = Truth.load(workspace)
    truth.save(_model())
    before = truth.path.read_text("utf-8").splitlines()
    truth.save(truth.model.with_instance("plate-1", Instance("plate", placed_at(11, 0, 2.5), layer="Steel")))
    after = truth.path.read_text("utf-8").splitlines()
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert [a.strip().partition(":")[0] for a, _ in changed] == ['"transform"', '"revision"']


def test_fields_of_a_newer_workbench_are_kept(workspace: Path) -> None:
    content = _model().to_json()
    content["weather"] = {"sun": True}
    content["components"]["plate"]["colour"] = "red"
    content["components"]["plate"]["source"]["encoding"] = "utf-8"
    content["instances"]["plate-1"]["execution"] = {"entity_id": 3, "tint": 4}
    (workspace / "design_model.json").write_text(json.dumps(content), "utf-8")
    truth = Truth.load(workspace)
    truth.save(truth.model.with_instance("plate-2", Instance("plate")))
    written = json.loads(truth.path.read_text("utf-8"))
    assert written["weather"] == {"sun": True}
    assert written["components"]["plate"]["colour"] == "red"
    assert written["components"]["plate"]["source"]["encoding"] == "utf-8"
    assert written["instances"]["plate-1"]["execution"]["tint"] == 4


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "",
        "[]",
        '{"schema": 1}',
        "<<<<<<< ours\n{}",
        '{"schema": 1, "revision": NaN}',
        "[" * 100_000,
        canonical_json({**_model().to_json(), "revision": -1}),
    ],
)
def test_a_corrupt_file_is_set_aside_and_reported_and_never_overwritten(
    workspace: Path, content: str
) -> None:
    (workspace / "design_model.json").write_text(content, "utf-8")
    (workspace / "design_model.corrupt-1.json").write_text("an older one", "utf-8")
    truth = Truth.load(workspace)
    assert truth.model == DesignModel.empty()
    assert truth.set_aside == workspace / "design_model.corrupt-2.json"
    assert truth.set_aside.read_text("utf-8") == content
    assert truth.problem is not None
    assert truth.problem.error_code == ErrorCode.TRUTH_INVALID
    assert "design_model.corrupt-2.json" in truth.problem.render()
    truth.save(_model())
    assert truth.set_aside.read_text("utf-8") == content
    assert (workspace / "design_model.corrupt-1.json").read_text("utf-8") == "an older one"


def test_a_file_that_is_no_text_is_set_aside(workspace: Path) -> None:
    (workspace / "design_model.json").write_bytes(b"\xff\xfe\x00")
    truth = Truth.load(workspace)
    assert truth.set_aside is not None
    assert truth.set_aside.read_bytes() == b"\xff\xfe\x00"


def test_a_file_of_a_newer_workbench_stays_where_it_is_and_is_not_written(workspace: Path) -> None:
    path = workspace / "design_model.json"
    path.write_text('{"schema": 2}', "utf-8")
    truth = Truth.load(workspace)
    assert truth.set_aside is None
    assert truth.read_only
    with pytest.raises(ServiceFailure, match="newer workbench") as refused:
        truth.save(_model())
    assert refused.value.error_code == ErrorCode.BUSY
    assert path.read_text("utf-8") == '{"schema": 2}'


def test_a_second_session_reads_only_and_is_told_who_has_it(workspace: Path) -> None:
    first = Truth.load(workspace)
    first.save(_model())
    second = Truth.load(workspace)
    assert second.model == first.model
    assert second.read_only
    with pytest.raises(ServiceFailure, match="another session") as refused:
        second.save(DesignModel.empty())
    assert refused.value.error_code == ErrorCode.BUSY
    first.save(first.model.without_component("plate"))
    first.close()
    assert second.refresh() == first.model
    assert not second.read_only
    second.save(_model())
    assert Truth.load(workspace).read_only


def test_a_workspace_whose_own_folder_is_a_link_is_not_written(workspace: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (workspace / ".vcad").symlink_to(elsewhere)
    truth = Truth.load(workspace)
    assert "cannot be written" in (truth.read_only_reason or "")
    assert list(elsewhere.iterdir()) == []


def test_the_lock_names_the_process_and_is_free_when_that_has_died(workspace: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from notebook_ext.session.project.truth import Truth\n"
        "t = Truth.load(Path(sys.argv[1])); print(os.getpid(), flush=True); sys.stdin.read(); os._exit(9)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        pid = other.stdout.readline().strip()
        truth = Truth.load(workspace)
        assert truth.read_only_reason is not None
        assert f"process {pid}" in truth.read_only_reason
        assert (workspace / ".vcad" / "lock").read_text("ascii").strip() == pid
        other.communicate("")
    assert not Truth.load(workspace).read_only


def test_another_session_never_sets_a_corrupt_file_aside(workspace: Path) -> None:
    first = Truth.load(workspace)
    (workspace / "design_model.json").write_text("{", "utf-8")
    second = Truth.load(workspace)
    assert second.problem is not None
    assert second.set_aside is None
    assert (workspace / "design_model.json").exists()
    first.close()


def test_a_file_that_somebody_else_has_changed_is_not_written_over(workspace: Path) -> None:
    truth = Truth.load(workspace)
    truth.save(_model())
    theirs = {**truth.model.to_json(), "revision": 7}
    truth.path.write_text(json.dumps(theirs), "utf-8")
    with pytest.raises(ServiceFailure) as refused:
        truth.save(truth.model.without_component("plate"))
    assert refused.value.error_code == ErrorCode.REVISION_CONFLICT
    assert refused.value.details["expected"] == 1
    assert refused.value.details["current"] == 7
    assert json.loads(truth.path.read_text("utf-8")) == theirs
    assert truth.refresh().revision == 7
    assert truth.save(truth.model.without_component("plate")).revision == 8


def test_refreshing_reads_a_file_that_was_changed_or_removed(workspace: Path) -> None:
    truth = Truth.load(workspace)
    saved = truth.save(_model())
    assert truth.refresh() is saved
    truth.path.write_text(truth.path.read_text("utf-8"), "utf-8")
    assert truth.refresh() is saved
    truth.path.unlink()
    assert truth.refresh() == DesignModel.empty()


def test_a_failed_write_leaves_file_and_model_as_they_were(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = Truth.load(workspace)
    saved = truth.save(_model())
    text = truth.path.read_text("utf-8")

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ServiceFailure, match="No space left") as failed:
        truth.save(saved.without_component("plate"))
    assert failed.value.error_code == ErrorCode.SAVE_FAILED
    assert truth.model is saved
    assert truth.path.read_text("utf-8") == text
    assert [one.name for one in workspace.iterdir() if one.name.startswith(".design")] == []


def test_a_model_that_does_not_fit_the_schema_is_not_written(workspace: Path) -> None:
    truth = Truth.load(workspace)
    with pytest.raises(ServiceFailure) as refused:
        truth.save(_model().with_instance("plate-2", Instance("plate", (1.0, 2.0))))
    assert refused.value.error_code == ErrorCode.SCHEMA_VALIDATION_FAILED
    assert not truth.path.exists()


def test_a_scratch_truth_is_written_nowhere(workspace: Path) -> None:
    truth = Truth.scratch(_model(), workspace)
    truth.save(truth.model.without_component("plate"))
    assert list(workspace.iterdir()) == []
    assert truth.model.components == {}


def test_what_sketchup_shows_is_noted_as_to_be_removed_and_the_rest_just_goes() -> None:
    model = _model().with_component("new", Component(Source.of_cell("x")))
    assert not model.without_component("new").removed
    assert not model.without_instance("plate-1").removed
    placed = replace(model.instances["plate-1"], execution=Execution(persistent_id=3))
    model = model.with_instance("plate-1", placed)
    gone = model.without_instance("plate-1")
    assert gone.removed.instances == {"plate-1": placed}
    assert gone.with_instance("plate-1", Instance("plate")).instances["plate-1"].execution == placed.execution
    assert not gone.with_instance("plate-1", Instance("plate")).removed
    whole = gone.without_component("plate")
    assert whole.removed.components == {"plate"}
    assert not whole.removed.instances
    assert not whole.with_component("plate", Component(Source.of_cell("x"))).removed


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**18), 10**18)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_canonical_json_says_the_same_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), values, max_size=6))
def test_canonical_json_does_not_depend_on_order(value: dict[str, object]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=16, max_size=16))
def test_a_transformation_survives_the_file(transform: list[float]) -> None:
    model = _model().with_instance("plate-1", Instance("plate", tuple(transform)))
    assert DesignModel.from_json(json.loads(canonical_json(model.to_json()))) == model


def test_a_project_has_an_id_from_its_first_save_on_and_keeps_it(workspace: Path) -> None:
    truth = Truth.load(workspace)
    truth.save(truth.model)
    assert not truth.path.exists()  # nothing was to be said
    first = truth.save(_model()).project_id
    assert len(first) == 32
    assert truth.save(DesignModel.empty()).project_id == first
    truth.close()
    other = workspace / "other"
    other.mkdir()
    assert Truth.load(other).save(_model()).project_id not in ("", first)


def test_a_file_of_before_projects_had_ids_gets_one_at_its_next_save(workspace: Path) -> None:
    (workspace / "design_model.json").write_text(canonical_json(_model().to_json()), "utf-8")
    truth = Truth.load(workspace)
    assert truth.model.project_id == ""
    saved = truth.save(truth.model)
    assert saved.project_id
    assert json.loads(truth.path.read_text("utf-8"))["project_id"] == saved.project_id
    assert replace(saved, project_id="", revision=0) == _model()
    assert truth.save(truth.model) == saved
