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
  /// `trace-report html 'my trace' -o report.html`; control characters are escaped, so that they are visible.
  static func line(_ words: [String]) -> String {
    (["trace-report"] + words).map { ShellWord.quoted(LogText.escaped($0)) }
      .joined(separator: " ")
  }

  /// `["--database", "app.sqlite"]`, or nothing without a value.
  static func option(_ name: String, _ value: String?) -> [String] {
    value.map { ["--\(name)", $0] } ?? []
  }

  /// The commands that follow a first screen.
  static func after(_ inputs: [String]?, _ verdict: RunVerdict) -> FirstScreen.Commands {
    guard let inputs else { return .init() }
    return .init(
      findings: line(["findings"] + inputs),
      next: verdict.isClean
        ? ("keep it so", line(["baseline"] + inputs + ["-o", "baseline.json"]))
        : ("next", line(["html"] + inputs + ["-o", "report.html"])))
  }
}
