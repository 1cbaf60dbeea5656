// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// The folders of one trace: one, or the chunks of a session that was rotated.
struct CTFTrace {
  let folders: [String]

  init(folders: [String]) { self.folders = folders }

  /// Groups folders of the same trace, so that events discarded between two chunks are counted, and
  /// events that two snapshots share are read once.
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

  /// The events of the trace, or of its undamaged part; `nil`, with the problem recorded, if none
  /// can be read.
  func open(_ ledger: SourceLedger) -> (any EventSource)? {
    do throws(TSDLError) {
      return CTFEventSource(CTFDecoder(self, try metadata(ledger), ledger), ledger)
    } catch {
      let fact = error.isForeign ? "has a layout that is not read" : "is damaged"
      ledger.addProblem("the trace in \(LogText.quoted(folders[0])) \(fact): \(error.reason)")
      return nil
    }
  }

  /// The metadata of the folder that describes the most events: LTTng adds to it as programs
  /// register their events.
  private func metadata(_ ledger: SourceLedger) throws(TSDLError) -> CTFMetadata {
    var result: CTFMetadata?
    for folder in folders {
      guard let text = try MetadataPackets.bytes(inFolder: folder) else {
        throw TSDLError(reason: "its metadata cannot be read: \(systemError())")
      }
      guard !text.allSatisfy({ $0 <= 32 }) else { throw TSDLError(reason: "its metadata is empty") }
      do {
        let metadata = try CTFMetadata(text)
        if !MetadataPackets.isSigned(text) {
          ledger.addChange("the metadata in \(LogText.quoted(folder)) lacks its line /* CTF 1.8 */")
        }
        if metadata.eventClassCount > result?.eventClassCount ?? -1 { result = metadata }
      } catch {
        // Another tracer may have written fields that are unknown here.
        throw error.isForeign || CTFMetadata.isFromLTTng(text) ? error : .foreign(error.reason)
      }
    }
    guard let result else { throw TSDLError(reason: "it has no metadata") }
    return result
  }
}
