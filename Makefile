# One command each: `make demo`, `make test`, `make check`, `make bench`. Everything is set up on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
READER := $(VENV)/.reader
EMBEDDER := $(VENV)/.embedder
TOOLS := $(VENV)/tools
SECONDS := 600
TOOLS_STAMP := $(TOOLS)/.installed
# Wheels whose hashes are in the locks, and nothing else: no downloaded code runs while they are installed.
LOCKED := -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all:

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint check format bench fuzz docs lock audit licences sbom clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(READER) $(EMBEDDER) ## make the environment and fetch the embedded reader and encoder

# torch comes first and apart, see locks/torch-cpu.txt. What else this machine needs, by the index's build of torch say, is in elsewhere.txt.
$(STAMP): pyproject.toml locks/packages.txt locks/elsewhere.txt locks/torch-cpu.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || { echo "Python 3.11.5 or newer is needed; set PYTHON=python3.12, say"; exit 1; }
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV) || { echo "the venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python $(LOCKED) --requirement locks/torch-cpu.txt 2>/dev/null || echo "pip finds no build of torch for processors alone with a known hash; taking the index's"
	$(BIN)/python $(LOCKED) --requirement locks/packages.txt
	@if $(BIN)/python -m pip check | grep ' is not installed' >/dev/null; then $(BIN)/python $(LOCKED) --requirement locks/elsewhere.txt; fi
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m pip check
	@touch $@

$(TOOLS_STAMP): locks/tools.txt $(STAMP)
	@test -d $(TOOLS) || $(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python $(LOCKED) --requirement locks/tools.txt
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

fuzz: $(READER) $(EMBEDDER) ## throw broken input at every reader of files and bodies for SECONDS each; what breaks one lies in crashes/
	@set -e; for target in jsonl documents pdf facts bundle corpus gguf api; do \
	  $(BIN)/python tests/fuzz/run.py $$target --seconds $(SECONDS) --crashes crashes; \
	done

docs: $(STAMP) ## build the documentation into site/; a warning is an error
	$(BIN)/zensical build --clean --strict

lock: $(TOOLS_STAMP) ## pin by hash what constraints.txt pins by version
	$(TOOLS)/bin/python tools/make_lock.py

audit: $(TOOLS_STAMP) ## ask for published weaknesses of what is pinned; ADVISORIES=folder reads a copy of the database instead
	$(BIN)/python tools/audit_locks.py $(if $(ADVISORIES),--advisories "$(ADVISORIES)",--pip-audit $(TOOLS)/bin/pip-audit)

licences: $(STAMP) ## write docs/licences.md
	$(BIN)/python tools/licence_list.py

sbom: $(TOOLS_STAMP) ## write what ragcortex is made of to dist/sbom.json, packages and models
	$(BIN)/python tools/make_sbom.py $(TOOLS) dist/sbom.json

clean: ## remove the environment and caches of tools (not the readers and readings)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
