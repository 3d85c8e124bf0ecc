# What can be done here. `make` alone lists it; every word works in a fresh clone, with no other preparation.

PYTHON ?= python3
BIN    := .venv/bin
# Stamps of what is installed, so that nothing is installed twice; to develop takes all that it takes to run.
RUNTIME := .venv/.runtime
DEVELOP := .venv/.develop
# The folders that hold Python of ours; those that are not there are left out.
CODE := $(wildcard bot graph prompts playground alembic benchmarks docs tests)
# Tests wait for PostgreSQL and for sockets more than they compute: more processes than cores.
PROCESSES ?= $(shell $(PYTHON) -c 'import os; print(3 * os.cpu_count())')
# Tests that kill processes, and wait for what becomes of it.
PATIENT := crashes journeys simulation mutants playground test_benchmarks.py

.DEFAULT_GOAL := help
.PHONY: help demo install check check-fast fmt-check lint types imports test soak permissions guard format lock audit benchmark measure-code docs secrets image clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## See it answer: a local Slack, a database and sample knowledge, no key needed
	@$(BIN)/askback demo

install: $(DEVELOP) ## Make .venv with everything, from the lock

check: fmt-check lint types imports test ## Everything that CI checks

check-fast: fmt-check lint types imports ## What a change needs while it is made: a minute or two, without what waits
	@$(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal --quiet $(ARGS) $(addprefix --ignore=tests/,$(PATIENT))

fmt-check: $(DEVELOP)
	@$(BIN)/ruff format --check --quiet $(CODE)

lint: $(DEVELOP)
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/shellcheck .ci/*
	@$(BIN)/hadolint Dockerfile
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec compose.yaml

types: $(DEVELOP)
	@$(BIN)/basedpyright

imports: $(DEVELOP)
	@$(BIN)/lint-imports --no-cache --no-logo

# A hundred processes start in the tests: none is to compile our modules anew.
test check-fast soak: export PYTHONDONTWRITEBYTECODE =

test: $(DEVELOP) ## Run the tests; ARGS goes to pytest, as in ARGS="-k embedded -n 0"
	@$(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal --quiet --durations 20 $(ARGS)

soak: $(DEVELOP) ## Simulate a thousand workspaces, kill on both sides of whatever lasts, click by the ten thousand: half an hour
	@VILLAGES=1000 CLICKS=10000 DECISIONS=20000 BOTH_SIDES=yes $(BIN)/pytest --numprocesses 4 --quiet -rP $(ARGS) \
		tests/simulation/test_living.py tests/simulation/test_clicks.py tests/conversation/test_decisions.py tests/crashes

permissions: $(DEVELOP) ## Ask a hundred thousand times, in four ways, for what may be read while that changes: about an hour
	@PERMISSION_ROUNDS=25000 $(BIN)/pytest --numprocesses 2 --quiet -rP $(ARGS) tests/permissions

guard: $(DEVELOP) ## Let a million hostile strings through everything that people see: about ten minutes
	@GUARD_STRINGS=1000000 $(BIN)/pytest --numprocesses auto --quiet -rP $(ARGS) tests/slack/test_guard.py

format: $(DEVELOP) ## Format, and mend what the linter can
	@$(BIN)/ruff check --quiet --fix-only $(CODE)
	@$(BIN)/ruff format --quiet $(CODE)

lock: $(DEVELOP) ## Bring the locks in line with pyproject.toml; ARGS=--upgrade takes newer versions
	@$(COMPILE) --group build -o requirements.lock
	@$(COMPILE) --group dev -o requirements-dev.lock

benchmark: $(DEVELOP) ## Measure Askback beside the plain bot; ARGS=--quick takes a minute
	@$(BIN)/python -m benchmarks $(ARGS)

audit: $(DEVELOP) ## Look for known vulnerabilities, licences and hashes of all that the locks name; needs the network
	@$(BIN)/python -m benchmarks.audit $(ARGS)

measure-code: $(DEVELOP) ## Print how large the code is; ARGS=FOLDER measures another checkout
	@$(BIN)/python -m benchmarks.code $(ARGS)

docs: $(DEVELOP) ## Write the generated parts of the documents anew
	@$(BIN)/python -m docs

secrets: ## Make the files of secrets that compose.yaml gives to its containers; what is there stays
	@.ci/secrets

image: ## Follow the image's install steps without a container engine
	@.ci/image $(PYTHON)

clean: ## Remove what was made here, the database excepted
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

COMPILE = $(BIN)/uv pip compile $(ARGS) --quiet --universal --generate-hashes \
	--no-header --no-emit-index-url --no-annotate pyproject.toml

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Askback needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	@echo "Making .venv …"
	@$(PYTHON) -m venv .venv

$(RUNTIME): LOCK = requirements.lock
$(DEVELOP): LOCK = requirements-dev.lock
$(RUNTIME): requirements.lock pyproject.toml
$(DEVELOP): requirements-dev.lock pyproject.toml
$(RUNTIME) $(DEVELOP): | $(BIN)/python
	@.ci/install $(BIN)/python $(LOCK)
	@touch $@ $(RUNTIME)
