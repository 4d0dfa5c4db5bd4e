#!/usr/bin/env bash
# Installs, builds, runs every test, and ends with the counts.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev test [--yes] [--asan | --tsan] [--unit | --web] [CTEST OPTIONS...]

Installs what is missing, builds, runs the unit tests and a short run of each fuzzer (in parallel), the
system tests (one at a time: they measure reaction times), then the page's tests. Ends with "N passed, N failed".

  --yes     install without asking
  --asan    build and run with AddressSanitizer and UndefinedBehaviorSanitizer
  --tsan    build and run with ThreadSanitizer
  --unit    only the unit tests
  --web     only the page's tests

Anything else goes to ctest, and then the page's tests are left out:
  ./dev test -R wire
TEXT
}

setup_args=() ctest_args=() preset=dev cpp=true system=true web=true
while (($#)); do
  case "$1" in
    --yes | -y) setup_args+=(--yes) ;;
    --asan) preset=asan ;;
    --tsan) preset=tsan ;;
    --unit) system=false web=false ;;
    --web) cpp=false ;;
    -h | --help) usage; exit 0 ;;
    *) ctest_args+=("$1"); web=false ;;
  esac
  shift
done

passed=0 failed=0 skipped=0
logs=build/$preset/test-logs

# run_ctest NAME OPTIONS...: runs a part of the C++ tests and adds up its counts.
run_ctest() {
  local name=$1 log=$logs/$1.log junit=$logs/$1.xml code=0 good bad left
  shift
  say "$name tests"
  for_preset "$preset" ctest --test-dir "build/$preset" --output-on-failure --no-tests=ignore \
    --timeout 300 --output-junit "$CY_ROOT/$junit" "$@" "${ctest_args[@]}" </dev/null 2>&1 |
    grep --line-buffered --invert-match '^ *Start ' | tee "$log" || code=$?
  read -r good bad left < <(python3 tools/dev/tally.py "$junit" "build/$preset/test-cases")
  if ((code != 0 && bad == 0)); then
    warn "ctest ended with $code"
    bad=1
  fi
  if ((bad > 0)); then
    sed -n '/^The following tests FAILED:/,/^$/p' "$log"
    warn "run one again: ./dev test${setup_flag} -R '^NAME\$'   (its output: $log)"
  fi
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
}

# run_web: node's test runner prints "# pass 12" or "ℹ pass 12", once for each of its runs.
run_web() {
  local log=$logs/web.log code=0 good bad left
  say "the page's tests"
  npm --prefix web test </dev/null 2>&1 | tee "$log" || code=$?
  web_count() { sed -E "s/\x1b\[[0-9;]*m//g" "$log" | awk -v word="^($1)\$" 'NF == 3 && ($1 == "#" || $1 == "ℹ") && $2 ~ word { n += $3 } END { print n + 0 }'; }
  good=$(web_count pass) bad=$(web_count 'fail|cancelled') left=$(web_count 'skipped|todo')
  if ((code != 0 && bad == 0)); then
    warn "npm test ended with $code"
    bad=1
  fi
  ((bad == 0)) || warn "run them again: ./dev test --web   (their output: $log)"
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
}

export TSAN_OPTIONS="suppressions=$CY_ROOT/tools/dev/tsan.supp ${TSAN_OPTIONS:-}"
setup_flag=""
[[ $preset == dev ]] || setup_flag=" --$preset"

bash tools/dev/setup.sh "${setup_args[@]}"
build_cpp "$preset"
build_web
mkdir -p "$logs"
rm -rf "build/$preset/test-cases"

export CY_BUILD_DIR=$CY_ROOT/build/$preset
if $cpp; then
  run_ctest unit --label-regex '^unit$' --parallel "$(cores)"
  if $system; then
    run_ctest fuzz --label-regex '^fuzz$' --parallel "$(cores)"
    run_ctest system --label-exclude '^(unit|fuzz)$'
  fi
fi
if $web && has_web; then run_web; fi

echo
if ((passed + failed == 0)); then warn "no test ran"; fi
summary="$passed passed, $failed failed"
if ((skipped > 0)); then summary+=", $skipped skipped"; fi
echo "$summary"
((failed == 0 && passed > 0))
