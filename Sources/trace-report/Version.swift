// SPDX-License-Identifier: Apache-2.0

/// The version of the package; Scripts/version.sh reads it here, for the tag and the Debian package.
enum Version {
  static let current = "0.2.0"
}
