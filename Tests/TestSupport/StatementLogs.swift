// SPDX-License-Identifier: Apache-2.0

/// The logs of database libraries for a list, a query for each of its rows, and a transaction for each write.
///
/// All durations that a log has are above 0.
public enum StatementLogs {
  private static let rows = 1...12
  private static let commits = 1...60

  /// One of each library.
  public static let all = [rails, django, sqlAlchemy, shellTrace]

  public static let rails = """
      Note Load (9.2ms)  SELECT "ZNOTE".* FROM "ZNOTE"
      ↳ app/models/note.rb:3:in `all'

    """
    + rows.map {
      """
        Note Load (0.3ms)  SELECT "ZNOTE".* FROM "ZNOTE" WHERE "ZNOTE"."ZAUTHOR" = ? LIMIT ?  [["id", \($0)], ["LIMIT", 1]]
        ↳ app/models/note.rb:5:in `block in all'

      """
    }.joined()
    + commits.map {
      """
        TRANSACTION (0.1ms)  begin transaction
        ↳ app/models/note.rb:9:in `add'
        Note Create (1.5ms)  INSERT INTO "ZNOTE" ("ZTITLE") VALUES (?)  [["title", "\($0)"]]
        ↳ app/models/note.rb:9:in `add'
        TRANSACTION (3.0ms)  commit transaction
        ↳ app/models/note.rb:9:in `add'

      """
    }.joined()
      + """
        TRANSACTION (0.1ms)  begin transaction
        TRANSACTION (9.1ms)  rollback transaction

      """

  public static let django =
    "(0.009) SELECT ZTITLE FROM ZNOTE; args=(); alias=default\n"
    + rows.map {
      "(0.001) SELECT ZTITLE FROM ZNOTE WHERE ZAUTHOR = \($0); args=(\($0),); alias=default\n"
    }.joined()
    + commits.map {
      """
      (0.001) BEGIN; args=None; alias=default
      (0.001) INSERT INTO ZNOTE (ZTITLE) VALUES ('\($0)'); args=('\($0)',); alias=default
      (0.003) COMMIT; args=None; alias=default

      """
    }.joined()
    + "(0.001) BEGIN; args=None; alias=default\n(0.009) ROLLBACK; args=None; alias=default\n"

  public static let sqlAlchemy: String = {
    let head = "2026-11-28 04:00:34,230 INFO sqlalchemy.engine.Engine"
    return """
      \(head) BEGIN (implicit)
      \(head) SELECT ZTITLE
      FROM ZNOTE
      \(head) [generated in 0.00030s] ()

      """
        + rows.map {
          """
          \(head) SELECT ZTITLE
          FROM ZNOTE
          WHERE ZAUTHOR = ?
          \(head) [cached since 0.1s ago] (\($0),)

          """
        }.joined() + "\(head) ROLLBACK\n"
        + commits.map {
          """
          \(head) BEGIN (implicit)
          \(head) INSERT INTO ZNOTE (ZTITLE) VALUES (?)
          \(head) [cached since 0.1s ago] ('\($0)',)
          \(head) COMMIT

          """
        }.joined()
  }()

  public static let shellTrace =
    "SELECT ZTITLE\nFROM ZNOTE;\n"
    + rows.map { "SELECT ZTITLE FROM ZNOTE WHERE ZAUTHOR = \($0);\n" }.joined()
    + commits.map { "BEGIN;\nINSERT INTO ZNOTE (ZTITLE) VALUES ('\($0)');\nCOMMIT;\n" }.joined()
    + "BEGIN;\nROLLBACK;\n"
}
