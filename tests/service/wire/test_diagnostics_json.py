"""Findings through JSON: they render as before, with their texts sent along or known already."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.errors import ServiceFailure
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.service.wire import diagnostics_json, values

_SOURCES = st.builds(Source, st.sampled_from(["cell [1]", "lib.oo"]), st.text(max_size=30))


@st.composite
def labels(draw: st.DrawFn) -> Label:
    source = draw(_SOURCES)
    end = draw(st.integers(0, len(source.text)))
    return Label(Span(source, draw(st.integers(0, end)), end), draw(st.text(max_size=5)))


_FINDINGS = st.builds(
    Diagnostic,
    st.sampled_from(["E0200", "W0001"]),
    st.text(max_size=10),
    st.lists(labels(), min_size=1, max_size=3).map(tuple),
    st.text(max_size=5),
    st.text(max_size=5),
    st.sampled_from(["error", "warning", "hint"]),
)


@given(st.lists(_FINDINGS, max_size=4))
def test_findings_render_as_before_though_texts_of_one_name_differ(findings: list[Diagnostic]) -> None:
    data, texts = json.loads(json.dumps(values.encode(diagnostics_json.encode(findings))))
    again = diagnostics_json.decode(data, texts)
    assert [one.render() for one in again] == [one.render() for one in findings]
    assert [one.to_json() for one in again] == [one.to_json() for one in findings]


def test_a_text_that_the_reader_has_is_left_out() -> None:
    source = Source("cell [1]", "\nwide deep")
    finding = Diagnostic("E0201", "deep is not bound", (Label(Span(source, 6, 10)),))
    known = {"cell [1]": source.text}
    data, texts = diagnostics_json.encode([finding], known)
    assert texts == {}
    (again,) = diagnostics_json.decode(data, texts, known)
    assert again.render() == finding.render()
    (lost,) = diagnostics_json.decode(data, {})
    assert (lost.code, lost.what) == ("E0201", "deep is not bound")
    lost.render()


@pytest.mark.parametrize("labels", [{"labels": []}, {}])
def test_a_finding_without_a_place_is_refused(labels: dict[str, object]) -> None:
    with pytest.raises(ServiceFailure, match="finding"):
        diagnostics_json.decode([{"code": "E", "severity": "error", "what": "", **labels}], {})
