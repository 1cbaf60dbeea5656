// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Documentation/CoreDataDifferences.md names a test for each of its lines; here it is held to that.
@Suite struct CoreDataDifferencesTests {
  private let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The rows of the document's tables: the cells between the bars.
  private func rows() throws -> [[String]] {
    let url = root.appending(path: "Documentation/CoreDataDifferences.md")
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Core Data |") }
      .map { line in
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
          .filter { !$0.isEmpty }
      }
  }

  /// `FaultTests/keepsOneObjectPerRow` for each test that is there.
  private func tests() throws -> Set<String> {
    let suite = /@Suite(?:\([^)]*\))? struct ([A-Za-z]+)/
    let function = /func ([A-Za-z]+)\(/
    var tests: Set<String> = []
    let files = try ["Tests/ObjectStoreTests", "Tests/ReliabilityTests"].flatMap { folder in
      try #require(
        FileManager.default.enumerator(
          at: root.appending(path: folder), includingPropertiesForKeys: nil)
      ).allObjects
    }
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard let name = text.firstMatch(of: suite)?.1 else { continue }
      let isTest = text.split(separator: "@Test").dropFirst()
      for part in isTest {
        if let test = part.firstMatch(of: function)?.1 { tests.insert("\(name)/\(test)") }
      }
    }
    return tests
  }

  @Test func namesAVerdictAndTestsThatExist() throws {
    let tests = try tests()
    let rows = try rows()
    #expect(rows.count > 50 && tests.count > 150)
    for row in rows {
      #expect(row.count == 3, "\(row)")
      let verdict = row[1]
      #expect(
        ["same", "better: ", "not here: "].contains { verdict.hasPrefix($0) }, "\(row[0])")
      let named = row[2].split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces).trimmingCharacters(in: ["`"])
      }
      #expect(!named.isEmpty, "\(row[0])")
      for test in named { #expect(tests.contains(test), "\(row[0])") }
    }
  }

  /// The numbers come from a list of behaviours that were checked on Apple's platform; M4 has a
  /// line for each of four policies, in memory and in the store, and O3 one for each of two types.
  @Test func listsAllBehavioursByTheirNumbers() throws {
    let numbers = try rows().compactMap { row in
      row[0].firstMatch(of: #/^([A-Z][0-9]+[bc]?): /#).map { String($0.1) }
    }
    let series: [(String, ClosedRange<Int>)] = [
      ("H", 1...7), ("S", 1...7), ("R", 1...8), ("F", 1...21), ("E", 1...4), ("L", 0...13),
      ("V", 1...12), ("M", 1...10), ("D", 1...11), ("T", 1...3), ("C", 1...11), ("O", 1...9),
      ("N", 1...10),
    ]
    let wanted = series.flatMap { letter, range in range.map { "\(letter)\($0)" } }
    #expect(
      numbers.sorted()
        == (wanted + ["S3b", "S3c", "O3"] + Array(repeating: "M4", count: 7)).sorted())
    #expect(numbers.count == 137)
  }
}
