# The verbs of tcphoton; `make` lists them. Everything goes into .venv, target, dist and out here.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
PYTHON := $(VENV)/bin/python
MATURIN := $(VENV)/bin/maturin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml)

# The engine for browsers.
WASM := python/tcphoton/web/engine.wasm

# One interpreter for every build, so that none invalidates the other's.
export PYO3_PYTHON := $(abspath $(PYTHON))
export VIRTUAL_ENV := $(abspath $(VENV))

ROUNDS := 3
# The seed of the property tests' cases: the same in every run; `make check CASES=2` draws others.
CASES := 1
RUST_NEEDED := 1.92
PYTHONS := python3.13 python3.12 python3.11 python3.14 python3 python

# The folders of whoever builds the engine are not in it: crates are under cargo, Rust is under rust. cargo keeps
# what is built by hand, without these flags, beside it. `fast` has flags of its own.
plain = CARGO_ENCODED_RUSTFLAGS="$$(printf '%s\037%s\037%s' \
	"--remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo" \
	"--remap-path-prefix=$$(rustc --print sysroot)=rust" "--remap-path-prefix=$(CURDIR)=tcphoton")"

# The engine, installed into the environment; maturin's further options are the argument.
build = $(MATURIN) develop --release --locked $(1) >$(VENV)/build.log 2>&1 || { cat $(VENV)/build.log; exit 1; }

# Of `make fuzz`: parts by commas (all unless given), minutes in all (a minute a part), the seed (the
# clock's) and a case to be judged again. CASES, where it is given, are the cases of each part.
PARTS :=
MINUTES := 0
SEED = $(shell date +%s)
REPLAY :=

# Tests use all cores: those of Rust by threads, those of Python by processes, of which one that has no tests left
# takes some of another's. Each of them holds the libraries that it has loaded, so they are not more than eight.
CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
test_rust = PROPTEST_RNG_SEED=$(CASES) cargo test --workspace --locked --quiet
test_python = $(PYTHON) -m pytest --quiet --numprocesses $(CORES) --maxprocesses 8 --dist worksteal

.PHONY: help demo fast fuzz test test-oldest check lint verify bless bench web wheel licenses docs papers clean

help: ## List the verbs.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

demo: $(VENV)/.built ## Reproduce the obs paper's three-node network in small: claims, figures in out/demo.
	@$(PYTHON) -m tcphoton.cli.demo out/demo

fast: $(VENV)/.installed ## Build the engine by a profile of its own workloads: some 10% faster, the same results (minutes).
	@if command -v rustup >/dev/null; then rustup component add llvm-tools; fi
	@echo "Building the engine twice, with a run of its workloads between …"
	@$(call build,--pgo)
	@touch $(VENV)/.built

check: lint ## Format, lint, types and tests of both languages.
	$(test_rust)
	$(test_python) -m "not slow"

test: lint ## All of check, and what is slower: examples, documentation, the wheel, the engine for browsers.
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	@$(MAKE) --no-print-directory $(WASM) || echo "The tests of the engine for browsers are left out."
	@$(MAKE) --no-print-directory wheel
	$(test_rust)
	$(test_python)

fuzz: $(VENV)/.built ## Attack: made-up, mutated, damaged and killed; PARTS=, CASES=, MINUTES=, SEED=, REPLAY=.
	@PYTHONPATH=tests:tests/python $(PYTHON) -m fuzz --parts "$(PARTS)" --minutes $(MINUTES) --seed $(SEED) \
	  --cases $(if $(filter command,$(word 1,$(origin CASES))),$(CASES),0) --out out/fuzz --replay "$(REPLAY)"

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
	$(OLDEST)/bin/python -m pytest --quiet -m "not slow" -p no:cacheprovider \
	  $(OLDEST_TESTS:%=tests/python/test_%.py)

# The stub is held against the binary by itself: its types are checked with all others, a line before.
lint: $(VENV)/.built ## Format, lint and types of both languages.
	cargo fmt --all --check
	@rustfmt --edition 2024 --check $(filter %.rs,$(RUST)) # cargo fmt misses modules that a macro declares
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(PYTHON) -m ruff format --check --quiet
	$(PYTHON) -m ruff check --quiet
	$(PYTHON) -m mypy --no-error-summary
	$(PYTHON) -m mypy.stubtest tcphoton._core --mypy-config-file <(printf '[mypy]\nfollow_imports = skip\n')
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --log-level error check licenses bans sources; \
	else echo "cargo-deny is not installed: its look at the crates is left out (tests/python/test_third_party.py has one)"; fi

