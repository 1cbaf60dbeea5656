// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

/// ArgumentParser's description of the commands, as `--experimental-dump-help` prints it.
struct ToolHelp: Decodable {
  var command: Command

  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var subcommands: [Command]?
    var arguments: [Argument]?

    /// The commands that help shows, in its order.
    var shownCommands: [Command] {
      (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool?
    var defaultValue: String?
    var allValues: [String]?
    var parsingStrategy: String?
  }

  /// - Throws: the decoder's error for a dump in another format.
  static func ofTraceReport() throws -> ToolHelp {
    try JSONDecoder().decode(ToolHelp.self, from: Data(TraceReport._dumpHelp().utf8))
  }
}
