# Each target sets up what it needs on a fresh machine: Python 3.11+ and Java 17+ are all it asks for.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
WORKERS ?= 2
SEED ?= 0
COUNT ?= 10000

.DEFAULT_GOAL := help
.PHONY: help demo quick test test-all prove fuzz mutants lint types bench docs clean check-python check-java

help:  ## show this help
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "tidewheel needs Python 3.11 or newer: install it (Debian: apt-get install python3 python3-venv) or run make PYTHON=python3.12"; exit 1; }

check-java:
	@{ [ -n "$$JAVA_HOME" ] && [ -x "$$JAVA_HOME/bin/java" ]; } || command -v java >/dev/null 2>&1 || { \
	  echo "tidewheel needs Java 17 or newer: install it (Debian: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17) or set JAVA_HOME"; exit 1; }

$(STAMP): pyproject.toml | check-python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,connect]'
	@touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,connect,bench]'
	@touch $@

demo: check-java $(STAMP)  ## build the demo shop, refresh it twice, verify every view
	@rm -rf shop
	$(BIN)/tidewheel demo shop

quick: $(STAMP)  ## tests that need no engine and no store: a minute or two, while editing
	$(BIN)/python -m pytest -m "quick and not long" -n $(WORKERS) --dist worksteal -q

test: check-java $(STAMP) lint types  ## lint, types, and all tests but the long ones and what was proven on Spark
	$(BIN)/python -m tests.lanes --workers $(WORKERS)

test-all: check-java $(BENCH_STAMP) lint types  ## every test, the long ones and what was proven on Spark too
	$(BIN)/python -m tests.lanes --workers $(WORKERS) --all

prove: check-java $(STAMP)  ## prove on Spark what make test passes over, and write tests/spark/proven.txt anew
	$(BIN)/python -m pytest -m "spark and not long" --prove-all --note-proven -q

fuzz: $(STAMP)  ## 10,000 random plans on two engines, and as many views over random changes; SEED=, COUNT=
	$(BIN)/python -m tests.fuzz --seed $(SEED) --count $(COUNT) --jobs $(WORKERS)
	$(BIN)/python -m tests.fuzz --changes --seed $(SEED) --count $(COUNT) --jobs $(WORKERS)

mutants: $(STAMP)  ## 200 small mistakes in the delta rules; the tests must notice 95 in 100
	$(BIN)/python -m tests.mutants --count 200 --jobs $(WORKERS)

lint: $(STAMP)  ## ruff and the layers
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/lint-imports

types: $(STAMP)  ## mypy --strict
	$(BIN)/mypy

bench: check-java $(BENCH_STAMP)  ## the benchmarks; they print a table and write JSON to build/
	$(BIN)/python benchmarks/binding.py
	$(BIN)/python benchmarks/planning.py
	$(BIN)/python benchmarks/searching.py
	$(BIN)/python benchmarks/first_hour.py
	$(BIN)/python benchmarks/full_refresh.py
	$(BIN)/python benchmarks/tpch_refresh.py
	$(BIN)/python benchmarks/graph_refresh.py
	$(BIN)/python benchmarks/choice.py

docs: $(STAMP)  ## write the generated page anew, check that the documentation matches the code
	$(BIN)/python -m tests.sql_support
	$(BIN)/python -m pytest tests/meta -q

clean:  ## remove what was built
	rm -rf $(VENV) shop build dist
