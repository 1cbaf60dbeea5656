// SPDX-License-Identifier: Apache-2.0

/// Stores in Core Data's forms from 2012 to 2026.
extension CoreDataShape {
  static let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

  static let all: [CoreDataShape] =
    relationships + manyToMany + hierarchies + values + files + today

  private static let relationships = [
    CoreDataShape(
      name: "one-to-many", entities: ["Stop", "Time"],
      sql: """
        CREATE TABLE ZSTOP (\(head), ZNAME VARCHAR, ZNOTE VARCHAR);
        CREATE TABLE ZTIME (\(head), ZDEPARTURE INTEGER, ZSTOP INTEGER, ZSIGN VARCHAR);
        CREATE INDEX ZTIME_ZSTOP_INDEX ON ZTIME (ZSTOP);
        INSERT INTO ZSTOP VALUES (1, 1, 1, 'A', NULL), (2, 1, 3, 'B', 'note');
        INSERT INTO ZTIME VALUES (1, 2, 1, 60, 1, 'x'), (2, 2, 1, 70, 1, NULL), (5, 2, 1, 80, NULL, 'y');
        """,
      model: "Stop: name String !; times ->> Time/stop; note String\n"
        + "Time: departure Int32; stop -> Stop/times; sign String",
      expected: [
        "Stop/1 name=A note=nil times=[1, 2]", "Stop/2 name=B note=note times=[]",
        "Time/2 departure=70 sign=nil stop=Stop/1",
      ]),
    CoreDataShape(
      name: "ordered one-to-many", entities: ["Item", "List"],
      sql: """
        CREATE TABLE ZITEM (\(head), ZLIST INTEGER, Z_FOK_LIST INTEGER, ZTEXT VARCHAR);
        CREATE TABLE ZLIST (\(head), ZTITLE VARCHAR);
        INSERT INTO ZITEM VALUES (1, 1, 1, 1, 13, 'c'), (2, 1, 1, 1, 4, 'a'), (3, 1, 1, 1, 7, 'b');
        INSERT INTO ZLIST VALUES (1, 2, 1, 'L');
        """,
      model: "Item: list -> List/items; text String\nList: items ->> Item/list #; title String",
      expected: ["List/1 items=[2, 3, 1] title=L"]),
    CoreDataShape(
      name: "one-to-one", entities: ["Body", "Head"],
      sql: """
        CREATE TABLE ZBODY (\(head), ZHEAD INTEGER, ZNAME VARCHAR);
        CREATE TABLE ZHEAD (\(head), ZBODY INTEGER, ZNAME VARCHAR);
        INSERT INTO ZBODY VALUES (1, 1, 1, 9, 'b'); INSERT INTO ZHEAD VALUES (9, 2, 1, 1, 'h');
        """,
      model: "Body: head -> Head/body; name String\nHead: body -> Body/head; name String",
      expected: ["Body/1 head=Head/9 name=b", "Head/9 body=Body/1 name=h"]),
    CoreDataShape(
      name: "references to rows that are gone", entities: ["Stop", "Tag", "Time"],
      sql: """
        CREATE TABLE ZSTOP (\(head), ZNAME VARCHAR);
        CREATE TABLE ZTAG (\(head), ZWORD VARCHAR);
        CREATE TABLE ZTIME (\(head), ZSTOP INTEGER, ZSIGN VARCHAR);
        CREATE TABLE Z_1TAGS (Z_1STOPS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1STOPS, Z_2TAGS));
        INSERT INTO ZSTOP VALUES (1, 1, 1, 'A'); INSERT INTO ZTAG VALUES (1, 2, 1, 't');
        INSERT INTO ZTIME VALUES (1, 3, 1, 77, 'x'), (2, 3, 1, 1, 'y');
        INSERT INTO Z_1TAGS VALUES (1, 1), (1, 99), (98, 1);
        """,
      model: "Stop: tags ->> Tag/stops; times ->> Time/stop; name String\n"
        + "Tag: stops ->> Stop/tags; word String\nTime: stop -> Stop/times; sign String",
      expected: ["Stop/1 name=A tags=[1] times=[2]"]),
    CoreDataShape(
      name: "relationships without an inverse", entities: ["Owner", "Pet"],
      sql: """
        CREATE TABLE ZOWNER (\(head), ZFAVORITE INTEGER, ZNAME VARCHAR);
        CREATE TABLE ZPET (\(head), Z1PETS INTEGER, ZNAME VARCHAR);
        INSERT INTO ZOWNER VALUES (1, 1, 1, 2, 'o');
        INSERT INTO ZPET VALUES (1, 2, 1, 1, 'p'), (2, 2, 1, 1, 'q'), (3, 2, 1, NULL, 'r');
        """,
      model: "Owner: favorite -> Pet; pets ->> Pet; name String\nPet: name String",
      expected: ["Owner/1 favorite=Pet/2 name=o pets=[1, 2]", "Pet/3 name=r"]),
  ]

