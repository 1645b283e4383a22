#!/usr/bin/env bash
# scripts/quietly.sh COMMAND [ARGUMENT..]: runs a build or a test run and prints a line of its progress a second at most. Every other line is
# printed as it comes, so that warnings, errors and the output of tests that failed are seen. The status is the command's.
set -uo pipefail

# "[12/345] Building ..." of ninja; "Start 7: name" and "3/98 Test #7: name ... Passed" of ctest.
progress='^\[[0-9]+/[0-9]+\] |^ *Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*(Passed|Skipped)'
"$@" 2>&1 | {
  held='' last=0
  while IFS= read -r line; do
    if [[ ! $line =~ $progress ]]; then
      printf '%s\n' "$line"
      held=''
    elif ((EPOCHSECONDS != last)); then
      printf '%s\n' "$line"
      held='' last=$EPOCHSECONDS
    else
      held=$line
    fi
  done
  [ -z "$held" ] || printf '%s\n' "$held"
}
exit "${PIPESTATUS[0]}"
