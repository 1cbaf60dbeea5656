// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import ObjectStore

/// `trace-report store` runs it: a program of its own, since the reports do not link the store.
@main
struct StoreReport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-report",
    abstract:
      "Shows what a store of Core Data, SwiftData or ObjectStore contains; it is only read.",
    discussion: """
      store-report Model.sqlite --model Model.xcdatamodeld
      store-report Model.sqlite --outline Model.xcdatamodel

      Exit codes: 0 success; 1 the file or the model cannot be read; 2 the model does not fit; 64 usage error.
      """)

  @Argument(help: "The store's file.", completion: .file())
  var file: String

  @Option(
    help: "An .xcdatamodeld or .xcdatamodel that the file is compared with.", completion: .file())
  var model: String?

  @Option(help: "Write a model of the file's tables to this new .xcdatamodel folder.")
  var outline: String?

  func run() throws {
    do {
      let outline = try StoreOutline(path: file)
      if let path = self.outline { try outline.write(to: path) }
      let (report, fits) = try report(outline)
      print(report)
      if !fits { throw ExitCode(2) }
    } catch let error as ExitCode {
      throw error
    } catch {
      FileHandle.standardError.write(Data("store-report: \(Self.escaped("\(error)"))\n".utf8))
      throw ExitCode(1)
    }
  }

  private func report(_ outline: StoreOutline) throws -> (text: String, fits: Bool) {
    var lines = ["Store \(file)"]
    guard let model else {
      let contents = try contents(outline.model())
      lines.append("Model: none given; the names are those of the tables.")
      return (Self.escaped((lines + contents).joined(separator: "\n")), true)
    }
    let given = try ManagedObjectModel(contentsOf: URL(filePath: model))
    do {
      let contents = try contents(given)
      lines.append("Model \(model): fits.")
      lines += outline.surplus(over: given)
      return (Self.escaped((lines + contents).joined(separator: "\n")), true)
    } catch StoreError.incompatibleModel(_, let differences) {
      lines.append("Model \(model): does not fit.")
      lines += differences.map { "  \($0)" }
      lines.append(
        "  Open a copy of the file with isReadOnly = false to adapt it, or use the model that made it."
      )
      let contents = try contents(outline.model())
      return (Self.escaped((lines + contents).joined(separator: "\n")), false)
    }
  }

  private func contents(_ model: ManagedObjectModel) throws -> [String] {
    var options = StoreOptions()
    options.isReadOnly = true
    let container = try PersistentContainer(at: URL(filePath: file), model: model, options: options)
    defer { container.close() }
    return try container.read {
      try StoreContents(reader: $0, model: container.model, path: file).lines()
    }
  }

  /// A file's text must not control the terminal.
  static func escaped(_ text: String) -> String {
    String(
      text.unicodeScalars.map { scalar in
        scalar.properties.generalCategory == .control && scalar != "\n"
          ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
      }.joined())
  }
}
