# The commands of the README. Each installs what is missing and builds first.
.PHONY: all setup run test bench bench-peers install format clean

all: build/release/build.ninja
	cmake --build --preset release

setup:
	scripts/setup.sh

build/release/build.ninja: | setup
	cmake --preset release

run: all
	build/release/bin/example_gelu

test: all
	scripts/test.sh

bench: all
	scripts/bench.sh

bench-peers: all
	python3 bench/peers/run.py

install: all
	cmake --install build/release

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

clean:
	rm -rf build
