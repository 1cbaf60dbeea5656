// SPDX-License-Identifier: Apache-2.0

/// The reason why no advice is possible.
public enum AdviceError: Error, Hashable, Sendable {
  case noStatements
  case otherDatabase(SchemaMatch)
  case noSpace(needed: UInt64, free: UInt64, folder: String)
  case nothingMeasured(reasons: [String])
}

extension AdviceError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .noStatements: "no statement that reads; was the store traced?"
    case .otherDatabase(let match):
      match.sentence(database: "this database", reason: match.reason ?? "")
    case .noSpace(let needed, let free, let folder):
      "the copy and its indexes need \(needed >> 20) MiB and '\(folder)' has \(free >> 20) MiB "
        + "free; name a roomier folder with TMPDIR"
    case .nothingMeasured(let reasons):
      "no statement can be measured: " + reasons.prefix(3).joined(separator: "; ")
    }
  }
}
