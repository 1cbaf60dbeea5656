// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension LogLines {
  /// The part that matches Core Data's log, then the fields for a machine.
  mutating func event(_ event: StoreEvent, contextID: UInt64) {
    switch event {
    case .storeOpened(let event):
      line(.annotation) { text in
        text.append("Connecting to sqlite database file at ")
        text.append(quoting: event.path)
      }
    case .fetchEnd(let event): times(of: event)
    case .fault(let event) where event.source == .database: fulfilled(event)
    case .saveEnd(let event): times(of: event)
    case .busy(let event):
      line(.warning) { text in
        text.append(event.gaveUp == 0 ? "waited " : "gave up after waiting ")
        text.append(seconds: event.waitTime)
        text.append(" for another connection's lock")
      }
    default: break
    }
    fields(of: event, contextID: contextID)
  }

  private mutating func times(of event: FetchEnd) {
    failure("fetch", event.error)
    guard event.kind != .count else {
      return line(.annotation) { text in
        text.append("total count request execution time: ")
        text.append(seconds: event.totalTime)
        text.append(" for count of ")
        text.append(event.rows)
        text.append(".")
      }
    }
    line(.annotation) { text in
      text.append("sql connection fetch time: ")
      text.append(seconds: event.connectionTime)
    }
    line(.annotation) { text in
      text.append("total fetch execution time: ")
      text.append(seconds: event.totalTime)
      text.append(" for ")
      text.append(event.rows)
      text.append(" rows.")
    }
  }

  private mutating func times(of event: SaveEnd) {
    failure("save", event.error)
    line(.annotation) { text in
      text.append("save of ")
      text.append(event.inserted)
      text.append(" inserted, ")
      text.append(event.updated)
      text.append(" updated, ")
      text.append(event.deleted)
      text.append(" deleted objects: ")
      text.append(seconds: event.totalTime)
      text.append(" (wait ")
      text.append(seconds: event.waitTime)
      text.append(", write ")
      text.append(seconds: event.writeTime)
      text.append(", commit ")
      text.append(seconds: event.commitTime)
      text.append(")")
    }
  }

  private mutating func failure(_ subject: StaticString, _ error: String) {
    guard !error.isEmpty else { return }
    line(.error) { text in
      text.append(subject)
      text.append(" failed: ")
      text.append(escaping: error)
    }
  }

  private mutating func fulfilled(_ event: FaultFired) {
    line(.annotation) { text in
      if event.relationship.isEmpty {
        text.append("fault fulfilled from database for : ")
        text.append(objectID: event)
      } else {
        text.append("to-many relationship fault ")
        text.append(quoting: event.relationship)
        text.append(" for objectID ")
        text.append(objectID: event)
        text.append(" fulfilled from database.  Got ")
        text.append(event.rows)
        text.append(" rows")
      }
    }
  }
}

extension LogBuffer {
  /// Appends `<x-coredata:///Stop/p12>`.
  fileprivate func append(objectID event: FaultFired) {
    append("<x-coredata:///")
    append(escaping: event.entity)
    append("/p")
    append(event.pk)
    append(">")
  }
}
