# SPDX-License-Identifier: Apache-2.0
#
# The day's commands; `make` alone lists them. Each one is a few lines over CMakePresets.json, so
# whoever prefers cmake and ctest loses nothing. Build trees are build/<preset>.

JOBS ?= 2
PREFIX ?= /usr/local

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)
# Lets a second clone of the tree use the first one's compiled files.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

.PHONY: help setup demo demo-fleet test account money load-full dynamodb-full cosmos-full doctor-matrix sanitize bench sim-full format tidy install mutants clean
.NOTPARALLEL:

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18
	@echo "Variables: JOBS=$(JOBS)  PREFIX=$(PREFIX)  BASE=<ref to compare with, for tidy>"

setup: ## install the Debian packages that are missing
	@scripts/setup

demo: setup ## the main job: load a file through faults, locks and kills, beside a naive loader
	cmake --preset release
	cmake --build --preset release --target perdure_load_demo
	build/release/bin/perdure_load_demo --directory build/demo

demo-fleet: setup ## a fleet against a flaky service: a plain retry loop beside Perdure, counted
	cmake --preset release
	cmake --build --preset release --target perdure_demo
	build/release/bin/perdure_demo

test: setup ## build everything and run every test; the library also with clang 14
	cmake --preset dev
	cmake --build --preset dev
	cmake --build --preset headers
	ctest --preset dev
	cmake --preset clang14
	cmake --build --preset clang14

account: setup ## ten thousand requests through a proxy that breaks some: the plan and the account
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_test
	PERDURE_CALLS=10000 build/dev/bin/perdure_live_test --gtest_filter='LiveAccount.*'

money: setup ## twenty thousand transfers on each database while COMMITs are lost and servers killed
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_sql_test
	PERDURE_TRANSFERS=20000 PERDURE_KILLS=10 build/dev/bin/perdure_live_sql_test --gtest_filter='Money*'

load-full: setup ## 100,000 records into each database through faults and three kills, memory measured
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_load_test perdure
	PERDURE_RECORDS=100000 build/dev/bin/perdure_live_load_test

dynamodb-full: setup ## 20,000 writes while answers are lost: Perdure, the JavaScript SDK and botocore
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_dynamodb_test perdure
	scripts/dynamodb-full --build-dir build/dev

cosmos-full: setup ## five minutes of regions that go and come back, and 20,000 writes while answers are lost
	cmake --preset dev
	cmake --build --preset dev --target perdure_live_cosmos_test
	PERDURE_DRILL=300 PERDURE_WRITES=20000 build/dev/bin/perdure_live_cosmos_test \
		--gtest_filter='CosmosDrill.*:CosmosAccount.*'

doctor-matrix: setup ## 20 staged cases of each cause and 40 healthy fleets: what the doctor calls them
	cmake --preset dev
	cmake --build --preset dev --target perdure perdure_doctor_stage
	PERDURE_TOOL=build/dev/bin/perdure PERDURE_DOCTOR_STAGE=build/dev/bin/perdure_doctor_stage \
		PERDURE_MATRIX_RUNS=20 python3 -B tests/tools/doctor_matrix_test.py Matrix

sanitize: setup ## tests and fuzzers under the address, undefined-behaviour and thread sanitizers
	scripts/sanitize

bench: ## measure a release build
	@scripts/setup bench
	cmake --preset release
	cmake --build --preset release
	@test -x scripts/bench || { echo "make bench: there is no scripts/bench"; exit 1; }
	scripts/bench
	scripts/bench-sim
	scripts/bench-http
	scripts/bench-sql
	scripts/bench-dynamodb
	scripts/bench-cosmos
	scripts/bench-load

sim-full: setup ## run the simulator's long tests and write their evidence page
	scripts/sim-full

format: setup ## bring every C++ file into the house's shape
	git ls-files -co --exclude-standard '*.cpp' '*.hpp' | xargs -r clang-format-19 -i

tidy: setup ## run clang-tidy over the files that changed
	cmake --preset tidy
	scripts/tidy

install: setup ## install the library and the tool under PREFIX
	cmake --preset release
	cmake --build --preset release
	cmake --install build/release --prefix $(PREFIX)

mutants: setup ## break the code on purpose and see whether a test notices
	@test -x scripts/mutants || { echo "make mutants: there is no scripts/mutants"; exit 1; }
	scripts/mutants

clean: ## remove the build trees
	rm -rf build
