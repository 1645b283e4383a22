#!/usr/bin/env bash
# Does on a fresh machine what the README says: makes a minimal Debian 12 with nothing but make and git in it, clones the project there, and runs
# the README's commands.
#   scripts/fresh.sh run            make run
#   scripts/fresh.sh test           make run, then make test
#   scripts/fresh.sh smoke          make run, then the part of make test that FRIT_TEST_ONLY names, by default a bounded one
# Options before the command: --cold does not use the caller's ccache and compiled shaders; --keep leaves the root where it is and says where.
# It needs root, mmdebstrap and a network that reaches Debian's packages. Where one of them is missing, it says so and ends with status 0.
set -euo pipefail
cd "$(dirname "$0")/.."

arguments=("$@")
cold=0 keep=0
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --cold) cold=1 ;;
    --keep) keep=1 ;;
    *) echo "$0: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
command=${1:-run}
case "$command" in run | test | smoke) ;; *) echo "usage: $0 [--cold] [--keep] run | test | smoke" >&2; exit 2 ;; esac

skip() { echo "fresh machine: skipped, because $1"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "only root can make a root file system and enter it"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (scripts/setup.sh test installs it)"

# The mounts below are seen by this script alone and end with it, however it ends: the machine's /dev is never found under a folder that
# somebody may remove.
if [ -z "${FRIT_FRESH_MOUNTS:-}" ]; then
  unshare --mount true 2>/dev/null || skip "the system does not allow a mount namespace"
  FRIT_FRESH_MOUNTS=private exec unshare --mount --propagation slave "$PWD/scripts/fresh.sh" "${arguments[@]}"
fi

step() { printf '== fresh machine: %s (%d s)\n' "$*" "$SECONDS"; }
root=$(mktemp -d "${TMPDIR:-/tmp}/frit-fresh.XXXXXX")
mounted=()
cleanup() {
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; --i)); do umount -l "${mounted[i]}" || true; done
  # Never removes what is still mounted.
  if ((keep)); then
    echo "the root is $root"
  elif grep -qF " $root/" /proc/self/mounts; then
    echo "fresh machine: $root stays, because something is still mounted in it" >&2
  else
    rm -rf --one-file-system "$root"
  fi
}
trap cleanup EXIT
bind() { mkdir -p "$2"; mount --rbind "$1" "$2"; mount --make-rslave "$2"; mounted+=("$2"); }

step "make a minimal Debian 12"
mmdebstrap --quiet --variant=minbase --include=make,git,ca-certificates bookworm "$root" 2>"$root.log" || {
  tail -5 "$root.log"
  rm -f "$root.log"
  skip "mmdebstrap could not make the root"
}
rm -f "$root.log"
for file in /etc/resolv.conf /etc/hosts; do [ -e "$file" ] && cp -L "$file" "$root$file"; done
bind /proc "$root/proc"
bind /sys "$root/sys"
bind /dev "$root/dev"

# A clone has what is committed, and nothing that a working tree has by accident.
git clone -q --no-hardlinks "$PWD" "$root/frit"
# Uncommitted changes to tracked files come along, so that they can be tried before they are committed.
git diff HEAD --binary | git -C "$root/frit" apply --allow-empty
environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
for name in CI FRIT_TEST_ONLY FRIT_TEST_JOBS; do [ -z "${!name:-}" ] || environment+=("$name=${!name}"); done
if ((!cold)) && cache=$(ccache --get-config cache_dir 2>/dev/null) && [ -n "$cache" ]; then
  mkdir -p "$cache"
  bind "$cache" "$root/root/.cache/ccache"
  # Mesa's software device compiles a shader many times longer than most tests run it.
  shaders=${MESA_SHADER_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}}/mesa_shader_cache
  mkdir -p "$shaders"
  bind "$shaders" "$root/root/.cache/mesa_shader_cache"
fi
inside() { chroot "$root" /usr/bin/env -i "${environment[@]}" bash -c "cd /frit && $1"; }

step "make run"
started=$SECONDS
inside "make run"
step "make run took $((SECONDS - started)) s"
case "$command" in
  run) exit 0 ;;
  smoke) inside "FRIT_TEST_ONLY=\"\${FRIT_TEST_ONLY:-smoke}\" make test" ;;
  test) inside "make test" ;;
esac
step "done"
