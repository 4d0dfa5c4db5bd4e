#!/usr/bin/env bash
# Checks what the compiler does not.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev lint [--all] [--no-tidy]

Checks the format, the ladder (tools/layers.toml), the shell scripts, that every public header
compiles alone, and runs clang-tidy over the C++ sources that differ from the last commit or,
on a branch, from where it left main. Tests are left out of that: they are gtest's macros.

  --all        clang-tidy over every source (slow)
  --no-tidy    leave clang-tidy out
TEXT
}

all=false tidy=true
while (($#)); do
  case "$1" in
    --all) all=true ;;
    --no-tidy) tidy=false ;;
    -h | --help) usage; exit 0 ;;
    *) bad_option "$1" ;;
  esac
  shift
done

passed=0 failed=0
check() {
  local name=$1
  shift
  say "$name"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    warn "$name: failed"
  fi
}

changed_sources() {
  local base
  base=$(git merge-base HEAD main 2>/dev/null || echo HEAD)
  { git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } |
    grep '\.cpp$' | sort --unique || true
}

# No tests, and only what the build compiles: a source behind a missing package has no command.
tidy_sources() {
  local files compiled=build/clang/compile_commands.json
  if $all; then mapfile -t files < <(cpp_files | grep '\.cpp$'); else mapfile -t files < <(changed_sources); fi
  for file in "${files[@]}"; do
    [[ $file != */test/* && $file != tests/* ]] || continue
    if grep --quiet --fixed-strings "\"$CY_ROOT/$file\"" "$compiled"; then printf '%s\n' "$file"; fi
  done
}

run_tidy() {
  local sources
  with_lock configure clang
  mapfile -t sources < <(tidy_sources)
  echo "${#sources[@]} sources"
  ((${#sources[@]})) || return 0
  printf '%s\0' "${sources[@]}" |
    xargs --null --max-args=1 --max-procs="$(cores)" clang-tidy-14 --quiet -p build/clang --warnings-as-errors='*' \
      2> >(grep --invert-match ' warnings generated\.$' >&2)
}

headers_alone() { build_cpp dev headers_alone; }

shell_scripts() {
  have shellcheck || die "shellcheck is missing; ./dev setup installs it"
  shellcheck dev .ci/run tools/dev/*.sh
}

check "format" bash tools/dev/format.sh --check
check "ladder" python3 tools/ladder.py
check "shell scripts" shell_scripts
check "headers alone" headers_alone
if $tidy; then check "clang-tidy" run_tidy; fi

printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
