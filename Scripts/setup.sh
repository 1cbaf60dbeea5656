#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing: Scripts/setup.sh [--tests|--python|--bench|--counts]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

command -v swift >/dev/null || fail \
  "Swift is not installed, or not on the PATH; install Swift 6.3 from https://www.swift.org/install/linux/ and run this again."

packages=(gcc libc6-dev libsqlite3-dev liblttng-ust-dev lttng-tools)
case ${1:-} in
--tests) packages+=(babeltrace2 python3 sqlite3 zip unzip) ;;
--python) packages+=(python3 python3-venv) ;;
--bench) packages+=(babeltrace2) ;;
--counts) packages+=(valgrind binutils) ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "no apt-get here: cannot check for ${packages[*]}; install what your system calls these if the build misses them"
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  # shellcheck disable=SC2016 # the format is dpkg-query's
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail \
    "no sudo here; as root, run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
say "installing from Debian's packages${as_root:+, with sudo}: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}" ||
  fail "apt-get could not install ${missing[*]}; its reason is above."
