#!/usr/bin/env bash
# Runs one benchmark.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A benchmark is a line add_executable(bench_<name> …) in bench/CMakeLists.txt, or a bench/<name>.mjs.
benches() {
  {
    sed -n 's/^ *add_executable(bench_\([a-z_]*\).*/\1/p' bench/CMakeLists.txt
    find bench -maxdepth 1 -name '*.mjs' -printf '%f\n' | sed 's/\.mjs$//'
  } | sort --unique
}

usage() {
  cat <<TEXT
Usage: ./dev bench NAME [--json FILE] [options of that benchmark]

Builds with optimisation (preset release), runs the benchmark and prints a table.

  --json FILE    also write {"bench": NAME, "rows": [...]}, one row a case

Benchmarks: $(benches | tr '\n' ' ')
./dev bench NAME --help tells a benchmark's own options.
TEXT
}

case "${1:-}" in
  "") usage >&2; exit 2 ;;
  -h | --help) usage; exit 0 ;;
  -*) bad_option "$1" ;;
esac
name=$1
shift
benches | grep --quiet --line-regexp --fixed-strings "$name" ||
  die "there is no benchmark '$name'; there are: $(benches | tr '\n' ' ')"

if [[ -f bench/$name.mjs ]]; then
  build_cpp release
  build_web
  CY_BUILD_DIR=$CY_ROOT/build/release exec node "bench/$name.mjs" "$@"
else
  build_cpp release "bench_$name"
  exec "build/release/bin/bench_$name" "$@"
fi
