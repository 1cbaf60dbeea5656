// SPDX-License-Identifier: Apache-2.0

/// The reason why a model file cannot be read.
public enum ModelFileError: Error, Hashable, Sendable {
  /// The file or folder does not exist, or cannot be read.
  case unreadable(path: String, reason: String)
  /// A folder holds no model, or several and none that is current.
  case noModel(path: String, found: [String])
  /// The XML is malformed.
  case malformed(path: String, line: Int, reason: String)
  /// An element lacks something, or contains something that a store cannot keep.
  case invalid(path: String, line: Int, reason: String)
  /// It is a compiled model, which is not read.
  case compiled(path: String)
  /// Several of the above.
  case several([ModelFileError])
}

extension ModelFileError: CustomStringConvertible {
  /// Describes the problem and its location, with advice.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "cannot read the model '\(path)': \(reason); name an .xcdatamodeld or .xcdatamodel folder"
    case .noModel(let path, let found):
      "no current model in '\(path)', which holds \(found.isEmpty ? "none" : found.joined(separator: ", "))"
        + "; name one of its .xcdatamodel folders"
    case .malformed(let path, let line, let reason):
      "\(path):\(line): this is no XML: \(reason)"
    case .invalid(let path, let line, let reason): "\(path):\(line): \(reason)"
    case .compiled(let path):
      "'\(path)' is a compiled model, which is not read; use the .xcdatamodeld or .xcdatamodel folder "
        + "that it was compiled from"
    case .several(let errors): errors.map(\.description).joined(separator: "\n")
    }
  }
}
