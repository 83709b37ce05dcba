# The two commands are `make demo` and `make test`; both set up what is missing.
FITS := import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))
PYTHON ?= $(shell for one in python3.12 python3.11 python3.10 python3; do $$one -c '$(FITS)' 2>/dev/null && echo $$one && break; done)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-$(shell cat requirements.lock requirements-build.lock pyproject.toml 2>/dev/null | cksum | cut -d' ' -f1)
# what locks and audits, apart from what is locked and audited
TOOLS := .venv-tools
TOOLS_STAMP := $(TOOLS)/.installed-$(shell cat requirements-tools.lock 2>/dev/null | cksum | cut -d' ' -f1)
# what builds the docs as a site, likewise
DOCS := .venv-docs
DOCS_STAMP := $(DOCS)/.installed-$(shell cat requirements-docs.lock 2>/dev/null | cksum | cut -d' ' -f1)
# what tests deploy: Airflow, whose hundreds of packages nothing else needs
SCHEDULE := .venv-schedule
SCHEDULE_STAMP := $(SCHEDULE)/.installed-$(shell cat requirements-schedule.lock 2>/dev/null | cksum | cut -d' ' -f1)
# the S3 of a test's cluster, likewise
CLUSTER := .venv-cluster
CLUSTER_STAMP := $(CLUSTER)/.installed-$(shell cat requirements-cluster.lock 2>/dev/null | cksum | cut -d' ' -f1)
INSTALL := -m pip install --quiet --quiet --disable-pip-version-check --require-hashes --requirement
COMPILE := $(TOOLS)/bin/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-strip-extras --no-header --annotation-style line
export PYTHONDONTWRITEBYTECODE := 1

# the parts that have quick tests of their own: those of scripts/check.py
AREAS := parsers values state landing onboarding scripts

.PHONY: help setup archive demo shell test test-all $(AREAS:%=test-%) test-sources test-pythons test-schedule test-cluster test-faults test-damage test-mutations lint bench docs clean lock audit

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 23
	@printf '  make test-<area>\tthe quick tests of one part: $(AREAS)\n' | expand -t 23

setup: $(STAMP) ## a virtual environment with the locked packages, Spark's and Kafka's jars
	@$(BIN)/python scripts/setup.py

# It takes as long as ten starts of Spark gain: not for a newcomer, but for a schedule and the tests.
archive: $(STAMP) ## archive Spark's classes: each command then starts about five seconds faster
	@$(BIN)/python scripts/setup.py --archive

$(STAMP):
	@$(PYTHON) -c '$(FITS)' 2>/dev/null || { echo "error: Python 3.10, 3.11 or 3.12 is needed: install one, or name it with make $(firstword $(MAKECMDGOALS)) PYTHON=…" >&2; exit 1; }
	@echo "installing the locked packages into $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { echo "error: python cannot make a virtual environment: on Debian and Ubuntu install python3-venv" >&2; exit 1; }
	@$(BIN)/python $(INSTALL) requirements-build.lock
	@$(BIN)/python $(INSTALL) requirements.lock --no-build-isolation
	@rm -f $(VENV)/.installed-* && touch $(STAMP)

# an environment of its own: $(call environment,directory,lock)
define environment
	@$(PYTHON) -m venv $(1)
	@$(1)/bin/python $(INSTALL) $(2)
	@rm -f $(1)/.installed-* && touch $@
endef

$(TOOLS_STAMP): $(STAMP)
	$(call environment,$(TOOLS),requirements-tools.lock)

$(DOCS_STAMP): $(STAMP)
	$(call environment,$(DOCS),requirements-docs.lock)

$(SCHEDULE_STAMP): $(STAMP)
	$(call environment,$(SCHEDULE),requirements-schedule.lock)

$(CLUSTER_STAMP): $(STAMP)
	$(call environment,$(CLUSTER),requirements-cluster.lock)

demo: setup ## run sample messages through a local Kafka broker into current tables
	@$(BIN)/python scripts/demo.py

