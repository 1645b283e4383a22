# The commands of the README. Each installs the packages that it needs and builds first.
.PHONY: all setup setup-tests configure run test bench bench-peers bench-sweep docs install format check-format fresh clean
BUILD = build/release
# Builds and tests print a line a second at most.
QUIETLY = scripts/quietly.sh

# Libraries, plugins, the command and the examples.
all: configure
	$(QUIETLY) cmake --build --preset release --target frit_all

setup:
	scripts/setup.sh build

setup-tests:
	scripts/setup.sh test

# Tests and benchmarks need packages of their own. A build folder that has them already keeps them.
configure: | setup
	@test -e $(BUILD)/build.ninja || { echo "configuring $(BUILD)"; mkdir -p build; \
	  cmake --preset release -DFRIT_BUILD_TESTS=OFF -DFRIT_BUILD_BENCH=OFF >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }; }

# Only what the example needs: the library, the code generator for this processor, and the example. They are compiled
# without optimisation, in half the time; the code that frit generates is the same.
run: | setup
	@echo "building without optimisation in build/quick; 'make' builds for use, in $(BUILD)"
	@mkdir -p build; cmake --preset quick >build/quick.log 2>&1 || { cat build/quick.log; exit 1; }
	$(QUIETLY) cmake --build --preset quick --target example_gelu frit_codegen_llvm
	build/quick/bin/example_gelu

test: | setup-tests
	scripts/test.sh

bench: | setup-tests
	cmake --preset release -DFRIT_BUILD_BENCH=ON
	$(QUIETLY) cmake --build --preset release
	scripts/bench.sh

bench-peers: bench
	python3 bench/peers/run.py

# Work drawn at random, beside the limit, PyTorch and JAX where the virtual environment of the build has them.
bench-sweep: | setup-tests
	cmake --preset release -DFRIT_PYTHON=ON -DPython_EXECUTABLE=$$(scripts/python.sh)
	$(QUIETLY) cmake --build --preset release --target frit_python frit_codegen_llvm frit_runtime_openblas
	PYTHONPATH=$(BUILD)/python $$(scripts/python.sh) bench/sweep/sweep.py $(SWEEP)

# The documentation as a site, in build/site.
docs: | setup-tests
	cmake --preset release -DFRIT_PYTHON=ON -DPython_EXECUTABLE=$$(scripts/python.sh)
	$(QUIETLY) cmake --build --preset release --target frit_python
	PYTHONPATH=$(BUILD)/python $$(scripts/python.sh) -m sphinx -q -W docs build/site
	@echo build/site/contents.html

install: all
	cmake --install $(BUILD)

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

check-format:
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 --dry-run -Werror

# The README's commands in a new, minimal Debian 12.
fresh:
	scripts/fresh.sh test

clean:
	rm -rf build
