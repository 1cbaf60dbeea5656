#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the DocC documentation of the products into .build/docs, and fails on a warning, on a public
# symbol without a documentation comment, and on a snippet that does not compile.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

products=(ObjectStore StoreExpectations TraceAnalysis)
for product in "${products[@]}"; do swift build --target "$product" >&2; done
bin=$(swift build --show-bin-path)
output=.build/docs
rm -rf "$output"
mkdir -p "$output/symbols"

# What the modules import: their C modules, the packages' among them.
flags=(-I "$bin/Modules" -I "$bin")
while IFS= read -r map; do flags+=(-Xcc "-fmodule-map-file=$map"); done < <(
  printf '%s\n' "$PWD"/Sources/{CSQLite,CLTTngUST}/module.modulemap "$bin"/*.build/module.modulemap
)
while IFS= read -r folder; do flags+=(-Xcc -I -Xcc "$folder"); done < <(
  find "$PWD/.build/checkouts" -path '*/Sources/*/include' -type d
)

heading "Symbols"
target=$(swift -print-target-info | sed -n 's/.*"triple" *: *"\([^"]*\)".*/\1/p' | head -1)
for product in "${products[@]}"; do
  mkdir "$output/symbols/$product"
  swift-symbolgraph-extract -module-name "$product" "${flags[@]}" -target "$target" \
    -minimum-access-level public -output-dir "$output/symbols/$product"
done
python3 Scripts/symbols.py "$output"/symbols/*/{ObjectStore,StoreExpectations,TraceAnalysis}.symbols.json ||
  fail "write a documentation comment for each of these"

heading "Snippets"
mkdir "$output/snippets"
for page in Sources/*/*.docc/*.md; do
  name=$(basename "$page" .md)
  awk -f Scripts/snippets.awk "$page" >"$output/snippets/main.swift"
  [ -s "$output/snippets/main.swift" ] || continue
  swiftc -typecheck -swift-version 6 -warnings-as-errors "${flags[@]}" "$output/snippets/main.swift" ||
    fail "$page: a snippet does not compile"
  say "$name compiles"
done

heading "DocC"
for product in "${products[@]}"; do
  docc convert "Sources/$product/$product.docc" --fallback-display-name "$product" \
    --fallback-bundle-identifier "storescope.$product" --additional-symbol-graph-dir "$output/symbols/$product" \
    --output-path "$output/$product.doccarchive" --diagnostic-level warning >"$output/$product.txt" 2>&1 ||
    fail "$(cat "$output/$product.txt")"
  ! grep -q "[^[:space:]]" "$output/$product.txt" || fail "$(cat "$output/$product.txt")"
done
say "the documentation is in $output"
