// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// Declarations of model files beyond names and types.
@Suite struct ModelFileRulesTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func model(_ entities: String) throws -> ManagedObjectModel {
    let url = folder.url.appending(path: "contents-\(UUID().uuidString)")
    try Data("<model>\(entities)</model>".utf8).write(to: url)
    return try ManagedObjectModel(contentsOf: url)
  }

  private func open(_ model: ManagedObjectModel) throws -> PersistentContainer {
    try PersistentContainer(at: folder.url.appending(path: "store.sqlite"), model: model)
  }

  private func problems(
    _ container: PersistentContainer, _ values: [String: StoreValue]
  ) throws -> [StoreError.ValidationFailure.Problem] {
    let context = container.newBackgroundContext()
    let object = try context.insert(entityNamed: "A")
    for (name, value) in values { try object.setValue(value, forKey: name) }
    do {
      try context.save()
      return []
    } catch StoreError.invalid(let failures) {
      return failures.map(\.problem)
    }
  }

  @Test func aRelationshipIsNotDeclaredAgainInASubentity() {
    let end = "<relationship name='owner' optional='YES' maxCount='1' destinationEntity='A'/>"
    #expect(throws: ModelError.duplicateProperty("owner", entity: "B")) {
      try model("<entity name='A'>\(end)</entity><entity name='B' parentEntity='A'>\(end)</entity>")
    }
  }

  @Test func aSaveChecksLimitsLengthsAndExpressions() throws {
    let container = try open(
      model(
        """
        <entity name='A'>
        <attribute name='n' optional='YES' attributeType='Integer 16' minValueString='1' maxValueString='9'/>
        <attribute name='d' optional='YES' attributeType='Double' maxValueString='0.5'/>
        <attribute name='s' optional='YES' attributeType='String' minValueString='2' maxValueString='3'/>
        <attribute name='t' optional='YES' attributeType='String' regularExpressionString='[a-z]+'/>
        <attribute name='w' optional='YES' attributeType='Date' minDateTimeInterval='100'/>
        </entity>
        """))
    #expect(
      try problems(
        container, ["n": .integer(9), "d": .double(0.5), "s": .string("ab"), "t": .string("a")])
        == [])
    #expect(try problems(container, ["n": .integer(10)]) == [.outOfRange("1...9")])
    #expect(try problems(container, ["d": .double(0.6)]) == [.outOfRange("...0.5")])
    #expect(try problems(container, ["s": .string("a")]) == [.wrongLength(1, allowed: "2...3")])
    #expect(try problems(container, ["t": .string("a1")]) == [.mismatch("[a-z]+")])
    #expect(
      try problems(container, ["w": .date(Date(timeIntervalSinceReferenceDate: 99))])
        == [.outOfRange("100...")])
  }

  private func library() throws -> ManagedObjectModel {
    try model(
      """
      <entity name='Book'><attribute name='title' optional='YES' attributeType='String'/>
      <relationship name='tags' optional='YES' toMany='YES' maxCount='2' destinationEntity='Tag' inverseName='books'/>
      <relationship name='pages' optional='YES' toMany='YES' ordered='YES' destinationEntity='Page' inverseName='book'/>
      </entity>
      <entity name='Tag'><attribute name='word' optional='YES' attributeType='String'/>
      <relationship name='books' optional='YES' toMany='YES' destinationEntity='Book' inverseName='tags'/></entity>
      <entity name='Page'><attribute name='number' attributeType='Integer 32' defaultValueString='YES'/>
      <relationship name='book' optional='YES' destinationEntity='Book' inverseName='pages'/></entity>
      """)
  }

  @Test(arguments: [
    ("Integer 16", "0.0", StoreValue.integer(0)), ("Integer 64", "12.0", .integer(12)),
    ("Boolean", "0.0", .bool(false)), ("Boolean", "1.0", .bool(true)), ("Boolean", "", .null),
    ("Double", "NO", .double(0)), ("Float", "YES", .double(1)), ("Float", "", .null),
    ("Decimal", "NO", .decimal(0)), ("Integer 32", "", .null), ("URI", "", .null),
    ("String", "", .string("")),
  ])
  func readsADefaultOfAnEarlierType(type: String, text: String, value: StoreValue) throws {
    let model = try model(
      "<entity name='A'><attribute name='a' optional='YES' attributeType='\(type)' "
        + "defaultValueString='\(text)'/></entity>")
    #expect(model.entity(named: "A")?.attribute(named: "a")?.defaultValue == value)
  }

  @Test func changesToManyRelationshipsByName() throws {
    let container = try open(library())
    let context = container.mainContext
    let book = try context.insert(entityNamed: "Book")
    let tags = try (0..<3).map { _ in try context.insert(entityNamed: "Tag") }
    let pages = try (0..<3).map { _ in try context.insert(entityNamed: "Page") }
    #expect(try pages[0].value(forKey: "number") == .integer(1))
    try book.setValue([pages[2], pages[0]], forKey: "pages")
    try book.mutableSet(forKey: "pages").insert(pages[1], at: 1)
    try book.mutableSet(forKey: "tags").insert(tags[0])
    try tags[1].mutableSet(forKey: "books").insert(book)
    try context.save()
    let other = container.newBackgroundContext()
    let found = try #require(try other.fetch(entityNamed: "Book").first)
    #expect(
      try found.objects(forKey: "pages").map(\.objectID)
        == [pages[2], pages[1], pages[0]].map(\.objectID))
    #expect(
      Set(try found.objects(forKey: "tags").map(\.objectID)) == Set(tags[0...1].map(\.objectID)))
    try found.mutableSet(forKey: "tags").removeAll()
    try found.setValue([], forKey: "pages")
    try other.save()
    let last = container.newBackgroundContext()
    #expect(try last.fetch(entityNamed: "Book").first?.objects(forKey: "pages").isEmpty == true)
    #expect(throws: StoreError.self) { try book.setValue([tags[0]], forKey: "pages") }
    #expect(
      throws: StoreError.wrongType(
        property: "tags", entity: "Book",
        expected: "objects: read them with objects(forKey:), change them with mutableSet(forKey:)")
    ) { try book.setValue(.null, forKey: "tags") }
  }

  @Test func aSaveCountsTheObjectsOfAToMany() throws {
    let container = try open(library())
    let context = container.mainContext
    let book = try context.insert(entityNamed: "Book")
    for _ in 0..<3 {
      try book.mutableSet(forKey: "tags").insert(try context.insert(entityNamed: "Tag"))
    }
    do {
      try context.save()
      Issue.record("three tags were saved")
    } catch StoreError.invalid(let failures) {
      #expect(failures.map(\.problem) == [.wrongCount(3, allowed: "0 to 2")])
    }
    try book.mutableSet(forKey: "tags").remove(try book.objects(forKey: "tags")[0])
    try context.save()
  }

  @Test func reportsAllErrorsOfAFileWithTheirLines() throws {
    do {
      _ = try model(
        """
        <entity name='A'>
        <attribute name='a' attributeType='Composite'/>
        <attribute name='b' attributeType='Integer 16' defaultValueString='x'/>
        </entity><entity/><entity name='B'><attribute name='c' attributeType='Boolean' defaultValueString='2'/></entity>
        """)
      Issue.record("read it")
    } catch ModelFileError.several(let errors) {
      #expect(errors.count == 4)
      #expect("\(errors[1])".contains(":3: the default 'x'"))
    }
  }

  @Test func modifiersAndConstraintsArePartOfTheHash() throws {
    func hash(_ attributes: String, _ more: String = "", _ attribute: String = "") throws -> Data? {
      try model(
        "<entity name='A' \(attributes)><attribute name='a' attributeType='String' \(attribute)/>\(more)</entity>"
      ).entity(named: "A")?.versionHash
    }
    let constraint =
      "<uniquenessConstraints><uniquenessConstraint><constraint value='a'/></uniquenessConstraint></uniquenessConstraints>"
    let hashes = try [
      hash(""), hash("versionHashModifier='2'"), hash("", constraint),
      hash("", "", "versionHashModifier='2'"),
    ]
    #expect(Set(hashes).count == 4)
    #expect(try hash("", constraint) == hashes[2])
  }

  @Test func reportsThatCompiledModelsAreNotRead() throws {
    for name in ["Transit.mom", "Transit.omo", "Transit.bin"] {
      let url = folder.url.appending(path: name)
      try Data("bplist00".utf8).write(to: url)
      #expect(throws: ModelFileError.compiled(path: url.path)) {
        try ManagedObjectModel(contentsOf: url)
      }
    }
    let bundle = folder.url.appending(path: "Transit.momd")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    let error = #expect(throws: ModelFileError.self) { try ManagedObjectModel(contentsOf: bundle) }
    #expect(
      error?.description.hasSuffix(
        "is a compiled model, which is not read; use the .xcdatamodeld or .xcdatamodel folder that it "
          + "was compiled from") == true)
  }

  @Test func oneModelOpensFilesThatHaveItsColumnsInOtherPlaces() throws {
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    func file(_ image: String, _ text: String) throws -> CoreDataFile {
      try CoreDataFile(
        ["Message", "Image:Message", "Text:Message"],
        """
        CREATE TABLE ZMESSAGE (\(head), ZTITLE VARCHAR, ZTITLE1 VARCHAR);
        INSERT INTO ZMESSAGE(Z_PK, Z_ENT, Z_OPT, \(image)) VALUES (1, 2, 1, 'i');
        INSERT INTO ZMESSAGE(Z_PK, Z_ENT, Z_OPT, \(text)) VALUES (2, 3, 1, 't');
        """)
    }
    let files = try [file("ZTITLE", "ZTITLE1"), file("ZTITLE1", "ZTITLE")]
    let model = try ModelText(
      "Message\nImage ^Message: title String\nText ^Message: title String"
    ).model(in: folder)
    let containers = try files.map { try $0.open(model) }
    for container in containers {
      #expect(try dump(container) == ["Image/1 title=i", "Text/2 title=t"])
    }
  }
}
