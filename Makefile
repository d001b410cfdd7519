# One command each: `make demo`, `make test`, `make check`, `make bench`. Everything is set up on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
READER := $(VENV)/.reader
EMBEDDER := $(VENV)/.embedder

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint check format bench docs clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(READER) $(EMBEDDER) ## make the environment and fetch the embedded reader and encoder

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=python3.12, say"; exit 1; }
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV) || { echo "the venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(READER): $(STAMP)
	$(BIN)/ragcortex models pull embedded
	@touch $@

$(EMBEDDER): $(STAMP)
	$(BIN)/ragcortex models pull embedder
	@touch $@

demo: $(READER) $(EMBEDDER) ## check a real RAG answer and print it with its unsupported words marked
	@$(BIN)/ragcortex check \
	  --question "$$(cat examples/demo/question.txt)" \
	  --reference examples/demo/reference-1.txt --reference examples/demo/reference-2.txt --reference examples/demo/reference-3.txt \
	  --answer examples/demo/answer.txt

test: $(READER) $(EMBEDDER) ## run all tests
	$(BIN)/python -m pytest

check: lint test ## all of the above

lint: $(STAMP) ## format, lint, strict types, import layers, version equals changelog
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@grep -q "^## $$($(BIN)/python -c 'import ragcortex; print(ragcortex.__version__)') " CHANGELOG.md || { echo "CHANGELOG.md has no section for this version"; exit 1; }

format: $(STAMP) ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READER) $(EMBEDDER) ## measure checks against what would run otherwise, and say what got slower
	$(BIN)/python benchmarks/speed.py --against benchmarks/results/speed.json
	$(BIN)/python benchmarks/geometry_speed.py

docs: $(STAMP) ## build the documentation into site/; a warning is an error
	$(BIN)/zensical build --clean --strict

clean: ## remove the environment and caches of tools (not the readers and readings)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
