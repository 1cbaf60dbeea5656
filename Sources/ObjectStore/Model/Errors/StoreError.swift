// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver
import StoreEvents

/// The reason why an operation of a store failed.
public enum StoreError: Error, Hashable, Sendable {
  /// The file could not be opened or made.
  case cannotOpen(path: String, reason: String)
  /// The file is not an SQLite database, or is encrypted.
  case notADatabase(path: String)
  /// A key was given, and the SQLite that the program is linked with cannot encrypt.
  case noEncryption(path: String)
  /// SQLite found the file damaged.
  case corrupt(path: String, reason: String)
  /// A number that the store keeps in a row cannot be one: `Z_OPT` or the order key of a row
  /// with that `Z_PK`, or `Z_MAX` of `Z_PRIMARYKEY`, where the key is `Z_ENT`.
  case damagedRow(path: String, table: String, key: Int64, column: String, value: String)
  /// The database has tables, but they are not an object store's.
  case notAStore(path: String, tables: [String])
  /// The file does not fit the model, and may not or cannot be adapted to it: the differences,
  /// obstacles first.
  case incompatibleModel(path: String, differences: [String])
  /// Another connection has changed the tables since the file was opened, as an opening with
  /// another model does; SQLite's message.
  case changedElsewhere(path: String, reason: String)
  /// The file, or its write-ahead log, was deleted, renamed or replaced since it was opened.
  case moved(path: String)
  /// The file, or its folder, cannot be written.
  case notWritable(path: String, reason: String)
  /// The container was opened read-only.
  case readOnly(path: String)
  /// Another connection held its lock too long.
  case busy(path: String, waited: Duration)
  /// The disk, or the file's allowed size, is full; the save was rolled back.
  case full(path: String)
  /// A file for data of an attribute with external storage could not be written.
  case cannotWriteExternalData(path: String, reason: String)
  /// The data of an attribute is in a file that cannot be read; the object's id, if it is known.
  case externalData(ManagedObjectID?, property: String, ExternalDataProblem)
  /// The disk, or another storage of the file, failed; a save was rolled back.
  case inputOutput(path: String, reason: String)
  /// A search index does not fit the text that it is of.
  case damagedSearchIndex(path: String)
  /// The file has no search index, which only an opening that may write makes.
  case noSearchIndex(path: String, name: String)
  /// A row would have the same values of these properties as another, which the model forbids.
  case notUnique(entity: String, properties: [String])
  /// A trigger of the file left a row as it was, by RAISE(IGNORE); its name, "" if it was not found.
  case ignoredByTrigger(ManagedObjectID, trigger: String)
  /// The container was closed.
  case closed(path: String)
  /// Rows were changed or deleted elsewhere since they were read.
  case conflict([MergeConflict])
  /// Objects hold values that the model does not allow.
  case invalid([ValidationFailure])
  /// Objects cannot be deleted while others refer to them.
  case deletionDenied(ManagedObjectID, relationship: String)
  /// The object's row no longer exists.
  case objectGone(ManagedObjectID)
  /// The object's context was reset or released.
  case contextGone(ManagedObjectID)
  /// The context has more contexts above it than may be nested.
  case nestedTooDeep(limit: Int)
  /// The hook `willSave` has changed objects again each time it was called.
  case endlessWillSave
  /// The id is of an object of another store.
  case foreignObject(ManagedObjectID)
  /// An entity is not in the container's model.
  case unknownEntity(String)
  /// An entity is abstract: only its subentities have objects.
  case abstractEntity(String)
  /// An entity has no such property.
  case unknownProperty(String, entity: String, nearest: String?)
  /// The value of a derived attribute follows from others and cannot be set.
  case derivedAttribute(String, entity: String)
  /// A value is not of its property's type.
  case wrongType(property: String, entity: String, expected: String)
  /// A value is of its property's type, and still no value of it.
  case wrongValue(property: String, entity: String, problem: ValidationFailure.Problem)
  /// SQL of the program that is not a query.
  case notAQuery(String)
  /// Anything else that SQLite reports.
  case sqlite(SQLiteError)

  /// One value that the model does not allow.
  public struct ValidationFailure: Hashable, Sendable {
    /// The object; temporary if it was to be inserted.
    public let objectID: ManagedObjectID
    /// The attribute or relationship.
    public let property: String
    /// The problem.
    public let problem: Problem

    /// Makes a failure.
    public init(objectID: ManagedObjectID, property: String, problem: Problem) {
      self.objectID = objectID
      self.property = property
      self.problem = problem
    }

