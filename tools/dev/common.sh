# shellcheck shell=bash
# What every ./dev command shares. Sourced; runs in the repository's root.
set -euo pipefail
CY_ROOT="${CY_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
cd "$CY_ROOT"

say() { printf '\n== %s\n' "$*"; }
warn() { printf './dev: %s\n' "$*" >&2; }
die() {
  warn "$*"
  exit 1
}

# The caller's own words for a wrong option, then its usage.
bad_option() {
  warn "unknown option '$1'"
  usage >&2
  exit 2
}

cores() { nproc 2>/dev/null || echo 2; }

have() { command -v "$1" >/dev/null 2>&1; }

has_web() { [[ -f web/package.json ]]; }

presets() { sed -n 's/^ *{ *"name": "\([a-z]*\)", "displayName".*/\1/p' CMakePresets.json | tr '\n' ' '; }

cpp_files() { git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' | while read -r f; do [[ ! -f $f ]] || echo "$f"; done; }

# with_lock COMMAND...: one build at a time in this tree. The lock belongs to the subshell, so it
# goes with it whatever happens, and nothing that outlives the build holds it.
with_lock() (
  mkdir -p build
  exec 9>build/.lock
  if ! flock --nonblock 9; then
    warn "another ./dev is building in this tree; waiting for it"
    flock 9
  fi
  "$@" 9>&-
)

# ThreadSanitizer's fixed memory layout does not survive wide address randomisation.
for_preset() {
  local preset=$1
  shift
  if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
    setarch "$(uname -m)" -R "$@"
  else
    "$@"
  fi
}

configure() {
  local preset=$1
  [[ " $(presets)" == *" $preset "* ]] || die "there is no preset '$preset'; there are: $(presets)"
  if ! have cmake || ! have ninja; then
    die "cmake or ninja is missing; ./dev setup installs what the build needs"
  fi
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 || {
    cat "build/configure-$preset.log" >&2
    die "configuring failed; if a package was not found, run ./dev setup"
  }
}

configure_and_compile() {
  local preset=$1
  shift
  configure "$preset"
  for_preset "$preset" cmake --build "build/$preset" --parallel "$(cores)" ${1:+--target "$@"}
}

# build_cpp PRESET [TARGET...]: configures and builds, all targets unless some are named.
build_cpp() {
  say "building ($1)"
  with_lock configure_and_compile "$@"
}

build_web() {
  has_web || return 0
  say "building the page"
  have npm || die "npm is missing; ./dev setup installs it"
  [[ -d web/node_modules ]] || die "the page's npm packages are missing; ./dev setup installs them"
  with_lock npm --prefix web run --silent build
}
