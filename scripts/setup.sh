#!/usr/bin/env bash
# Installs what building and testing frit needs from the distribution's packages; does nothing when all is there.
#   scripts/setup.sh           install what is missing (asks for root through sudo when needed)
#   scripts/setup.sh --check   only say what is missing; status 1 when something is
#   scripts/setup.sh --list    print the packages
set -euo pipefail

packages=(
  build-essential cmake ninja-build       # to build
  ccache                                  # so that a second build is quick
  llvm-19-dev libzstd-dev zlib1g-dev      # code generation, linked in, and what it is linked with
  libopenblas-dev                         # matrix products
  libxxhash-dev                           # hashes of graphs
  glslang-dev glslang-tools spirv-tools   # shaders, and checks of them in the tests; glslang-dev's CMake files name a program of glslang-tools
  libvulkan-dev                           # headers of GPUs' driver interface; nothing links the loader
  mesa-vulkan-drivers vulkan-validationlayers  # a GPU in software, for the tests
  nlohmann-json3-dev                      # JSON in and out
  libcli11-dev                            # the command line
  libgtest-dev libbenchmark-dev           # tests and benchmarks
  python3                                 # tests of the command and of the source tree
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user  # to run in the tests what is compiled for 64-bit Arm
  gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross  # to run emitted C with 32-bit pointers, and big-endian
  clang-16                                # the second host compiler that the tests build with
)

missing=()
if command -v dpkg-query >/dev/null; then
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
  for p in "${packages[@]}"; do
    grep -qx "$p installed" <<<"$installed" || missing+=("$p")
  done
elif [ "${1:-}" != --list ]; then
  echo "not a Debian system; frit needs what these packages hold: ${packages[*]}" >&2
  exit 0
fi

case "${1:-}" in
  --list) printf '%s\n' "${packages[@]}"; exit 0 ;;
  --check)
    if ((${#missing[@]})); then printf 'missing: %s\n' "${missing[*]}"; exit 1; fi
    echo "nothing is missing"; exit 0 ;;
  "") ;;
  *) echo "usage: $0 [--check | --list]" >&2; exit 2 ;;
esac

((${#missing[@]})) || exit 0
echo "installing: ${missing[*]}"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "run as root, or install: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
