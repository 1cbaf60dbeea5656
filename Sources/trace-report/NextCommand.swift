// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis
import TraceRendering

extension BriefV1 {
  /// - Parameter words: the inputs with their options, as typed; nil where they cannot be read again.
  init(_ profile: Profile, review: FindingReview, after words: [String]?) {
    let verdict = RunVerdict(profile, review)
    self.init(
      profile, review: review,
      next: words.flatMap { words in
        guard let statement = verdict.worst?.finding.statement.flatMap(profile.statement) else {
          return NextCommand.after(words, verdict).next?.command
        }
        return NextCommand.line(["statement", "\(statement.sharedID)"] + words)
      })
  }
}

/// Commands that a report ends with, complete, as they are typed into a shell.
enum NextCommand {
  /// `trace-report html 'my trace' -o report.html`.
  static func line(_ words: [String]) -> String {
    (["trace-report"] + words).map(quoted).joined(separator: " ")
  }

  /// A word as a shell reads it; control characters are escaped, so that they are visible.
  private static func quoted(_ word: String) -> String {
    let word = LogText.escaped(word)
    let isPlain = word.utf8.allSatisfy { byte in
      byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "_-./:=@%+,".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }

  /// `["--database", "app.sqlite"]`, or nothing without a value.
  static func option(_ name: String, _ value: String?) -> [String] {
    value.map { ["--\(name)", $0] } ?? []
  }

  /// The commands that follow a first screen.
  ///
  /// - Parameters:
  ///   - inputs: the inputs with their options, as typed; nil where they cannot be read again.
  ///   - verdict: the verdict on them.
  static func after(_ inputs: [String]?, _ verdict: RunVerdict) -> FirstScreen.Commands {
    guard let inputs else { return .init() }
    return .init(
      findings: line(["findings"] + inputs),
      next: verdict.isClean
        ? ("keep it so", line(["baseline"] + inputs + ["-o", "baseline.json"]))
        : ("next", line(["html"] + inputs + ["-o", "report.html"])))
  }
}
