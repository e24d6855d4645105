# The verbs of tcphoton; `make` lists them. Everything goes into .venv, target, dist and out here.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
PYTHON := $(VENV)/bin/python
MATURIN := $(VENV)/bin/maturin
RUST_FILES := $(shell find crates -name '*.rs' -o -name Cargo.toml)

# The engine for browsers.
WASM := python/tcphoton/web/engine.wasm

# One interpreter for every build, so that none invalidates the other's.
export PYO3_PYTHON := $(abspath $(PYTHON))
export VIRTUAL_ENV := $(abspath $(VENV))
# Bytecode is kept: without it each of the processes that tests start compiles all modules anew.
export PYTHONDONTWRITEBYTECODE :=

ROUNDS := 5
# The seed of the property tests' cases: the same in every run; `make check CASES=2` draws others.
CASES := 1
# Of the cases of property tests, and of all else of which there is a sample, what share is tried: a tenth unless
# given, all of them in `make verify`.
TEST_SHARE ?= 0.1
export TEST_SHARE

# The folders of whoever builds the engine are not in it: crates are under cargo, Rust is under rust. cargo keeps
# what is built by hand, without these flags, beside it. `fast` has flags of its own.
plain = CARGO_ENCODED_RUSTFLAGS="$$(printf '%s\037%s\037%s' \
	"--remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo" \
	"--remap-path-prefix=$$(rustc --print sysroot)=rust" "--remap-path-prefix=$(CURDIR)=tcphoton")"

# PyO3 gets the variables that maturin sets from cargo too, so that neither compiles it anew after the other.
as_maturin = $(plain) PYO3_BUILD_EXTENSION_MODULE=1 \
	$(patsubst %,PYO3_CONFIG_FILE="%",$(firstword $(wildcard $(CURDIR)/target/maturin/pyo3-config-*.txt)))

# What is shipped is built by a profile of its own workloads where the toolchain can: some 10 % faster, the same results.
TCPHOTON_PGO ?= $(if $(wildcard $(shell rustc --print target-libdir)/../bin/llvm-profdata),--pgo)
profiled = $(if $(TCPHOTON_PGO),by a profile (twice with a run of its workloads between),$\
	without a profile that would make it some 10 % faster (rustup component add llvm-tools))

# The engine, installed into the environment; maturin's further options are the argument.
build = $(MATURIN) develop --release --locked $(1) >$(VENV)/build.log 2>&1 || { cat $(VENV)/build.log; exit 1; }

# Of `make fuzz` and `make verify`: parts by commas (all unless given). Of `make fuzz`: minutes in all (a minute a
# part), the seed (the clock's) and a case to be judged again. CASES, where it is given, are the cases of each part.
PARTS :=
MINUTES := 0
SEED = $(shell date +%s)
REPLAY :=

# Tests use all cores: those of Rust by threads, those of Python by processes, one more than cores, since many wait for a
# browser or a worker. A process that has no tests left takes some of another's. Each of them holds the libraries that
# it has loaded, so they are not more than eight.
PROCESSES := $(shell expr 1 + $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN))
test_python = $(PYTHON) -m pytest --quiet --numprocesses $(PROCESSES) --maxprocesses 8 --dist worksteal
# The engine is tested as it is shipped, so that its crates are built once for Python and for its own tests: of the whole
# workspace, since a part of it has other features of crates, for which all would be built once more. A crate's unit
# tests are compiled with its assertions and checks of overflows, and less optimisation. `make check` and `make verify`
# have both in all crates, by the profile for development.
shipped = $(as_maturin) TCPHOTON_RUSTC_WRAPPER="$${RUSTC_WRAPPER:-}" RUSTC_WRAPPER="$(CURDIR)/scripts/rustc-tests.sh" \
	cargo test --release --workspace --locked
asserting = cargo test --workspace --exclude binding --locked
document = $(as_maturin) RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --locked
# A test program says how long each test took, which Rust's stable compilers do when they are told that they may.
host = $(shell rustc -vV | sed -n 's/^host: //p' | tr a-z- A-Z_)
test_rust = export CARGO_TARGET_$(host)_RUNNER="env RUSTC_BOOTSTRAP=1" PROPTEST_RNG_SEED=$(CASES); \
	$(1) --no-fail-fast -- -Zunstable-options --report-time
stages = MAKE="$(MAKE)" $(PYTHON) scripts/stages.py $@

# Verbs that build, or need what others build, are one at a time: who comes second waits, and says so. `make` calls
# itself under the lock. Verbs that take hours have it while they build alone.
LOCKED := demo fast test test-oldest check lint verify bless bench web wheel licenses docs clean engine
FREE := help fuzz papers
.PHONY: $(LOCKED) $(FREE)
alone = python=$$(scripts/needs.sh $(1)) && $(if $(TCPHOTON_LOCKED),,"$$python" scripts/alone.py $(1)) $(MAKE) --no-print-directory $(1)

