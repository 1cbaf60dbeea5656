#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian package in a fresh Debian 12 without Swift, and uses it there: test-deb.sh [PACKAGE]
# Needs root, for debootstrap and chroot.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

[ "$(id -u)" = 0 ] || fail "run this as root: debootstrap and chroot need it"
package=${1:-$(Scripts/deb.sh)}
if ! command -v debootstrap >/dev/null; then
  say "installing debootstrap from Debian's packages"
  apt-get update -q >&2 && apt-get install -y -q debootstrap >&2
fi
folder=$(mktemp -d)
trap 'umount "$folder/root/proc" 2>/dev/null || true; rm -rf --one-file-system "$folder"' EXIT
debootstrap --variant=minbase bookworm "$folder/root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >&2
mount -t proc proc "$folder/root/proc"
cp "$package" "$folder/root/storescope.deb"

cat >"$folder/root/use.sh" <<'USE'
set -eux
export DEBIAN_FRONTEND=noninteractive
start=$(date +%s%N)
apt-get install -y -q --no-install-recommends /storescope.deb sqlite3
# No Swift here, and nothing of the tool needs it.
! find / -xdev -name 'libswift*' | grep .
! ldd /usr/bin/trace-report /usr/lib/storescope/libstorescope-probe.so | grep 'not found'
trace-report --version
trace-report explain AvoidFullTableScan >/dev/null
zcat /usr/share/man/man1/trace-report.1.gz | grep -q '^\.TH'
grep -q '^name: storescope' /usr/share/storescope/skills/storescope/SKILL.md
test -s /usr/share/bash-completion/completions/trace-report
test -s /usr/share/zsh/site-functions/_trace-report
test -s /usr/share/fish/vendor_completions.d/trace-report.fish

# A program of this Debian under the probe, from its log to the gate.
cd /tmp
run() {
  sqlite3 "$1" 'CREATE TABLE IF NOT EXISTS stop(name TEXT, x REAL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000) INSERT INTO stop SELECT i, i FROM n;'
  trace-report record -o "$2" -- sqlite3 "$1" 'SELECT count(*) FROM stop WHERE x > 4990;' 2>errors.txt
}
run a.db a
# Without lttng-tools, which are recommended and not installed here.
grep -q "records a log.*'lttng' is not installed" errors.txt
trace-report a --database a.db | tee summary.txt
grep -q AvoidFullTableScan summary.txt
echo $((($(date +%s%N) - start) / 1000000)) >/milliseconds
trace-report plans a --database a.db | grep -q 'SCAN stop'
trace-report html a --database a.db -o a.html
trace-report baseline a -o baseline.json
trace-report gate a --baseline baseline.json
apt-get purge -y -q storescope
test ! -e /usr/bin/trace-report
USE
chroot "$folder/root" sh /use.sh
say "the package works in a Debian without Swift: $(du -k "$package" | cut -f1) KiB, the first finding" \
  "$(cat "$folder/root/milliseconds") ms after 'apt-get install' began"
