// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreEvents
import TraceReading

/// The reason why there is no baseline to compare a run with.
public enum BaselineError: Error, Hashable, Sendable {
  /// The file does not exist.
  case missing(String)
  /// The file cannot be read or decoded.
  case unreadable(String, reason: String)
  /// The file has a version that this tool does not support.
  case unknownVersion(String, version: Int)
  /// Its check is not that of its content.
  case damaged(String)
}

extension BaselineError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let path):
      "no baseline \(LogText.quoted(path)); write one with: trace-report baseline INPUT -o FILE"
    case .unreadable(let path, let reason):
      "\(LogText.quoted(path)) is not a baseline: \(LogText.escaped(reason)); write it again with: "
        + "trace-report baseline INPUT -o FILE"
    case .unknownVersion(let path, let version):
      "baseline \(LogText.quoted(path)) has schemaVersion \(version), this trace-report reads "
        + "\(BaselineV1.schemaVersion); update trace-report, or write the baseline again"
    case .damaged(let path):
      "baseline \(LogText.quoted(path)) was changed after it was written (only budgets may be), or "
        + "damaged; write it again with: trace-report baseline INPUT -o FILE"
    }
  }
}

extension BaselineV1 {
  private struct Header: Decodable { var schemaVersion: Int }

  /// The names at the top of the file.
  private struct Names: Decodable {
    var names: Set<String>

    private struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      names = try Set(decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
    }
  }

  /// Reads a baseline file, its version first.
  ///
  /// - Throws: ``BaselineError``.
  public init(path: String) throws(BaselineError) {
    guard FileManager.default.fileExists(atPath: path) else { throw .missing(path) }
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      let header = try BoundedJSON.decode(Header.self, from: data)
      guard header.schemaVersion == Self.schemaVersion else {
        throw BaselineError.unknownVersion(path, version: header.schemaVersion)
      }
      self = try BoundedJSON.decode(Self.self, from: data)
      // Without its name, a check would be none.
      let names = try BoundedJSON.decode(Names.self, from: data).names
      if let unknown = names.subtracting(CodingKeys.allCases.map(\.rawValue)).sorted().first {
        throw BaselineError.unreadable(path, reason: "it has '\(unknown)', which no baseline has")
      }
      // Older baselines have neither a check nor the rows of saves.
      guard try check == contentHash || check == nil && totals.inserted == nil else {
        throw BaselineError.damaged(path)
      }
      if let unknown = unknownBudgets.first {
        throw BaselineError.unreadable(
          path, reason: "a budget names '\(unknown)', which is not a count")
      }
    } catch let error as BaselineError {
      throw error
    } catch let error as DecodingError {
      throw .unreadable(path, reason: error.sentence)
    } catch let error as BoundedJSON.TooDeep {
      throw .unreadable(path, reason: error.description)
    } catch {
      throw .unreadable(path, reason: "it cannot be read")
    }
  }
}

extension DecodingError {
  /// Describes the problem, and its location.
  fileprivate var sentence: String {
    func location(_ context: Context) -> String {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
      return path.isEmpty ? "" : " in \(path.joined(separator: "."))"
    }
    switch self {
    case .keyNotFound(let key, let context): return "no '\(key.stringValue)'\(location(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "a value of another type\(location(context))"
    // Foundation has one error for both, without a location.
    case .dataCorrupted: return "it is not JSON, or a number in it is out of range"
    @unknown default: return "it is not JSON"
    }
  }
}
