# `make demo` and `make test` do all set-up on a machine that has Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -n 2 --no-loadscope-reorder --durations 20 --durations-min 5
# Wheels alone: nothing is built, and a dependency that would have to be is found at once. Python compiles modules when
# they are first imported: compiling all 20,000 would take a minute.
INSTALL := $(BIN)/python .ci/install.py --only-binary :all: --constraint constraints.txt --editable
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Images of Python often forbid it to keep what it compiles; every process would then compile torch and all else again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install models demo test fast slow soak lint bench attack clean

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/base: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(INSTALL) '.[english,serve]'
	touch $@

# Contains the base: one install instead of two.
$(VENV)/test: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(INSTALL) '.[test]'
	touch $(VENV)/base $@

# Ray (78 MB of wheels, a second of processor time to import) is for slow tests alone.
$(VENV)/bench: $(VENV)/test
	$(INSTALL) '.[test,bench,ray]'
	touch $@

install: $(VENV)/test

models: $(VENV)/base
	$(BIN)/clew models get

demo: models
	$(BIN)/clew demo

lint: $(VENV)/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Types are checked while models are downloaded and the first tests run.
test: $(VENV)/test
	$(MAKE) --no-print-directory --jobs 2 lint fast

fast: models
	$(PYTEST) --dist loadfile -m "not slow and not soak"

# What takes long, and what compares Clew with the libraries it is measured against.
slow: $(VENV)/bench models
	$(PYTEST) --dist loadgroup -m "(slow or peers) and not soak"

# What takes minutes a test (longer attacks, large models, killed runs), and property tests with all their examples. Not
# part of the landing gate.
soak: $(VENV)/bench models
	CLEW_TEST_EXAMPLES=all $(PYTEST) --dist loadgroup -m "soak or hypothesis"

bench: $(VENV)/bench
	$(BIN)/clew bench khop --json benchmarks/results/khop.json
	$(BIN)/clew bench batch --json benchmarks/results/batch.json
	$(BIN)/clew bench cost --json benchmarks/results/cost.json

# Tries to break Clew for ten minutes, or as long as ARGS="--seconds 3600" says, and writes what came of it.
attack: $(VENV)/test
	PYTHONPATH=tests $(BIN)/python -m attack.run $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
