#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds trace-report and the probe, and installs them with the manual page and the completions.
#   PREFIX=/usr/local   where to; DESTDIR=   a root to put before it, for packagers
set -eu
cd "$(dirname "$0")/.."
to="${DESTDIR:-}${PREFIX:-/usr/local}"
# The Swift libraries are linked statically: the tool runs where no Swift is installed.
swift build -c release --static-swift-stdlib --product trace-report
swift build -c release --static-swift-stdlib --product store-report
tool="$(swift build -c release --show-bin-path)/trace-report"
put() { mkdir -p "$(dirname "$2")" && install -m "$3" "$1" "$2" && echo "installed $2"; }
put "$tool" "$to/bin/trace-report" 755
# 'trace-report store' runs it.
put "${tool%/*}/store-report" "$to/lib/storescope/store-report" 755
Scripts/probe.sh
for library in .build/probe/*.so; do
  put "$library" "$to/lib/storescope/${library##*/}" 755
done
put Documentation/trace-report.1 "$to/share/man/man1/trace-report.1" 644
script="$(mktemp)"
trap 'rm -f "$script"' EXIT
for place in \
  bash:bash-completion/completions/trace-report \
  zsh:zsh/site-functions/_trace-report \
  fish:fish/vendor_completions.d/trace-report.fish
do
  "$tool" --generate-completion-script "${place%%:*}" > "$script"
  put "$script" "$to/share/${place#*:}" 644
done
