// SPDX-License-Identifier: Apache-2.0

/// The reason why a capsule cannot be used.
public enum CapsuleError: Error, Hashable, Sendable {
  case notACapsule
  case otherVersion(Int)
  case tooLarge
  /// An object of the schema that SQLite does not make.
  case object(String, reason: String)
  /// The private database cannot be written.
  case notWritten(reason: String)
}

extension CapsuleError: CustomStringConvertible {
  /// Completes a sentence that begins with the file.
  public var description: String {
    switch self {
    case .notACapsule: "is damaged, or not a capsule; write it again: trace-report capsule"
    case .otherVersion(let version):
      "is a capsule of version \(version), which this trace-report does not read; update it"
    case .tooLarge: "is larger than any capsule; write it again: trace-report capsule"
    case .object(let name, let reason):
      "has a schema that SQLite refuses: '\(name)': \(reason); write it again: trace-report capsule"
    case .notWritten(let reason): "cannot be unpacked: \(reason); set TMPDIR"
    }
  }
}
