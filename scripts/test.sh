#!/usr/bin/env bash
# Every test on the release build. With FRIT_TEST_ALL=1, as CI sets it, also a build with the second compiler, whose results have to be the
# same, and the tests under the address, undefined-behaviour and thread sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${FRIT_TEST_JOBS:-$(nproc)}
step() { printf '== %s (%d s)\n' "$*" "$SECONDS"; }

if [ "${FRIT_TEST_ALL:-0}" != 0 ]; then
  step "build with clang"
  cmake --preset clang
  cmake --build --preset clang
  cmake --preset release -DFRIT_OTHER_BUILD="$PWD/build/clang"
fi
step "test the release build"
ctest --preset release --jobs "$jobs"
if [ "${FRIT_TEST_ALL:-0}" != 0 ]; then
  for preset in asan tsan; do
    step "build with $preset"
    cmake --preset $preset
    cmake --build --preset $preset
    step "test with $preset"
    ctest --preset $preset --jobs "$jobs"
  done
fi
step "done"
