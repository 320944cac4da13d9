# A thin front for CMake: `make help` lists the targets. BUILD=folder builds elsewhere,
# CMAKE_FLAGS="-DTRM_WERROR=ON" passes options on.
BUILD ?= build
CMAKE_FLAGS ?=
JOBS := $(shell nproc 2>/dev/null || echo 2)

# configure,FOLDER,OPTIONS: with Ninja if it is there, but never against an existing folder
configure = cmake -S . -B $(1) $(if $(wildcard $(1)/CMakeCache.txt),,$(if \
	$(shell command -v ninja),-G Ninja)) $(2) $(CMAKE_FLAGS)

.PHONY: help run test bench campaign coverage reproduction format sanitize torture valgrind clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

run: ## build the command and simulate a slider-crank
	@scripts/install-deps
	$(call configure,$(BUILD),$(if $(wildcard $(BUILD)/CMakeCache.txt),,-DTRM_TESTS=OFF -DTRM_BENCH=OFF))
	cmake --build $(BUILD) --parallel $(JOBS) --target package_contents
	$(BUILD)/trammel run examples/slider-crank.yaml --out $(BUILD)/run
	@$(BUILD)/trammel plot $(BUILD)/run/slider-crank.h5 --quiet -o $(BUILD)/run/slider-crank.svg
	@$(BUILD)/trammel view $(BUILD)/run/slider-crank.h5 --quiet -o $(BUILD)/run/slider-crank.html || \
		$(BUILD)/trammel plot $(BUILD)/run/slider-crank.h5 --quiet -o $(BUILD)/run/slider-crank.html
	@echo "  plot         $(BUILD)/run/slider-crank.svg"
	@echo "  page         $(BUILD)/run/slider-crank.html   open it in a browser"

test: ## build and run every test
	@scripts/install-deps test
	$(call configure,$(BUILD),-DTRM_TESTS=ON)
	cmake --build $(BUILD) --parallel $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

bench: ## build and run the benchmarks
	@scripts/install-deps bench
	$(call configure,$(BUILD),-DTRM_BENCH=ON)
	cmake --build $(BUILD) --parallel $(JOBS) --target bench

campaign: ## an hour of runs judged against references; again: it goes on
	@scripts/install-deps test
	$(call configure,$(BUILD),)
	cmake --build $(BUILD) --parallel $(JOBS) --target trammel_tool
	tests/campaign/check_campaign.sh $(BUILD)/trammel --results $(BUILD)/campaign.jsonl

reproduction: ## run the experiments of the papers and write docs/reproduction.md
	@scripts/install-deps
	$(call configure,$(BUILD),)
	cmake --build $(BUILD) --parallel $(JOBS) --target package_contents
	$(BUILD)/trammel reproduce --markdown --out docs/figures > $(BUILD)/reproduction.md
	mv $(BUILD)/reproduction.md docs/reproduction.md

format: ## format every C file
	@scripts/install-deps test
	tests/style/check_format.sh --fix

sanitize: ## build and run the tests with address and undefined-behaviour sanitizers
	@scripts/install-deps test
	cmake --preset sanitize $(CMAKE_FLAGS)
	cmake --build build-sanitize --parallel $(JOBS)
	ctest --test-dir build-sanitize --output-on-failure --parallel $(JOBS) \
		--label-exclude 'style|api|install|fuzz'

TORTURE_MINUTES ?= 60
torture: ## hours of generated, damaged and failing cases; TORTURE_MINUTES=60
	@scripts/install-deps test
	$(call configure,$(BUILD),-DTRM_TESTS=ON)
	cmake --build $(BUILD) --parallel $(JOBS)
	tests/torture/torture.py $(BUILD) $(TORTURE_MINUTES)

coverage: ## branches of step acceptance, events, trust and resuming that the tests reach
	@scripts/install-deps test
	scripts/measure-coverage --missing

# its long double has 64 bits: what counts here is memory, not whether a test passes
valgrind: ## look for memory errors of the unit tests
	@scripts/install-deps test check
	$(call configure,$(BUILD),-DTRM_TESTS=ON)
	cmake --build $(BUILD) --parallel $(JOBS)
	@for program in $(BUILD)/tests/unit/test_*; do \
		valgrind --quiet --log-fd=9 --leak-check=full --error-exitcode=99 $$program \
			9>&2 >/dev/null 2>&1; \
		if [ $$? -ge 99 ]; then echo "memory error: $$program"; exit 1; fi; \
	done

clean: ## remove the build folders
	rm -rf build build-*
