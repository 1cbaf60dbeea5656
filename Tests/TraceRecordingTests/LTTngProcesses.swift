// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

@testable import TraceRecording

enum LTTngProcesses {
  /// The daemons that were started with a folder as their `LTTNG_HOME`; one that has ended and
  /// waits to be buried has no environment any more.
  static func living(in home: String) throws -> [String] {
    try all().map(String.init).filter { process in
      guard let name = RuntimeDirectory.text(ofFile: "/proc/\(process)/comm", limit: 64),
        let variables = RuntimeDirectory.text(ofFile: "/proc/\(process)/environ", limit: 1 << 16)
      else { return false }
      return name.hasPrefix("lttng") && isOurs(process)
        && variables.split(separator: "\0").contains("LTTNG_HOME=\(home)")
    }
  }

  /// Whether a process is none of another host of `hosts.sh`, with daemons of its own.
  private static func isOurs(_ process: String) -> Bool {
    func namespace(_ process: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/pid")
    }
    return namespace(process) == namespace("self")
  }

  /// The output of `lttng` about the daemon that a recorder uses.
  static func lttng(of recorder: pid_t, _ arguments: String...) async throws -> String {
    let own = try foldersOfOne().first { $0.recorder == recorder }?.path
    var command = LTTngCommand(home: try own ?? RuntimeDirectory().path)
    if geteuid() == 0 { command.namespace = own.flatMap { ProcessMark(file: "\($0)/daemon")?.id } }
    return try await command.run("lttng", ["--no-sessiond"] + arguments).text
  }

  /// The folders of recorders with daemons of their own.
  static func foldersOfOne() throws -> [(recorder: pid_t, path: String)] {
    let shared = try RuntimeDirectory().path
    return try FileManager.default.contentsOfDirectory(atPath: shared).compactMap { name in
      pid_t(name.prefix { $0 != "-" }).map { ($0, "\(shared)/\(name)") }
    }
  }

  /// The processes that a recorder started to clean up after it.
  static func guardians(of recorder: pid_t) throws -> [pid_t] {
    try all().filter {
      RuntimeDirectory.text(ofFile: "/proc/\($0)/cmdline", limit: 1 << 16)?
        .hasSuffix("\0guard-recording\0\(recorder)\0") ?? false
    }
  }

  private static func all() throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
  }
}
