#!/usr/bin/env bash
# Formats the C++ files in place.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev format [--check] [FILE...]

Formats every C++ file of the repository in place, or the named ones.

  --check    change nothing; name what would change and end with 1
TEXT
}

mode=(-i) files=()
while (($#)); do
  case "$1" in
    --check) mode=(--dry-run --Werror) ;;
    -h | --help) usage; exit 0 ;;
    -*) bad_option "$1" ;;
    *) files+=("$1") ;;
  esac
  shift
done

have clang-format-14 || die "clang-format-14 is missing; ./dev setup installs it"
((${#files[@]})) || mapfile -t files < <(cpp_files)
printf '%s\0' "${files[@]}" | xargs --null --max-args=20 --max-procs="$(cores)" clang-format-14 "${mode[@]}"
