#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# trace-report, as the documents call it. A command that waits for requests gets Ctrl-C after some
# seconds. The sections of a document stand alone: a recording replaces that of an earlier section.
tool=${STORESCOPE_TOOL:-$BIN/trace-report}
case "$1" in
record | attach)
  for option; do
    [ "$option" != -- ] || break
    [ "${previous:-}" != -o ] || rm -rf "${option:?}"
    previous=$option
  done
  ;;
esac
case "$1" in
serve | top)
  timeout --foreground -s INT 5 "$tool" "$@"
  status=$?
  [ $status = 124 ] && exit 0
  exit $status
  ;;
esac
exec "$tool" "$@"
