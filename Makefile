# SPDX-License-Identifier: Apache-2.0
.PHONY: help demo test lint format gate install probe wheel deb demo-python vocabulary rules man \
   evidence traces docs test-probe test-attach test-hostile-hosts test-sentinel test-pytest test-gate-matrix \
   test-action test-browser test-bench bench-counts smoke pitfalls verdicts test-steps test-documents \
   test-wheel test-deb test-otlp test-mcp test-logs test-rows test-fleet-commands test-prometheus test-grafana \
   test-live agreement fuzz-predicates fuzz-readers ctf-agreement merges damage hostile \
   migrations contexts torture threads controllers test-threads test-addresses test-core-data \
   test-openings bench bench-quick bench-probe test-scale rehearsals fleet-scale fight flight

help: ## lists these targets
	@sed -n -e 's/^## \(.*\)/\n\1/p' -e 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile

## Every day

demo: ## installs what is missing, makes a transit store, and shows what its searches cost
	@Scripts/demo.sh

test: ## the same set-up, then all tests
	@Scripts/test.sh

lint: ## checks the style of every Swift file, the words of comments and documents, and the layers of ObjectStore
	@Scripts/words.sh
	@Scripts/vocabulary.py --check
	@Scripts/probe-includes.py
	@Scripts/layers.sh
	swift format lint --strict --recursive Package.swift Sources Tests Examples dashboards Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests

format: ## writes every Swift file in that style
	swift format --in-place --recursive Package.swift Sources Tests Examples dashboards Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests

gate: ## compares our own workload with traces/baseline
	@Scripts/gate.sh

## Install

PREFIX ?= /usr/local
install: ## installs trace-report, its manual page and its completions: make install PREFIX=/usr/local
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install.sh

probe: ## builds the probe that observes any SQLite program into .build/probe
	@Scripts/probe.sh

wheel: ## builds a wheel for pip, pipx and uvx into .build/wheel: trace-report, the probe and the pytest plugin
	@Scripts/wheel.sh

deb: ## builds a Debian package that needs no Swift where it is installed, into .build/deb
	@Scripts/deb.sh

demo-python: ## records a Python web application with an N+1, a full scan and a lock wait, before and after
	@Scripts/demo-python.sh

## Generated files

vocabulary: ## regenerates what repeats the events of Sources/vocabulary.txt: C, Swift and Documentation/Vocabulary.md
	@Scripts/vocabulary.py

rules: ## regenerates Documentation/Rules.md from the rules
	swift build --product trace-report
	"$$(swift build --show-bin-path)/trace-report" explain --markdown > Documentation/Rules.md.new
	mv Documentation/Rules.md.new Documentation/Rules.md

man: ## regenerates Documentation/trace-report.1 from the commands' options
	swift build --product trace-report
	"$$(swift build --show-bin-path)/trace-report" manual > Documentation/trace-report.1.new
	mv Documentation/trace-report.1.new Documentation/trace-report.1

evidence: ## prints sixteen well-known problems with their findings; UPDATE=1 writes Documentation/Evidence.md
	swift build --product trace-report && swift build --product transit
	swift build --product records && swift build --product photos
	@Scripts/evidence.py "$$(swift build --show-bin-path)" $(if $(UPDATE),> Documentation/Evidence.md)

traces: ## records the sample traces and the baseline in traces/ again
	@Scripts/traces.sh

docs: ## builds the DocC documentation into .build/docs; fails on warnings, undocumented symbols and broken snippets
	@Scripts/docs.sh

## Suites of the tool

test-probe: probe ## runs real programs under the probe, which it installs, and compares their counts; SHORT=1 runs those that are here
	@Tests/ProbeTests/run.py $(if $(SHORT),,--install)

test-attach: probe ## attaches 200 times to programs under load, and at points where nothing may be loaded
	swift build --product trace-report
	@ATTACHES=$${ATTACHES:-40} Tests/ProbeTests/run.py --only=attached

test-hostile-hosts: probe ## runs small programs that fork, restrict themselves and have little room, alone and observed; compares them
	@Tests/ProbeTests/hostile.py

test-sentinel: ## hazards of a database in programs of several kinds: 'locks' names each, and nothing in healthy programs; SHORT=1 tries three
	swift build --product trace-report && swift build --product lock-holder
	$(if $(SHORT),Tests/Sentinel/matrix.py --short shell python c,Scripts/test-sentinel.sh)
	Tests/Sentinel/peace.py --samples $(if $(SHORT),2,20)
	Tests/Sentinel/damage.py --runs $(if $(SHORT),1,5)

test-pytest: probe ## tests the pytest plugin, with the packages that it installs, and measures a suite of 500 tests; SHORT=1 without Django
	@Scripts/test-pytest.sh $(if $(SHORT),short)

