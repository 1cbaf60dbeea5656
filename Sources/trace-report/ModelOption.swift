// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import QueryPlans
import StoreEvents

/// The data model of the program that was traced.
struct ModelOption: ParsableArguments {
  @Option(
    help: "The program's .xcdatamodeld or .xcdatamodel: fixes name its entities and properties.",
    completion: .file())
  var model: String?

  /// The option as it was typed.
  var words: [String] { NextCommand.option("model", model) }

  /// The columns of the model, in the database if one was passed; nil without a model.
  ///
  /// The reports do not link the store, so another program of the installation reads the model.
  func names(in database: String?) throws -> ModelNames? {
    guard let model else { return nil }
    let file = database.map { ["--", $0] } ?? []
    let (status, text) = try Self.run(Store.program(), ["--columns", "--model=\(model)"] + file)
    guard status == 0 else {
      let reason = text.trimmingCharacters(in: .whitespacesAndNewlines)
        .replacing("store-report: ", with: "", maxReplacements: 1)
      throw Failure(LogText.escaped("the model '\(model)' cannot be used: \(reason)"))
    }
    let names = ModelNames(text)
    if names.isEmpty { throw Failure(LogText.escaped("the model '\(model)' has no attributes")) }
    return names
  }

  /// The errors of a program are its text if it fails.
  private static func run(
    _ program: String, _ arguments: [String]
  ) throws -> (status: Int32, text: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
