# Every target sets itself up: a fresh clone with Python 3.11+ and make is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/ready
CORES  ?= auto
SECONDS ?= 600

# With VENV at another place everything that is written goes there, so the source tree may be read-only.
ifneq ($(VENV),.venv)
export RUFF_CACHE_DIR := $(VENV)/caches/ruff
export MYPY_CACHE_DIR := $(VENV)/caches/mypy
export NUMBA_CACHE_DIR := $(VENV)/caches/numba
export HYPOTHESIS_STORAGE_DIRECTORY := $(VENV)/caches/hypothesis
export PYTHONPYCACHEPREFIX := $(VENV)/caches/python
export PYTEST_ADDOPTS := -o cache_dir=$(VENV)/caches/pytest
endif

# What make check runs: the layers of the tree, discovery, and for each layer the tests that catch most faults soonest.
QUICK  := tests/test_layers.py tests/test_house.py tests/test_config.py tests/contracts/test_discovery.py \
          tests/contracts/test_worked_examples.py tests/core tests/hierarchies tests/microdata tests/checking/test_audit.py \
          tests/release/test_verification.py src/shoal/core src/shoal/tables src/shoal/models src/shoal/release

# What make coverage runs: the tests of the packages that it is about.
COVERED := tests/checking tests/models tests/release tests/contracts/test_model_laws.py tests/test_people.py \
          tests/test_households.py tests/test_masked_releases.py tests/test_withheld_values.py tests/test_config.py \
          tests/test_pipeline.py tests/studies/test_frontier.py tests/tables/test_missing_codes.py \
          tests/tables/test_frames.py tests/steps/test_sampled_release.py tests/report/test_report.py \
          src/shoal/checking src/shoal/models src/shoal/release
TRACED := tests/models/test_transport.py tests/checking/test_class_gains.py

.PHONY: help demo check test tests test-all test-web lint style types bench bench-check campaign coverage fuzz mutation docs clean

help:
	@echo "make demo      anonymize a synthetic census of 10,000 people and verify the release"
	@echo "make check     a quick subset of make test, for the loop while working"
	@echo "make test      ruff, mypy --strict, pytest with doctests"
	@echo "make test-all  the same and the slow, large checks"
	@echo "make test-web  the page in a real browser: playwright and Chromium are installed where missing"
	@echo "make bench     the benchmarks that need nothing else and end by themselves"
	@echo "make bench-check  costs, gaps and ratios of times, compared with those written down; fails where one is worse"
	@echo "make campaign  the law over random tables, ten minutes; again, and it goes on (SECONDS=600 says how long)"
	@echo "make coverage  lines and branches of checking, models and release that the tests reach"
	@echo "make fuzz      every reader, with files changed at random, led by the lines they reach (SECONDS=600)"
	@echo "make mutation  changes of a module that no test notices (FILE=src/shoal/... TESTS=tests/...)"
	@echo "make lint      ruff and mypy alone; make style and make types, one of them"
	@echo "make docs      the documentation as a web site in site/"

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("shoal needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	$(BIN)/shoal demo

lint: style types

# The stages of make test, each of which says what it checks; the last one ends with what was checked and what was not run.
style: $(READY)
	@echo "== stage 1 of 3: style and common faults (ruff)"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	@echo "== stage 2 of 3: types of all code, tests included (mypy --strict)"
	$(BIN)/mypy

check: lint
	@echo "== stage 3 of 3: a quick subset of the tests (pytest)"
	$(BIN)/pytest -n $(CORES) $(QUICK)

# mypy has one process, so the tests begin beside it.
test: style
	@$(MAKE) --no-print-directory -j2 types tests

tests: $(READY)
	@echo "== stage 3 of 3: tests, examples in docstrings, documentation (pytest)"
	$(BIN)/pytest -n $(CORES)

test-all: lint
	@echo "== stage 3 of 3: tests with the slow ones, examples in docstrings, documentation (pytest)"
	SHOAL_THOROUGH=$${SHOAL_THOROUGH:-1} $(BIN)/pytest -n $(CORES) -m "not web"

# Chromium of the system is taken if there is one; the screenshots of docs/web.md are made anew on the way.
test-web: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "playwright>=1.45" axe-playwright-python
	@(command -v chromium || command -v chromium-browser || command -v google-chrome) >/dev/null || $(BIN)/python -m playwright install chromium
	@mkdir -p build
	SHOAL_FIGURES=docs/figures SHOAL_RECORDS=build $(BIN)/pytest -m web tests/web -n 0

bench: $(READY)
	$(BIN)/python -m benchmarks

# benchmarks/history.csv is what is compared with; python -m benchmarks.check --write LABEL adds to it.
bench-check: $(READY)
	$(BIN)/python -m benchmarks.check

# The ledgers stay in build/campaign; docs/reliability.md says what they hold.
campaign: $(READY)
	$(BIN)/python -m tests.campaign --seconds $(SECONDS)

# Compiled loops are traced as Python in the second run, with the tests that are small enough for it.
coverage: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "coverage>=7.6"
	CI=1 $(BIN)/python -m coverage run -m pytest -n 0 $(COVERED)
	CI=1 NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -n 0 -W "ignore:overflow:RuntimeWarning" $(TRACED)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

# atheris is no dependency of shoal; where it is absent, this says what to install.
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

mutation: $(READY)
	CI=1 POLARS_MAX_THREADS=1 $(BIN)/python -m tests.mutation $(FILE) $(TESTS) --seconds $(SECONDS)

docs: $(READY)
	$(BIN)/python -m docs.generator
	$(BIN)/zensical build --strict --clean

clean:
	rm -rf $(VENV) site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
