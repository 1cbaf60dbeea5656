// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the programs of the package are that tests run.
public enum BuiltProducts {
  /// The folder of built products, which contains the tests.
  static let folder: URL = {
    let arguments = CommandLine.arguments
    return URL(filePath: arguments.first { $0.hasSuffix(".xctest") } ?? arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent()
  }()

  /// The path of a program: in the folder that `TEST_PROGRAMS` names, if it is there, otherwise beside the tests.
  ///
  /// `.ci/run` has the tests run the programs that `make bench-counts` builds, which are optimized.
  public static func path(of name: String) -> String {
    if let programs = ProcessInfo.processInfo.environment["TEST_PROGRAMS"] {
      let path = URL(filePath: programs).appending(path: name).path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    return folder.appending(path: name).path
  }
}
