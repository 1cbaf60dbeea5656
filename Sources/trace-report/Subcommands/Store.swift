// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import TraceRecording

struct Store: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract:
      "Shows what a store of Core Data, SwiftData or ObjectStore contains; it is only read.",
    discussion: """
      trace-report store Model.sqlite --model Model.xcdatamodeld
      trace-report store Model.sqlite --outline Model.xcdatamodel

      Prints whether the model fits and why not, the rows of each entity, uniqueness constraints, \
      references to rows that are gone, missing external files, and the history by author. Exits \
      with 2 if the model does not fit.
      """)

  @Argument(help: "The store's file.", completion: .file())
  var file: String

  @Option(
    help: "An .xcdatamodeld or .xcdatamodel that the file is compared with.", completion: .file())
  var model: String?

  @Option(help: "Write a model of the file's tables to this new .xcdatamodel folder.")
  var outline: String?

  /// The reports do not link the store, so another program of the installation reads the file.
  static func program() throws -> String {
    if let program = ProbeLibrary.path(of: "store-report") { return program }
    throw Failure(
      "store-report is not installed beside trace-report; run 'make install', or 'swift build "
        + "--product store-report'")
  }

  func run() throws {
    let program = try Self.program()
    do { try LTTngObstacle.checkLibrary() } catch { throw Failure(error.description) }
    let options = [("--model", model), ("--outline", outline)].flatMap { name, value in
      value.map { ["\(name)=\($0)"] } ?? []
    }
    var arguments = ([program] + options + ["--", file]).map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw Failure("cannot run \(program): \(String(cString: strerror(errno)))")
  }
}
