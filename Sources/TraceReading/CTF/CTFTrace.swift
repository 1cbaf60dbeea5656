// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folders of one trace: one, or the chunks of a session that was rotated.
struct CTFTrace {
  let folders: [String]

  /// How many files it has beside its metadata; 0 for folders that cannot be listed.
  var streamCount: Int {
    folders.reduce(0) { count, folder in
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
      return count + (names?.count { $0 != "metadata" && !$0.hasPrefix(".") } ?? 0)
    }
  }

  /// Puts folders of the same trace together, so that what was discarded between two chunks is
  /// counted, and what two snapshots share is read once.
  static func grouping(_ folders: [String]) -> [CTFTrace] {
    var groups: [(id: String, folders: [String])] = []
    for folder in folders {
      let id = MetadataPackets.traceIdentifier(ofFolder: folder)
      if let index = groups.firstIndex(where: { $0.id == id ?? folder }) {
        groups[index].folders.append(folder)
      } else {
        groups.append((id ?? folder, [folder]))
      }
    }
    return groups.map { CTFTrace(folders: $0.folders) }
  }
}
