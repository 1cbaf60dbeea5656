#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a Debian package of trace-report, the probe, the manual page and the completions into
# .build/deb. It needs no Swift where it is installed: the Swift libraries are linked statically.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh
umask 022

version=$(Scripts/version.sh)
architecture=$(dpkg --print-architecture)
output=$PWD/.build/deb
rm -rf "$output"
root=$output/root
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/storescope" "$output/debian"
PREFIX=/usr DESTDIR=$root Scripts/install.sh >&2

tool=$root/usr/bin/trace-report
libraries=("$root"/usr/lib/storescope/*)
for file in "$tool" "${libraries[@]}"; do
  path=$(readelf -d "$file" | sed -n 's/.*R\(UN\)\{0,1\}PATH.*\[\(.*\)\]/\2/p')
  [ -z "${path//\$ORIGIN/}" ] || fail "$file searches for libraries in $path"
done
gzip -9n "$root/usr/share/man/man1/trace-report.1"
cp LICENSE "$root/usr/share/doc/storescope/copyright"
gzip -9nc CHANGELOG.md >"$root/usr/share/doc/storescope/changelog.gz"

# The libraries' packages; LTTng's tracepoints are recommended and not required.
printf 'Source: storescope\n\nPackage: storescope\nArchitecture: %s\n' "$architecture" >"$output/debian/control"
depends() { (cd "$output" && dpkg-shlibdeps -O "$@" 2>/dev/null | sed -n 's/^shlibs:Depends=//p'); }
cat >"$root/DEBIAN/control" <<CONTROL
Package: storescope
Version: $version
Architecture: $architecture
Maintainer: The StoreScope contributors <storescope@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $(depends "$tool" "$root/usr/lib/storescope/libstorescope-probe.so")
Recommends: lttng-tools, liblttng-ust1
Suggests: sqlite3
Section: devel
Priority: optional
Description: shows what a program does in SQLite and what it costs
 Records the statements of any program that uses SQLite, with the lines of code
 that cause them, and reports full scans, query loops, lock waits and missing
 indexes. A gate compares the counts of a run with a baseline.
CONTROL
package=$output/storescope_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >&2
printf '%s\n' "$package"
