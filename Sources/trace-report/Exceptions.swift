// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import StoreEvents
import TraceAnalysis

/// The file of findings that the project accepts.
struct Exceptions: ParsableArguments {
  @Option(
    name: .customLong("exceptions"),
    help: ArgumentHelp(
      "Findings to excuse, each with its reason; ./.storescope-exceptions by default.",
      valueName: "file"),
    completion: .file())
  var path: String?

  /// The file named by the option, or the default file if it exists, and the comments in the code of the
  /// callers.
  func file(commentsOf callers: [SourceLocation]) throws -> ExceptionFile {
    var file = try ownFile() ?? ExceptionFile()
    var sources = SourceFiles(root: ".")
    for name in Set(callers.map(\.file)).sorted() {
      guard let (path, text) = sources.text(of: name) else { continue }
      file.add(CodeComments(in: text, path: path, caller: name))
    }
    return file
  }

  private func ownFile() throws -> ExceptionFile? {
    let path = path ?? ExceptionFile.usualName
    guard let data = FileManager.default.contents(atPath: path) else {
      guard self.path != nil else { return nil }
      throw Failure(
        "cannot read the exceptions in \(LogText.quoted(path)); check the path and its permissions")
    }
    return try ExceptionFile(path: path, text: String(decoding: data, as: UTF8.self))
  }

  /// The findings that are not suppressed, and the notes about the exceptions.
  func review(_ workload: ReportedWorkload, in profile: Profile) throws -> FindingReview {
    let findings = workload.findings
    let callers = findings.map(\.caller) + profile.callers
    var review = FindingReview(
      findings, in: profile, file: try file(commentsOf: callers), today: Self.today)
    review.hasDatabase = workload.database != nil
    review.remarks = workload.remarks
    return review
  }

  /// The local day, such as `2026-11-21`.
  static var today: String { LocalTime.text("%Y-%m-%d") }
}
