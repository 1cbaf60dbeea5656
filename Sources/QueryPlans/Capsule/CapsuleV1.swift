// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The schema and statistics that SQLite plans by, without the rows: `capsule`, version 1.
///
/// Texts of the schema are as they are; values of rows and statements are pseudonyms.
public struct CapsuleV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var kind = Self.kind
  /// The version that reads the original.
  public var sqliteVersion: String
  public var pageSize: Int
  /// Tables first, then indexes, in the order of `sqlite_schema`.
  public var schema: [Object] = []
  /// Of tables and indexes, by name.
  public var sizes: [Size] = []
  /// `sqlite_stat1`; nil where the original was never analyzed, so that SQLite plans by its defaults.
  public var statistics: [Statistic]?
  /// `sqlite_stat4`; nil where the original has none.
  public var samples: [Sample]?
  /// The forms of a recording's statements, each by one of its texts.
  public var statements: [Statement] = []

  static let kind = "capsule"

  /// A row of `sqlite_schema`.
  public struct Object: Codable, Hashable, Sendable {
    public var name: String
    public var sql: String
  }

  public struct Size: Codable, Hashable, Sendable {
    public var name: String
    /// The entries of an index.
    public var rows: Int?
    public var pages: Int?
  }

  /// A row of `sqlite_stat1`.
  public struct Statistic: Codable, Hashable, Sendable {
    public var table: String?
    public var index: String?
    public var stat: String?
  }

  /// A row of `sqlite_stat4`.
  public struct Sample: Codable, Hashable, Sendable {
    public var table: String
    public var index: String
    public var equal: String
    public var less: String
    public var distinctLess: String
    /// Pseudonyms, in the syntax of SQL.
    public var values: [String]
  }

  public struct Statement: CountedFields {
    public struct Fields: Codable, Hashable, Sendable {
      /// With pseudonyms for literals, and without comments.
      public var sql: String
      /// Pseudonyms of the values of one run, in the syntax of SQL; empty where none were recorded.
      public var values: [String]
      public var executions: UInt64
      public var rows: UInt64
    }

    public var fields: Fields
    public var counters: StatementCounters

    public init(fields: Fields, counters: StatementCounters) {
      (self.fields, self.counters) = (fields, counters)
    }
  }
}

extension CapsuleV1.Statement {
  /// The work that the recording counted.
  public var work: StatementWork {
    var work = StatementWork(executions: fields.executions, rows: fields.rows)
    work.counters = counters
    return work
  }

  /// The values of one run; empty where none were recorded.
  public var tuples: [[BindValue]] {
    let tuple = fields.values.compactMap { try? BindValue($0) }
    return tuple.isEmpty || tuple.count < fields.values.count ? [] : [tuple]
  }

  init(sql: String, values: [String], work: StatementWork) {
    self.init(
      fields: .init(sql: sql, values: values, executions: work.executions, rows: work.rows),
      counters: work.counters)
  }
}

extension CapsuleV1 {
  /// The texts and numbers in the SQL of the schema, each once.
  public var schemaLiterals: [String] {
    let tokens = schema.flatMap { SQLTokenizer.tokens(of: $0.sql) }
    return Set(tokens.filter { $0.kind == .text || $0.kind == .number }.map { String($0.text) })
      .sorted()
  }
}
