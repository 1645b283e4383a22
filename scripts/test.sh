#!/usr/bin/env bash
# Builds frit with its tests and runs them. The last lines name the tests that failed and the command that runs each of them alone.
#   FRIT_TEST_JOBS=N     tests that run at a time; by default one for each processor
#   FRIT_TEST_ONLY=part  a part of the tests: "smoke" leaves out the tests that run for long; any other text is a regular expression of names
#   FRIT_TEST_ALL=1      more than the release build, as CI has it: the format of the sources; a build with clang, whose output has to be the
#                        same; tests of numbers with code and libraries held to x86-64-v3 and v2; the address, undefined-behaviour and
#                        thread sanitizers; and the README's commands on a fresh machine, with a part of the tests
#   FRIT_TEST_MINUTES=N  the minutes that all of it may take: a part of FRIT_TEST_ALL that would not be built by then is left out, tests that
#                        would start later do not, and the last lines name both. An empty compiler cache makes builds two to three times as long.
#   FRIT_TEST_CPUS=1     the whole suite, but for what runs for long, held to x86-64-v3 and v2
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${FRIT_TEST_JOBS:-$(nproc)}
only=()
case "${FRIT_TEST_ONLY:-}" in
  '') ;;
  smoke) only=(--label-exclude long) ;;
  *) only=(--tests-regex "$FRIT_TEST_ONLY") ;;
esac
all=${FRIT_TEST_ALL:-0}
failures=() left_out=()

# The time of day at which no more tests start.
stop=()
[ -z "${FRIT_TEST_MINUTES:-}" ] || stop=(--stop-time "$(date -d "+$FRIT_TEST_MINUTES minutes" +%T)")

step() { printf '== %s (%d s)\n' "$*" "$SECONDS"; }
# build PRESET [CMAKE-OPTION..]
build() {
  step "build $1"
  mkdir -p build
  cmake --preset "$@" >"build/$1.log" 2>&1 || { cat "build/$1.log"; exit 1; }
  scripts/quietly.sh cmake --build --preset "$1"
}
# tests PRESET TITLE [CTEST-OPTION..]: later parts run even where an earlier one failed. Tests that the end of the time stops are no failures.
tests() {
  local preset=$1 title=$2 log=build/$1.tests.log stopped=0 name how
  shift 2
  # ctest would take a time that is past as one of the next day.
  if ! fits 0 "$title"; then return; fi
  step "test $title"
  if scripts/quietly.sh ctest --preset "$preset" --jobs "$jobs" "${stop[@]}" "$@" | tee "$log"; then return; fi
  if grep -q '^The stop time has been passed' "$log"; then
    stopped=1
    left_out+=("$title, from $(sed -n 's/^ *\([0-9]*\/[0-9]*\) Test .*/\1/p' "$log" | tail -1) on")
  fi
  # ctest's summary: "    12 - name (Failed)".
  while IFS= read -r name; do
    how=${name##* } name=${name% *}
    if ((stopped)) && [ "$how" = "(Timeout)" ]; then continue; fi
    failures+=("$title: $name
    $(held)ctest --preset $preset --tests-regex '^$name\$'")
  done < <(sed -n '/^The following tests FAILED:/,$s/^[[:space:]]*[0-9]* - \(.* ([^()]*)\)$/\1/p' "$log")
  ((stopped)) || grep -q '^The following tests FAILED:' "$log" || failures+=("$title: the test runner itself")
}
# fits MINUTES TITLE: whether a part that is built in so many minutes is ready in time; one that is not is named at the end.
fits() {
  if [ -z "${FRIT_TEST_MINUTES:-}" ] || ((SECONDS + $1 * 60 <= FRIT_TEST_MINUTES * 60)); then return; fi
  left_out+=("$2")
  return 1
}
# The settings of the environment that a test run was held to.
held() {
  local name
  for name in FRIT_CPU OPENBLAS_CORETYPE GLIBC_TUNABLES FRIT_NUM_THREADS; do
    if [ -n "${!name:-}" ]; then printf '%s=%s ' "$name" "${!name}"; fi
  done
}

# The Python package, where there is a Python to build it for.
python=()
if interpreter=$(scripts/python.sh); then python=(-DFRIT_PYTHON=ON -DPython_EXECUTABLE="$interpreter"); fi

if ((all)); then
  step "format"
  make -s check-format || failures+=("format:
    make format")
  build clang
  build release -DFRIT_BUILD_TESTS=ON -DFRIT_BUILD_BENCH=ON -DFRIT_OTHER_BUILD="$PWD/build/clang" "${python[@]}"
else
  build release -DFRIT_BUILD_TESTS=ON "${python[@]}"
fi
tests release release "${only[@]}"
held_tests=()
((all)) && held_tests=(--tests-regex 'NativeRow|Matmul|^Cpu|^Emit|^conformance\.rows|^c\.cblas')
((${FRIT_TEST_CPUS:-0})) && held_tests=(--label-exclude long)
if ((${#held_tests[@]})); then
  # Results must not hang on the processor that happens to run the tests: its vectors, the C library's kernels for it, OpenBLAS's, its cores.
  # A processor without AVX-512 is one of x86-64-v3, so the tests above ran as that.
  if grep -q avx512bw /proc/cpuinfo; then
    FRIT_CPU=x86-64-v3 OPENBLAS_CORETYPE=SkylakeX tests release "as x86-64-v3" "${held_tests[@]}"
  fi
  FRIT_CPU=x86-64-v2 OPENBLAS_CORETYPE=Nehalem GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F FRIT_NUM_THREADS=1 \
    tests release "as x86-64-v2, one thread" "${held_tests[@]}"
fi
# The thread sanitizer is last: its tests are a part of those before.
if ((all)); then
  if fits 20 "with asan"; then
    build asan "${python[@]}"
    tests asan "with asan"
  fi
  if fits 8 "a fresh machine"; then
    step "a fresh machine"
    FRIT_TEST_ONLY='^(Array|Compile|Fast|Linalg|Offline|Package|Random|Sort|cli|c\.cblas|example|install|vulkan\.programs)' scripts/fresh.sh smoke ||
      failures+=("fresh machine:
    scripts/fresh.sh smoke")
  fi
  if fits 12 "with tsan"; then
    build tsan
    tests tsan "with tsan"
  fi
fi
step "done"
if ((${#left_out[@]})); then printf 'left out, as FRIT_TEST_MINUTES is too few: %s\n' "${left_out[@]}"; fi
if ((${#failures[@]})); then
  printf '%d failed; each with the command that runs it alone:\n' "${#failures[@]}"
  printf '  %s\n' "${failures[@]}"
  exit 1
fi
