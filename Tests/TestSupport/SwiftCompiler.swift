// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess

/// The compiler, for the messages that a user's program gets from it.
public enum SwiftCompiler {
  /// Checks the types of a source file that may import the products of this package, in Swift 6 mode.
  ///
  /// - Returns: whether it compiles, and the compiler's messages.
  public static func check(_ source: String) async throws -> (compiles: Bool, messages: String) {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "main.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let result = try await Subprocess.run(
      .name("env"),
      arguments: Arguments(["swiftc", "-typecheck", "-swift-version", "6"] + flags + [file.path]),
      output: .string(limit: 1 << 20), error: .string(limit: 16 << 20))
    let messages = result.standardOutput + result.standardError
    return (result.terminationStatus.isSuccess, messages)
  }

  /// Where the modules are, and the C modules that they import.
  private static var flags: [String] {
    let build = BuiltProducts.folder
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    var maps = ["CSQLite", "CLTTngUST"].map {
      root.appending(path: "Sources/\($0)/module.modulemap")
    }
    maps += contents(build).filter { $0.pathExtension == "build" }
      .map { $0.appending(path: "module.modulemap") }
    let checkouts = build.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "checkouts")
    let headers = contents(checkouts).flatMap { contents($0.appending(path: "Sources")) }
      .map { $0.appending(path: "include") }
    return ["-I", build.appending(path: "Modules").path, "-I", build.path]
      + existing(maps).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
      + existing(headers).flatMap { ["-Xcc", "-I", "-Xcc", $0] }
  }

  private static func contents(_ folder: URL) -> [URL] {
    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
  }

  private static func existing(_ urls: [URL]) -> [String] {
    urls.map(\.path).filter { FileManager.default.fileExists(atPath: $0) }.sorted()
  }
}