    /// The problems that a value can have.
    public enum Problem: Hashable, Sendable {
      /// It is nil, and the property is not optional.
      case missing
      /// It is not a number, which SQLite keeps as NULL.
      case notANumber
      /// It is outside the allowed range.
      case outOfRange(String)
      /// A text has too few or too many characters, or data too few or too many bytes.
      case wrongLength(Int, allowed: String)
      /// A to-many has too few or too many objects.
      case wrongCount(Int, allowed: String)
      /// A text does not match a regular expression.
      case mismatch(String)
      /// It breaks a rule of the program's own.
      case refused(String)
    }
  }

  init(_ error: SQLiteError, path: String, waited: Duration = .zero) {
    self =
      if error.isNotADatabase {
        .notADatabase(path: path)
      } else if error.isCorruptVirtualTable {
        .damagedSearchIndex(path: path)
      } else if let name = error.missingSearchIndex {
        .noSearchIndex(path: path, name: name)
      } else if error.isCorrupt {
        .corrupt(path: path, reason: error.message)
      } else if error.isFull {
        .full(path: path)
      } else if error.isInputOutput {
        .inputOutput(path: path, reason: error.inputOutputReason)
      } else if error.isCannotOpen {
        .cannotOpen(path: path, reason: error.openingReason)
      } else if error.isMoved {
        .moved(path: path)
      } else if error.isReadOnly {
        .notWritable(path: path, reason: error.message)
      } else if error.isBusy {
        .busy(path: path, waited: waited)
      } else {
        .sqlite(error)
      }
  }
}

extension SQLiteError {
  /// `SQLITE_CORRUPT_VTAB`, which FTS5 reports of its own tables.
  fileprivate var isCorruptVirtualTable: Bool { extendedCode == 267 }

  fileprivate var missingSearchIndex: String? {
    let start = "no such table: " + SearchIndexDescription.prefix
    guard isMistake, message.hasPrefix(start) else { return nil }
    return message.split(separator: " ").last.map(String.init)
  }

  /// Describes why a file could not be opened, with advice.
  fileprivate var openingReason: String {
    let system = SystemErrorText(systemCode)
    let reason = systemCode == 0 ? message : system.reason
    return "\(reason); \(system.advice ?? "check that the folder exists and may be written")"
  }
}

