#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds trace-report and installs it with its manual page and its completions.
#   PREFIX=/usr/local   where to; DESTDIR=   a root to put before it, for packagers
set -eu
cd "$(dirname "$0")/.."
to="${DESTDIR:-}${PREFIX:-/usr/local}"
swift build -c release --product trace-report
tool="$(swift build -c release --show-bin-path)/trace-report"
put() { mkdir -p "$(dirname "$2")" && install -m "$3" "$1" "$2" && echo "installed $2"; }
put "$tool" "$to/bin/trace-report" 755
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
