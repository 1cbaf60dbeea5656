#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the wheel in clean roots of Debian, which have Python and no Swift, no LTTng and no compiler, and records a
# program there: test-wheel.sh [WHEEL] [SUITE...]. Needs root, for debootstrap and chroot.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

[ "$(id -u)" = 0 ] || fail "run this as root: debootstrap and chroot need it"
wheel=${1:-$(Scripts/wheel.sh)}
shift || true
suites=("${@:-bookworm trixie testing}")
read -ra suites <<<"${suites[*]}"
if ! command -v debootstrap >/dev/null; then
  say "installing debootstrap from Debian's packages"
  apt-get update -q >&2 && apt-get install -y -q debootstrap >&2
fi
folder=$(mktemp -d)
trap 'umount "$folder"/*/proc 2>/dev/null || true; rm -rf --one-file-system "$folder"' EXIT

cat >"$folder/app.py" <<'APP'
import sqlite3

db = sqlite3.connect("shop.db")
db.executescript("CREATE TABLE orders(id INTEGER PRIMARY KEY, customer TEXT); CREATE TABLE lines(orders INTEGER, title TEXT);")
db.executemany("INSERT INTO orders VALUES (?, ?)", [(i, f"customer {i}") for i in range(300)])
db.executemany("INSERT INTO lines VALUES (?, ?)", [(i % 300, f"title {i}") for i in range(3000)])
db.commit()
for order, customer in db.execute("SELECT id, customer FROM orders").fetchall():
    db.execute("SELECT title FROM lines WHERE orders = ?", (order,)).fetchall()
APP

cat >"$folder/use.sh" <<'USE'
set -eu
cd /tmp
! command -v swift lttng cc gcc
now() { python3 -c 'import time; print(time.monotonic())'; }
python3 -m venv venv
start=$(now)
venv/bin/pip install --quiet --no-index /storescope-*.whl
installed=$(now)
venv/bin/storescope record -o trace -- python3 app.py >report.txt 2>errors.txt || { cat report.txt errors.txt; exit 1; }
end=$(now)
cat errors.txt
test -s venv/share/storescope/skills/storescope/SKILL.md
grep -q '^1\. app.py:9  a query in a loop' report.txt || { cat report.txt; exit 1; }
venv/bin/trace-report plans trace --database shop.db | grep -q 'SCAN lines'
venv/bin/trace-report html trace --database shop.db -o report.html
venv/bin/storescope gate --update -- python3 -c 'import sqlite3; sqlite3.connect("shop.db").execute("SELECT 1")'
venv/bin/storescope gate -- python3 -c 'import sqlite3; sqlite3.connect("shop.db").execute("SELECT 1")'
venv/bin/storescope locks shop.db >/dev/null
python3 -c "
start, installed, end = $start, $installed, $end
print(f'installed in {installed - start:.1f} s, the first finding after {end - start:.1f} s')
assert end - start < 60"
USE

for suite in "${suites[@]}"; do
  root=$folder/$suite
  debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >&2
  mount -t proc proc "$root/proc"
  cp "$wheel" "$folder/use.sh" "$root/"
  cp "$folder/app.py" "$root/tmp/"
  say "$suite, $(chroot "$root" python3 --version), $(du -k "$wheel" | cut -f1) KiB:"
  chroot "$root" sh /use.sh
  umount "$root/proc"
done
say "the wheel works in ${suites[*]}"
