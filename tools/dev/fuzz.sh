#!/usr/bin/env bash
# Runs the fuzzers.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev fuzz [--seconds N] [NAME...]

Builds the fuzzers with clang 14 (libFuzzer, AddressSanitizer, UndefinedBehaviorSanitizer) and
runs each, or only the named ones, from its corpus for N seconds (default 60). New inputs go to
build/fuzz/found/NAME, crashes to build/fuzz/crashes/NAME. Ends with "N passed, N failed".

A crash becomes a test: copy its file into the room's fuzz/corpus/NAME/ under a telling name.
TEXT
}

seconds=60 names=()
while (($#)); do
  case "$1" in
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --seconds=*) seconds=${1#*=} ;;
    -h | --help) usage; exit 0 ;;
    -*) bad_option "$1" ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "--seconds needs a whole number above 0, not '$seconds'"

# fuzz_one NAME: exit code 0 if its corpus and N seconds more found nothing.
fuzz_one() {
  local name=$1 corpus found=build/fuzz/found/$1 crashes=build/fuzz/crashes/$1 log=build/fuzz/$1.log
  corpus=$(git ls-files --cached --others -- "*/fuzz/corpus/$name/*" | head -n 1 | sed "s|\(.*/corpus/$name\)/.*|\1|")
  mkdir -p "$found" "$crashes"
  if ! "build/fuzz/bin/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$crashes/" "$found" ${corpus:+"$corpus"} >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    warn "$name: found something; its input is in $crashes (output: $log)"
    return 1
  fi
  sed -n 's/^stat::\(number_of_executed_units\|new_units_added\): */  \1 /p' "$log"
}

build_cpp fuzz "${names[@]:-fuzzers}"
((${#names[@]})) || mapfile -t names < <(sed '/^$/d' build/fuzz/fuzzers.txt)

passed=0 failed=0
for name in "${names[@]}"; do
  say "$name, $seconds s"
  if fuzz_one "$name"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0 && passed > 0))