help: ## List the verbs.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

fuzz: ## Attack: made-up, mutated, damaged and killed; PARTS=, CASES=, MINUTES=, SEED=, REPLAY=.
	@$(call alone,engine)
	@PYTHONPATH=tests:tests/python $(PYTHON) -m fuzz --parts "$(PARTS)" --minutes $(MINUTES) --seed $(SEED) \
	  --cases $(if $(filter command,$(word 1,$(origin CASES))),$(CASES),0) --out out/fuzz --replay "$(REPLAY)"

papers: ## Regenerate every paper at full scale into out/papers (some eleven hours of two cores; resumes).
	@$(call alone,engine)
	$(VENV)/bin/tcphoton reproduce --all --scale full --out out/papers

ifndef TCPHOTON_LOCKED

$(LOCKED):
	@$(call alone,$@)

else

engine: $(VENV)/.built

demo: BY = $(TCPHOTON_PGO)
demo: $(VENV)/.built ## Reproduce the obs paper's three-node network in small: claims, figures in out/demo.
	@$(PYTHON) -m tcphoton.cli.demo out/demo

fast: $(VENV)/.installed ## Build the engine by a profile of its own workloads: some 10% faster, the same results (minutes).
	@if command -v rustup >/dev/null; then rustup component add llvm-tools; fi
	@echo "Building the engine twice, with a run of its workloads between …"
	@export CARGO_PROFILE_RELEASE_LTO=thin; $(call build,--pgo)
	@touch $(VENV)/.built

# The stages of the three verbs, each with those that it comes after. cargo has a lock for each of its profiles: those of
# two profiles build at the same time, and of one the wheel is first, for which Python's tests wait.
LINT := packages crates format engine:packages,crates clippy:format,crates python-lint:engine
QUICK := rust-tests-quick:clippy python-tests-quick:engine
WHEEL := wheel:engine,web-engine
RUST := rust-build:clippy,wheel rust-tests:rust-build
DOCS := rust-docs:rust-build doctests:engine

lint: $(VENV)/.maturin ## Format, lint and types of both languages.
	@$(stages) $(LINT)

check: $(VENV)/.maturin ## All of lint, and the quick tests of both languages.
	@$(stages) $(LINT) $(QUICK)

test: $(VENV)/.maturin ## All of check, and what is slower: examples, documentation, the wheel, the engine for browsers.
	@export TCPHOTON_PGO=; $(stages) web-engine $(LINT) $(WHEEL) python-tests:wheel $(RUST) $(DOCS)

# Those of the old packages are for these Pythons alone.
OLDEST := .venv-oldest
OLDEST_TESTS := statistics theory loss_systems query sweep_tables topologies designs

test-oldest: $(VENV)/.built ## Hold the Python side against the oldest packages that it says it runs with.
	@python=; \
	for each in $(PYTHON) python3.11 python3.12; do \
	  if "$$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info >= (3, 13))' >/dev/null 2>&1; then \
	    python=$$each; break; \
	  fi; \
	done; \
	if [ -z "$$python" ]; then echo "no Python 3.11 or 3.12: the oldest packages are left out"; exit 0; fi; \
	if [ tests/oldest.txt -nt $(OLDEST)/.installed ]; then \
	  "$$python" -m venv --clear $(OLDEST); \
	  $(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/oldest.txt; \
	  echo "$(CURDIR)/python" > "$$($(OLDEST)/bin/python -c 'import site; print(site.getsitepackages()[0])')/tcphoton.pth"; \
	  touch $(OLDEST)/.installed; \
	fi; \
	$(OLDEST)/bin/python -m pytest --quiet -p no:cacheprovider \
	  $(OLDEST_TESTS:%=tests/python/test_%.py)

verify: $(VENV)/.built ## Hold the engine against theory, other simulators, Linux and browsers, with all cases of all tests: PARTS= (it lists them).
	@MAKE="$(MAKE)" CARGO_TEST="$(asserting)" $(PYTHON) tests/verification "$(PARTS)"

bless: $(VENV)/.built ## Rewrite tests/fingerprints.csv and what the pages print: results change, and the commit says why.
	$(PYTHON) tests/python/fingerprints.py
	$(PYTHON) tests/python/pages.py

bench: $(VENV)/.built ## Measure the engine's speed, beside ns-2's, ns-3's and htsim's (HTSIM=folder) where they are there (an hour).
	$(PYTHON) benches/side_by_side.py --rounds $(ROUNDS)
	$(PYTHON) benches/speed_page.py
	cargo bench --locked --quiet -p bench

web: $(WASM) $(VENV)/.built ## Build the engine for browsers into the package (WebAssembly), the studio and a front page into out/web.
	@$(VENV)/bin/tcphoton studio --out out/web/studio.html
	@PYTHONPATH=docs $(PYTHON) -m builder.front out/web
	@echo "written: out/web/index.html"