  private static let manyToMany = [
    CoreDataShape(
      name: "self-relation named by its first end", entities: ["Client"],
      sql: """
        CREATE TABLE ZCLIENT (\(head), ZLABEL VARCHAR);
        CREATE TABLE Z_1IGNOREDCLIENTS (Z_1IGNOREDBYCLIENTS INTEGER, Z_1IGNOREDCLIENTS INTEGER,
          PRIMARY KEY (Z_1IGNOREDBYCLIENTS, Z_1IGNOREDCLIENTS));
        INSERT INTO ZCLIENT VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b'), (3, 1, 1, 'c');
        INSERT INTO Z_1IGNOREDCLIENTS VALUES (1, 2), (1, 3), (2, 3);
        """,
      model: "Client: ignoredByClients ->> Client/ignoredClients; "
        + "ignoredClients ->> Client/ignoredByClients; label String",
      expected: [
        "Client/1 ignoredByClients=[] ignoredClients=[2, 3] label=a",
        "Client/3 ignoredByClients=[1, 2] ignoredClients=[] label=c",
      ]),
    CoreDataShape(
      name: "self-relations named by either end in one file", entities: ["Client"],
      sql: """
        CREATE TABLE ZCLIENT (\(head), ZLABEL VARCHAR);
        CREATE TABLE Z_1IGNOREDCLIENTS (Z_1IGNOREDBYCLIENTS INTEGER, Z_1IGNOREDCLIENTS INTEGER,
          PRIMARY KEY (Z_1IGNOREDBYCLIENTS, Z_1IGNOREDCLIENTS));
        CREATE TABLE Z_1TRUSTEDBYCLIENTS (Z_1TRUSTEDCLIENTS INTEGER, Z_1TRUSTEDBYCLIENTS INTEGER,
          PRIMARY KEY (Z_1TRUSTEDCLIENTS, Z_1TRUSTEDBYCLIENTS));
        INSERT INTO ZCLIENT VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b'), (3, 1, 1, 'c');
        INSERT INTO Z_1IGNOREDCLIENTS VALUES (1, 2); INSERT INTO Z_1TRUSTEDBYCLIENTS VALUES (3, 1), (2, 1);
        """,
      model: "Client: ignoredByClients ->> Client/ignoredClients; "
        + "ignoredClients ->> Client/ignoredByClients; "
        + "trustedByClients ->> Client/trustedClients; "
        + "trustedClients ->> Client/trustedByClients; label String",
      expected: [
        "Client/1 ignoredByClients=[] ignoredClients=[2] label=a trustedByClients=[] "
          + "trustedClients=[2, 3]",
        "Client/2 ignoredByClients=[1] ignoredClients=[] label=b trustedByClients=[1] "
          + "trustedClients=[]",
      ]),
    CoreDataShape(
      name: "columns of pairs numbered over all tables",
      entities: ["Chat", "Message", "SystemMessage:Message", "User"],
      sql: """
        CREATE TABLE ZCHAT (\(head), ZTITLE VARCHAR); CREATE TABLE ZMESSAGE (\(head), ZTEXT VARCHAR);
        CREATE TABLE ZUSER (\(head), ZNAME VARCHAR);
        CREATE TABLE Z_1USERS (Z_1CHATS INTEGER, Z_4USERS INTEGER, PRIMARY KEY (Z_1CHATS, Z_4USERS));
        CREATE TABLE Z_3USERS (Z_3SYSTEMMESSAGES INTEGER, Z_4USERS1 INTEGER,
          PRIMARY KEY (Z_3SYSTEMMESSAGES, Z_4USERS1));
        INSERT INTO ZCHAT VALUES (1, 1, 1, 'c'); INSERT INTO ZUSER VALUES (1, 4, 1, 'u'), (2, 4, 1, 'v');
        INSERT INTO ZMESSAGE VALUES (1, 2, 1, 'm'), (2, 3, 1, 's');
        INSERT INTO Z_1USERS VALUES (1, 1); INSERT INTO Z_3USERS VALUES (2, 2), (2, 1);
        """,
      model: "Chat: users ->> User/chats; title String\nMessage: text String\n"
        + "SystemMessage ^Message: users ->> User/systemMessages\n"
        + "User: chats ->> Chat/users; systemMessages ->> SystemMessage/users; name String",
      expected: [
        "Chat/1 title=c users=[1]", "SystemMessage/2 text=s users=[1, 2]",
        "User/2 chats=[] name=v systemMessages=[2]",
      ]),
    CoreDataShape(
      name: "ordered many-to-many", entities: ["Album", "Photo"],
      sql: """
        CREATE TABLE ZALBUM (\(head), ZTITLE VARCHAR); CREATE TABLE ZPHOTO (\(head), ZNAME VARCHAR);
        CREATE TABLE Z_1PHOTOS (Z_1ALBUMS INTEGER, Z_2PHOTOS INTEGER, Z_FOK_2PHOTOS INTEGER,
          PRIMARY KEY (Z_1ALBUMS, Z_2PHOTOS));
        INSERT INTO ZALBUM VALUES (1, 1, 1, 'a');
        INSERT INTO ZPHOTO VALUES (1, 2, 1, 'x'), (2, 2, 1, 'y'), (3, 2, 1, 'z');
        INSERT INTO Z_1PHOTOS VALUES (1, 1, 3072), (1, 2, 1024), (1, 3, 2048);
        """,
      model:
        "Album: photos ->> Photo/albums #; title String\nPhoto: albums ->> Album/photos; name String",
      expected: ["Album/1 photos=[2, 3, 1] title=a"]),
    CoreDataShape(
      name: "a relationship that is its own inverse", entities: ["Person"],
      sql: """
        CREATE TABLE ZPERSON (\(head), ZNAME VARCHAR);
        CREATE TABLE Z_1FRIENDS (Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE));
        INSERT INTO ZPERSON VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b');
        INSERT INTO Z_1FRIENDS VALUES (1, 2), (2, 1);
        """,
      model: "Person: friends ->> Person/friends; name String",
      expected: ["Person/1 friends=[2] name=a", "Person/2 friends=[1] name=b"]),
    CoreDataShape(
      name: "two relationships between two entities", entities: ["Team", "User"],
      sql: """
        CREATE TABLE ZTEAM (\(head), ZNAME VARCHAR); CREATE TABLE ZUSER (\(head), ZNAME VARCHAR);
        CREATE TABLE Z_1ADMINS (Z_1ADMINOF INTEGER, Z_2ADMINS INTEGER, PRIMARY KEY (Z_1ADMINOF, Z_2ADMINS));
        CREATE TABLE Z_1MEMBERS (Z_1TEAMS INTEGER, Z_2MEMBERS INTEGER, PRIMARY KEY (Z_1TEAMS, Z_2MEMBERS));
        INSERT INTO ZTEAM VALUES (1, 1, 1, 't'); INSERT INTO ZUSER VALUES (1, 2, 1, 'u'), (2, 2, 1, 'v');
        INSERT INTO Z_1ADMINS VALUES (1, 2); INSERT INTO Z_1MEMBERS VALUES (1, 1), (1, 2);
        """,
      model: "Team: admins ->> User/adminOf; members ->> User/teams; name String\n"
        + "User: adminOf ->> Team/admins; teams ->> Team/members; name String",
      expected: ["Team/1 admins=[2] members=[1, 2] name=t"]),
  ]