test-gate-matrix: probe ## changes suites of sqlite3, SQLAlchemy and Django: the gate is green after harmless changes, and red at each of 40 regressions; SHORT=1 tries a few
	@Scripts/test-pytest.sh matrix$(if $(SHORT),-short)

test-action: probe ## runs the steps of action.yml and of the workflows in Examples/github in a shell, one after the other
	@Scripts/test-pytest.sh action

test-browser: ## drives the HTML reports in a headless Chromium, which it installs
	@Scripts/test-browser.sh

test-bench: ## tests what makes the tables of make bench: medians, intervals, verdicts
	swift test --package-path Benchmarks --test-product BenchmarksPackageTests

bench-counts: ## compares the hot paths' instructions and allocations with Benchmarks/thresholds.json; UPDATE=1 writes it
	@Scripts/bench-counts.sh $(if $(UPDATE),--update)

smoke: ## runs each command of the examples once, on a small store
	@Scripts/smoke.sh

pitfalls: ## finds the mistakes of Examples/pitfalls at their lines in 20 runs of 20
	PITFALL_RUNS=20 swift test --filter PitfallsTests

verdicts: ## judges more than 300 statements, 20 situations, 230 programs, 11 healthy ones, 500 random statements, and the loops of SERVERS random servers, and prints how often that is right; capsules with STAT4 as well
	swift test --filter VerdictTests
	Tests/Verdicts/situations.py
	Tests/Verdicts/programs.py
	Tests/Verdicts/indexes.py
	Tests/Verdicts/statements.py
	Tests/Verdicts/healthy.py
	SERVERS=$${SERVERS:-280} Tests/ProbeTests/run.py --only=loops
	@Scripts/sqlite-libraries.sh
	STORESCOPE_STAT4=1 LD_LIBRARY_PATH="$$PWD/.build/sqlite/stat4" swift test --skip-build --filter 'Capsule(Verdict|Privacy)?Tests'

test-steps: ## follows the four steps of SwiftStore.md word for word in a new package
	@Scripts/test-steps.sh

test-documents: probe ## runs the commands of all documents, in a folder for each with the files that they name
	@Scripts/test-documents.sh

## Suites in fresh systems, or with other programs

test-wheel: ## installs the wheel in fresh Debians with Python alone, and records a program there to the first finding; as root
	@Scripts/test-wheel.sh

test-deb: ## installs and uses that package in a fresh Debian 12 without Swift; as root
	@Scripts/test-deb.sh

test-otlp: ## checks OTLP against the protocol's package, which it installs
	@Scripts/test-fleet.sh otlp

test-logs: probe ## runs Django, SQLAlchemy, ActiveRecord and the shell: their logs have the counts of a recording of the same run
	@Scripts/test-fleet.sh logs

test-mcp: ## calls the tools of 'trace-report mcp' with the protocol's own client, which it installs
	@Scripts/test-fleet.sh mcp

test-rows: ## runs the recipes of dashboards/sql on DuckDB, ClickHouse and Spark, which it installs, and compares them
	@Scripts/test-fleet.sh rows

test-fleet-commands: probe ## runs every command of Documentation/Fleet.md as it stands there; as root
	@Scripts/test-fleet.sh commands

test-prometheus: ## tests the rules and alerts with a real Prometheus, which it installs and which scrapes serve until they fire
	@Scripts/test-fleet.sh prometheus

test-grafana: ## tries every query of dashboards/grafana on a real Prometheus, which it installs
	@Scripts/test-grafana.sh

test-live: ## tests recordings over a relay, as root, and programs that serve starts
	LIVE=1 swift test --filter 'TraceRecorderTests|RelayedRecordingTests|ServeCommandTests'

## Long: random inputs and damage

agreement: ## generates 100,000 random predicates, and compares the rows of SQL with those in memory
	AGREEMENT_COUNT=100000 swift test --filter PredicateAgreementTests

fuzz-predicates: ## reads a million random and mutated predicate formats
	FUZZ_COUNT=1000000 swift test --filter PredicateFuzzTests

FUZZ_DATABASES ?= 20000
fuzz-readers: ## reads damaged logs, reports and traces for ten minutes, and compares 20,000 databases before and after a command
	FUZZ_SECONDS=600 FUZZ_DATABASES=$(FUZZ_DATABASES) swift test --filter 'ReaderFuzzTests|UntouchedDatabaseTests'

CTF_AGREEMENT_COUNT ?= 2000
ctf-agreement: ## compares what we read of 2,000 damaged traces with babeltrace2, event for event; CTF_AGREEMENT_SEED=0
	CTF_AGREEMENT_COUNT=$(CTF_AGREEMENT_COUNT) swift test --filter DamagedTraceAgreementTests

