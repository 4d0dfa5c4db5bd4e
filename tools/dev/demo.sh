#!/usr/bin/env bash
# Everything at once: a simulated robot, the agent beside it, a camera, a station, the page.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev demo [--yes] [--check] [options]

Installs what is missing, builds, starts the world with a simulated Pioneer P3-DX, an agent, a
camera and a station, and prints the page's address. Ctrl-C ends all of it.

  --yes      install without asking
  --check    do it without a display: a real Chromium drives, looks, stops; the link is cut and
             restored, the camera process killed; prints what was measured and exits 0, or says
             what failed
TEXT
}

setup_args=() demo_args=()
for argument in "$@"; do
  case "$argument" in
    --yes | -y) setup_args+=(--yes) ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) demo_args+=("$argument") ;;
  esac
done

[[ -f tools/demo/demo.mjs ]] || die "tools/demo/demo.mjs is missing"
bash tools/dev/setup.sh "${setup_args[@]}"
build_cpp dev
build_web
exec node tools/demo/demo.mjs "${demo_args[@]}"
