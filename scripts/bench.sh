#!/usr/bin/env bash
# Runs every benchmark program and keeps its JSON beside the others in bench/results.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p bench/results
for program in build/release/bin/bench_*; do
  name=$(basename "$program")
  "$program" --benchmark_out="bench/results/$name.json" --benchmark_out_format=json "$@"
done
