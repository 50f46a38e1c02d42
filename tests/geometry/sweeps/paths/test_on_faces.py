"""Sweeps along paths on faces: the same bodies as along those on planes that are written out."""

from __future__ import annotations

import pytest

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import codec_json, op_document
from vcad_kernel.service.direct import DirectService

PATH = "[path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30] [line-by 5 0]]]"
FRONT = "[face-plane :front [cube 30 20 10]]"
WRITTEN = "[plane {:at #[15 0 5] :normal #[0 -1 0]}]"
RING = "[difference [rect 1 1] [rect 4 2]]"


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


@pytest.mark.parametrize(
    "moved",
    [
        "{}",
        "[translate 1 2 3 {}]",
        "[rotate 10 20 30 {}]",
        "[scale 2 2 2 {}]",
        "[mirror-x {}]",
        "[mirror 1 2 3 1 1 0 [on :yz {}]]",
    ],
)
def test_a_path_on_a_face_is_the_one_on_its_plane(service: DirectService, moved: str) -> None:
    figures = [
        service.eval_code(f"[sweep {moved.format(f'[on {place} {PATH}]')} {RING}]", exact=True)
        .parts[0]
        .figures
        for place in (FRONT, WRITTEN)
    ]
    on_face, on_plane = figures
    assert on_face.volume == pytest.approx(on_plane.volume, rel=1e-12)
    assert on_face.bounds is not None
    assert on_plane.bounds is not None
    for corner, other in zip(on_face.bounds, on_plane.bounds, strict=True):
        assert corner == pytest.approx(other, abs=1e-9)


def test_the_mesh_is_the_body(service: DirectService) -> None:
    (part,) = service.eval_code(f"[sweep [on {FRONT} [path-2d 0 0 #[[line-to 0 20]]]] [rect 4 2]]").parts
    assert part.mesh_figures.volume == pytest.approx(160.0, rel=1e-12)
    assert part.figures.exact


def test_the_path_follows_its_face(service: DirectService) -> None:
    text = "[sweep [on [face-plane :top [cube 6 6 {}]] [path-2d 0 0 #[[line-to 9 0]]]] [circle 1]]"
    low, high = (service.eval_code(text.format(height)).parts[0].figures.bounds for height in (4, 7))
    assert low is not None
    assert high is not None
    assert (low[0][2], high[0][2]) == pytest.approx((3.0, 6.0))


def test_its_document_is_read_back(service: DirectService) -> None:
    text = f"[sweep [rotate 0 0 90 [on {FRONT} {PATH}]] [circle 1]]"
    document = service.eval_code(text).parts[0].document
    assert codec_json.loads(codec_json.dumps(document)) == document
    assert op_document.decode(op_document.encode(document)) == document


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        (f"[scale 2 2 3 [on {FRONT} {PATH}]]", "INVALID_PARAMETER", "y must be as large as x"),
        (f"[on [face-plane :top [sphere 3]] {PATH}]", "NO_MATCH", "selects nothing"),
        (f"[on [face-plane :all [cube 1 1 1]] {PATH}]", "AMBIGUOUS_FACE", "face-plane"),
    ],
)
def test_what_cannot_be_is_refused(service: DirectService, path: str, code: str, said: str) -> None:
    with pytest.raises(GeometryError, match=said) as caught:
        service.eval_code(f"[sweep {path} [circle 1]]")
    assert caught.value.code == code