  private static let hierarchies = [
    CoreDataShape(
      name: "references to a hierarchy",
      entities: ["Link", "Message", "Image:Message", "Text:Message"],
      sql: """
        CREATE TABLE ZLINK (\(head), ZQUOTE INTEGER, Z2_QUOTE INTEGER, ZURL VARCHAR);
        CREATE TABLE ZMESSAGE (\(head), ZSIZE INTEGER, ZSENT TIMESTAMP, ZBODY VARCHAR);
        CREATE INDEX ZMESSAGE_Z_ENT_INDEX ON ZMESSAGE (Z_ENT);
        INSERT INTO ZMESSAGE VALUES (1, 3, 1, 10, 5.5, NULL), (2, 4, 1, NULL, 6.5, 'hello'), (3, 2, 1, NULL, 7, NULL);
        INSERT INTO ZLINK VALUES (1, 1, 1, 2, 4, 'http://a'), (2, 1, 1, 1, 3, NULL);
        """,
      model: "Link: quote -> Message/links; url String\nMessage: links ->> Link/quote; sent Date\n"
        + "Image ^Message: size Int64\nText ^Message: body String",
      expected: [
        "Link/1 quote=Text/2 url=http://a", "Image/1 links=[2] sent=5.5 size=10",
        "Text/2 body=hello links=[1] sent=6.5", "Message/3 links=[] sent=7.0",
      ]),
    CoreDataShape(
      name: "namesakes in sibling entities",
      entities: ["Message", "Image:Message", "Text:Message"],
      sql: """
        CREATE TABLE ZMESSAGE (\(head), ZREAD INTEGER, ZREAD1 INTEGER, ZTITLE VARCHAR, ZTITLE1 VARCHAR);
        INSERT INTO ZMESSAGE VALUES (1, 2, 1, 1, NULL, 'i', NULL), (2, 3, 1, NULL, 0, NULL, 't'), (3, 3, 1, NULL, 1, NULL, 'u');
        """,
      model: "Message: sent Date\nImage ^Message: read Boolean; title String\n"
        + "Text ^Message: read Boolean; title String",
      expected: [
        "Image/1 read=true sent=nil title=i", "Text/2 read=false sent=nil title=t",
        "Text/3 read=true sent=nil title=u",
      ]
    ).withColumns("ZSENT TIMESTAMP"),
    CoreDataShape(
      name: "namesakes numbered the other way round",
      entities: ["Message", "Image:Message", "Text:Message"],
      sql: """
        CREATE TABLE ZMESSAGE (\(head), ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZSENT TIMESTAMP);
        INSERT INTO ZMESSAGE VALUES (1, 2, 1, NULL, 'i', NULL), (2, 3, 1, 't', NULL, NULL);
        """,
      model: "Message: sent Date\nImage ^Message: title String\nText ^Message: title String",
      expected: ["Image/1 sent=nil title=i", "Text/2 sent=nil title=t"]),
    CoreDataShape(
      name: "three levels", entities: ["A", "B:A", "C:B", "D:A"],
      sql: """
        CREATE TABLE ZA (\(head), ZPARENT INTEGER, Z1_PARENT INTEGER, ZX VARCHAR, ZY VARCHAR, ZZ VARCHAR, ZW VARCHAR);
        INSERT INTO ZA VALUES (1, 1, 1, NULL, NULL, 'a', NULL, NULL, NULL),
          (2, 3, 1, 1, 1, 'b', 'y', 'z', NULL), (3, 4, 1, 2, 3, 'd', NULL, NULL, 'w');
        """,
      model: "A: parent -> A/children; children ->> A/parent; x String\nB ^A: y String\n"
        + "C ^B: z String\nD ^A: w String",
      expected: [
        "C/2 children=[3] parent=A/1 x=b y=y z=z", "D/3 children=[] parent=C/2 w=w x=d",
      ]),
    CoreDataShape(
      name: "an abstract root", entities: ["Base", "Leaf:Base"],
      sql: """
        CREATE TABLE ZBASE (\(head), ZX VARCHAR, ZY VARCHAR);
        INSERT INTO ZBASE VALUES (4, 2, 1, 'x', 'y');
        """,
      model: "Base abstract: x String\nLeaf ^Base: y String", expected: ["Leaf/4 x=x y=y"]),
  ]

