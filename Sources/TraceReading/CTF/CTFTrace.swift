// SPDX-License-Identifier: Apache-2.0

/// The folders of one trace: one, or the chunks of a session that was rotated.
struct CTFTrace {
  let folders: [String]

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
