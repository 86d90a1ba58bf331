# `make demo` and `make test` do all set-up on a machine that has Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: install models demo test lint bench clean

$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --prefer-binary --constraint constraints.txt --editable .
	touch $@

$(VENV)/full: $(VENV)/base constraints.txt
	$(BIN)/pip install --quiet --prefer-binary --constraint constraints.txt --editable '.[test]'
	touch $@

install: $(VENV)/full

models: $(VENV)/base
	$(BIN)/clew models get

demo: models
	$(BIN)/clew demo

lint: $(VENV)/full
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

test: lint models
	$(BIN)/pytest -n 2 --dist loadfile

bench: $(VENV)/full
	$(BIN)/clew bench khop --json benchmarks/results/khop.json
	$(BIN)/clew bench batch --json benchmarks/results/batch.json
	$(BIN)/clew bench cost --json benchmarks/results/cost.json

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
