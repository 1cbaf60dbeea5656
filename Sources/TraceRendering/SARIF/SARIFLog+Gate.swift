// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import TraceAnalysis

extension SARIFLog {
  private enum Kind: String, CaseIterable {
    case moreWork, slower, lessWork, newStatement

    var level: String {
      switch self {
      case .moreWork, .slower: "error"
      case .lessWork, .newStatement: "note"
      }
    }

    var description: String {
      switch self {
      case .moreWork: "A statement does more work than the baseline has."
      case .slower: "A statement takes longer than the baseline has."
      case .lessWork: "A statement does less work: the baseline can be tightened."
      case .newStatement: "The baseline does not have this statement."
      }
    }
  }

  /// - Parameters:
  ///   - version: the tool's.
  ///   - location: finds the line of a caller, or a line of the inputs where the caller is unknown:
  ///     GitHub refuses a file with a result that has no location.
  public init(
    gate result: GateResult, version: String,
    location: (_ caller: SourceLocation, _ sql: String?) -> FileLine
  ) {
    var results: [Result] = []
    func add(_ kind: Kind, _ differences: [GateResult.Difference]) {
      for difference in differences {
        results.append(
          Result(
            kind.rawValue, index: Kind.allCases.firstIndex(of: kind) ?? 0, level: kind.level,
            text: difference.summary, sql: difference.sql,
            at: location(difference.caller, difference.sql)))
      }
    }
    add(.moreWork, result.regressions)
    for change in result.slower {
      results.append(
        Result(
          Kind.slower.rawValue, index: 1, level: Kind.slower.level, text: change.summary,
          sql: change.sql, at: location(change.caller, change.sql)))
    }
    add(.lessWork, result.improvements)
    add(.newStatement, result.appeared)
    runs = [
      Run(
        version, Kind.allCases.map { ($0.rawValue, $0.description) }, results,
        isWhole: result.verdict != .inconclusive, notes: result.doubts + result.reservations)
    ]
  }
}

extension SARIFLog.Result {
  fileprivate init(
    _ rule: String, index: Int, level: String, text: String, sql: String?,
    at location: SARIFLog.FileLine
  ) {
    self.init(
      ruleId: rule, ruleIndex: index, level: level,
      message: SARIFLog.Message(text: sql.map { "\(text): \($0)" } ?? "in all: \(text)"),
      locations: [SARIFLog.Location(location)],
      partialFingerprints: ["statement/v1": "\(rule)/\(StatementID(sql: sql ?? ""))"])
  }
}

extension SARIFLog.Location {
  init(_ location: SARIFLog.FileLine) {
    physicalLocation = .init(
      artifactLocation: .init(uri: SARIFLog.uri(location.path)),
      // Lines count from 1.
      region: .init(startLine: max(1, location.line)))
  }
}

extension SARIFLog {
  /// A path as a relative URI reference.
  static func uri(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "+"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }
}
