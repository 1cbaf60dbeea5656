// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

/// How a store is opened.
public struct StoreOptions: Sendable {
  /// Whether the file is read-only; if nil, a file of Core Data or SwiftData is, and any other is not.
  ///
  /// Set it to false to write into a file of another library, and to adapt it to the model. That library
  /// may then refuse the file.
  public var isReadOnly: Bool?
  /// The treatment of indexes that differ from the model's.
  public var indexPolicy = IndexPolicy.create
  /// The treatment of a file that does not fit the model.
  public var migrationPolicy = MigrationPolicy.automatic
  /// Whether every save and batch is also kept as history: who changed which object, and how.
  ///
  /// A store that has a history continues it in any case: it must not have gaps.
  public var tracksHistory = false
  /// How long to wait for another connection's lock.
  public var busyTimeout = Duration.seconds(5)
  /// The number of connections that can read at the same time.
  public var readerCount = 4
  /// How much the row cache holds, in bytes.
  public var rowCacheSize = 128 << 20
  /// Data of more bytes than this goes to a file beside the store, if its attribute allows that.
  ///
  /// Core Data's threshold is not documented; 100 KB to 128 KB were observed.
  public var externalDataThreshold = 128 << 10
  /// How old a file of external storage that no row refers to must be for an opening to move it to the
  /// trash; see ``PersistentContainer/orphanedExternalFiles()``.
  public var externalDataGracePeriod = Duration.seconds(86_400)
  /// `PRAGMA max_page_count`, in pages of 4,096 bytes; 0 for SQLite's own limit.
  public var maximumPageCount = 0

  /// Whether traces and logs get values that statements bind: of each statement the first distinct
  /// ones, then a sample.
  ///
  /// Values may be private. Without this nothing of a value leaves the process but a keyed hash,
  /// except in a debug log of level 2 or more. `trace-report record --values` sets it from outside.
  public var recordsValues = false

  /// Whether traces and logs contain the reads, writes and syncs of fetches and saves, with their
  /// times.
  ///
  /// The store's files are then opened with a VFS that counts the calls and passes them on.
  /// `trace-report record --io` sets it from outside.
  public var recordsIO = false

  /// The treatment of the indexes of entity tables.
  public enum IndexPolicy: Hashable, Sendable {
    /// Indexes that the file lacks are created; others stay.
    case create
    /// Indexes that the model does not declare are dropped as well.
    case exact
  }

  /// The treatment of a file that was written with another model.
  public enum MigrationPolicy: Hashable, Sendable {
    /// It is not opened.
    case refuse
    /// Missing parts are added, and parts with a renaming identifier are renamed; contents that the
    /// model does not have stay. Everything is done in the transaction that opens the file, or
    /// nothing is.
    case automatic
    /// Contents that the model does not have are dropped as well.
    case exact
  }

  /// The locale of the localized comparators of sort descriptors, such as `de_DE`; nil for the
  /// language of the environment: `LC_ALL`, `LC_COLLATE` or `LANG`.
  public var locale: String?

  /// The SQLite VFS that the file is opened with, by which tests let disks fail; nil for SQLite's.
  package var vfs: String?

  /// SQLite's own, in which the connections of a process share a database in memory.
  static let memoryVFS = "memdb"
  var isInMemory: Bool { vfs == Self.memoryVFS }

  /// The key that the file is encrypted with: `PRAGMA key`, before anything else on each connection.
  ///
  /// Needs a program that is linked with an SQLite that encrypts, such as SQLCipher; with any other
  /// an opening throws ``StoreError/noEncryption(path:)``, and writes nothing. Neither the key nor
  /// that statement is ever logged or traced.
  public var encryptionKey: String?

  var collationLocale: String { locale ?? EnvironmentLocale.identifier }

  /// Reads and writes, and creates missing indexes.
  public init() {}
}