verify: $(VENV)/.built test-oldest ## Hold the engine against theory and ns-2, TCP against scripts of packetdrill (PACKETDRILL=folder), circuits against Opera's simulator (OPERA=folder) and Etalon's measurements (ETALON=folder), pages against a browser, 2,000 random networks on several threads against one, 2,000 intervals of rare losses against theory, captures against tshark, instructions against the commit before.
	$(PYTHON) tests/verification/verify.py
	$(PYTHON) tests/verification/packetdrill.py
	$(PYTHON) tests/verification/opera.py
	$(PYTHON) tests/verification/etalon.py
	$(PYTHON) tests/verification/browser_pages.py
	$(PYTHON) tests/verification/firefox.py
	$(PYTHON) tests/verification/javascript.py
	$(PYTHON) tests/verification/page_speed.py
	PROPTEST_CASES=2000 cargo test --locked --quiet -p scenario --test parts
	cargo test --locked --quiet -p scenario --test splitting -- --ignored
	$(PYTHON) benches/instructions.py
	@if ! cargo deny --version >/dev/null 2>&1; then echo "cargo-deny is not installed: nobody asked for advisories"; \
	elif ! cargo deny fetch db >/dev/null 2>&1; then echo "no database of advisories can be had: nobody asked"; \
	else cargo deny --offline check advisories; fi

bless: $(VENV)/.built ## Rewrite tests/fingerprints.csv and what the pages print: results change, and the commit says why.
	$(PYTHON) tests/python/fingerprints.py
	$(PYTHON) tests/python/pages.py

bench: $(VENV)/.built ## Measure the engine's speed, beside ns-2's, ns-3's and htsim's (HTSIM=folder) where they are there (minutes).
	$(PYTHON) benches/side_by_side.py --rounds $(ROUNDS)
	$(PYTHON) benches/speed_page.py
	cargo bench --locked --quiet -p optics -p traffic -p transport

web: $(WASM) $(VENV)/.built ## Build the engine for browsers into the package (WebAssembly), the studio and a front page into out/web.
	@$(VENV)/bin/tcphoton studio --out out/web/studio.html
	@PYTHONPATH=docs $(PYTHON) -m builder.front out/web
	@echo "written: out/web/index.html"

$(WASM): crates/web/build.sh $(RUST) Cargo.toml Cargo.lock tests/fingerprints.csv
	@echo "Building the engine for browsers …"
	@$(plain) crates/web/build.sh $@

wheel: $(VENV)/.built ## Build the wheel into dist; the engine for browsers is in it where it was built.
	rm -rf dist
	@$(plain) $(MATURIN) build --release --locked --quiet --out dist --interpreter $(PYTHON)

licenses: ## Write the licences of all crates in the engine, and the bill of materials, into licenses.
	$(PYTHON) tests/python/third_party.py

docs: $(VENV)/.built ## Build the documentation site into out/site, with the reference of all keys; the crates' too.
	mkdir -p docs/reference
	$(VENV)/bin/tcphoton schema --reference > docs/reference/scenario.md
	$(VENV)/bin/tcphoton schema --reference --sweep > docs/reference/sweep.md
	PYTHONPATH=docs $(PYTHON) -m builder out/site
	@echo "written: out/site/index.html"
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

papers: $(VENV)/.built ## Regenerate every paper at full scale into out/papers (some nine hours of two cores; resumes).
	$(VENV)/bin/tcphoton reproduce --all --scale full --out out/papers

clean: ## Remove what the verbs have made.
	rm -rf $(VENV) $(OLDEST) target dist out python/tcphoton/*.so $(WASM)

# The package with its engine, installed so that changes of Python take effect at once. The
# fingerprints are part of the engine: their hash names the results that a folder keeps.
$(VENV)/.built: $(VENV)/.installed $(RUST) Cargo.toml Cargo.lock tests/fingerprints.csv
	@echo "Building the engine (the first time takes some minutes) …"
	@$(plain) $(build)
	@touch $@

$(VENV)/.installed: pyproject.toml | $(VENV)/.tools
	@echo "Installing Python packages into $(VENV) …"
	@$(PYTHON) -m pip install --quiet --upgrade "pip>=25.1"
	@$(PYTHON) -m pip install --quiet --group dev
	@touch $@

# What must be there beforehand, and what to install where it is not.
$(VENV)/.tools:
	@problems=0; \
	complain() { echo "tcphoton needs $$1" >&2; problems=1; }; \
	rust=$$(rustc --version 2>/dev/null | cut -d' ' -f2 || true); \
	oldest=$$(printf '%s\n' "$(RUST_NEEDED)" "$${rust:-0}" | sort -V | head -n 1); \
	if ! cargo --version >/dev/null 2>&1 || [ "$$oldest" != "$(RUST_NEEDED)" ]; then \
	  complain "Rust $(RUST_NEEDED) or later (found: $${rust:-none}): see https://rustup.rs"; \
	fi; \
	if ! cc --version >/dev/null 2>&1; then \
	  complain "a C toolchain for linking (cc): Debian 'apt install gcc libc6-dev', macOS 'xcode-select --install'"; \
	fi; \
	python=; \
	for each in $(PYTHONS); do \
	  if "$$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    python=$$each; break; \
	  fi; \
	done; \
	if [ -z "$$python" ]; then \
	  complain "Python 3.11 or later with venv: Debian 'apt install python3 python3-venv', or https://python.org"; \
	fi; \
	[ $$problems -eq 0 ] || exit 1; \
	echo "Making $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv --clear $(VENV)
	@touch $@
