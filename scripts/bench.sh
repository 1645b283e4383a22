#!/usr/bin/env bash
# Runs every benchmark program and keeps its JSON beside the others in bench/results.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p bench/results
# An older OpenBLAS takes its AVX2 kernels on processors that it does not know. As a limit it should do its best (as in
# bench/peers/run.py).
case "$(grep -m1 '^flags' /proc/cpuinfo)" in
  *avx512_bf16*) export OPENBLAS_CORETYPE=Cooperlake ;;
  *avx512f*) export OPENBLAS_CORETYPE=SkylakeX ;;
esac
for program in build/release/bin/bench_*; do
  name=$(basename "$program")
  "$program" --benchmark_out="bench/results/$name.json" --benchmark_out_format=json "$@"
done
# Code compiled ahead of time has tables of its own.
for program in build/release/bin/offline_*; do "$program" examples/graphs; done
python3 bench/offline_start.py build/release
python3 bench/emitted_c.py build/release/bin/frit
