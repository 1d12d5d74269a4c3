# Two commands set everything up from nothing but Python 3.11+ and make, in a virtual environment here:
#   make demo    play the game on real digits and save pictures of it; installs what users get, no more
#   make test    everything that is checked: style, types, import order, tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := src/zerokelvin/web
WORKERS := -n auto --dist loadfile --no-loadscope-reorder
SOURCES := $(shell find src benchmarks -type f -not -path '*/__pycache__/*' -not -path '*/node_modules/*') pyproject.toml README.md

.PHONY: demo test lint page docs audit image-check clean

demo: $(VENV)/.installed
	$(BIN)/zerokelvin demo

# What is quick to find is found first: style and types, then the doctests, which compile the kernels (of workers that
# need the same one, one compiles and the others wait), then the tests in the order of tests/conftest.py.
test: lint page $(VENV)/.peers
	ZEROKELVIN_COMPILE=now $(BIN)/python -m pytest -q $(WORKERS) --doctest-modules --ignore-glob='*/zerokelvin/benchmarks/*' --pyargs zerokelvin
	$(BIN)/python -m pytest -q $(WORKERS) -m "not alone"
	$(BIN)/python -m pytest -q -m alone tests/browser
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q $(WORKERS) -m kernels $$(grep -rl --include='test_*.py' pytest.mark.kernels tests)

lint: $(VENV)/.dependencies
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# What the tests of the labelling page need besides Python, or one line that says what is skipped and how to get it.
page:
	@command -v chromium > /dev/null || echo "Tests in a browser are skipped: no chromium (apt-get install chromium)."
	@test -d $(PAGE)/node_modules || echo "Tests of the page's source are skipped: no packages (npm ci --prefix $(PAGE), with Node 20 or newer)."

docs: $(VENV)/.dependencies
	$(BIN)/mkdocs build --strict

# Known vulnerabilities of what is installed, by the database of PyPI; without a network it says so and passes.
audit: $(VENV)/.dependencies
	@$(BIN)/pip-audit --skip-editable --progress-spinner off > $(VENV)/audit.txt 2>&1; code=$$?; tail -n 3 $(VENV)/audit.txt; \
	if grep -q "known vulnerabilit" $(VENV)/audit.txt; then exit $$code; fi; \
	test $$code = 0 || echo "pip-audit could not ask its database; run 'make audit' where PyPI can be reached."

# The image of packaging/Containerfile, built and tried, where there is buildah; some minutes and 5 GB below $TMPDIR.
image-check:
	@packaging/check_image.sh

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis

# What the package needs to run, and the backend that builds it; again when pyproject.toml changes.
$(VENV)/.runtime: pyproject.toml
	@echo "Setting up $(VENV) (once; a few minutes on a slow line)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check hatchling "$(CURDIR)[service]"
	@touch $@

# The developers' tools, after the package itself: pip must not install twice at a time into one environment.
$(VENV)/.dependencies: pyproject.toml | $(VENV)/.installed
	@echo "Installing the developers' tools (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "$(CURDIR)[dev]"
	@touch $@

# A package compared with that has to be built: its tests run where there is a C++ compiler.
$(VENV)/.peers: $(VENV)/.dependencies
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check graphlearning || echo "graphlearning could not be built; it is left out of the tests"
	@touch $@

# The package itself as users get it (a built wheel, not a link to src), again when a source file changes.
$(VENV)/.installed: $(VENV)/.runtime $(SOURCES)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall "$(CURDIR)"
	@touch $@
