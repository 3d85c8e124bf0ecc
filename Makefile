# `make` alone lists all commands. Every command works in a fresh clone without preparation.

PYTHON ?= python3
BIN    := .venv/bin
# Stamps of finished installations. The development environment includes the runtime.
RUNTIME := .venv/.runtime
DEVELOP := .venv/.develop
# The folders with our Python code, if they exist.
CODE := $(wildcard bot graph prompts playground alembic benchmarks docs tests)
# Tests mostly wait for PostgreSQL and sockets, so there are more processes than cores.
PROCESSES ?= $(shell $(PYTHON) -c 'import os; print(3 * os.cpu_count())')
# Tests that kill processes and wait.
PATIENT := benchmarks crashes journeys simulation mutants playground
# A test that takes half an hour does not hang.
LONG := $(BIN)/pytest -o faulthandler_timeout=0

.DEFAULT_GOAL := help
.PHONY: help demo install check check-fast fmt-check lint types imports test soak permissions guard patterns format lock audit benchmark measure-code docs secrets image clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## Try it: a local Slack, a database and sample documents; no key needed
	@$(BIN)/askback demo

install: $(DEVELOP) ## Install everything into .venv, from the lock

# The types take one core for three quarters of a minute. Meanwhile the tests start on the others.
check: fmt-check lint imports ## Run everything that CI runs
	@$(MAKE) --no-print-directory --jobs=2 types test

check-fast: fmt-check lint types imports ## Check quickly while you work: skips tests that kill and wait
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

# The tests start a hundred processes; all of them use the compiled modules.
test check-fast soak: export PYTHONDONTWRITEBYTECODE =

test: $(DEVELOP) ## Run the tests; ARGS goes to pytest, as in ARGS="-k embedded -n 0"
	@$(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal --quiet --durations 20 $(ARGS)

soak: $(DEVELOP) ## Simulate 1,000 workspaces, kill before and after every commit, click 10,000 times: half an hour
	@SIMULATIONS=1000 CLICKS=10000 DECISIONS=20000 ENDINGS=3000 BOTH_SIDES=yes $(LONG) --numprocesses 4 --quiet -rP $(ARGS) \
		tests/simulation/test_living.py tests/simulation/test_clicks.py tests/conversation/test_decisions.py \
		tests/graph/test_termination.py tests/crashes

permissions: $(DEVELOP) ## Read 100,000 times while permissions change, and do 2,000 things in Slack: about an hour
	@PERMISSION_ROUNDS=25000 PERMISSION_CASES=2000 $(LONG) --numprocesses 2 --quiet -rP $(ARGS) tests/permissions

guard: $(DEVELOP) ## Render a million hostile strings in everything that people see, and let a model obey documents: hours on two cores
	@GUARD_STRINGS=1000000 NAIVE_EVERY=1 $(LONG) --numprocesses auto --quiet -rP $(ARGS) \
		tests/slack/test_guard.py tests/models/test_naive_model.py

patterns: $(DEVELOP) ## Read 10, 20 and 40 kB of each pattern's own parts: a minute
	@PATTERN_SIGNS=10000 $(BIN)/pytest --numprocesses auto --quiet $(ARGS) tests/graph/test_patterns.py

format: $(DEVELOP) ## Format the code, and apply the linter's fixes
	@$(BIN)/ruff check --quiet --fix-only $(CODE)
	@$(BIN)/ruff format --quiet $(CODE)

lock: $(DEVELOP) ## Update the locks from pyproject.toml; ARGS=--upgrade takes newer versions
	@$(COMPILE) --group build -o requirements.lock
	@$(COMPILE) $(PROVIDERS) --group build -o requirements-providers.lock
	@$(COMPILE) $(PROVIDERS) --group dev -o requirements-dev.lock

benchmark: $(DEVELOP) ## Compare Askback with a plain bot; ARGS=--quick takes a minute
	@$(BIN)/python -m benchmarks $(ARGS)

audit: $(DEVELOP) ## Check all locked packages for known vulnerabilities, licences and hashes; ARGS=--advisories=FOLDER needs no network
	@$(BIN)/python -m benchmarks.audit.locks $(ARGS)

measure-code: $(DEVELOP) ## Print the size of the code; ARGS=FOLDER measures another checkout
	@$(BIN)/python -m benchmarks.code $(ARGS)

docs: $(DEVELOP) ## Update the generated parts of the documents
	@$(BIN)/python -m docs

secrets: ## Create the secret files for compose.yaml; existing ones stay
	@.ci/secrets

image: ## Run the image's install steps without a container engine
	@.ci/image $(PYTHON)

clean: ## Remove everything generated except the database
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

PROVIDERS := --extra anthropic --extra ollama --extra openai --extra opentelemetry --extra tavily --constraints requirements.lock
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
