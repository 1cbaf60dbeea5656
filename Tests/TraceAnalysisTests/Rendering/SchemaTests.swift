// SPDX-License-Identifier: Apache-2.0

import Foundation
import QueryPlans
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

/// Documentation/schemas: one JSON Schema for each JSON that trace-report prints.
@Suite struct SchemaTests {
  private static let types:
    [(name: String, command: String, type: any (Decodable & Sendable).Type)] = [
      ("report", "summary --json, and what it saves", ReportV1.self),
      ("brief", "findings --json, summary --json --brief", BriefV1.self),
      ("statement", "statement --json", StatementV1.self),
      ("proof", "prove --json", ProofV1.self),
      ("plans", "plans --json", PlansV1.self),
      ("orderings", "orderings --json", OrderingsV1.self),
      ("advice", "advise --json", AdviceV1.self),
      ("baseline", "baseline", BaselineV1.self),
      ("gate", "gate --json", GateReportV1.self),
      ("difference", "diff --json", DifferenceReportV1.self),
      ("growth", "growth --json", GrowthV1.self),
      ("replay", "replay --json", ReplayV1.self),
      ("capsule", "capsule", CapsuleV1.self),
      ("rehearsal", "rehearse --json", RehearsalV1.self),
      ("locks", "locks --json", LocksV1.self),
      ("locks-all", "locks --all --json", AllLocksV1.self),
      ("check", "check --json", CheckV1.self),
      ("top", "top --json", TopV1.self),
      ("incident", "incidents --json", IncidentV1.self),
      ("rows-event", "export --format rows, events", EventRowV1.self),
      ("rows-sum", "export --format rows, sums", SumRowV1.self),
      ("rows-bucket", "export --format rows, buckets", BucketRowV1.self),
      ("rows-loop", "export --format rows, loops", LoopRowV1.self),
      ("rows-lock", "export --format rows, locks", LockRowV1.self),
    ]

  private static var folder: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Documentation/schemas")
  }

  /// `RECORD_SNAPSHOTS=1` writes the files, and fails.
  @Test func theSchemasMatchTheTypes() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
    for (name, command, type) in Self.types {
      let schema = try SchemaRecorder.schema(
        of: type, title: "trace-report \(command), version 1")
      let text = String(decoding: try encoder.encode(schema), as: UTF8.self) + "\n"
      let file = Self.folder.appending(path: "\(name).json")
      if isRecording { try text.write(to: file, atomically: true, encoding: .utf8) }
      #expect(!isRecording)
      #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(name).json")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(
      Set(files.filter { $0.hasSuffix(".json") }) == Set(Self.types.map { $0.name + ".json" }))
  }

  private static let plans = """
    {"schemaVersion": 1, "database": "a", "sqliteVersion": "3", "doubts": [],
     "statementsWithoutPlan": 0, "statements": [{"id": "1", "sql": "s", "verdict": "search",
     "plan": [{"detail": "a", "children": [{"detail": "b", "children": []}]}],
     "scans": [], "flags": [], "executions": 1, "fullScanSteps": 2, "vmSteps": 3,
     "standIns": []}]}
    """

  @Test func aValueOfTheTypeFits() throws {
    let schema = try JSONSchema(named: "plans")
    #expect(schema.failures(of: try JSONValue(text: Self.plans)) == [])
  }

  @Test(arguments: [
    (
      "\"executions\": 1", "\"executions\": \"1\"",
      "$.statements[0].executions: not of type integer"
    ),
    ("\"executions\": 1", "\"executions\": -1", "$.statements[0].executions: less than 0"),
    ("\"executions\": 1, ", "", "$.statements[0]: no executions"),
    ("\"standIns\": []", "\"standIns\": [1]", "$.statements[0].standIns[0]: not of type string"),
    ("\"doubts\": []", "\"doubts\": [], \"new\": 1", "$.new: not in the schema"),
    (
      "{\"detail\": \"b\"", "{\"detail\": true",
      "$.statements[0].plan[0].children[0].detail: not of type string"
    ),
  ])
  func whatDoesNotFitIsNamed(part: String, change: String, failure: String) throws {
    let schema = try JSONSchema(named: "plans")
    let text = Self.plans.replacing(part, with: change)
    #expect(text != Self.plans)
    #expect(schema.failures(of: try JSONValue(text: text)) == [failure])
  }
}
