// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A tool of the server: one run of a subcommand, which prints JSON.
///
/// No tool takes SQL, or an option that writes a file.
struct MCPTool {
  struct Parameter {
    var name: String
    var description: String
    var isRequired = false
    var isNumber = false
    /// The option's name; nil for an argument.
    var option: String?
  }

  var name: String
  var description: String
  /// The command's words before the arguments; the others follow them.
  var command: String
  var flags: [String]
  var parameters: [Parameter]
  /// The members that each report has, with their types; Documentation/schemas has all of them.
  var members: [String: String]

  static let all = [
    Self(
      name: "findings",
      description: """
        The verdict on a recording of a program that uses SQLite, and its findings with line of code, counts and fix, \
        those that cost most first. Call this first.
        """, command: "findings", flags: ["--json", "--brief"],
      parameters: [input, database, budget],
      members: ["verdict": "object", "findings": "array", "leftOut": "integer", "remarks": "array"]),
    Self(
      name: "statement",
      description: "One statement of a recording: counts, lines of code, loops and findings.",
      command: "statement", flags: ["--json"],
      parameters: [statement(isRequired: true), input],
      members: ["statement": "object", "findings": "array", "loops": "array"]),
    Self(
      name: "plan",
      description:
        "SQLite's query plan of each statement of a recording, and which of them scan a table.",
      command: "plans", flags: ["--json", "--forms"],
      parameters: [input, database, statement(isRequired: false)],
      members: ["database": "string", "statements": "array", "doubts": "array"]),
    Self(
      name: "advise",
      description: """
        The smallest set of indexes that makes the statements of a recording cheaper, tried on a copy of the database.
        """, command: "advise", flags: ["--json", "--forms"], parameters: [input, database],
      members: [
        "create": "array", "drop": "array", "rejected": "array", "isConclusive": "boolean",
      ]),
    Self(
      name: "locks",
      description:
        "Who holds the locks of a database now, who pins its log, and who endangers its data.",
      command: "locks", flags: ["--json"],
      parameters: [.init(name: "database", description: "The database file.", isRequired: true)],
      members: [
        "writers": "array", "readers": "array", "waiters": "array", "warnings": "array",
      ]),
    Self(
      name: "gate",
      description:
        "Compares a recording with a baseline by counts: same, mixed, regression or inconclusive.",
      command: "gate", flags: ["--json", "--brief"],
      parameters: [
        .init(name: "input", description: "The recording.", isRequired: true),
        .init(
          name: "baseline", description: "The file that 'trace-report baseline' wrote.",
          option: "baseline"),
        budget,
      ],
      members: [
        "verdict": "string", "regressions": "array", "improvements": "array", "doubts": "array",
      ]),
    Self(
      name: "prove",
      description: """
        Whether a change made a program do less for the same rows: proven, notProven or inconclusive. Call this after a \
        fix, with recordings of the same work before and after it.
        """, command: "prove", flags: ["--json", "--brief"],
      parameters: [
        .init(name: "before", description: "The recording before the change.", isRequired: true),
        .init(name: "after", description: "The recording after the change.", isRequired: true),
        budget,
      ],
      members: [
        "verdict": "string", "reasons": "array", "counts": "array", "statements": "array",
      ]),
  ]

  private static let input = Parameter(
    name: "input",
    description:
      "A recording, a log or a saved report; the newest recording in the folder by default.")
  private static let database = Parameter(
    name: "database",
    description:
      "The program's database, which is only read; the one that the program opened by default.",
    option: "database")
  private static let budget = Parameter(
    name: "budget",
    description: "The number of tokens of the answer, 100 or more; 2000 by default.",
    isNumber: true, option: "budget")

  private static func statement(isRequired: Bool) -> Parameter {
    Parameter(
      name: "statement", description: "The id of a statement, as findings have it.",
      isRequired: isRequired, option: isRequired ? nil : "statement")
  }

  /// The tool as `tools/list` describes it.
  var json: JSONValue {
    let properties = parameters.map { parameter -> (String, JSONValue) in
      (
        parameter.name,
        [
          "type": parameter.isNumber ? "integer" : "string",
          "description": .string(parameter.description),
        ]
      )
    }
    return [
      "name": .string(name), "description": .string(description),
      "inputSchema": [
        "type": "object", "additionalProperties": false,
        "properties": .object(Dictionary(properties) { first, _ in first }),
        "required": .array(parameters.filter(\.isRequired).map { .string($0.name) }),
      ],
      "outputSchema": [
        "type": "object",
        "properties": .object(members.mapValues { ["type": .string($0)] }),
        "required": .array(members.keys.sorted().map { .string($0) }),
      ],
      "annotations": ["readOnlyHint": true, "openWorldHint": false],
    ]
  }

  struct WrongArgument: Error { var sentence: String }

  /// The command line of a call.
  func words(_ arguments: JSONValue?) throws(WrongArgument) -> [String] {
    var members: [String: JSONValue] = [:]
    switch arguments {
    case .object(let object): members = object
    case nil, .null: break
    default: throw WrongArgument(sentence: "arguments is an object")
    }
    var words: [String] = []
    for parameter in parameters {
      guard let value = members.removeValue(forKey: parameter.name), value != .null else {
        guard !parameter.isRequired else {
          throw WrongArgument(sentence: "'\(parameter.name)' is missing: \(parameter.description)")
        }
        continue
      }
      let word = try parameter.word(value)
      words.append(parameter.option.map { "--\($0)=\(word)" } ?? word)
    }
    guard let other = members.keys.min() else { return [command] + words + flags }
    throw WrongArgument(
      sentence: "no argument '\(LogText.escaped(other))'; \(name) takes "
        + parameters.map(\.name).joined(separator: ", "))
  }
}

extension MCPTool.Parameter {
  fileprivate func word(_ value: JSONValue) throws(MCPTool.WrongArgument) -> String {
    switch value {
    case .integer(let number) where isNumber && number > 0: return "\(number)"
    case .string(let text)
    where !isNumber && !text.isEmpty && !text.hasPrefix("-") && !text.utf8.contains(0):
      return text
    default:
      throw MCPTool.WrongArgument(
        sentence: "'\(name)' is "
          + (isNumber ? "a whole number above 0" : "a text that does not begin with a hyphen"))
    }
  }
}
