#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a wheel of trace-report, the probe and the pytest plugin into .build/wheel, with PyPI's build and hatchling.
#   WHEEL_SCRATCH    another folder than .build for what Swift builds
#   WHEEL_PLATFORM   another platform: manylinux_2_17_aarch64, musllinux_1_2_x86_64, musllinux_1_2_aarch64. Its wheel has the
#                    probe, the plugin and a command that records
#
# Nothing but glibc and libstdc++ is needed where it is installed: Swift's libraries and SQLite are linked statically.
# LTTng's tracepoints are left out, because their library is none that a wheel may need: a recording is a log.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh
umask 022

version=$(Scripts/version.sh)
platform=${WHEEL_PLATFORM:-manylinux_2_35_$(uname -m)}
output=$PWD/.build/wheel
stage=$output/stage
rm -rf "$output"
mkdir -p "$stage/bin" "$stage/lib/storescope" "$stage/share/man/man1" "$stage/share/storescope/skills" "$output/link"

build_tool() {
  local options bin sqlite toolchain tool
  options=(-c release --static-swift-stdlib --scratch-path "${WHEEL_SCRATCH:-.build}")
  swift build "${options[@]}" --product trace-report >&2
  bin=$(swift build "${options[@]}" --show-bin-path)

  # Linked again, with a static SQLite and the parts of ICU's data that are needed: SwiftPM's own link has the system's
  # and Swift's first.
  sqlite=$(cc -print-file-name=libsqlite3.a)
  [ -e "$sqlite" ] || fail "libsqlite3.a is missing; install libsqlite3-dev"
  ln -s "$sqlite" "$output/link/"
  toolchain=$(dirname "$(dirname "$(realpath "$(command -v swiftc)")")")
  Scripts/icu-data.py "$toolchain/lib/swift_static/linux/lib_FoundationICU.a" "$output/link/icu-data.o" >&2
  tool=$output/link/trace-report
  swiftc -o "$tool" -module-name trace_report -static-stdlib -emit-executable -use-ld=lld \
    "$output/link/icu-data.o" "@$bin/trace-report.product/Objects.LinkFileList" \
    -L"$output/link" -L"$bin" -lsqlite3 -l_FoundationICU -lm \
    -Xlinker --defsym -Xlinker main=trace_report_main \
    -Xlinker --gc-sections -Xlinker --icf=safe -Xlinker --no-export-dynamic
  # The debug information is beside the wheel: gdb and llvm-symbolizer find it by the build id.
  objcopy --only-keep-debug "$tool" "$output/trace-report.debug"
  strip --strip-all -o "$stage/bin/trace-report" "$tool"
  cp Integrations/wheel/storescope "$stage/bin/"
  PROBE_OUTPUT=$output/probe Scripts/probe.sh
  strip --strip-unneeded -o "$stage/lib/storescope/libstorescope-probe.so" "$output/probe/libstorescope-probe.so"
}

# The probe, the plugin, and a command that records: trace-report reads the recordings on another machine.
build_recorder() { # TARGET
  Scripts/probe-platforms.sh "$1"
  cp Integrations/wheel/storescope-record "$stage/bin/storescope"
  cp ".build/probe/$1/libstorescope-probe.so" "$stage/lib/storescope/"
  sed -i '/trace-report/d' "$stage/pyproject.toml"
  say "trace-report is not in it: for $platform it needs Swift there"
}

sed "s/^version = .*/version = \"$version\"/" Integrations/wheel/pyproject.toml >"$stage/pyproject.toml"
case $platform in
  manylinux_2_35_"$(uname -m)") build_tool ;;
  manylinux_2_17_*) build_recorder "${platform#manylinux_2_17_}-linux-gnu.2.17" ;;
  musllinux_1_2_*) build_recorder "${platform#musllinux_1_2_}-linux-musl" ;;
  *) fail "no wheel for $platform; WHEEL_PLATFORM is manylinux_2_35_$(uname -m), manylinux_2_17_ARCH or musllinux_1_2_ARCH" ;;
esac

cp Integrations/wheel/{hatch_build.py,README.md} LICENSE "$stage/"
cp -r Integrations/pytest/src/pytest_storescope "$stage/"
cp Documentation/trace-report.1 "$stage/share/man/man1/"
cp -r Integrations/skill/storescope "$stage/share/storescope/skills/"

venv=$output/venv
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet build hatchling auditwheel
WHEEL_PLATFORM=$platform "$venv/bin/python" -m build --quiet --no-isolation --wheel --outdir "$output" "$stage" >&2
wheel=$(echo "$output"/*.whl)
# It is constrained to the platform tag that its libraries and their symbols permit. auditwheel cannot read musl's here.
case $platform in
  musllinux_*) needed=$(readelf -d "$stage"/lib/storescope/*.so | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
    [ "$needed" = libc.so ] || fail "the probe for musl needs more than its C library: $needed" ;;
  *) "$venv/bin/auditwheel" show "$wheel" >"$output/auditwheel.txt"
    grep -q "\"$platform\"" "$output/auditwheel.txt" || {
      cat "$output/auditwheel.txt" >&2
      fail "the wheel does not fit its platform tag, $platform"
    } ;;
esac
size=$(stat -c %s "$wheel")
say "$wheel: $((size >> 10)) KiB, for $platform"
[ "$size" -le $((20 << 20)) ] || fail "the wheel has more than 20 MiB"
printf '%s\n' "$wheel"
