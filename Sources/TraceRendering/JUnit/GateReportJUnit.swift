// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

/// A gate's result as a test report of JUnit's kind, which every CI server shows.
///
/// Regressions are failures, and an inconclusive comparison is an error: see
/// <https://github.com/testmoapp/junitxml>.
public enum GateReportJUnit {
  public static func xml(_ result: GateResult) -> String {
    let cases =
      result.doubts.map { Case(name: "the run can be compared", error: $0) }
      + result.reservations.map { Case(name: "all parts can be compared", error: $0) }
      + result.regressions.map { self.case($0, failure: $0.summary) }
      + result.slower.map { Case(name: $0.sql, location: $0.caller, failure: $0.summary) }
      + (result.improvements + result.rewritten + result.replanned + result.appeared)
      .map { self.case($0, output: $0.summary) }
    let passed = Case(
      name: "\(result.unchanged.counted("statement does", "statements do")) the same work")
    let all = numbered(cases + (result.unchanged > 0 || cases.isEmpty ? [passed] : []))
    let counts =
      "tests=\"\(all.count)\" failures=\"\(all.count { $0.failure != nil })\" "
      + "errors=\"\(all.count { $0.error != nil })\" skipped=\"0\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
        <testsuite name="trace-report gate" \(counts)>
      \(all.map(\.xml).joined(separator: "\n"))
        </testsuite>
      </testsuites>

      """
  }

  private static func `case`(
    _ difference: GateResult.Difference, failure: String? = nil, output: String = ""
  ) -> Case {
    Case(
      name: difference.sql ?? "in all", location: difference.caller, failure: failure,
      output: output)
  }

  /// CI servers take cases of one name for one case: the second gets a number.
  private static func numbered(_ cases: [Case]) -> [Case] {
    var names: Set<String> = []
    return cases.map { original in
      var unique = original
      var number = 2
      while !names.insert(unique.name).inserted {
        unique.name = "\(original.name) (\(number))"
        number += 1
      }
      return unique
    }
  }

  private struct Case {
    var name: String
    var location: SourceLocation = .unknown
    var failure: String?
    var error: String?
    var output = ""

    var xml: String {
      let file =
        location.file.isEmpty
        ? "" : " file=\"\(XMLText.escaped(location.file))\" line=\"\(location.line)\""
      let head =
        "    <testcase classname=\"\(XMLText.escaped(location.text ?? "gate"))\" "
        + "name=\"\(XMLText.escaped(name))\"\(file)"
      let children =
        element("failure", failure) + element("error", error)
        + (output.isEmpty ? "" : "\n      <system-out>\(XMLText.escaped(output))</system-out>")
      return children.isEmpty ? head + "/>" : head + ">\(children)\n    </testcase>"
    }

    private func element(_ name: String, _ text: String?) -> String {
      guard let text else { return "" }
      let escaped = XMLText.escaped(text)
      let locationText = location.text.map { "\n\(XMLText.escaped($0))" } ?? ""
      return "\n      <\(name) message=\"\(escaped)\">\(escaped)\(locationText)</\(name)>"
    }
  }
}

/// Text from data, made safe for XML 1.0, which forbids most control characters.
enum XMLText {
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "\n", "\r", "\t": result += "&#\(scalar.value);"
      case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
