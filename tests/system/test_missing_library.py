"""Which library an import missed, and Debian's package of it."""

from __future__ import annotations

import ctypes

import pytest

from vcad_kernel.system.missing_library import MissingLibrary


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libGL.so.1", "libgl1"),
        ("libX11.so.6", "libx11-6"),
        ("libexpat.so.1", "libexpat1"),
        ("libfontconfig.so.1", "libfontconfig1"),
        ("libXrender.so.1", "libxrender1"),
        ("libgcc_s.so.1", "libgcc-s1"),
        ("libstdc++.so.6", "libstdc++6"),
        ("libz.so.1", "zlib1g"),
        ("libgomp.so.1", "libgomp1"),
        ("libEGL.so.1.1.0", "libegl1"),
    ],
)
def test_a_library_and_its_package_are_named(library: str, package: str) -> None:
    error = ImportError(f"{library}: cannot open shared object file: No such file or directory")
    missing = MissingLibrary.of(error)
    assert missing is not None
    assert (missing.name, missing.package) == (library, package)
    assert f"apt install {package} " in missing.fix


def test_what_this_machine_says_of_a_library_that_is_not_there_is_understood() -> None:
    with pytest.raises(OSError, match="libnowhere") as failed:
        ctypes.CDLL("libnowhere.so.7")
    missing = MissingLibrary.of(ImportError(str(failed.value)))
    assert missing is not None
    assert missing.name == "libnowhere.so.7"


@pytest.mark.parametrize(
    "text", ["No module named 'OCP'", "undefined symbol: dlopen", "", "libfoo.so is cursed"]
)
def test_an_import_that_failed_for_another_reason_misses_none(text: str) -> None:
    assert MissingLibrary.of(ImportError(text)) is None
