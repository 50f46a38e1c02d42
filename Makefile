# Two commands: `make lab` opens the workbench, `make test` checks all of it.
#   make lab LAB_ARGS=--no-browser     any further option of `jupyter lab`
#   make test PYTEST_ARGS="-k loon"    a part of the Python tests
#   make test JOBS=8                   on a machine with more than two cores
# Beside them `make check`, a minute, before each commit, and `make soak`, long, before a larger piece of work is
# called done: CONTRIBUTING.md, "Three tiers of tests".
# Everything is installed into ./.venv; nothing is asked of the machine but Python 3.11+, make and,
# for `make test`, a Chromium; it, Debian's venv module and the libraries that OpenCASCADE links to (libGL, libX11,
# libexpat) come through apt where there is one. Node
# builds the JupyterLab extension and the viewer: the machine's own, or else one from PyPI, in ./.venv.

VENV := .venv
BIN := $(VENV)/bin
# The oldest JupyterLab that the extension is made for, for the browser tests.
OLD_LAB := $(VENV)/jupyterlab-4.4
# Four on two cores: much of the time is waiting for other processes.
JOBS ?= 4
LAB_ARGS ?=
PYTEST_ARGS ?=
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
# What the last runs of the tests leave behind: JUnit reports, coverage, mutants.
REPORTS := .reports
# nbval, which takes seconds to load, is for notebooks alone.
PYTEST := $(BIN)/python -m pytest --quiet -p no:nbval
# Tests of one file, or of one group, stay in one process; files come in the order of their names, in which no long one
# is among the last.
PARALLEL := -n $(JOBS) --dist loadgroup --no-loadscope-reorder
TESTED := not peer and not soak
# Benchmarks are run by `make bench` alone.
TESTS := tests --ignore tests/benchmarks
# Not even read by the workers of Python's tests, for which it would be seconds of each.
PYTHON_TESTS := $(TESTS) --ignore tests/browser
# Containers often forbid bytecode, and each of the many processes of the tests would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE
# Root (a container) is the one user whom Jupyter asks for an extra word.
ROOT_ARGS := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)
# Two targets at once, each with its output in one piece where make can do that.
SIDE_BY_SIDE := $(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.PHONY: lab check test soak
lab: labextension
	@$(BIN)/python -m tools.need_libraries || true
	$(BIN)/jupyter lab $(ROOT_ARGS) $(LAB_ARGS) notebooks/quickstart.ipynb

check: $(VENV)/.test
	@$(SIDE_BY_SIDE) quick-tests lint types ruby-lint

test: environment
	@$(SIDE_BY_SIDE) python-tests types lint ruby-lint ruby-tests notebook-tests browser-tests
	$(BIN)/python -m tools.durations $(REPORTS)/*.xml

# Searches at random and ten times as long, faults, every journey of a browser, coverage, mutants, benchmarks.
soak: environment $(VENV)/.soak
	VCAD_TIER=soak VCAD_CHROMIUM="$(VCAD_CHROMIUM)" $(PYTEST) $(PARALLEL) -m "(soak or hypothesis) and not peer" $(TESTS)
	$(MAKE) --no-print-directory coverage mutants bench

# ---- the parts of the tiers ----

.PHONY: lint types ruby-lint ruby-tests quick-tests python-tests notebook-tests browser-tests
lint: $(VENV)/.test
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/vulture

types: $(VENV)/.test
	$(BIN)/mypy

# Whoever has no Ruby is told by `make test`, which needs it.
ruby-lint:
	cd ruby_runtime && if command -v rubocop >/dev/null; then rubocop --format quiet; else echo "no rubocop: Ruby is not looked at"; fi

# The SketchUp extension in the headless SketchUp.
ruby-tests: ruby
	cd ruby_runtime && rake test

# None of them waits for another process.
quick-tests: JOBS = 2
quick-tests: $(VENV)/.test
	VCAD_TIER=check $(PYTEST) $(PARALLEL) --maxfail=5 -m "$(TESTED) and not process and not slow" $(PYTEST_ARGS) $(PYTHON_TESTS)

python-tests: $(VENV)/.test labextension npm-peers ruby
	$(PYTEST) $(PARALLEL) -m "$(TESTED)" --junitxml=$(REPORTS)/python.xml $(PYTEST_ARGS) $(PYTHON_TESTS)

# What the notebooks say must still be what they give: saved outputs are compared, cell by cell.
notebook-tests: $(VENV)/.test
	$(BIN)/python -m pytest --quiet --nbval --override-ini filterwarnings=default --junitxml=$(REPORTS)/notebooks.xml $(NOTEBOOKS)

browser-tests: $(VENV)/.test $(OLD_LAB)/.made chromium labextension
	VCAD_CHROMIUM="$(VCAD_CHROMIUM)" $(PYTEST) -m "browser and not soak" --junitxml=$(REPORTS)/browser.xml tests/browser

# The tests that `make check` leaves out for their length, by the last `make test`.
.PHONY: slow-tests
slow-tests: $(VENV)/.test
	$(BIN)/python -m tools.durations $(REPORTS)/python.xml --slow tests/slow.txt

# ---- the parts of `make soak` that are of use alone ----

.PHONY: bench coverage mutants
bench: $(VENV)/.test chromium labextension
	VCAD_CHROMIUM="$(VCAD_CHROMIUM)" $(PYTEST) tests/benchmarks --benchmark-sort=name

# Which lines and branches `make test` runs, by package, in this process and in those that it starts. Left out is what
# stops a program after its time: it may strike within coverage.py's own lock, and then nothing goes on.
STRIKES_ANYWHERE := tests/loon/program/test_limits.py tests/loon/runtime/limits/test_watchdog.py tests/loon/lessons tests/service/worker/test_deadline.py
# The tracer itself stops at the end of the stack, and at a source whose name cannot be a file's.
TRACER_STOPS := "tests/loon/language/test_functions.py::test_deeper_than_the_limit_is_one_clean_error_that_says_how_deep" \
  "tests/service/security/test_fuzzed_connections.py::test_every_tool_with_every_argument_of_every_wrong_kind[vcad.eval_cell-arguments3]"
coverage: $(VENV)/.soak labextension npm-peers ruby
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --quiet $(PARALLEL) -m "$(TESTED)" --junitxml=$(REPORTS)/coverage.xml $(PYTHON_TESTS) $(addprefix --ignore ,$(STRIKES_ANYWHERE)) $(addprefix --deselect ,$(TRACER_STOPS))
	$(BIN)/coverage combine --quiet
	$(BIN)/python -m tools.package_coverage

# Breaks places of the product, one at a time, and asks the tests that run them; after `make coverage`.
mutants: $(VENV)/.soak
	$(BIN)/python -m tools.mutants --jobs $(JOBS) --coverage $(REPORTS)/.coverage --report $(REPORTS)/coverage.xml --json $(REPORTS)/mutants.json

# ---- what is generated ----

.PHONY: reference labextension viewer npm-peers notebooks screenshot platforms clean
# From the code's own tables: the contracts, docs/cad.md, the names that the editor highlights, and in docs/reference a page and a
# picture for every name.
reference: $(VENV)/.lab
	$(BIN)/python -m tools.cad_reference
	$(BIN)/python -m tools.contracts
	$(BIN)/python -m tools.labextension_tokens
	$(BIN)/vcad doc --write docs/reference

# Loon in JupyterLab's editors, and the viewer of parts, each built again when its sources have changed.
viewer: labextension
labextension: $(VENV)/.lab
	$(BIN)/python -m tools.build_front_ends --install

# Foreign clients of what we serve, which some tests speak with; they come from npm.
npm-peers: $(VENV)/.lab
	$(BIN)/python -m tools.npm_peers

# Run the notebooks in JupyterLab and save them there; look at the difference before committing it.
notebooks: $(VENV)/.test chromium labextension
	VCAD_CHROMIUM="$(VCAD_CHROMIUM)" $(BIN)/python -m tests.notebooks_saved $(NOTEBOOKS)

# The picture that the README opens with, taken from a real JupyterLab, and those of docs/viewer.md.
screenshot: $(VENV)/.test chromium labextension
	VCAD_SAVE_SCREENSHOT=docs/images/quickstart.png $(PYTEST) -m browser tests/browser -k quickstart
	VCAD_CHROMIUM="$(VCAD_CHROMIUM)" $(BIN)/python -m tools.viewer_pictures

# On which platforms all requirements come as wheels: asks the package index, and writes that into docs/platforms.md.
platforms: $(VENV)/.lab
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python -m tools.platforms

clean:
	rm -rf $(VENV) build dist docs/reference $(REPORTS) \
	  $(addprefix notebook_ext/,$(addprefix labextension/,built lib lib-test node_modules) viewer/built viewer/web/node_modules) \
	  tests/peers_npm/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

# ---- the environment: made once, made again only when what it is made from changes ----

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

$(VENV)/bin/python:
	@PYTHON="$(PYTHON)" sh tools/make_venv.sh $(VENV)

# Beside the JupyterLab that is installed, with whose packages it runs.
$(OLD_LAB)/.made: | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(OLD_LAB) jupyterlab==4.4.0
	@touch $@

# What runs in browsers comes first: the installation takes it along.
$(VENV)/.lab: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m tools.build_front_ends
	$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.lab
	$(PIP_INSTALL) --editable '.[test]'
	@touch $@

$(VENV)/.soak: $(VENV)/.test
	$(PIP_INSTALL) --editable '.[soak]'
	@touch $@

# All that `make test` needs. What comes from apt, which does one thing at a time, beside what comes from PyPI and npm.
.PHONY: environment packages programs
environment: | $(VENV)/bin/python
	@$(SIDE_BY_SIDE) packages programs
	@$(MAKE) --no-print-directory libraries

packages: $(VENV)/.test $(OLD_LAB)/.made labextension npm-peers

programs:
	@$(MAKE) --no-print-directory ruby
	@$(MAKE) --no-print-directory chromium

.PHONY: ruby chromium libraries
libraries: $(VENV)/.lab
	@$(BIN)/python -m tools.need_libraries

ruby:
	@sh tools/need_ruby.sh

chromium:
	@VCAD_CHROMIUM="$(VCAD_CHROMIUM)" sh tools/need_chromium.sh
