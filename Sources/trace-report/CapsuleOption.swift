// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import QueryPlans
import StoreEvents
import TraceReading

/// A database without its rows, instead of the program's.
struct CapsuleOption: ParsableArguments {
  @Option(
    help:
      "A capsule in place of the database: its schema and statistics, without rows; see 'capsule'.",
    completion: .file())
  var capsule: String?

  /// The file to plan by: the capsule, or the database.
  func path(or database: String?) throws -> String? {
    guard let capsule else { return database }
    guard database == nil else {
      throw Failure("pass either --database or --capsule", status: .validationFailure)
    }
    guard FileManager.default.fileExists(atPath: capsule) else {
      throw Failure("no such capsule: \(LogText.quoted(capsule)); check the path")
    }
    guard try Self.capsule(at: capsule) != nil else {
      throw Self.failure(capsule, .notACapsule)
    }
    return capsule
  }

  /// Reads a capsule; nil for a file that is not JSON.
  static func capsule(at path: String) throws -> CapsuleV1? {
    // A pipe would wait for a writer.
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (try? InputContent.isJSON(path: path)) == true
    else { return nil }
    return try reporting(path) { () throws(CapsuleError) in try CapsuleV1(path: path) }
  }

  static func reporting<T>(_ path: String, _ body: () throws(CapsuleError) -> T) throws -> T {
    do throws(CapsuleError) { return try body() } catch { throw failure(path, error) }
  }

  private static func failure(_ path: String, _ error: CapsuleError) -> Failure {
    let status =
      if case .notWritten = error { ExitStatus.failed } else { ExitStatus.inconclusive }
    return Failure("\(LogText.quoted(path)) \(LogText.escaped("\(error)"))", status: status)
  }
}
