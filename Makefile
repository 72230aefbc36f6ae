# make report   simulate the three games and write the HTML reports
# make lab      open JupyterLab on the notebooks
# make test     every check of `.ci/run`
# make bench    hold the engines against C, time Otter's search and the answers
#
# Each first makes .venv, once, with the versions of constraints.txt. Needs Python 3.11 or newer and git.

PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11
BIN := .venv/bin
RUN := $(BIN)/python -m

# Without byte code every import takes three times as long.
unexport PYTHONDONTWRITEBYTECODE PIP_NO_COMPILE

.PHONY: report lab test test-slow bench lint format constraints setup clean
.DELETE_ON_ERROR:
.DEFAULT_GOAL := report

report: setup
	@$(BIN)/sushibalance report

lab: setup
	@$(RUN) jupyterlab --notebook-dir=. --FileContentsManager.preferred_dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB)

test: lint
	$(RUN) pytest -n 2 -m "not slow"

test-slow: setup
	$(RUN) pytest -n 2 -m slow

bench: setup
	$(RUN) benchmarks
	$(RUN) benchmarks.search
	$(RUN) benchmarks.answers

lint: setup
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(BIN)/lint-imports --no-logo

format: setup
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

# Take the newest versions that fit together; needs uv (https://docs.astral.sh/uv).
constraints:
	uv pip compile --universal --python-version 3.11 --upgrade --quiet --no-header --no-annotate --no-emit-index-url \
	    --extra dev pyproject.toml --output-file constraints.txt

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

setup: .venv/.ready

# The stamp holds the folder that the environment was made in: a moved checkout gets a new one.
ifneq ($(shell cat .venv/.ready 2>/dev/null),$(CURDIR))
.PHONY: .venv/.ready
endif

.venv/.ready: pyproject.toml constraints.txt
	@python=; for name in $(PYTHON); do \
	    if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then python=$$name; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "sushibalance needs Python 3.11 or newer; found:" >&2; \
	    for name in $(PYTHON); do echo "  $$name: $$("$$name" --version 2>&1 | tail -n 1)" >&2; done; \
	    echo "Install it, or name it: make $(or $(MAKECMDGOALS),report) PYTHON=/path/to/python3.11" >&2; \
	    exit 1; \
	fi; \
	set -e; \
	echo "Setting up .venv (once, a minute or two) ..."; \
	if { [ -f $@ ] && [ "$$(cat $@)" != "$$(pwd -P)" ]; } || ! $(BIN)/python -c '' 2>/dev/null; then \
	    "$$python" -m venv --clear .venv; \
	fi; \
	rm -f $@; \
	$(RUN) pip install -qq --disable-pip-version-check --constraint constraints.txt hatchling editables; \
	$(RUN) pip install -qq --disable-pip-version-check --constraint constraints.txt \
	    --no-build-isolation --editable '.[dev]'; \
	pwd -P > $@
