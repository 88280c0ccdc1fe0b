# Every task of the project. `make run` and `make test` are all a newcomer needs.

SHELL := /bin/bash
# Wherever Cargo was told to build: by a variable, or by somebody's own configuration.
TARGET_DIR = $(shell cargo metadata --format-version 1 --no-deps --offline | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')

# A script of end2end/package.json, with the programs that were built for it.
END2END = cd end2end && npm ci --no-fund --no-audit && HATO_BIN_DIR="$(TARGET_DIR)/debug" npm run --silent

.PHONY: run build test test-long screenshots bench bench-encryption bench-api bench-delivery bench-audience bench-tracking bench-webhooks bench-moving bench-clients bench-browser bench-fleet demo fleet kills fuzz soak check dev setup site fmt test-programs

## Builds everything and serves on http://localhost:3000 from ./data
run: build
	./target/release/hato-server serve

## target/release/hato-server, with the site, the SDK and the migrations inside, and the client target/release/hato
build: setup site
	cargo build --release --locked -p hato-server
	cargo build --profile client --locked -p hato-cli
	@mkdir -p target/release
	@for built in "$(TARGET_DIR)/release/hato-server" "$(TARGET_DIR)/client/hato"; do \
	    dest="target/release/$$(basename "$$built")"; \
	    [ "$$built" -ef "$$dest" ] || cp "$$built" "$$dest" || exit 1; \
	done

# Most tests wait most of the time: for a server to start, or for a lease or a time-out to end. With one at a time for each processor two
# thirds of its time are idle.
TEST_THREADS = $(shell echo $$((3 * $$(getconf _NPROCESSORS_ONLN))))

## All behaviour: unit and integration tests, then real browsers
test:
	scripts/setup test
	$(MAKE) site
	RUST_TEST_THREADS="$${RUST_TEST_THREADS:-$(TEST_THREADS)}" cargo test --locked
	@# The tests have built the programs: building them apart would resolve other features and compile much anew.
	$(END2END) test

## The long runs: servers, the processes of a fleet and its PostgreSQL killed and stopped in the middle of a send, again and again,
## the store, the engine and the webhooks on tables that are partitioned by app, a webhook told of 1,000,000 recipients, as many copied
## from one database to another and back, a file with a line of 4 GiB;
## then what the dashboard's pages cost the database, and what axe-core and Lighthouse say of them, and their sizes
test-long: test-programs
	for round in 1 2 3 4 5; do cargo test --locked -p hato-server --test api crash || exit 1; done
	HATO_KILLS=20 HATO_RECIPIENTS=25000 cargo test --locked -p hato-server --test api -- faults::kills --nocapture --test-threads 2
	for round in 1 2 3; do HATO_RECIPIENTS=20000 cargo test --locked -p hato-server --test api -- faults::silence faults::disk --nocapture --test-threads 1 || exit 1; done
	for round in 1 2 3; do cargo test --locked -p hato-delivery --test engine -- due_time_repair || exit 1; done
	for round in 1 2 3 4 5; do cargo test --locked -p hato-store --test store -- queue_model --nocapture || exit 1; done
	HATO_TEST_PARTITIONED=1 cargo test --locked --test store --test engine --test webhooks postgres -- --skip migrations:: --skip tables_that_a_server_uses
	HATO_RECIPIENTS=1000000 cargo test --locked -p hato-server --test api -- webhook::many --nocapture
	HATO_RECIPIENTS=1000000 cargo test --locked -p hato-server --test api -- copy_data::many --nocapture
	for round in 1 2 3; do HATO_FAULTS=12 HATO_OUTAGES=6 HATO_CUTS=20 HATO_REQUESTS=2000 \
	    cargo test --locked -p hato-server --test fleet -- --nocapture || exit 1; done
	HATO_LINE_BYTES=4294967296 cargo test --locked -p hato-cli --test client -- endless_line
	cargo test --locked --test dashboard -- queries --nocapture
	$(END2END) quality

## 1,000 kills of the server during sends on each database, in parts: a run that is ended goes on with the next one. About an hour
kills: build test-programs
	HATO_TEST_SERVER="$(CURDIR)/target/release/hato-server" scripts/kills

## Each fuzz target for 10 s, or for as many as HATO_FUZZ_SECONDS says
fuzz:
	scripts/setup build
	$(MAKE) site
	scripts/fuzz

## 1,000 connections of strangers beside sends to 200,000, on each database: twice a minute without them and one with them at least, or as many
## seconds as HATO_SOAK_SECONDS says
soak: build
	scripts/setup test
	ulimit -Sn "$$(ulimit -Hn)" && HATO_TEST_SERVER="$(CURDIR)/target/release/hato-server" HATO_SOAK_SECONDS="$${HATO_SOAK_SECONDS:-60}" HATO_SOAK_CONNECTIONS=1000 \
	    HATO_RECIPIENTS=200000 cargo test --locked -p hato-server --test api -- soak --nocapture --test-threads 1

## Pictures of every page of the dashboard in target/screenshots: two widths, both themes, both languages; and those of the landing page and README
screenshots: test-programs
	$(END2END) screenshots

## All benchmark tables; each is written to target/bench/ as JSON too, and a figure that misses its target is an error at the end
bench:
	$(MAKE) --keep-going bench-encryption bench-api bench-delivery bench-audience bench-tracking bench-webhooks bench-moving bench-clients bench-browser bench-fleet

## Encrypting a message, beside another implementation
bench-encryption: setup
	cd benches && cargo run --release --locked -- encryption

## Accepting: group commit, reading, and broadcasts to audiences of 10 and 1,000,000
bench-api: build
	cd benches && cargo run --release --locked -- api

## Delivering, beside four other senders, with latency, with refusals, to slow push services, to 1,000,000: about 15 minutes of a machine that does nothing else
bench-delivery: build
	scripts/setup bench
	cd benches && cargo build --release --locked --workspace
	cd benches && cargo run --release --locked -- delivery

## Sends to a part of a million subscriptions with five tags each, beside batches and broadcasts
bench-audience: build
	cd benches && cargo run --release --locked -- audience

## What counting costs a delivery, and what an event costs beside a registration: about 5 minutes
bench-tracking: build
	cd benches && cargo run --release --locked -- tracking

## What an active webhook adds to a delivery's CPU: about 8 minutes of a machine that does nothing else
bench-webhooks: build
	cd benches && cargo run --release --locked -- webhooks

## Importing beside registering, the memory of an export of a million, and a send while back-ups are made
bench-moving: build
	scripts/setup bench
	cd benches && cargo run --release --locked -- moving

## What the programs cost to have, in size and until they have started, and the MCP endpoint
bench-clients: build
	cd benches && cargo run --release --locked -- clients

## A fleet on a PostgreSQL that it starts itself: beside SQLite, with slow commits, with 2,000,000 subscribers, with three workers
bench-fleet: build
	scripts/setup bench
	cd benches && cargo run --release --locked -- fleet

## What the SDK costs a visitor: sizes, and the time from a push to its notification in Chromium
bench-browser: test-programs
	$(END2END) bench

## The server, a sample customer's site and a push service of its own, for trying Hato without the internet
demo: build
	cargo run --release --locked -p hato-testkit --bin hato-demo

## Two api and three worker processes over a PostgreSQL of their own, behind Caddy or nginx where there is one, until Ctrl-C
fleet: build
	cargo run --release --locked -p hato-testkit --bin hato-fleet

## Formatting, lints and the queries' offline data as `.ci/check` has them; views, unused dependencies, bans, licences and sources;
## advisories, where their database can be reached; and which crates the programs link in several versions
check:
	.ci/check
	@command -v leptosfmt >/dev/null || cargo install --locked leptosfmt
	@command -v cargo-machete >/dev/null || cargo install --locked cargo-machete
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	find app/src -name '*.rs' | xargs leptosfmt --check
	cargo machete
	cargo deny check bans licenses sources
	@if cargo deny fetch db 2>/dev/null; then cargo deny check advisories; \
	    else echo "The advisory database cannot be reached: nobody has looked for advisories."; fi
	@echo "Crates that the programs link in several versions:"
	@cargo tree --locked -p hato-server -p hato-cli --edges normal --duplicates --depth 0 \
	    | awk 'NF && !seen[$$1, $$2]++ { versions[$$1] = versions[$$1] " " $$2; count[$$1]++ } \
	           END { for (name in count) if (count[name] > 1) print "  " name versions[name] }' | sort

## A quick debug build, served with debug logs
dev: setup site
	HATO_LOG=debug cargo run -p hato-server -- serve

## Installs what building needs, or says what is missing
setup:
	@scripts/setup build

## What browsers download, in target/site: the dashboard's files and the SDK
site:
	cargo xtask site

## The server and the stand-ins of a customer's site and a push service, for the tests and measurements in browsers
test-programs:
	scripts/setup test
	$(MAKE) site
	cargo build --locked -p hato-server -p hato-testkit --bins

## Formats the Rust code
fmt:
	for workspace in . benches fuzz; do (cd $$workspace && cargo fmt --all) || exit 1; done
