#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the folders of ObjectStore use only what is below them: each is compiled with the
# folders below it and without those above, so that a name from above is not there.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

layers=(Model Predicate SQL RowCache Store Context Fetch Batch Container)

for target in StoreInstruments StoreFunctions CSwiftRuntime; do
  swift build --quiet --target "$target"
done
build=$(swift build --show-bin-path)
flags=(-module-name ObjectStore -package-name "$(basename "$PWD" | tr '[:upper:]' '[:lower:]')"
  -swift-version 6 -I "$build/Modules"
  -plugin-path "$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/host/plugins"
  -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny
  -enable-upcoming-feature InternalImportsByDefault)
for module in Sources/CSQLite "$build"/{CSQLiteFiles,CSwiftRuntime,CStoreTracepoints,CLogSink}.build; do
  flags+=(-Xcc "-fmodule-map-file=$module/module.modulemap")
done

below=(Sources/ObjectStore/*.swift)
status=0
for layer in "${layers[@]}"; do
  mapfile -d '' -t files < <(find "Sources/ObjectStore/$layer" -name '*.swift' -print0 | sort -z)
  primary=()
  for file in "${files[@]}"; do primary+=(-primary-file "$file"); done
  if ! errors=$(swiftc -frontend -typecheck "${flags[@]}" "${primary[@]}" "${below[@]}" 2>&1); then
    printf 'Sources/ObjectStore/%s uses what is above it:\n' "$layer" >&2
    grep -E '^[^ ]+: error:' <<<"$errors" >&2 || printf '%s\n' "$errors" >&2
    status=1
  fi
  below+=("${files[@]}")
done
for folder in Sources/ObjectStore/*/; do
  folder=$(basename "$folder")
  [[ $folder == *.docc || " ${layers[*]} " == *" $folder "* ]] && continue
  printf 'Sources/ObjectStore/%s has no place among the layers of Scripts/layers.sh.\n' "$folder" >&2
  status=1
done
exit $status