wheel: $(VENV)/.built ## Build the wheel into dist; the engine for browsers is in it where it was built.
	rm -rf dist
	@echo "Building the wheel $(profiled) …"
	@$(plain) $(MATURIN) build --release --locked --quiet --out dist --interpreter $(PYTHON) $(TCPHOTON_PGO)

licenses: ## Write the licences of all crates in the engine, and the bill of materials, into licenses.
	$(PYTHON) tests/python/third_party.py

docs: $(VENV)/.built ## Build the documentation site into out/site, with the reference of all keys; the crates' too.
	mkdir -p docs/reference
	$(VENV)/bin/tcphoton schema --reference > docs/reference/scenario.md
	$(VENV)/bin/tcphoton schema --reference --sweep > docs/reference/sweep.md
	$(VENV)/bin/tcphoton schema --reference --paper > docs/reference/paper.md
	PYTHONPATH=docs $(PYTHON) -m builder out/site
	@echo "written: out/site/index.html"
	$(document)

clean: ## Remove what the verbs have made.
	rm -rf $(VENV) $(OLDEST) target dist out python/tcphoton/*.so $(WASM)

# The stages.

.PHONY: packages crates format clippy python-lint web-engine rust-build rust-tests rust-tests-quick rust-tests-whole rust-docs doctests python-tests python-tests-quick

packages: $(VENV)/.installed

# The engine is compiled while packages are fetched; then it is there for `maturin develop`.
crates: $(VENV)/.maturin
	@$(MAKE) --question $(VENV)/.built || $(plain) $(MATURIN) build --release --locked --quiet --out target/crates

format:
	cargo fmt --all --check
	rustfmt --edition 2024 --check $(filter %.rs,$(RUST_FILES)) # cargo fmt misses modules that a macro declares

clippy:
	$(as_maturin) CARGO_INCREMENTAL=1 cargo clippy --release --workspace --all-targets --locked --quiet -- -D warnings
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --log-level error check licenses bans sources; \
	else echo "note: cargo-deny is not installed: its look at the crates is left out (tests/python/test_third_party.py has one)"; fi

# The stub is held against the binary by itself: its types are checked with all others, a line before.
python-lint:
	$(PYTHON) -m ruff format --check --quiet
	$(PYTHON) -m ruff check --quiet
	$(PYTHON) -m mypy --no-error-summary
	$(PYTHON) -m mypy.stubtest tcphoton._core --mypy-config-file <(printf '[mypy]\nfollow_imports = skip\n')

# Without a standard library for browsers there is no engine for them, and its tests are skipped.
web-engine:
	@$(MAKE) --question $(WASM) || $(plain) crates/web/build.sh $(WASM) || [ $$? -eq 3 ]

rust-build:
	@$(shipped) --tests --quiet --no-run

rust-tests:
	@$(call test_rust,$(shipped) --tests)

# Without whole runs.
rust-tests-quick:
	$(call test_rust,$(asserting) --lib --bins)

rust-tests-whole:
	$(call test_rust,$(asserting) --tests)

rust-docs:
	@$(document) --quiet
	@$(shipped) --doc

# Of the package, and of what builds its pages.
doctests:
	$(PYTHON) -m pytest --quiet --doctest-modules python/tcphoton docs/builder

# Without doctests, which have a stage of their own.
python-tests:
	$(test_python) tests/python

python-tests-quick:
	$(test_python) -m "not slow"

endif

$(WASM): crates/web/build.sh $(RUST_FILES) Cargo.toml Cargo.lock tests/fingerprints.csv
	@echo "Building the engine for browsers …"
	@$(plain) crates/web/build.sh $@

# The package with its engine, installed so that changes of Python take effect at once. The
# fingerprints are part of the engine: their hash names the results that a folder keeps.
$(VENV)/.built: $(VENV)/.installed $(RUST_FILES) Cargo.toml Cargo.lock tests/fingerprints.csv
	@echo "Building the engine$(if $(filter demo,$(MAKECMDGOALS)), $(profiled)) (the first time takes some minutes) …"
	@$(plain) $(call build,$(BY))
	@touch $@

# Most modules of these packages are never imported: those that are, are compiled then.
$(VENV)/.installed: pyproject.toml | $(VENV)/.maturin
	@echo "Installing Python packages into $(VENV) …"
	@$(PYTHON) -m pip install --quiet --no-compile --group dev
	@touch $@

$(VENV)/.maturin: | $(VENV)/.tools
	@$(PYTHON) -m pip install --quiet --upgrade "pip>=25.1" "maturin>=1.16,<2"
	@touch $@

$(VENV)/.tools:
	@python=$$(scripts/needs.sh demo) && echo "Making $(VENV) with $$("$$python" --version)" && \
	  "$$python" -m venv --clear $(VENV)
	@touch $@
