#!/usr/bin/env bash
# Installs the distribution's packages that frit needs; does nothing when all of them are there.
#   scripts/setup.sh [build | test]           install what is missing to build frit, or to test it too (the default);
#                                             asks for root through sudo when needed
#   scripts/setup.sh --check [build | test]   only say what is missing; status 1 when something is
#   scripts/setup.sh --list [build | test]    print the packages
set -euo pipefail

building=(
  g++ make cmake ninja-build              # to build
  ccache                                  # so that a second build is quick
  llvm-19-dev libzstd-dev zlib1g-dev      # code generation, linked in, and what it is linked with
  libopenblas-dev                         # matrix products
  libxxhash-dev                           # hashes of graphs
  glslang-dev glslang-tools spirv-tools   # shaders; CMake files of glslang-dev name a program of glslang-tools
  libvulkan-dev                           # headers of the driver interface of GPUs; nothing links the loader
  nlohmann-json3-dev                      # JSON in and out
  libcli11-dev                            # the command line
)
testing=(
  libgtest-dev libbenchmark-dev           # tests and benchmarks
  python3                                 # tests of the command and of the source tree
  python3-dev python3-venv                # the Python package
  mesa-vulkan-drivers vulkan-validationlayers  # a GPU in software
  clang-16                                # the second host compiler that the tests build with
  clang-format-19                         # how the sources are formatted
  g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user  # to compile for 64-bit Arm, and run code of it
  gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross  # to run emitted C with 32-bit pointers, and big-endian
  chromium                                # opens the page of frit report
  openmpi-bin                             # several processes, for tests of frit::distributed
  mmdebstrap                              # to try set-up, build and tests on a fresh machine (scripts/fresh.sh)
)

mode=install
case "${1:-}" in --check | --list) mode=${1#--}; shift ;; esac
case "${1:-test}" in
  build) packages=("${building[@]}") ;;
  test) packages=("${building[@]}" "${testing[@]}") ;;
  *) echo "usage: $0 [--check | --list] [build | test]" >&2; exit 2 ;;
esac
if [ "$mode" = list ]; then printf '%s\n' "${packages[@]}"; exit 0; fi

missing=()
if command -v dpkg-query >/dev/null; then
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
  for p in "${packages[@]}"; do
    grep -qx "$p installed" <<<"$installed" || missing+=("$p")
  done
else
  echo "not a Debian system; frit needs what these packages hold: ${packages[*]}" >&2
  exit 0
fi

if [ "$mode" = check ]; then
  if ((${#missing[@]})); then printf 'missing: %s\n' "${missing[*]}"; exit 1; fi
  echo "nothing is missing"
  exit 0
fi

((${#missing[@]})) || exit 0
echo "installing: ${missing[*]}"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "run as root, or install: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
log=$(mktemp)
# Files go to the disk once, at the end: dpkg waits for the disk after each file otherwise, which takes as long as all the rest.
if ! { "${sudo[@]}" apt-get update && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
       apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io "${missing[@]}" &&
       sync; } >"$log" 2>&1; then
  tail -n 30 "$log"
  echo "$0: the packages could not be installed; all that apt-get said is in $log" >&2
  exit 1
fi
rm -f "$log"