extension StoreError: CustomStringConvertible {
  /// Describes the problem, with advice.
  public var description: String {
    switch self {
    case .cannotOpen(let path, let reason):
      "cannot open the store '\(path)': \(reason)"
    case .notADatabase(let path):
      "'\(path)' is not an SQLite database, or is encrypted; choose another file"
    case .noEncryption(let path):
      "the store '\(path)' has an encryptionKey, and the linked SQLite cannot encrypt; link the program with SQLCipher"
    case .corrupt(let path, let reason):
      "the store '\(path)' is damaged (\(reason)); restore it from a copy"
    case .damagedRow(let path, let table, let key, let column, let value):
      "row \(key) of \(table) in the store '\(path)' is damaged: \(column) is \(value); nothing was "
        + "saved: restore the store from a copy, or correct the row"
    case .notAStore(let path, let tables):
      tables.isEmpty
        ? "'\(path)' is empty; choose another file, or open it without isReadOnly to create a store"
        : "'\(path)' is not an object store: its tables are \(Self.list(tables)), without Z_METADATA; "
          + "choose another file"
    case .incompatibleModel(let path, let differences):
      "the store '\(path)' does not fit the model, and was not changed: \(Self.list(differences)); "
        + "open it with the model that created it, or change the model"
    case .changedElsewhere(let path, let reason):
      "another program has changed the tables of the store '\(path)' since it was opened (\(reason)); "
        + "close the container, and open it with a model that fits"
    case .moved(let path):
      "the file of the store '\(path)', or its -wal file, was deleted, renamed or replaced since it was "
        + "opened; nothing was saved: restore the file, or open the store again and save there"
    case .notWritable(let path, let reason):
      "the store '\(path)' cannot be written (\(reason)); change its permissions, or open it with "
        + "isReadOnly"
    case .readOnly(let path):
      "the store '\(path)' was opened read-only, as a file of Core Data is by default; set "
        + "StoreOptions.isReadOnly to false to save"
    case .busy(let path, let waited):
      "the store '\(path)' was locked by another connection for \(waited); end the other "
        + "transaction, or allow a longer busyTimeout"
    case .full(let path):
      "no space left for the store '\(path)'; nothing was saved: make room and save again"
    case .cannotWriteExternalData(let path, let reason):
      "cannot write '\(path)': \(reason); nothing was saved: make the folder writable"
    case .externalData(let id, let property, let problem):
      "the data of '\(property)'\(id.map { " of " + $0.uri } ?? "") cannot be read: \(problem)"
    case .inputOutput(let path, let reason):
      "reading or writing the store '\(path)' failed: \(reason); nothing was saved: check the disk, and "
        + "try again"
    case .damagedSearchIndex(let path):
      "a search index of the store '\(path)' does not fit its text; call rebuildSearchIndexes()"
    case .noSearchIndex(let path, let name):
      "the store '\(path)' has no search index \(name) yet; open it once without isReadOnly "
        + "to create it"
    case .notUnique(let entity, let properties):
      "another \(entity) has the same \(Self.list(properties)); nothing was saved: change it, or "
        + "fetch the other one and change that"
    case .ignoredByTrigger(let id, let trigger):
      "\(trigger.isEmpty ? "a trigger" : "the trigger '\(trigger)'") of the file ignored the write of "
        + "\(id.uri); nothing was saved: drop the trigger, or change what it refuses"
    case .closed(let path): "the store '\(path)' was closed; open a new container"
    case .conflict(let conflicts):
      "changed elsewhere since they were read: \(Self.list(conflicts.map(\.description))); "
        + "nothing was saved: refresh these objects and save again, or set a mergePolicy"
    case .invalid(let failures):
      "not saved, values are not allowed: \(Self.list(failures.map(\.description))); set them and save again"
    case .deletionDenied(let id, let relationship):
      "\(id.uri) cannot be deleted while its '\(relationship)' is not empty; delete or move those first"
    case .objectGone(let id):
      "the row of \(id.uri) is gone; it was deleted elsewhere"
    case .contextGone(let id):
      "the context of \(id.uri) was reset or released; keep it while its objects are in use"
    case .nestedTooDeep(let limit):
      "the context is nested more than \(limit) levels deep; make it a child of a context further up"
    case .endlessWillSave:
      "not saved: willSave has changed objects 1,000 times in a row; compare a value before setting it"
    case .foreignObject(let id):
      "\(id.uri) is an object of another store; look it up in a context of its own container"
    case .unknownEntity(let name):
      "entity '\(name)' is not in the model; add it to the container's entities"
    case .abstractEntity(let name):
      "entity '\(name)' is abstract; insert an object of one of its subentities"
    case .unknownProperty(let name, let entity, let nearest):
      "entity \(entity) has no property '\(name)'"
        + (nearest.map { "; did you mean '\($0)'?" } ?? "; see its schema")
    case .derivedAttribute(let name, let entity):
      "\(entity).\(name) is derived from other attributes; set those"
    case .wrongType(let property, let entity, let expected):
      "\(entity).\(property) takes \(expected); convert the value first"
    case .wrongValue(let property, let entity, let problem):
      "\(entity).\(property)\(problem.predicate); set another value"
    case .notAQuery(let sql):
      "read runs only queries, not: \(sql.prefix(200)); begin it with SELECT, VALUES, WITH "
        + "or EXPLAIN"
    case .sqlite(let error) where error.message.hasPrefix("no such function: "):
      error.description + "; if the file has it in a trigger or an index, write with the program "
        + "that made it, or drop that"
    case .sqlite(let error): error.description
    }
  }

  static func list(_ items: [String], max: Int = 20) -> String {
    items.prefix(max).joined(separator: ", ")
      + (items.count > max ? " and \(items.count - max) more" : "")
  }
}

extension StoreError.ValidationFailure: CustomStringConvertible {
  /// The object's entity, the property and the problem.
  public var description: String {
    "\(objectID.entityName).\(property) of \(objectID.uri)\(problem.predicate)"
  }
}

extension StoreError.ValidationFailure.Problem {
  /// The part of the sentence after the property.
  fileprivate var predicate: String {
    switch self {
    case .missing: " is missing"
    case .notANumber: " is not a number"
    case .outOfRange(let allowed): " is not in \(allowed)"
    case .wrongLength(let length, let allowed): " has a length of \(length), not in \(allowed)"
    case .wrongCount(let count, let allowed): " has \(count) objects, not \(allowed)"
    case .mismatch(let pattern): " does not match '\(pattern)'"
    case .refused(let message): ": \(message)"
    }
  }
}
