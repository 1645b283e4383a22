#!/usr/bin/env bash
# Makes a virtual environment that has all that the Python package needs to be built and tested, and prints its interpreter.
#   scripts/python.sh [FOLDER]   FOLDER: build/venv by default; does nothing where it is up to date
# Status 3, with the reason on standard error, where there is no python3 of version 3.10 or later with its headers and venv.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/venv}
wanted=frontend/python/requirements.txt
python=${PYTHON:-python3}

reason=
if ! command -v "$python" >/dev/null; then
  reason="there is no $python"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  reason="$python is older than 3.10"
elif ! "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))'; then
  reason="$python has no headers (python3-dev)"
elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  reason="$python makes no virtual environments (python3-venv)"
fi
if [ -n "$reason" ]; then
  echo "the Python package is left out: $reason" >&2
  exit 3
fi

if ! cmp -s "$wanted" "$folder/requirements.txt"; then
  log=$(mktemp)
  if ! { "$python" -m venv --clear "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "the Python package is left out: its requirements could not be installed" >&2
    rm -f "$log"
    exit 3
  fi
  rm -f "$log"
  cp "$wanted" "$folder/requirements.txt"
fi
echo "$PWD/$folder/bin/python"
