#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the version, which is written in one place.
sed -n 's/.*static let current = "\([^"]*\)".*/\1/p' "$(dirname "$0")/../Sources/trace-report/Version.swift"
