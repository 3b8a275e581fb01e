# `make demo` and `make test` set up what they need in .venv; a second run finds it there.
# Variables: PYTHON (an interpreter, 3.11 or newer), VENV, DEMO and TEST (further arguments).

VENV ?= .venv
DEMO ?=
TEST ?=

BIN := $(VENV)/bin
MADE := $(VENV)/made.stamp
INSTALLED := $(VENV)/installed.stamp
DEVELOPED := $(VENV)/developed.stamp

# The first interpreter that runs and is new enough: a name alone may be a stub that does not run.
FIND_PYTHON := for p in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && exit; done

.PHONY: help demo test check words clean

help:
	@echo "make demo    play the sample game through the companion and serve the page"
	@echo "make test    run the tests"
	@echo "make check   format, lint, types, import contract, dependencies"
	@echo "make words   bring the catalogues of texts up to date and compile them"
	@echo "make clean   remove the environment and what tools leave behind"

demo: $(INSTALLED)
	$(BIN)/crownhead demo $(DEMO)

test: $(DEVELOPED)
	$(BIN)/python -m pytest $(TEST)

check: $(DEVELOPED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

words: $(DEVELOPED)
	$(BIN)/python .ci/catalogues.py

clean:
	rm -rf $(VENV) build dist *.egg-info .*_cache .import_linter_cache .hypothesis

$(MADE):
	@python=$$($(FIND_PYTHON)); test -n "$$python" || { \
		echo "No Python 3.11 or newer with venv was found; install one" \
		     "(Debian, Ubuntu: apt install python3-venv) or name it: make PYTHON=..." >&2; exit 1; }; \
	"$$python" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@touch $@

# The one warning that setuptools has, about folders named like the package, is a page long.
$(INSTALLED): $(MADE) pyproject.toml
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --editable ".[fast]"
	@touch $@

$(DEVELOPED): $(INSTALLED) pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@
