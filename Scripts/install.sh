#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds trace-report and the probe, and installs them without debug information, with the manual page and the completions.
#   PREFIX=/usr/local   where to; DESTDIR=   a root to put before it, for packagers
set -eu
cd "$(dirname "$0")/.."
to="${DESTDIR:-}${PREFIX:-/usr/local}"
# The Swift libraries are linked statically: the tool runs where no Swift is installed.
swift build -c release --static-swift-stdlib --product trace-report
swift build -c release --static-swift-stdlib --product store-report
tool="$(swift build -c release --show-bin-path)/trace-report"
put() { mkdir -p "$(dirname "$2")" && install -m "$3" "$1" "$2" && echo "installed $2"; }
# Beside the file and then renamed: a program that runs keeps its own.
put_program() { put "$1" "$2.new" 755 >/dev/null && strip --strip-unneeded "$2.new" && mv "$2.new" "$2" && echo "installed $2"; }
put_program "$tool" "$to/bin/trace-report"
# 'trace-report store' runs it.
put_program "${tool%/*}/store-report" "$to/lib/storescope/store-report"
Scripts/probe.sh
for library in .build/probe/*.so; do
  put_program "$library" "$to/lib/storescope/${library##*/}"
done
put Documentation/trace-report.1 "$to/share/man/man1/trace-report.1" 644
put Integrations/skill/storescope/SKILL.md "$to/share/storescope/skills/storescope/SKILL.md" 644
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
