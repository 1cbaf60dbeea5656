// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// `make test-core-data`: each form of a store, opened in each way with each kind of model.
@Suite struct CoreDataShapeTests {
  @Test func hasTwentyFormsOrMore() { #expect(CoreDataShape.all.count >= 20) }

  @Test(arguments: CoreDataShape.all)
  func readsEveryValueAndPair(shape: CoreDataShape) throws {
    for isReadOnly in [true, false] {
      let file = try shape.file()
      let container = try file.open(shape.model(.fitting, in: file.folder)) {
        $0.isReadOnly = isReadOnly
      }
      let found = try dump(container)
      for line in shape.expected { #expect(found.contains(line), "\(found)") }
      #expect(container.migrationSteps.isEmpty)
    }
  }

  @Test(arguments: CoreDataShape.all, [true, false])
  func losesNothingWithAnyModel(shape: CoreDataShape, isReadOnly: Bool) throws {
    for fit in CoreDataShape.Fit.allCases {
      let file = try shape.file()
      let model = try shape.model(fit, in: file.folder)
      let (bytes, files, contents) = (file.bytes, file.files, try file.contents())
      #expect(file.files == files, "reading by SQL leaves nothing behind")
      var refusal: [String]?
      do {
        let container = try file.open(model) { $0.isReadOnly = isReadOnly }
        _ = try dump(container)
        container.close()
      } catch StoreError.incompatibleModel(_, let differences) {
        refusal = differences
        #expect(!differences.isEmpty)
      }
      let isRefused = refusal != nil
      switch fit {
      case .fitting, .older: #expect(!isRefused, "\(fit): \(refusal ?? [])")
      case .newer: #expect(isRefused == isReadOnly, "\(fit): \(refusal ?? [])")
      case .foreign, .namesake: #expect(isRefused, "\(fit)")
      }
      if isReadOnly || isRefused {
        #expect(file.bytes == bytes, "\(fit) changed the file")
        #expect(file.files == files, "\(fit) left files")
      }
      #expect(try file.lost(since: contents) == [], "\(fit)")
      #expect(try file.rows("PRAGMA integrity_check") == ["ok"])
    }
  }

  @Test(arguments: CoreDataShape.all)
  func keepsCoreDatasHashesWhileTheStructureStays(shape: CoreDataShape) throws {
    let file = try shape.file()
    let before = try hashes(file)
    try file.open(shape.model(.fitting, in: file.folder)).close()
    #expect(try hashes(file) == before)
    try file.open(shape.model(.newer, in: file.folder)).close()
    #expect(try hashes(file) != before)
    #expect(try metadata(file)["app key"] as? String == "kept")
  }

  private func metadata(_ file: CoreDataFile) throws -> [String: Any] {
    let connection = try Connection(path: file.url.path, mode: .readWrite)
    return try withExtendedLifetime(connection) {
      let statement = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
      _ = try statement.step()
      let list = try PropertyListSerialization.propertyList(
        from: Data(statement.blob(0)), format: nil)
      return list as? [String: Any] ?? [:]
    }
  }

  private func hashes(_ file: CoreDataFile) throws -> [String: Data]? {
    try metadata(file)["NSStoreModelVersionHashes"] as? [String: Data]
  }
}