  private static let values = [
    CoreDataShape(
      name: "columns of an older model", entities: ["Note"],
      sql: """
        CREATE TABLE ZNOTE (\(head), ZOLDRANK INTEGER, ZTEXT VARCHAR, ZOLDTEXT VARCHAR, ZTITLE VARCHAR);
        CREATE INDEX ZNOTE_ZOLDRANK_INDEX ON ZNOTE (ZOLDRANK);
        INSERT INTO ZNOTE VALUES (1, 1, 1, 5, 'a', 'old', 't');
        """,
      model: "Note: text String; title String", expected: ["Note/1 text=a title=t"]),
    CoreDataShape(
      name: "values of every type", entities: ["Thing"],
      sql: """
        CREATE TABLE ZTHING (\(head), ZA INTEGER, ZB INTEGER, ZC INTEGER, ZFLAG INTEGER, ZWHEN TIMESTAMP,
          ZD FLOAT, ZS VARCHAR, ZU VARCHAR, ZDATA BLOB, ZKEY BLOB);
        INSERT INTO ZTHING VALUES (1, 1, 1, -5, 70000, 9223372036854775807, 1, 464441952.529884, 0.5,
          'Grüße', 'http://a/b', X'FFD8', X'00112233445566778899AABBCCDDEEFF');
        """,
      model:
        "Thing: a Int16; b Int32; c Int64; flag Boolean; when Date; d Double; s String; u URI; "
        + "data Binary; key UUID",
      expected: [
        "Thing/1 a=-5 b=70000 c=9223372036854775807 d=0.5 data=ffd8 flag=true "
          + "key=00112233-4455-6677-8899-AABBCCDDEEFF s=Grüße u=http://a/b when=464441952.529884"
      ]),
    CoreDataShape(
      name: "a uniqueness constraint", entities: ["Code"],
      sql: """
        CREATE TABLE ZCODE (\(head), ZLABEL VARCHAR, ZVALUE VARCHAR, CONSTRAINT ZVALUE UNIQUE (ZVALUE));
        INSERT INTO ZCODE VALUES (1, 1, 1, 'l', 'v'), (2, 1, 1, 'm', 'w');
        """,
      model: "Code u=value: value String; label String", expected: ["Code/2 label=m value=w"]),
    CoreDataShape(
      name: "names beyond ASCII", entities: ["Maß"],
      sql: """
        CREATE TABLE ZMASS (\(head), ZGRÖSSE INTEGER, ZHÖHE FLOAT);
        INSERT INTO ZMASS VALUES (1, 1, 1, 7, 2.5); UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
        """,
      model: "Maß: größe Int64; höhe Double", expected: ["Maß/1 größe=7 höhe=2.5"]),
    CoreDataShape(
      name: "external storage in rows", entities: ["Photo"],
      sql: """
        CREATE TABLE ZPHOTO (\(head), ZNAME VARCHAR, ZBLOB BLOB);
        INSERT INTO ZPHOTO VALUES (1, 1, 1, 'p', X'01AABB'), (2, 1, 1, 'q', NULL);
        """,
      model: "Photo: blob Binary E; name String", expected: ["Photo/1 blob=aabb name=p"]),
  ]

