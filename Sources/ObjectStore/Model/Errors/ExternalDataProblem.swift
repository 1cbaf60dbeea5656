// SPDX-License-Identifier: Apache-2.0

/// The reason why the data of an attribute with external storage cannot be read.
public enum ExternalDataProblem: Error, Hashable, Sendable {
  /// The file is not there: the value was replaced or deleted since the object was read, or another
  /// program removed the file.
  case missing(path: String)
  /// The row refers to no file that could be.
  case damagedReference
  /// The file cannot be read.
  case unreadable(path: String, reason: String)
}

extension ExternalDataProblem: CustomStringConvertible {
  /// Describes the problem with the file, with advice.
  public var description: String {
    switch self {
    case .missing(let path):
      "'\(path)' is not there; if the value was replaced or deleted meanwhile, refresh the object"
    case .damagedReference: "its row is damaged; set the value again"
    case .unreadable(let path, let reason):
      "'\(path)': \(reason); make the file readable"
    }
  }
}
