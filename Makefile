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

.PHONY: help setup demo test account money sanitize bench sim-full format tidy install mutants clean
.NOTPARALLEL:

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18
	@echo "Variables: JOBS=$(JOBS)  PREFIX=$(PREFIX)  BASE=<ref to compare with, for tidy>"

setup: ## install the Debian packages that are missing
	@scripts/setup

demo: setup ## build and run the demonstration
	cmake --preset release
	cmake --build --preset release --target perdure_demo example_sql_transfer
	build/release/bin/perdure_demo
	@echo "A transfer on SQLite whose COMMIT is lost, before and after it was done:"
	build/release/bin/example_sql_transfer

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
