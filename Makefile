# Everything that is done to this repository. `make` alone says what there is.
# One profile, one target folder, always --workspace: anything else would build every dependency once more.
.DEFAULT_GOAL := help
.PHONY: help gate check test ui deny screens demo kill simulate bench run window bindings mutants
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

UI_PACKAGES := ui/node_modules/.package-lock.json
UI_PAGES := ui/dist/index.html
HQ_PAGE := ui/dist-hq/index.html
UI_SOURCES := $(shell find ui/src ui/public ui/scripts ui/*.html ui/*.ts ui/*.json -type f 2>/dev/null)

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## look at it: sandbox, headquarters and the counter in demo mode; without a display one sale is played
	@scripts/run.sh

check: $(UI_PAGES) $(HQ_PAGE) ## the rules: format, lints, style as a test
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked --quiet --test tidy
	cd ui && npm run --silent lint

test: check target/peers/ready ## everything that must pass; what CI runs
	cargo build --workspace --locked --bins
	cargo nextest run --workspace --locked
	target/debug/simulate --from 1 --orders 20000
	cd ui && npm run --silent test
	cd ui && npm run --silent e2e:fake
	cd ui && npm run --silent e2e:hq
	scripts/e2e.sh story
	scripts/e2e.sh own-keys
	scripts/e2e.sh certificates

window: $(UI_PAGES) ## the story of the real window, on a screen that nobody sees
	cargo build --quiet --workspace --locked --bins
	scripts/e2e.sh story
	scripts/e2e.sh own-keys
	scripts/e2e.sh certificates

bindings: ## the types of the pages, generated from those of Rust
	YIDAN_WRITE_BINDINGS=1 cargo test --workspace --locked --quiet --test bindings

deny: ## licences, banned crates and sources of all dependencies
	command -v cargo-deny >/dev/null || cargo install cargo-deny --locked
	cargo deny --workspace check licenses bans sources

ui: $(UI_PAGES) $(HQ_PAGE) ## the pages, as the programs embed them

screens: $(UI_PAGES) $(HQ_PAGE) ## a picture of every screen
	cd ui && npm run --silent screens
	cargo build --quiet --workspace --locked --bins
	cd ui && SCREENS=1 npm run --silent e2e:hq
	scripts/e2e.sh story
	scripts/e2e.sh own-keys
	scripts/e2e.sh certificates

$(UI_PACKAGES): ui/package-lock.json ui/package.json
	cd ui && npm ci --no-audit --no-fund
	touch $@

# The shell embeds the pages: they come before anything of cargo.
$(UI_PAGES): $(UI_PACKAGES) $(UI_SOURCES)
	cd ui && npm run --silent build

# Headquarters' own page. A debug build of yidan-hq reads it from here, a release build has it inside.
$(HQ_PAGE): $(UI_PACKAGES) $(UI_SOURCES)
	cd ui && npm run --silent build:hq

# Alipay's own SDKs, pinned, for the tests in tests/peers.
target/peers/ready: $(addprefix tests/peers/,install.sh package.json package-lock.json official.txt community.txt)
	tests/peers/install.sh

demo: ## one sale over real HTTP between the real programs, told in one line of JSON
	cargo build --quiet --workspace --locked --bins
	target/debug/demo

kill: ## SIGKILL the real programs while customers buy: make kill ROUNDS=25 [SEED=…]
	cargo build --quiet --workspace --locked --bins
	target/debug/kill $(or $(ROUNDS),25) $(SEED)

# The simulation has a target folder of its own where it is built for speed; SEED replays one run.
# Without that option of SQLite, the threads do not wait for one another to have a page.
simulate: ## everything goes wrong, from seeds: make simulate [ORDERS=100000] [SEED=…] [BUGS=all]
	@LIBSQLITE3_FLAGS=-USQLITE_ENABLE_MEMORY_MANAGEMENT cargo build --quiet --workspace --locked --release --bin simulate --target-dir target/simulation
	target/simulation/release/simulate $(if $(BUGS),--bugs $(BUGS),$(if $(SEED),--seed $(SEED),--orders $(or $(ORDERS),100000)))

bench: ## what questions cost with a million payments in the file: make bench [PAYMENTS=1000000]
	cargo build --quiet --workspace --locked --bins
	target/debug/bench $(PAYMENTS)

# It brings its own copy of the sources and of target/.
mutants: ## breaks the money rules in every small way; each must be noticed by the tests of crates/payment
	command -v cargo-mutants >/dev/null || cargo install cargo-mutants --locked
	cargo mutants --package yidan-payment --output target

gate: ## the long proofs: 1,000,000 simulated orders, every planted bug, 1,000 kills, 60 s of every fuzz target, mutants
	cargo build --quiet --workspace --locked --bins
	target/debug/kill $(or $(ROUNDS),1000) $(SEED)
	$(MAKE) simulate SEED= BUGS= ORDERS=1000000
	$(MAKE) simulate SEED= BUGS=all
	BOLERO_RANDOM_TEST_TIME_MS=60000 BOLERO_RANDOM_ITERATIONS=1000000000 \
	    cargo test --workspace --locked --test alipay fuzz -- --test-threads 1
	$(MAKE) mutants
