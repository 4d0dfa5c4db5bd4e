#!/usr/bin/env bash
# Configures and builds.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev build [--preset NAME] [--no-web] [TARGET...]

Configures and builds into build/NAME, and builds the page. With targets, builds only those.

  --preset NAME    one of: $(presets)(default: dev)
  --no-web         leave the page out
TEXT
}

preset=dev web=true targets=()
while (($#)); do
  case "$1" in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --preset=*) preset=${1#*=} ;;
    --no-web) web=false ;;
    -h | --help) usage; exit 0 ;;
    -*) bad_option "$1" ;;
    *) targets+=("$1"); web=false ;;
  esac
  shift
done

build_cpp "$preset" "${targets[@]}"
if $web; then build_web; fi
