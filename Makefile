# Two commands on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help demo test test-long check bench bench-full bench-guard reproduce docs docs-pictures clean
help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(STAMP): pyproject.toml setup.py $(wildcard src/fesl/_compiled/*.p* src/fesl/_compiled/*.h)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

demo: $(STAMP)  ## a sensor network whose sensors are replaced twice: what happened, with a report in out/
	$(BIN)/fesl demo

check: $(STAMP)  ## style, types and the direction of imports
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(STAMP) check  ## everything that must be green: checks, tests, doctests, with and without compiled code
	$(BIN)/python -m pytest -q -n 2 -m "not long"

test-long: $(STAMP)  ## the tests that take minutes
	$(BIN)/python -m pytest -q -m long

bench: $(STAMP)  ## side by side with the peers that are installed, in under two minutes: tables of ratios
	$(BIN)/python -m benchmarks

bench-full: $(STAMP)  ## every peer in an environment of its own, everything, and docs/benchmarks.md
	$(BIN)/python -m benchmarks peers install
	$(BIN)/python -m benchmarks --full
	$(BIN)/python -m benchmarks page

bench-guard: $(STAMP)  ## instructions an event, counted by valgrind, beside benchmarks/baseline.json
	$(BIN)/python -m benchmarks guard

reproduce: $(STAMP)  ## the paper's experiments, with a report in out/reproduction
	$(BIN)/python -m fesl.reproduction

docs: $(STAMP)  ## the documentation site, in build/docs/html; warnings are errors
	$(BIN)/python docs/tools/command_line.py
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/docs/.doctrees docs build/docs/html
	@echo build/docs/html/index.html

docs-pictures: $(STAMP)  ## the pictures of the documentation anew (needs Chromium)
	$(BIN)/python docs/tools/pictures.py

docs/reproduction.md: $(STAMP)
	$(BIN)/python -m fesl.reproduction --docs $@

clean:  ## remove what was built
	rm -rf build dist out $(VENV) src/fesl/_compiled/*.c src/fesl/_compiled/*.so
