# Two commands: `make lab` opens the workbench, `make test` checks all of it.
#   make lab LAB_ARGS=--no-browser     any further option of `jupyter lab`
#   make test PYTEST_ARGS="-k loon"    a part of the Python tests
# Everything is installed into ./.venv; nothing is asked of the machine but Python 3.11+, make and,
# for `make test`, a Chromium; it and Debian's venv module come through apt where there is one. Node
# builds the JupyterLab extension: the machine's own, or else one from PyPI, in ./.venv.

VENV := .venv
BIN := $(VENV)/bin
LAB_ARGS ?=
PYTEST_ARGS ?=
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
# Root (a container) is the one user whom Jupyter asks for an extra word.
ROOT_ARGS := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)

.PHONY: lab test lint ruby-tests python-tests notebook-tests browser-tests bench reference labextension notebooks screenshot clean

lab: labextension
	$(BIN)/jupyter lab $(ROOT_ARGS) $(LAB_ARGS) notebooks/quickstart.ipynb

test: $(VENV)/.test chromium ruby
	$(MAKE) --no-print-directory lint ruby-tests python-tests notebook-tests browser-tests

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The SketchUp extension in the headless SketchUp: rubocop and minitest.
ruby-tests: ruby
	cd ruby_runtime && rake lint test

python-tests: $(VENV)/.test labextension npm-peers ruby
	$(BIN)/python -m pytest -m "not browser and not peer" --benchmark-disable $(PYTEST_ARGS)

# What the notebooks say must still be what they give: saved outputs are compared, cell by cell.
notebook-tests: $(VENV)/.test
	$(BIN)/python -m pytest --nbval --override-ini filterwarnings=default $(NOTEBOOKS)

browser-tests: $(VENV)/.test chromium labextension
	VCAD_CHROMIUM="$(VCAD_CHROMIUM)" $(BIN)/python -m pytest -m browser tests/browser

bench: $(VENV)/.test
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-sort=name

# What is generated from the library's own tables: docs/cad.md, the names that the editor highlights, and
# in docs/reference a page and a picture for every name.
reference: $(VENV)/.lab
	$(BIN)/python -m tools.cad_reference
	$(BIN)/python -m tools.labextension_tokens
	$(BIN)/vcad doc --write docs/reference

# Loon in JupyterLab's editors, built again when its sources or the names that it highlights have changed.
labextension: $(VENV)/.lab
	$(BIN)/python -m tools.build_labextension --install

# Foreign clients of what we serve, which some tests speak with; they come from npm.
.PHONY: npm-peers
npm-peers: $(VENV)/.lab
	$(BIN)/python -m tools.npm_peers

# Run the notebooks and save their outputs; look at the difference before committing it.
notebooks: $(VENV)/.test
	$(BIN)/python -m tests.notebooks_saved $(NOTEBOOKS)

# The picture that the README opens with, taken from a real JupyterLab.
screenshot: $(VENV)/.test chromium
	VCAD_SAVE_SCREENSHOT=docs/images/quickstart.png $(BIN)/python -m pytest -m browser tests/browser -k quickstart

clean:
	rm -rf $(VENV) build dist docs/reference \
	  $(addprefix notebook_ext/labextension/,built lib lib-test node_modules) tests/peers_npm/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

# ---- the environment: made once, made again only when what it is made from changes ----

$(VENV)/bin/python:
	@PYTHON="$(PYTHON)" sh tools/make_venv.sh $(VENV)

# The extension comes first: the installation takes it along.
$(VENV)/.lab: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m tools.build_labextension
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt $(VENV)/.lab
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $@

.PHONY: ruby
ruby:
	@sh tools/need_ruby.sh

.PHONY: chromium
chromium:
	@VCAD_CHROMIUM="$(VCAD_CHROMIUM)" sh tools/need_chromium.sh
