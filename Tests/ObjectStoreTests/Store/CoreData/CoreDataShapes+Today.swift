// SPDX-License-Identifier: Apache-2.0

/// The forms that files have since 2020, of Core Data and of SwiftData.
extension CoreDataShape {
  static let today = [
    CoreDataShape(
      name: "a unique index", entities: ["Code"],
      sql: """
        CREATE TABLE ZCODE (\(head), ZLABEL VARCHAR, ZVALUE VARCHAR);
        CREATE UNIQUE INDEX Z_Code_UNIQUE_value ON ZCODE (ZVALUE COLLATE BINARY ASC);
        INSERT INTO ZCODE VALUES (1, 1, 1, 'l', 'v'), (2, 1, 1, 'm', 'w');
        """,
      model: "Code u=value: value String; label String", expected: ["Code/2 label=m value=w"]),
    CoreDataShape(
      name: "unique indexes in a hierarchy", entities: ["Base", "Leaf:Base"],
      sql: """
        CREATE TABLE ZBASE (\(head), ZNUMBER INTEGER, ZKEY VARCHAR, ZSHELF VARCHAR);
        CREATE INDEX ZBASE_Z_ENT_INDEX ON ZBASE (Z_ENT);
        CREATE UNIQUE INDEX Z_Base_UNIQUE_key ON ZBASE (ZKEY COLLATE BINARY ASC);
        CREATE UNIQUE INDEX Z_Leaf_UNIQUE_shelf_number ON ZBASE (ZSHELF COLLATE BINARY ASC, ZNUMBER COLLATE BINARY ASC);
        INSERT INTO ZBASE VALUES (1, 1, 1, NULL, 'a', NULL), (2, 2, 1, 5, 'b', 's');
        """,
      model: "Base u=key: key String\nLeaf ^Base u=shelf+number: shelf String; number Int32",
      expected: ["Base/1 key=a", "Leaf/2 key=b number=5 shelf=s"]),
    CoreDataShape(
      name: "derived attributes", entities: ["Item", "List"],
      sql: """
        CREATE TABLE ZITEM (\(head), ZLIST INTEGER, ZPRICE INTEGER, ZUPDATED TIMESTAMP, ZNAME VARCHAR);
        CREATE TABLE ZLIST (\(head), ZCOUNT INTEGER, ZTOTAL INTEGER, ZTITLE VARCHAR);
        CREATE INDEX ZITEM_ZLIST_INDEX ON ZITEM (ZLIST);
        INSERT INTO ZLIST VALUES (1, 2, 1, 2, 30, 'L'), (2, 2, 1, 0, 0, 'M');
        INSERT INTO ZITEM VALUES (1, 1, 1, 1, 10, 5.5, 'a'), (2, 1, 1, 1, 20, 6.5, 'b');
        """ + derived("count", "IFNULL(COUNT(ZLIST), 0)")
          + derived("total", "IFNULL(SUM(ZPRICE), 0)")
            + """
            CREATE TRIGGER Z_DA_ZITEM_Item_updated_UPDATE AFTER UPDATE OF Z_OPT ON ZITEM FOR EACH ROW BEGIN
              UPDATE ZITEM SET ZUPDATED = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK;
              SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM', Z_ENT, Z_PK, 'updated', ZUPDATED)
                FROM ZITEM WHERE Z_PK = NEW.Z_PK; END;
            """,
      model: "Item: list -> List/items; price Int32; name String; updated Date ~now()\n"
        + "List: items ->> Item/list; title String; count Int64 ~items.@count; "
        + "total Int64 ~items.price.@sum",
      expected: [
        "Item/2 list=List/1 name=b price=20 updated=6.5",
        "List/1 count=2 items=[1, 2] title=L total=30",
        "List/2 count=0 items=[] title=M total=0",
      ]),
    CoreDataShape(
      name: "SwiftData with a history and a to-many without an inverse", entities: ["Note", "Tag"],
      sql: """
        CREATE TABLE ZNOTE (\(head), ZPINNED INTEGER, ZFOLDER INTEGER, ZBODY VARCHAR, ZTITLE VARCHAR);
        CREATE TABLE ZTAG (\(head), Z1TAGS INTEGER, ZNAME VARCHAR);
        CREATE INDEX ZNOTE_ZFOLDER_INDEX ON ZNOTE (ZFOLDER);
        CREATE INDEX ZTAG_Z1TAGS_INDEX ON ZTAG (Z1TAGS);
        CREATE UNIQUE INDEX Z_Note_UNIQUE_title ON ZNOTE (ZTITLE COLLATE BINARY ASC);
        INSERT INTO ZNOTE VALUES (1, 1, 3, 1, NULL, 'b', 't'), (2, 1, 1, 0, 1, NULL, 'u');
        INSERT INTO ZTAG VALUES (1, 2, 1, 1, 'x'), (2, 2, 1, 1, 'y'), (3, 2, 1, NULL, 'z');
        """ + history,
      model: "Note u=title: tags ->> Tag; folder -> Note/notes; notes ->> Note/folder; "
        + "pinned Boolean; title String; body String\nTag: name String",
      expected: [
        "Note/1 body=b folder=nil notes=[2] pinned=true tags=[1, 2] title=t", "Tag/3 name=z",
      ]),
  ]

  /// The triggers of an attribute of a list that follows from its items.
  private static func derived(_ name: String, _ value: String) -> String {
    let column = "Z" + name.uppercased()
    let events = [
      ("INSERT", "NEW.ZLIST"), ("DELETE", "OLD.ZLIST"), ("UPDATE OF ZLIST", "OLD.ZLIST, NEW.ZLIST"),
    ]
    return events.map { event, rows in
      """
      CREATE TRIGGER Z_DA_ZITEM_List_\(name)_\(event.prefix(6)) AFTER \(event) ON ZITEM FOR EACH ROW BEGIN
        UPDATE ZLIST SET \(column) = (SELECT \(value) FROM ZITEM WHERE ZITEM.ZLIST = ZLIST.Z_PK)
          WHERE Z_PK IN (\(rows));
        SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZLIST', Z_ENT, Z_PK, '\(name)', \(column))
          FROM ZLIST WHERE Z_PK IN (\(rows)); END;

      """
    }.joined()
  }

  /// Two saves: one has inserted both notes, the other has changed `pinned` and `title` of the first.
  private static let history = """
    CREATE TABLE ACHANGE (\(head), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
      ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
    CREATE TABLE ATRANSACTION (\(head), ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER,
      ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
    CREATE TABLE ATRANSACTIONSTRING (\(head), ZNAME VARCHAR);
    CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHORTS COLLATE BINARY ASC);
    CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'app'), (2, 16003, 1, 'com.example.Notes');
    INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 1, 2, NULL, NULL, 5.5, NULL, NULL, NULL, NULL, NULL),
      (2, 16002, 1, NULL, 2, NULL, NULL, 6.5, 'sync', NULL, NULL, NULL, NULL);
    INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL, NULL), (2, 16001, 1, 0, 1, 2, 1, NULL, NULL),
      (3, 16001, 1, 1, 1, 1, 2, X'14', NULL);
    INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 3), (16002, 'TRANSACTION', 0, 2),
      (16003, 'TRANSACTIONSTRING', 0, 2);
    """
}
