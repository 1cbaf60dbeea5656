// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments
import TestSupport
import Testing

@Suite struct ModelFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Place" representedClassName="Place" isAbstract="YES" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <attribute name="normalizedName" attributeType="String" derived="YES"
                derivationExpression="canonical:(name)"/>
            <attribute name="changed" optional="YES" attributeType="Date" derived="YES"
                derivationExpression="now()"/>
            <attribute name="distance" optional="YES" transient="YES" attributeType="Double"/>
            <fetchIndex name="byNormalizedName">
                <fetchIndexElement property="normalizedName" type="Binary" order="ascending"/>
            </fetchIndex>
        </entity>
        <entity name="Stop" parentEntity="Place" syncable="YES" elementID="Halt">
            <attribute name="identifier" attributeType="Integer 64" defaultValueString="-1" indexed="YES"/>
            <attribute name="latitude" optional="YES" attributeType="Double" defaultValueString="52.5"/>
            <attribute name="isOpen" attributeType="Boolean" defaultValueString="YES"/>
            <attribute name="built" optional="YES" attributeType="Date" defaultDateTimeInterval="86400"/>
            <attribute name="photo" optional="YES" attributeType="Binary"
                allowsExternalBinaryDataStorage="YES"/>
            <attribute name="mark" optional="YES" attributeType="String"
                allowsExternalBinaryDataStorage="YES"/>
            <attribute name="key" optional="YES" attributeType="UUID"/>
            <attribute name="page" optional="YES" attributeType="URI"/>
            <relationship name="stopTimes" optional="YES" toMany="YES" deletionRule="Cascade"
                ordered="YES" destinationEntity="StopTime" inverseName="stop" inverseEntity="StopTime"/>
            <compoundIndexes>
                <compoundIndex><index value="latitude"/><index value="identifier"/></compoundIndex>
            </compoundIndexes>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="identifier"/></uniquenessConstraint>
            </uniquenessConstraints>
            <userInfo><entry key="a" value="b &amp; c"/></userInfo>
        </entity>
        <entity name="StopTime" syncable="YES">
            <attribute name="departure" optional="YES" attributeType="Integer 32"/>
            <relationship name="stop" maxCount="1" deletionRule="Nullify" destinationEntity="Stop"
                inverseName="stopTimes" inverseEntity="Stop"/>
        </entity>
        <fetchRequest name="All" entity="Stop" predicateString="TRUEPREDICATE"/>
        <elements><element name="Stop" positionX="0" positionY="0" width="128" height="44"/></elements>
    </model>
    """

  private func write(_ contents: String, _ path: String = "Transit.xcdatamodel/contents") throws
    -> URL
  {
    let url = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: url)
    return url
  }

  @Test func makesTheTablesThatCoreDataWould() throws {
    let file = try write(Self.contents)
    let model = try ManagedObjectModel(contentsOf: file.deletingLastPathComponent())
    #expect(
      model.remarks == [
        "Place.distance is transient and not kept",
        "Stop.mark is not of type Binary Data and stays in its row",
        "the fetch request template All is not kept",
      ])
    #expect(model.entities.map(\.name) == ["Place", "Stop", "StopTime"])
    let stop = try #require(model.entity(named: "Stop"))
    #expect(stop.superentity?.name == "Place" && stop.renamingIdentifier == "Halt")
    #expect(stop.relationship(named: "stopTimes")?.deleteRule == .cascade)
    #expect(stop.attribute(named: "identifier")?.defaultValue == .integer(-1))
    #expect(
      stop.attribute(named: "built")?.defaultValue
        == .date(Date(timeIntervalSinceReferenceDate: 86_400)))
    let url = folder.url.appending(path: "store.sqlite")
    let observer = RecordingObserver()
    let container = try PersistentContainer(
      at: url, model: model, instruments: Instruments(observers: [observer]))
    let rows = try StoreRows(url)
    #expect(
      try rows(
        "SELECT sql FROM sqlite_master WHERE tbl_name = 'ZPLACE' AND sql <> '' ORDER BY rowid")
        == [
          "CREATE TABLE ZPLACE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZIDENTIFIER INTEGER, ZISOPEN INTEGER, ZCHANGED TIMESTAMP, ZBUILT TIMESTAMP, "
            + "ZLATITUDE FLOAT, ZNAME VARCHAR, ZNORMALIZEDNAME VARCHAR, ZMARK VARCHAR, ZPAGE VARCHAR, "
            + "ZKEY BLOB, ZPHOTO BLOB )",
          "CREATE INDEX ZPLACE_Z_ENT_INDEX ON ZPLACE (Z_ENT)",
          "CREATE INDEX Z_Place_byNormalizedName ON ZPLACE (ZNORMALIZEDNAME COLLATE BINARY ASC)",
          "CREATE INDEX ZPLACE_ZIDENTIFIER_INDEX ON ZPLACE (ZIDENTIFIER)",
          "CREATE INDEX ZPLACE_ZLATITUDE_ZIDENTIFIER ON ZPLACE (ZLATITUDE, ZIDENTIFIER)",
          "CREATE UNIQUE INDEX Z_Stop_UNIQUE_identifier ON ZPLACE (ZIDENTIFIER COLLATE BINARY ASC)",
        ])
    container.close()
  }

  @Test func keepsLargeDataOfASubentityInAFile() throws {
    let model = try ManagedObjectModel(contentsOf: try write(Self.contents))
    let photo = model.entity(named: "Stop")?.attribute(named: "photo")
    #expect(photo?.allowsExternalBinaryDataStorage == true)
    let mark = model.entity(named: "Stop")?.attribute(named: "mark")
    #expect(mark?.allowsExternalBinaryDataStorage == false)
    let container = try PersistentContainer(
      at: folder.url.appending(path: "store.sqlite"), model: model,
      instruments: Instruments(observers: []))
    let context = container.mainContext
    let stop = try context.insert(entityNamed: "Stop")
    try stop.setValue(.string("A"), forKey: "name")
    try stop.setValue(.data(Data(count: 200_000)), forKey: "photo")
    try context.save()
    let files = {
      (try? FileManager.default.contentsOfDirectory(
        atPath: folder.path(".store_SUPPORT/_EXTERNAL_DATA"))) ?? []
    }
    #expect(files().count == 1)
    let other = container.newBackgroundContext()
    let found = try #require(try other.fetch(entityNamed: "Place").first)
    #expect(try found.value(forKey: "photo") == .data(Data(count: 200_000)))
    other.delete(found)
    try other.save()
    #expect(files().isEmpty)
  }

  @Test func reachesEveryPropertyByName() throws {
    let model = try ManagedObjectModel(contentsOf: try write(Self.contents))
    let container = try PersistentContainer(
      at: folder.url.appending(path: "store.sqlite"), model: model,
      instruments: Instruments(observers: []))
    let context = container.mainContext
    let stop = try context.insert(entityNamed: "Stop")
    try stop.setValue(.string("Görli"), forKey: "name")
    try stop.setValue(.integer(7), forKey: "identifier")
    let time = try context.insert(entityNamed: "StopTime")
    try time.setValue(.integer(60), forKey: "departure")
    try time.setValue(.object(stop.objectID), forKey: "stop")
    try context.save()
    let other = container.newBackgroundContext()
    let found = try other.fetch(
      entityNamed: "Place", where: FetchPredicate("normalizedName BEGINSWITH 'gor'"),
      sortedBy: [SortTerm("name")])
    #expect(found.count == 1)
    #expect(found.first?.entity.name == "Stop")
    #expect(try found.first?.value(forKey: "latitude") == .double(52.5))
    #expect(try found.first?.value(forKey: "isOpen") == .bool(true))
    #expect(try found.first?.value(forKey: "changed") != .null)
    #expect(
      try found.first?.objects(forKey: "stopTimes").first?.value(forKey: "departure")
        == .integer(60))
    #expect(try other.count(entityNamed: "StopTime") == 1)
    #expect(throws: StoreError.unknownEntity("Halt")) { try other.fetch(entityNamed: "Halt") }
  }

  @Test func takesTheCurrentVersion() throws {
    let first = Self.contents.split(separator: "\n").joined(separator: "\n")
    _ = try write(first, "Transit.xcdatamodeld/Transit.xcdatamodel/contents")
    let bundle = folder.url.appending(path: "Transit.xcdatamodeld")
    #expect(try ManagedObjectModel(contentsOf: bundle).entities.count == 3)
    let second = """
      <model><entity name="Only"><attribute name="a" optional="YES" attributeType="String"/></entity></model>
      """
    _ = try write(second, "Transit.xcdatamodeld/Transit 2.xcdatamodel/contents")
    #expect(
      throws: ModelFileError.noModel(
        path: bundle.path, found: ["Transit 2.xcdatamodel", "Transit.xcdatamodel"])
    ) { try ManagedObjectModel(contentsOf: bundle) }
    _ = try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
      <string>Transit 2.xcdatamodel</string></dict></plist>
      """, "Transit.xcdatamodeld/.xccurrentversion")
    #expect(try ManagedObjectModel(contentsOf: bundle).entities.map(\.name) == ["Only"])
  }

  @Test(arguments: [
    ("<model>\n<entity name='A'>\n<attribute name='a' attributeType='String'></entity>", 3),
    ("<model>\n\n<entity name='A' name='B'/></model>", 3), ("", 1), ("not xml", 1),
    ("<model><entity name='A'/>", 1),
  ])
  func reportsTheLineOfMalformedXML(contents: String, line: Int) throws {
    let url = try write(contents)
    do {
      _ = try ManagedObjectModel(contentsOf: url)
      Issue.record("read \(contents)")
    } catch ModelFileError.malformed(let path, let found, let reason) {
      #expect(path == url.path && found == line && !reason.isEmpty)
    }
  }

  @Test(arguments: [
    ("<plist version='1.0'/>", 1, "no <model> element; this is not a data model"),
    ("<model>\n<entity/></model>", 2, "<entity> has no name"),
    (
      "<model>\n<entity name='A'>\n<attribute name='a' attributeType='Composite'/></entity></model>",
      3,
      "attribute a is composite, which is not supported: how Core Data names the columns of its "
        + "elements is not public; declare the elements as attributes of the entity"
    ),
    (
      "<model><entity name='A'>\n<attribute name='a' attributeType='Vector'/></entity></model>", 2,
      "attribute a is of type Vector, which is not supported; use one of Integer 16, 32 or 64, "
        + "Boolean, Double, Float, Decimal, String, Date, Binary, UUID or URI"
    ),
    (
      "<model><entity name='A'>\n<attribute name='a' attributeType='Integer 16' defaultValueString='x'/></entity></model>",
      2, "the default 'x' of attribute a is not of its type"
    ),
    (
      "<model><entity name='A'>\n<attribute name='a' attributeType='String' regularExpressionString='('/></entity></model>",
      2, "'(' of attribute a is not a regular expression"
    ),
  ])
  func reportsTheLineOfUnsupportedElements(contents: String, line: Int, reason: String) throws {
    let url = try write(contents)
    #expect(throws: ModelFileError.invalid(path: url.path, line: line, reason: reason)) {
      try ManagedObjectModel(contentsOf: url)
    }
  }

  @Test func loadsNothingFromOutsideTheFile() throws {
    let secret = try write("secret", "secret.txt")
    let url = try write(
      """
      <!DOCTYPE model [<!ENTITY e SYSTEM "file://\(secret.path)">]>
      <model><entity name="A"><attribute name="a" optional="YES" attributeType="String"
        defaultValueString="x"/></entity>&e;</model>
      """)
    let model = try? ManagedObjectModel(contentsOf: url)
    #expect(
      model?.entity(named: "A")?.attribute(named: "a")?.defaultValue ?? .string("x") == .string("x")
    )
    #expect(throws: ModelFileError.self) {
      try ManagedObjectModel(contentsOf: folder.url.appending(path: "none.xcdatamodeld"))
    }
  }
}
