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

  @Argument(help: "The store's file; not needed with --columns.", completion: .file())
  var file: String?

  @Option(
    help: "An .xcdatamodeld or .xcdatamodel that the file is compared with.", completion: .file())
  var model: String?

  @Option(help: "Write a model of the file's tables to this new .xcdatamodel folder.")
  var outline: String?

  @Flag(help: "Print the table and column of each property of the model, for trace-report --model.")
  var columns = false

  func validate() throws {
    if columns ? model == nil : file == nil {
      throw ValidationError(columns ? "--columns needs --model." : "Pass the store's file.")
    }
  }

  func run() throws {
    do {
      if columns, let model {
        let given = try ManagedObjectModel(contentsOf: URL(filePath: model))
        return try print(columns(of: given).joined(separator: "\n"))
      }
      guard let file else { return }
      let outline = try StoreOutline(path: file)
      if let path = self.outline { try outline.write(to: path) }
      let (report, fits) = try report(file, outline)
      print(report)
      if !fits { throw ExitCode(2) }
    } catch let error as ExitCode {
      throw error
    } catch {
      FileHandle.standardError.write(Data("store-report: \(Self.escaped("\(error)"))\n".utf8))
      throw ExitCode(1)
    }
  }

  /// Those of the file, if one is named.
  private func columns(of model: ManagedObjectModel) throws -> [String] {
    guard let file else { return ModelColumns(model: model).lines }
    let container = try open(file, model)
    defer { container.close() }
    return ModelColumns(model: container.model).lines
  }

  private func report(_ file: String, _ outline: StoreOutline) throws -> (text: String, fits: Bool)
  {
    var lines = ["Store \(file)"]
    guard let model else {
      let contents = try contents(file, outline.model())
      lines.append(
        "Model: not specified; entities and properties have the names of tables and columns.")
      return (Self.escaped((lines + contents).joined(separator: "\n")), true)
    }
    let given = try ManagedObjectModel(contentsOf: URL(filePath: model))
    do {
      let contents = try contents(file, given)
      lines.append("Model \(model): fits.")
      lines += outline.surplus(over: given)
      return (Self.escaped((lines + contents).joined(separator: "\n")), true)
    } catch StoreError.incompatibleModel(_, let differences) {
      lines.append("Model \(model): does not fit.")
      lines += differences.map { "  \($0)" }
      lines.append(
        "  Open a copy of the file with isReadOnly = false to adapt it, or use the model that made it."
      )
      let contents = try contents(file, outline.model())
      return (Self.escaped((lines + contents).joined(separator: "\n")), false)
    }
  }

  private func open(_ file: String, _ model: ManagedObjectModel) throws -> PersistentContainer {
    var options = StoreOptions()
    options.isReadOnly = true
    return try PersistentContainer(at: URL(filePath: file), model: model, options: options)
  }

  private func contents(_ file: String, _ model: ManagedObjectModel) throws -> [String] {
    let container = try open(file, model)
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
