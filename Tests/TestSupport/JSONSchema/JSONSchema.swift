// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON Schema of the keywords that Documentation/schemas uses, and a value's deviations from it.
///
/// `type`, `properties`, `required`, `items`, `additionalProperties`, `enum`, `minimum`, `$ref`. A
/// property that the schema does not name is wrong as well: it is not documented.
///
/// See <https://json-schema.org/draft/2020-12/json-schema-validation>.
public struct JSONSchema {
  private let root: JSONValue

  public init(_ root: JSONValue) { self.root = root }

  /// Reads a file of Documentation/schemas.
  public init(named name: String) throws {
    let repository = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    let path = repository + "/Documentation/schemas/\(name).json"
    self.init(try JSONValue(text: String(contentsOfFile: path, encoding: .utf8)))
  }

  /// The deviations, each with its path: `statements[0].id: not a string`.
  public func failures(of value: JSONValue) -> [String] { failures(of: value, root, "$") }

  private func failures(of value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
    if let reference = schema["$ref"]?.text {
      let name = String(reference.dropFirst("#/$defs/".count))
      guard let definition = root["$defs"]?[name] else { return ["\(place): no \(reference)"] }
      return failures(of: value, definition, place)
    }
    var failures: [String] = []
    if let type = schema["type"] {
      let names = type.text.map { [$0] } ?? type.elements.compactMap(\.text)
      guard names.contains(where: value.isOf) else {
        return ["\(place): not of type \(names.joined(separator: " or "))"]
      }
    }
    if let allowed = schema["enum"], !allowed.elements.contains(value) {
      failures.append("\(place): none of \(allowed.elements.compactMap(\.text))")
    }
    if case .integer(let least)? = schema["minimum"], case .integer(let number) = value,
      number < least
    {
      failures.append("\(place): less than \(least)")
    }
    if case .object(let members) = value { failures += self.failures(of: members, schema, place) }
    if let items = schema["items"] {
      for (index, element) in value.elements.enumerated() {
        failures += self.failures(of: element, items, "\(place)[\(index)]")
      }
    }
    return failures
  }

  private func failures(
    of members: [String: JSONValue], _ schema: JSONValue, _ place: String
  ) -> [String] {
    var failures: [String] = []
    for name in schema["required"]?.elements.compactMap(\.text) ?? [] where members[name] == nil {
      failures.append("\(place): no \(name)")
    }
    for (name, member) in members {
      if let property = schema["properties"]?[name] ?? schema["additionalProperties"] {
        failures += self.failures(of: member, property, "\(place).\(name)")
      } else {
        failures.append("\(place).\(name): not in the schema")
      }
    }
    return failures
  }
}

extension JSONValue {
  fileprivate func isOf(type: String) -> Bool {
    switch (self, type) {
    case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"),
      (.object, "object"), (.integer, "integer"), (.unsigned, "integer"), (.integer, "number"),
      (.unsigned, "number"), (.number, "number"):
      true
    // 1e20 is a whole number that no integer of Swift holds.
    case (.number(let number), "integer"): number == number.rounded()
    default: false
    }
  }
}

/// A command printed JSON that its schema does not describe.
public struct UndocumentedOutput: Error, CustomStringConvertible {
  public var description: String

  /// The schemas by command.
  private static let schemas = [
    "summary": "report", "plans": "plans", "orderings": "orderings", "advise": "advice",
    "gate": "gate", "diff": "difference", "growth": "growth", "locks": "locks", "top": "top",
    "incidents": "incident", "check": "check", "findings": "brief", "statement": "statement",
    "prove": "proof",
  ]

  /// Checks the output of a run of trace-report.
  ///
  /// - Throws: an error of this type.
  static func check(_ arguments: [String], _ output: String) throws {
    guard arguments.contains("--json"), output.hasPrefix("{") || output.hasPrefix("["),
      let command = arguments.first(where: { schemas[$0] != nil }), var name = schemas[command]
    else { return }
    if arguments.contains("--all") { name += "-all" }
    if arguments.contains("--brief"), name == "report" { name = "brief" }
    let schema = try JSONSchema(named: name)
    // `top` and `locks --watch` print an object a line.
    let isLines = !output.hasPrefix("{\n") && !output.hasPrefix("[")
    for text in isLines ? output.split(separator: "\n").map(String.init) : [output] {
      let value: JSONValue
      do {
        value = try JSONValue(text: text)
      } catch {
        throw Self(description: "\(command) --json printed no JSON: \(error)")
      }
      // `incidents` prints a list.
      let values = output.hasPrefix("[") ? value.elements : [value]
      let failures = values.flatMap(schema.failures)
      guard failures.isEmpty else {
        throw Self(
          description: "\(command) --json against \(name).json: \(failures.prefix(5))")
      }
    }
  }
}
