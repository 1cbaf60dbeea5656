// SPDX-License-Identifier: Apache-2.0

/// A gate's result, or the findings of a summary, in the Static Analysis Results Interchange Format, version 2.1.0, which GitHub
/// and other hosts show at the lines of a pull request.
///
/// See <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
public struct SARIFLog: Encodable, Sendable {
  var schema = "https://json.schemastore.org/sarif-2.1.0.json"
  var version = "2.1.0"
  var runs: [Run]

  enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case version, runs
  }

  /// A line of a file, by the path from the top of the repository.
  public struct FileLine: Hashable, Sendable {
    public var path: String
    public var line: UInt64

    public init(path: String, line: UInt64) { (self.path, self.line) = (path, line) }
  }

  struct Run: Encodable {
    var tool: Tool
    var invocations: [Invocation]
    var results: [Result]
    var columnKind = "utf16CodeUnits"

    init(
      _ version: String, _ rules: [(id: String, text: String)], _ results: [Result], isWhole: Bool,
      notes: [String]
    ) {
      let rules = rules.map { Rule(id: $0.id, shortDescription: Message(text: $0.text)) }
      tool = Tool(driver: Driver(version: version, rules: rules))
      invocations = [
        Invocation(
          executionSuccessful: isWhole,
          toolExecutionNotifications: notes.map { Notification(message: Message(text: $0)) })
      ]
      self.results = results
    }
  }

  struct Tool: Encodable { var driver: Driver }

  struct Driver: Encodable {
    var name = "trace-report"
    var version: String
    var rules: [Rule]
  }

  struct Rule: Encodable {
    var id: String
    var shortDescription: Message
  }

  struct Invocation: Encodable {
    /// Whether a verdict was reached.
    var executionSuccessful: Bool
    var toolExecutionNotifications: [Notification]
  }

  struct Notification: Encodable {
    var level = "error"
    var message: Message
  }

  struct Message: Encodable { var text: String }

  struct Result: Encodable {
    var ruleId: String
    var ruleIndex: Int
    var level: String
    var message: Message
    var locations: [Location]
    /// Identifies a result, so that a host can distinguish a new one from an old one.
    var partialFingerprints: [String: String]
  }

  struct Location: Encodable { var physicalLocation: PhysicalLocation }

  struct PhysicalLocation: Encodable {
    var artifactLocation: ArtifactLocation
    var region: Region
  }

  struct ArtifactLocation: Encodable {
    var uri: String
    var uriBaseId = "%SRCROOT%"
  }

  struct Region: Encodable { var startLine: UInt64 }
}
