# SPDX-License-Identifier: Apache-2.0
#
# The everyday commands; `make` alone lists them. Each is a few lines over CMakePresets.json, so cmake
# and ctest do as well. Build trees are build/<preset>.

JOBS ?= 2
PREFIX ?= /usr/local

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)
# Lets a second clone of the tree use the first one's compiled files.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

.PHONY: help demo demo-fleet test verify sanitize tidy fresh attack account money promises mariadb-kills load-full dynamodb-full cosmos-full doctor-matrix bench sim-full format install mutants clean
.NOTPARALLEL:

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18
	@echo "Variables: JOBS=$(JOBS)  PREFIX=$(PREFIX)  MODULE=<one module, for test>  BASE=<ref to compare with, for tidy>"

demo: ## the main job: load a file through faults, locks and kills, beside a naive loader
	@scripts/setup demo
	cmake --preset demo
	@scripts/build-cost run build/demo cmake --build --preset demo
	build/demo/bin/perdure_load_demo --directory build/demo-output
	@scripts/build-cost say build/demo "make demo"

demo-fleet: ## a fleet against a flaky service: a plain retry loop beside Perdure, counted
	@scripts/setup demo
	cmake --preset demo-fleet
	cmake --build --preset demo-fleet
	build/demo-fleet/bin/perdure_demo

test: ## unit, house, example and live tests; MODULE=http: the unit tests of one module
	@scripts/setup test
	@scripts/test $(MODULE)

verify: ## each source alone with clang 14 and all warnings; instruction limits; use from source
	@scripts/setup ci
	@scripts/verify

sanitize: ## tests and fuzzers under the address, undefined-behaviour and thread sanitizers
	@scripts/setup ci
	@scripts/sanitize

tidy: ## run clang-tidy over the files that changed
	@scripts/setup ci
	cmake --preset tidy
	scripts/tidy

fresh: ## make demo and make test from nothing, in a minimal Debian of its own (needs root)
	@scripts/fresh

attack: ## hostile servers and files, and secrets in every place, against the tool: a table
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure
	PERDURE_TOOL=build/dev/bin/perdure python3 -B tests/attack/attack.py

account: ## ten thousand requests through a proxy that breaks some: the plan and the account
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_test
	PERDURE_CALLS=10000 build/dev/bin/perdure_live_test --gtest_filter='LiveAccount.*'

money: ## twenty thousand transfers on each database while COMMITs are lost and servers killed
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_sql_test
	PERDURE_TRANSFERS=20000 PERDURE_KILLS=10 build/dev/bin/perdure_live_sql_test --gtest_filter='Money*'

mariadb-kills: ## transfers while mariadbd is killed over and over, until it is stopped; then a summary
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_sql_test
	-scripts/mariadb-kills run
	scripts/mariadb-kills summary

promises: ## servers break under clients with default settings, beside plain retry loops: writes the page
	@scripts/setup test
	@scripts/promises

load-full: ## 100,000 records into each database through faults and three kills, memory measured
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_load_test perdure
	PERDURE_RECORDS=100000 build/dev/bin/perdure_live_load_test

dynamodb-full: ## 20,000 writes while answers are lost: Perdure, the JavaScript SDK and botocore
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_dynamodb_test perdure
	scripts/dynamodb-full --build-dir build/dev

cosmos-full: ## five minutes of regions that go and come back, and 20,000 writes while answers are lost
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_cosmos_test
	PERDURE_DRILL=300 PERDURE_WRITES=20000 build/dev/bin/perdure_live_cosmos_test \
		--gtest_filter='CosmosDrill.*:CosmosAccount.*'

doctor-matrix: ## 20 staged cases of each cause and 40 healthy fleets: what the doctor calls them
	@scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --target perdure perdure_doctor_stage
	PERDURE_TOOL=build/dev/bin/perdure PERDURE_DOCTOR_STAGE=build/dev/bin/perdure_doctor_stage \
		PERDURE_MATRIX_RUNS=20 python3 -B tests/tools/doctor_matrix_test.py Matrix

bench: ## measure a release build
	@scripts/setup bench
	cmake --preset release
	cmake --build --preset release
	scripts/bench
	scripts/bench-sim
	scripts/bench-http
	scripts/bench-sql
	scripts/bench-purge
	scripts/bench-dynamodb
	scripts/bench-cosmos
	scripts/bench-load
	scripts/bench-load-digest

sim-full: ## run the simulator's long tests and write their evidence page
	@scripts/setup test
	scripts/sim-full

format: ## format every C++ file
	@command -v clang-format-19 >/dev/null || { echo "make format: clang-format-19 is missing; scripts/setup ci installs it"; exit 1; }
	git ls-files -co --exclude-standard '*.cpp' '*.hpp' | xargs -r clang-format-19 -i

# Often run as root or by another build, where packages must not be installed without being asked for.
install: ## install the library and the tool under PREFIX; what it needs, `scripts/setup demo` installs
	@scripts/setup --dry-run demo
	cmake --preset install
	@scripts/build-cost run build/install cmake --build --preset install
	cmake --install build/install --prefix "$(PREFIX)"
	@scripts/build-cost say build/install "make install"

mutants: ## break the code on purpose and see whether a test notices
	@scripts/setup ci
	scripts/mutants

clean: ## remove the build trees
	rm -rf build
