// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SQLiteDriver

/// Whether other stores may refer to the files in a store's folder of external data.
enum ExternalDataClaim {
  /// No other store is known to use the folder. Copies have folders of their own: a file may be
  /// removed if each of these has it as well.
  case sole(copies: [String])
  /// Other stores use the folder; none of them is a copy of this one.
  case shared(copies: [String])
  /// A copy of the store may refer to the same files, or it cannot be found out.
  case copied

  enum Verdict { case remove, trash, keep }

  /// The treatment of a file that no row of the store refers to any longer.
  func verdict(on uuid: UUID) -> Verdict {
    switch self {
    case .sole(let copies): areComplete(copies, uuid) ? .remove : .keep
    case .shared(let copies): areComplete(copies, uuid) ? .trash : .keep
    case .copied: .keep
    }
  }

  private func areComplete(_ copies: [String], _ uuid: UUID) -> Bool {
    copies.allSatisfy { access($0 + "/" + uuid.uuidString, F_OK) == 0 }
  }
}

extension ExternalDataFolder {
  /// `Z_UUID` of the store; nil if it has none that distinguishes it from others.
  static func owner(_ connection: Connection) throws(SQLiteError) -> String? {
    let statement = try connection.prepare("SELECT Z_UUID FROM Z_METADATA LIMIT 1")
    guard try statement.step(), statement.columnType(0) == .text else { return nil }
    let uuid = statement.string(0)
    return (1...64).contains(uuid.utf8.count) ? uuid : nil
  }

  /// Finds out who else may refer to files of the folder: by the marks in it, and by the other files
  /// of the store's directory.
  func claim(_ owner: String) -> ExternalDataClaim {
    guard FileStamp(storePath) != nil, let marks = marks, let neighbors = neighbors.neighbors else {
      return .copied
    }
    var isShared = false
    let own = ownMark(owner)
    for mark in marks where mark != own {
      guard mark.isReadable, mark.uuid == owner else {
        isShared = true
        continue
      }
      // A folder that was renamed, or copied, with its store has the mark of the old name.
      if own.isElsewhere || mark.isElsewhere || mark.usesFolder(of: storePath) { return .copied }
    }
    let folder = FileStamp(path)
    var copies: [String] = []
    for neighbor in neighbors {
      let sharesFolder =
        FileStamp(neighbor.dataFolder).map { other in folder?.isSameFile(as: other) == true }
        ?? (neighbor.dataFolder == path)
      switch neighbor.kind {
      case .store(let uuid) where uuid == owner:
        if sharesFolder { return .copied }
        copies.append(neighbor.dataFolder)
      case .store: if sharesFolder { isShared = true }
      case .unknown: return .copied
      case .other: break
      }
    }
    return isShared ? .shared(copies: copies) : .sole(copies: copies)
  }
}