shell: setup ## a shell to try things in: the project's Python and dbt, a local broker, a lake in lake/sandbox
	@export PATH="$(CURDIR)/$(BIN):$$PATH" CHANGELAKE_HOME="$${CHANGELAKE_HOME:-$(CURDIR)/lake/sandbox}"; \
	python scripts/kafka.py start || exit; \
	echo "the lake is $$CHANGELAKE_HOME; the broker ends with this shell: exit"; \
	"$${SHELL:-/bin/sh}" -i; python scripts/kafka.py stop

lint: setup ## ruff, pyright, and sqlfluff on what the last dbt build compiled
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=true $(BIN)/pyright
	@$(BIN)/python scripts/lint_sql.py

test: archive ## the checks that a change is most likely to break: lint, dbt build of the samples, pytest with the real broker
	@$(BIN)/python scripts/check.py

test-all: archive ## make test plus the thorough tests, conformance, 20 kills at random moments, real databases
	@$(BIN)/python scripts/check.py --all $(if $(WITHIN),--within $(WITHIN))

$(AREAS:%=test-%): test-%: archive
	@$(BIN)/python scripts/check.py --area $*

# with the code that Spark generates, which make test-all leaves to the conformance suite
test-sources: archive ## real databases and their producers to current tables; what is not installed is skipped
	@CHANGELAKE_CODEGEN=true $(BIN)/pytest tests/sources -rs

test-pythons: setup ## the demo of the last commit with every other installed Python from 3.10 to 3.12
	@$(BIN)/pytest tests/pythons -rs

test-schedule: archive $(SCHEDULE_STAMP) ## the files in deploy: Airflow runs its DAG, systemd and Kubernetes' schema read theirs
	@$(BIN)/pytest tests/schedule -rs

test-cluster: archive $(CLUSTER_STAMP) ## run.py, onboard.py and sql.py on a Spark cluster with S3 and a metastore, parts of which are killed
	@$(BIN)/pytest tests/cluster -rs

test-damage: archive ## full disks, lost and damaged parts of a lake, a million bad messages: minutes each
	@CHANGELAKE_CODEGEN=true $(BIN)/pytest tests/python/test_commands.py -m damage
	@CHANGELAKE_CODEGEN=true $(BIN)/pytest tests/python/test_faults.py -m damage

test-faults: archive ## kills commands at random moments and compares the tables; KILLS=200, SEED to repeat
	@$(BIN)/python tests/faults/kills.py --kills $(or $(KILLS),200) $(if $(SEED),--seed $(SEED))

test-mutations: archive ## deliberate faults, each of which a test has to catch; ONLY=name for one
	@$(BIN)/python tests/mutations/check.py $(addprefix --only ,$(ONLY)) $(if $(AT_ONCE),--at-once $(AT_ONCE))

bench: archive ## throughput of landing, parsers and tables: a table, and bench.json
	@$(BIN)/python scripts/bench.py

docs: $(DOCS_STAMP) ## the docs as a site, with reference from the code: target/docs/index.html
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

lock: $(TOOLS_STAMP) ## writes the locks again: every package and jar with its hash
	@$(COMPILE) --all-extras --output-file requirements.lock pyproject.toml
	@$(COMPILE) --group build --output-file requirements-build.lock
	@$(COMPILE) --group tools --output-file requirements-tools.lock
	@$(COMPILE) --group docs --output-file requirements-docs.lock
	@# pip refuses hashes of a package with extras
	@$(COMPILE) --strip-extras --group schedule --output-file requirements-schedule.lock
	@$(COMPILE) --strip-extras --group cluster --output-file requirements-cluster.lock
	@$(BIN)/python scripts/lock_jars.py

audit: $(TOOLS_STAMP) ## known vulnerabilities of the packages; jars.cdx.json, the jars for a scanner
	@$(BIN)/python scripts/sbom.py
	@$(TOOLS)/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off $(addprefix --requirement ,$(wildcard requirements*.lock))

clean: ## removes what was built, but neither the lake nor what was installed
	@rm -rf target logs .pytest_cache .ruff_cache
