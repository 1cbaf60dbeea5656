// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis

/// The manual page, trace-report(1), generated from the parser's description of the commands.
struct ManualPage {
  private var roff = Roff()

  /// - Throws: the decoder's error for the parser's dump.
  static func text() throws -> String {
    var page = ManualPage()
    let tool = try ToolHelp.ofTraceReport().command
    page.writeHead(tool)
    page.writeCommands(tool.shownCommands)
    page.writeTail()
    return page.roff.text
  }

  private mutating func writeHead(_ tool: ToolHelp.Command) {
    let version = TraceReport.configuration.version
    roff.raw(".\\\" Generated from the options of trace-report by make man.")
    roff.macro(
      "TH", "TRACE\\-REPORT", "1", "\"\"", "\"StoreScope \(version)\"", "\"User Commands\"")
    roff.macro("SH", "NAME")
    roff.raw("trace\\-report \\- shows what a program does in SQLite and what it costs")
    roff.macro("SH", "SYNOPSIS")
    for command in tool.shownCommands {
      roff.raw(Self.synopsis(command))
      roff.macro("br")
    }
    roff.macro("SH", "DESCRIPTION")
    roff.line(tool.abstract ?? "")
    roff.line(
      "Reads LTTng traces and debug logs of ObjectStore, logs of Core Data, and reports saved with "
        + "--json; - is standard input, and several inputs are merged.")
    roff.line("The default command, summary, may be omitted.")
    roff.macro("PP")
    roff.line("--help after a command describes it; --version prints the version.")
  }

  private mutating func writeCommands(_ commands: [ToolHelp.Command]) {
    roff.macro("SH", "COMMANDS")
    for command in commands {
      roff.macro("SS", "\"\(Roff.escaped(command.commandName))\"")
      roff.line(command.abstract ?? "")
      if let discussion = command.discussion { roff.discussion(discussion) }
      for argument in command.arguments ?? [] where Self.isShown(argument) { write(argument) }
    }
  }

  private mutating func write(_ argument: ToolHelp.Argument) {
    roff.macro("TP")
    roff.raw(Self.form(argument))
    var sentence = argument.abstract ?? ""
    if let values = argument.allValues, !values.isEmpty {
      sentence += " One of \(values.joined(separator: ", "))."
    }
    if let value = argument.defaultValue { sentence += " By default \(value)." }
    roff.line(sentence)
  }

  private mutating func writeTail() {
    roff.macro("SH", "EXIT STATUS")
    for (code, meaning) in ExitStatus.meanings {
      roff.macro("TP")
      roff.raw(Roff.bold("\(code)"))
      roff.line(meaning.prefix(1).uppercased() + meaning.dropFirst() + ".")
    }
    roff.macro("SH", "ENVIRONMENT")
    for (name, meaning) in Self.variables {
      roff.macro("TP")
      roff.raw(Roff.bold(name))
      roff.line(meaning)
    }
    roff.macro("SH", "FILES")
    roff.macro("TP")
    roff.raw(Roff.italic(ExceptionFile.usualName))
    roff.line("Findings to excuse, in the current folder; see --exceptions.")
    roff.macro("SH", "\"SEE ALSO\"")
    roff.raw("\\fBlttng\\fR(1), \\fBbabeltrace2\\fR(1), \\fBsqlite3\\fR(1)")
  }

  private static let variables = [
    (
      "STORE_SQL_DEBUG",
      "For the observed program, not for trace-report: 1 to 4 enables its debug log."
    ),
    ("STORE_SQL_DEBUG_FILE", "The file of that log; standard error without it."),
    ("NO_COLOR", "If not empty, text has no colours."),
    ("COLUMNS", "The width of text, in place of the terminal's; text for a pipe has no width."),
    ("TMPDIR", "The folder for copies of databases; /tmp by default."),
  ]

  private static func isShown(_ argument: ToolHelp.Argument) -> Bool {
    let names = argument.names?.map(\.name) ?? []
    return argument.shouldDisplay != false && !names.contains("help") && !names.contains("version")
  }

  /// `-o, --output FILE`, or the name of a positional argument.
  private static func form(_ argument: ToolHelp.Argument) -> String {
    let value = Roff.italic(argument.valueName ?? "value")
    guard let names = argument.names, !names.isEmpty else {
      return argument.isRepeating ? value + " ..." : value
    }
    let spelled = names.sorted { $0.name.count < $1.name.count }.map(spelling).joined(
      separator: ", ")
    return argument.kind == "flag" ? spelled : "\(spelled) \(value)"
  }

  private static func spelling(_ name: ToolHelp.Argument.Name) -> String {
    Roff.bold((name.kind == "long" ? "--" : "-") + name.name)
  }

  /// The command with its required arguments, and `[options]` for the others.
  private static func synopsis(_ command: ToolHelp.Command) -> String {
    let arguments = (command.arguments ?? []).filter(isShown)
    var parts = [Roff.bold("trace-report \(command.commandName)")]
    if arguments.contains(where: { $0.kind != "positional" && $0.isOptional }) {
      parts.append("[" + Roff.italic("options") + "]")
    }
    for option in arguments where option.kind == "option" && !option.isOptional {
      let name = option.names?.first { $0.kind == "long" }.map(spelling) ?? ""
      parts.append("\(name) \(Roff.italic(option.valueName ?? "value"))")
    }
    for argument in arguments where argument.kind == "positional" {
      let isLast = argument.parsingStrategy == "postTerminator"
      let form = (isLast ? Roff.bold("--") + " " : "") + form(argument)
      parts.append(argument.isOptional ? "[\(form)]" : form)
    }
    return parts.joined(separator: " ")
  }
}
