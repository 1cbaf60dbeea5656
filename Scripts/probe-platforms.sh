#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the probe for other platforms into .build/probe/TARGET, by `zig cc` of PyPI's ziglang, without LTTng:
#   Scripts/probe-platforms.sh [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl aarch64-linux-musl)
zig=.build/probe/zig
if [ ! -x "$zig/bin/python" ] || ! "$zig/bin/python" -m ziglang version >/dev/null 2>&1; then
  python3 -m venv "$zig"
  "$zig/bin/pip" install --quiet ziglang
fi
for target in "${targets[@]}"; do
  mkdir -p ".build/probe/$target"
  compiler=$PWD/.build/probe/$target/cc
  # Clang of zig adds checks of undefined behaviour, which the probe links without.
  printf '#!/bin/sh\nexec "%s" -m ziglang cc -target %s -fno-sanitize=all "$@"\n' "$PWD/$zig/bin/python" "$target" >"$compiler"
  chmod +x "$compiler"
  CC=$compiler PROBE_OUTPUT=.build/probe/$target PROBE_LTTNG=0 Scripts/probe.sh
done
