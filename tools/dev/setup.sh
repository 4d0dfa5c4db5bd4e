#!/usr/bin/env bash
# Installs what is missing.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
Usage: ./dev setup [--yes]

Installs the Debian packages of tools/packages.txt that are missing, and the web page's npm
packages. Shows the list and asks first.

  --yes    do not ask
TEXT
}

yes=false
while (($#)); do
  case "$1" in
    --yes | -y) yes=true ;;
    -h | --help) usage; exit 0 ;;
    *) bad_option "$1" ;;
  esac
  shift
done

# Prints the packages of tools/packages.txt, and node's where there is none, that are not installed.
missing_packages() {
  local wanted=() installed
  mapfile -t wanted < <(sed 's/#.*//; s/[[:space:]]//g; /^$/d' tools/packages.txt)
  # Debian's npm conflicts with other makers' nodejs: an existing pair is never touched.
  have node || wanted+=(nodejs)
  have npm || wanted+=(npm)
  installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' 2>/dev/null |
    sed -n 's/^installed //p')
  printf '%s\n' "${wanted[@]}" | grep --invert-match --line-regexp --fixed-strings --file=<(echo "$installed") || true
}

install_packages() {
  local packages=("$@") as_root=() package stale=false
  if ((EUID != 0)); then
    have sudo || die "installing needs root: run this as root, or install sudo"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  for package in "${packages[@]}"; do
    apt-cache policy "$package" 2>/dev/null | grep --quiet '^  Candidate: [0-9]' || stale=true
  done
  if ! $stale && "${as_root[@]}" apt-get install --yes --no-install-recommends "${packages[@]}"; then
    return 0
  fi
  say "refreshing the package lists"
  "${as_root[@]}" apt-get update
  "${as_root[@]}" apt-get install --yes --no-install-recommends "${packages[@]}" ||
    die "apt-get could not install them all; this needs Debian 12 (bookworm) and its main archive"
}

setup_packages() {
  local missing
  if ! have apt-get || ! have dpkg-query; then
    die "this is not a Debian system: install the equivalents of tools/packages.txt by hand"
  fi
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    echo "Debian packages: nothing is missing"
    return 0
  fi
  if have node && [[ " ${missing[*]} " == *" npm "* ]] && ! dpkg-query -W nodejs >/dev/null 2>&1; then
    die "there is a node ($(command -v node)) without npm: install the npm that belongs to it"
  fi
  echo "Debian packages that are missing:"
  printf '  %s\n' "${missing[@]}"
  if ! $yes; then
    [[ -t 0 ]] || die "nobody to ask: run ./dev setup --yes to install them"
    read -r -p "Install them? [Y/n] " answer
    [[ $answer =~ ^([yY].*|)$ ]] || die "nothing was installed"
  fi
  install_packages "${missing[@]}"
}

setup_web() {
  local major stamp=web/node_modules/.installed-from
  [[ -f web/package-lock.json ]] || return 0
  major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
  ((major >= 18)) || die "node $(node --version) is too old: the web page needs 18 or later"
  if [[ -f $stamp ]] && cmp --silent web/package-lock.json "$stamp"; then
    echo "npm packages: nothing is missing"
    return 0
  fi
  say "installing the page's npm packages"
  npm --prefix web ci --no-audit --no-fund
  mkdir -p web/node_modules
  cp web/package-lock.json "$stamp"
}

say "setup"
with_lock setup_packages
with_lock setup_web
