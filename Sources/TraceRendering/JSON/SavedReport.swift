// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import StoreEvents
public import TraceAnalysis
import TraceReading

/// A report that `summary --json` or `export --format json` wrote, read again.
public enum SavedReport {
  private struct Header: Decodable {
    var schemaVersion: Int
    var profile: Mark?
    struct Mark: Decodable {}
  }

  public static func profile(in data: Data, name: String) throws(SavedReportError) -> Profile {
    do {
      let header = try BoundedJSON.decode(Header.self, from: data)
      guard header.schemaVersion == 1 else {
        throw SavedReportError.unknownVersion(name, version: header.schemaVersion)
      }
      guard header.profile != nil else { throw SavedReportError.noProfile(name) }
      let body = try BoundedJSON.decode(Body.self, from: data)
      var profile = body.profile
      if let check = body.check {
        guard check == (try Self.check(of: profile)) else { throw SavedReportError.damaged(name) }
      } else if !profile.reading.sources.isEmpty {
        let sentence = "the report has no check by which damage could be found"
        profile.reading.sources[0].unended = (profile.reading.sources[0].unended ?? []) + [sentence]
      }
      return profile
    } catch let error as SavedReportError {
      throw error
    } catch {
      throw .unreadable(name)
    }
  }

  private struct Body: Decodable {
    /// Nil in older reports.
    var check: String?
    var profile: Profile
  }

  /// The hash by which a reader finds that a report was damaged.
  ///
  /// How the sources were named is left out: the report of a file is that of a pipe.
  static func check(of profile: Profile) throws -> String {
    var profile = profile
    for index in profile.reading.sources.indices { profile.reading.sources[index].path = "" }
    return try ContentHash.text(of: profile)
  }
}

/// The reason why a saved report could not be read.
public enum SavedReportError: Error, Hashable, Sendable {
  case unreadable(String)
  case unknownVersion(String, version: Int)
  /// It is JSON of this tool's, such as a baseline or an older report.
  case noProfile(String)
  /// Time spans and durations are of events, of which a report has none.
  case notFiltered(String)
  case noEvents(String)
  /// Its check is not that of its profile.
  case damaged(String)
}

extension SavedReportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let name):
      "\(LogText.quoted(name)) is JSON, but no report that this trace-report can read; write it "
        + "again with: trace-report summary INPUT --json"
    case .unknownVersion(let name, let version):
      "\(LogText.quoted(name)) has schemaVersion \(version), this trace-report reads 1; update "
        + "trace-report, or write the report again"
    case .noProfile(let name):
      "\(LogText.quoted(name)) is JSON without a profile; write one with: trace-report summary "
        + "INPUT --json"
    case .notFiltered(let name):
      "\(LogText.quoted(name)) is a saved report, which holds sums and no events: pass the filters "
        + "when the report is written, or read the trace"
    case .damaged(let name):
      "\(LogText.quoted(name)) was changed after it was written, or damaged; write it again with: "
        + "trace-report summary INPUT --json"
    case .noEvents(let name):
      "\(LogText.quoted(name)) is a saved report, which holds sums and no events; read the trace"
    }
  }
}