MERGE_SPLITS ?= 1000
merges: ## merges profiles of 1,000 random splits, and compares each sum with reading everything at once; MERGE_SPLITS=1000
	MERGE_SPLITS=$(MERGE_SPLITS) swift test --filter MergingTests

DAMAGE_VARIANTS ?= 5000
damage: ## compares 5,000 damaged logs, traces and reports with a baseline: none passes with other numbers
	DAMAGE_VARIANTS=$(DAMAGE_VARIANTS) swift test --filter DamagedGateTests

HOSTILE_COUNT ?= 20000
hostile: ## opens, reads, changes and saves 20,000 stores that were damaged at random; HOSTILE_COUNT=20000 HOSTILE_SEED=1
	HOSTILE_COUNT=$(HOSTILE_COUNT) swift test --filter HostileDatabaseTests

MIGRATION_PAIRS ?= 3000
migrations: ## opens stores with another model each, and compares the members of all relationships by name; MIGRATION_PAIRS=3000
	swift build --product store-torture
	"$$(swift build --show-bin-path)/store-torture" migrations $(MIGRATION_PAIRS)

CONTEXT_SEEDS ?= 5000
contexts: ## runs random steps in three contexts, and compares them and their controllers with plain values; CONTEXT_SEEDS=5000
	swift build --product store-torture
	"$$(swift build --show-bin-path)/store-torture" contexts $(CONTEXT_SEEDS)

## Long: the store

torture: ## kills a process that saves, 1,000 times, and checks the store after each kill
	swift build --product store-torture
	"$$(swift build --show-bin-path)/store-torture" kills 1000

threads: ## runs eight threads that read and write one store for a minute
	swift build --product store-torture
	"$$(swift build --show-bin-path)/store-torture" threads 60

controllers: ## runs eight threads with fetched results controllers for THREAD_SECONDS=60
	swift build --product store-torture
	"$$(swift build --show-bin-path)/store-torture" controllers $(THREAD_SECONDS)

THREAD_SECONDS ?= 60
test-threads: ## runs threads, controllers and ending objects under the thread sanitizer; THREAD_SECONDS=60
	swift build --sanitize=thread --disable-default-traits --scratch-path .build-tsan --product store-torture
	TSAN_OPTIONS=second_deadlock_stack=1 .build-tsan/debug/store-torture threads $(THREAD_SECONDS)
	TSAN_OPTIONS=second_deadlock_stack=1 .build-tsan/debug/store-torture controllers $(THREAD_SECONDS)
	TSAN_OPTIONS=second_deadlock_stack=1 .build-tsan/debug/store-torture ends 500

test-addresses: ## runs the store's tests under the address sanitizer
	ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --disable-default-traits --scratch-path .build-asan --filter 'ObjectStoreTests|ReliabilityTests'

test-core-data: ## opens stores in the forms that Core Data made, with fitting, older, newer and foreign models
	ALL_PAIRS=1 swift test --filter 'CoreDataShapeTests|InferredMigrationTests|OpeningRefusalTests'

test-openings: ## opens a store a hundred times beside a process that writes for a minute
	OPENING_SECONDS=60 swift test --filter OpeningBesideAWriterTests

## Long: measurements

bench: ## measures the store beside the SQLite C API, GRDB and babeltrace2; writes Documentation/Performance.md
	@Scripts/bench.sh --document Documentation/Performance.md

bench-quick: ## the same, small, and only printed; without the programs that make bench has not built yet
	@Scripts/bench.sh --quick

bench-probe: probe ## measures the cost of the probe, compared with the same programs without it
	@Tests/ProbeTests/costs.py

test-scale: ## reads a log and a trace of ten million events, and compares memory with that of one million
	@Scripts/scale.sh

rehearsals: ## runs a program with three settings, and nine migrations on 200,000 and 2,000,000 rows, and compares them with what replay and rehearse predict: half an hour
	swift build -c release --product trace-report
	Scripts/pragmas.py --check
	Scripts/rehearsals.py --check
	Scripts/rehearsals.py --rows 2000000 --times 1 --check

fleet-scale: probe ## measures 1,000 hosts and 100,000,000 rows in DuckDB and ClickHouse: an hour, 20 GB of disk
	@Scripts/test-fleet.sh scale

fight: probe ## runs four programs against one database, and compares 1,000 samples of 'locks' with their logs
	swift build --product trace-report && swift build --product lock-holder
	Tests/LockFights/fight.py

FLIGHT_SECONDS ?= 600
flight: probe ## runs a flight recorder for ten minutes over a program that is slow three times; FLIGHT_SECONDS=600
	swift build --product trace-report
	Tests/LockFights/flight.py $(FLIGHT_SECONDS)