  private static let files = [
    CoreDataShape(
      name: "a rollback journal", entities: ["Note"],
      sql: """
        CREATE TABLE ZNOTE (\(head), ZRANK INTEGER, ZTEXT VARCHAR); INSERT INTO ZNOTE VALUES (1, 1, 1, 2, 'a');
        """, model: "Note: text String; rank Int64", expected: ["Note/1 rank=2 text=a"],
      journal: "delete"),
    CoreDataShape(
      name: "no Z_MODELCACHE", entities: ["Note"],
      sql: """
        CREATE TABLE ZNOTE (\(head), ZRANK INTEGER, ZTEXT VARCHAR); INSERT INTO ZNOTE VALUES (1, 1, 1, 2, 'a');
        """, model: "Note: text String; rank Int64", expected: ["Note/1 rank=2 text=a"],
      hasModelCache: false),
    CoreDataShape(
      name: "a history", entities: ["Note"],
      sql: """
        CREATE TABLE ZNOTE (\(head), ZRANK INTEGER, ZTEXT VARCHAR); INSERT INTO ZNOTE VALUES (1, 1, 1, 2, 'a');
        CREATE TABLE ACHANGE (\(head), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
        CREATE TABLE ATRANSACTION (\(head), ZAUTHORTS INTEGER, ZCONTEXTNAMETS INTEGER, ZTIMESTAMP FLOAT, ZQUERYGEN BLOB);
        CREATE TABLE ATRANSACTIONSTRING (\(head), ZNAME VARCHAR);
        INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL);
        INSERT INTO ATRANSACTION VALUES (1, 16002, 1, NULL, NULL, 5.5, NULL);
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 0);
        """, model: "Note: text String; rank Int64", expected: ["Note/1 rank=2 text=a"]),
    CoreDataShape(
      name: "an R-tree", entities: ["Asset"],
      sql: """
        CREATE TABLE ZASSET (\(head), ZLATITUDE FLOAT, ZNAME VARCHAR);
        CREATE VIRTUAL TABLE Z_RT_Asset_bounded USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT);
        CREATE TRIGGER Z_RT_Asset_bounded_INSERT AFTER INSERT ON ZASSET FOR EACH ROW BEGIN
          INSERT OR REPLACE INTO Z_RT_Asset_bounded VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE); END;
        INSERT INTO ZASSET VALUES (1, 1, 1, 52.5, 'a');
        """, model: "Asset: latitude Double; name String",
      expected: ["Asset/1 latitude=52.5 name=a"]),
    CoreDataShape(
      name: "stale indexes and no primary key counted", entities: ["Old", "Note"],
      sql: """
        CREATE TABLE ZOLD (\(head), ZX VARCHAR); CREATE TABLE ZNOTE (\(head), ZOLD INTEGER, ZTEXT VARCHAR);
        CREATE INDEX ZNOTE_Z_7OLD_INDEX ON ZNOTE (ZOLD); CREATE INDEX ZNOTE_ZOLD_INDEX1 ON ZNOTE (ZOLD);
        INSERT INTO ZOLD VALUES (3, 1, 1, 'x'); INSERT INTO ZNOTE VALUES (1, 2, 1, 3, 'a');
        """,
      model: "Note: old -> Old/notes; text String\nOld: notes ->> Note/old; x String",
      expected: ["Note/1 old=Old/3 text=a"]),
  ]

  private func withColumns(_ columns: String) -> CoreDataShape {
    CoreDataShape(
      name: name, entities: entities,
      sql: sql + "\nALTER TABLE Z\(entities[0].uppercased()) ADD COLUMN \(columns);", model: model,
      expected: expected)
  }
}
