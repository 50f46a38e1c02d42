"""What `make lab` and `make test` install of the machine's libraries, on machines that are played."""

from __future__ import annotations

from tools.need_libraries import loadable

NOT_THERE = "ImportError: {}: cannot open shared object file: No such file or directory"


class Machine:
    """Has libraries missing, which its package manager can install or not."""

    def __init__(self, *missing: str, installable: bool = True) -> None:
        self.missing = list(missing)
        self.installable = installable
        self.installed: list[str] = []

    def why_not(self) -> str:
        return NOT_THERE.format(self.missing[0]) if self.missing else ""

    def install(self, package: str) -> bool:
        if self.installable:
            self.installed.append(package)
            self.missing.pop(0)
        return self.installable


def test_libraries_are_installed_one_after_the_other_until_opencascade_loads() -> None:
    machine = Machine("libGL.so.1", "libX11.so.6", "libexpat.so.1")
    assert loadable(machine.why_not, machine.install) == ""
    assert machine.installed == ["libgl1", "libx11-6", "libexpat1"]


def test_without_a_package_manager_the_library_and_its_package_are_named() -> None:
    machine = Machine("libX11.so.6", installable=False)
    said = loadable(machine.why_not, machine.install)
    assert "libX11.so.6 is missing" in said
    assert "apt install libx11-6" in said


def test_a_package_that_does_not_help_is_not_installed_again() -> None:
    said = loadable(lambda: NOT_THERE.format("libfoo.so.2"), lambda _package: True)
    assert "apt install libfoo2" in said


def test_what_is_no_missing_library_is_said_as_it_is() -> None:
    said = loadable(lambda: "ImportError: undefined symbol: foo", lambda _package: True)
    assert said == "OpenCASCADE cannot be loaded: ImportError: undefined symbol: foo"
