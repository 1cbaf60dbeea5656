// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `--label version=1.4 --label host=kiosk-7`.
struct Labels: ParsableArguments {
  @Option(
    name: .customLong("label"),
    help: ArgumentHelp(
      "A note for sums over many runs, such as version=1.4 or host=kiosk-7.",
      valueName: "name=value"))
  var pairs: [String] = []

  var values: [String: String] {
    Dictionary(pairs.compactMap(Self.split), uniquingKeysWith: { _, last in last })
  }

  // 16 and 256 are arbitrary: a label is a dimension of all sums, and each value adds a row.
  private static let maxCount = 16
  private static let maxLength = 256

  func validate() throws {
    for pair in pairs {
      guard let (name, value) = Self.split(pair) else {
        throw ValidationError("--label takes name=value, such as version=1.4, not '\(pair)'.")
      }
      let isName = name.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f
      }
      guard isName, name.utf8.first.map({ $0 >= 0x61 }) == true else {
        throw ValidationError(
          "A label's name has small letters, digits and _, such as app_version, not '\(name)'.")
      }
      guard value.utf8.count <= Self.maxLength else {
        throw ValidationError("The label \(name) is longer than \(Self.maxLength) bytes.")
      }
    }
    let names = pairs.compactMap(Self.split).map(\.0)
    guard Set(names).count == names.count else {
      throw ValidationError("Pass each label once.")
    }
    guard names.count <= Self.maxCount else {
      throw ValidationError("Pass at most \(Self.maxCount) labels.")
    }
  }

  static func split(_ pair: String) -> (String, String)? {
    pair.firstIndex(of: "=").flatMap {
      $0 == pair.startIndex ? nil : (String(pair[..<$0]), String(pair[pair.index(after: $0)...]))
    }
  }
}
