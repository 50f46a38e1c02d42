"""The wheel as somebody has it who installs it: without this repository, without make, without Node."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
START_SECONDS = 90.0
REPOSITORY = "https://forge.example/vcad/workbench"


@dataclass(frozen=True)
class Installed:
    """A fresh environment with the wheel, and with the libraries of this one."""

    wheel: Path
    prefix: Path
    variables: dict[str, str]

    def run(self, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
        program = self.prefix / "bin" / words[0]
        return subprocess.run(
            [program, *words[1:]], cwd=folder, env=self.variables, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    told = {**os.environ, "VCAD_REPOSITORY": REPOSITORY}
    subprocess.run(build, cwd=ROOT, env=told, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    prefix = folder / "environment"
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", str(prefix)), check=True)
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(prefix / "bin" / "python"),
        "--disable-pip-version-check",
    )
    subprocess.run(
        (*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)), check=True
    )
    # on the path alone: what makes this repository importable there is in a .pth file, which is not read so
    libraries = prefix / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix) / "libraries.pth"
    libraries.write_text(sysconfig.get_path("purelib") + "\n")
    home = folder / "home"
    home.mkdir()
    clean = ("JUPYTER", "PYTHON", "VCAD", "XDG", "IPYTHON", "COV")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(clean)}
    static = Path(sys.prefix, "share", "jupyter", "lab")
    variables |= {"HOME": str(home), "JUPYTERLAB_DIR": str(static), "JUPYTER_PLATFORM_DIRS": "1"}
    return Installed(wheel, prefix, variables)


def test_all_that_is_needed_is_in_it(installed: Installed, tmp_path: Path) -> None:
    """Modules, font, pictures of nothing else: a text is modelled, measured and exported."""
    program = (
        "import notebook_ext, vcad_kernel\n"
        "session = notebook_ext.Session()\n"
        "part = session.evaluate('[text 8 2 \"Ab\"]', 'sign')\n"
        "written = part.export('sign.3mf').stat().st_size > 999\n"
        "print(notebook_ext.__file__, part.exact, part.volume, written)\n"
        "session.close()\n"
    )
    done = installed.run("python", "-c", program, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    where, *figures = done.stdout.split()
    assert Path(where).is_relative_to(installed.prefix)
    assert figures[0] == figures[2] == "True"
    assert float(figures[1]) > 30.0


def test_its_metadata_lead_people_on(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    systems = [line for line in metadata.get_all("Classifier", []) if line.startswith("Operating System")]
    assert len(systems) == 3
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in metadata.get_all("License-File", [])}
    wanted = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert not [line for line in wanted if line.startswith(("lib3mf", "font-roboto"))]
    assert [line for line in wanted if line.startswith("ezdxf")]
    named = dict(line.split(", ") for line in metadata.get_all("Project-URL", []))
    assert named["Source"] == REPOSITORY
    assert {"Changelog", "Documentation", "Issues", "Security"} <= set(named)
    readme = metadata.get_payload()
    assert f"]({REPOSITORY}/raw/HEAD/docs/images/quickstart.png)" in readme
    assert f"]({REPOSITORY}/blob/HEAD/docs/guide.md)" in readme
    assert not re.findall(r"\]\((?!https?:)[^)]*\)", readme)


class Server:
    """``vcad lab``, as it is started in a terminal."""

    def __init__(self, installed: Installed, folder: Path) -> None:
        words = ("lab", str(folder), "--no-browser", "--port", "0", "--jupyter=--IdentityProvider.token=word")
        self._process = subprocess.Popen(
            [installed.prefix / "bin" / "vcad", *words],
            cwd=folder.parent,
            env=installed.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said: list[str] = []
        self._ready = threading.Event()
        self.url = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(START_SECONDS), self.said
        assert self.url, "".join(self.said)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self.said.append(line)
                found = re.search(r"(http://127\.0\.0\.1:\d+)/lab", line)
                if found and not self.url:
                    self.url = found[1]
                    self._ready.set()
        self._ready.set()

    def get(self, path: str) -> bytes:
        request = urllib.request.Request(self.url + path, headers={"Authorization": "token word"})
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30.0) as answer:
                    return bytes(answer.read())
            except urllib.error.HTTPError:
                raise
            except urllib.error.URLError:  # it tells its address a moment before it listens there
                if time.monotonic() > until or self._process.poll() is not None:
                    raise
                time.sleep(0.05)

    def json(self, path: str) -> Any:
        return json.loads(self.get(path))

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(30.0)
        finally:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._reader.join(10.0)


@pytest.fixture
def server(installed: Installed, tmp_path: Path) -> Iterator[Server]:
    server = Server(installed, tmp_path / "mine")
    yield server
    server.stop()


def test_vcad_lab_opens_the_quickstart_with_the_extension(
    server: Server, installed: Installed, tmp_path: Path
) -> None:
    quickstart = tmp_path / "mine" / "notebooks" / "quickstart.ipynb"
    assert f"the quickstart is {quickstart}\n" in server.said
    assert any("/lab/tree/notebooks/quickstart.ipynb" in line for line in server.said)
    content = server.json("/api/contents/notebooks/quickstart.ipynb")["content"]
    ours = json.loads((ROOT / "notebooks" / "quickstart.ipynb").read_bytes())
    assert [cell["source"] for cell in content["cells"]] == [
        "".join(cell["source"]) for cell in ours["cells"]
    ]
    text = json.dumps(content)
    for page in re.findall(r"\]\((\.\./docs/[a-z_]+\.md)", text):
        assert (quickstart.parent / page).is_file(), page
    page = server.get("/lab").decode()
    [config] = re.findall(
        r'<script id="jupyter-config-data" type="application/json">\s*(.*?)\s*</script>', page, re.S
    )
    extensions = {one["name"]: one for one in json.loads(config)["federated_extensions"]}
    assert "vcad-workbench" in extensions
    entry = extensions["vcad-workbench"]["load"]
    assert server.get(f"/lab/extensions/vcad-workbench/{entry}")
    assert server.json("/api/kernelspecs")["kernelspecs"]["python3"]
    assert server.stop() == 0
