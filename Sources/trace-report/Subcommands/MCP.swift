// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct MCP: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract:
      "Serves findings, plans, advice, locks, gate and proofs to an agent (Model Context Protocol).",
    discussion: """
      Reads requests from standard input and writes answers to standard output, one in each line. The tools are findings, \
      statement, plan, advise, locks, gate and prove; each call is one run of that subcommand in this folder, and its \
      answer is the JSON of it. No tool takes SQL, none writes a file, indexes are tried on copies, and statements have \
      ? for each value. See Documentation/Agents.md.
      """)

  func run() {
    var server = MCPServer()
    server.run()
  }
}
