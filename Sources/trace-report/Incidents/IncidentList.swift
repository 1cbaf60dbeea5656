// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TraceRendering

/// The incidents in a flight recorder's folder.
struct IncidentList {
  let folder: String
  private(set) var incidents: [IncidentV1] = []
  /// Folders of snapshots without `incident.json`.
  private(set) var unexamined: [String] = []

  init(folder: String) {
    self.folder = folder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() {
      if let incident = Self.incident(in: "\(folder)/\(name)") {
        incidents.append(incident)
      } else if name.hasPrefix("incident-") || name.hasPrefix("snapshot-when") {
        unexamined.append(name)
      }
    }
    incidents.sort { $0.number < $1.number }
  }

  /// Nil if a flight recorder did not write the folder.
  init?(ifFlightRecorders folder: String) {
    self.init(folder: folder)
    if incidents.isEmpty, unexamined.isEmpty { return nil }
  }

  var document: Document {
    Document(incidents: incidents, unexamined: unexamined, folder: folder, time: \.localTime)
  }

  /// The incident of a folder; nil if it is not the folder of an incident.
  static func incident(in folder: String) -> IncidentV1? {
    let file = "\(folder)/\(IncidentV1.fileName)"
    guard access(file, F_OK) == 0, let data = FileManager.default.contents(atPath: file) else {
      return nil
    }
    return try? JSONDecoder().decode(IncidentV1.self, from: data)
  }
}

extension IncidentV1 {
  var document: Document { Document(incident: self, time: localTime) }

  /// `2026-11-22 14:12:28.401`.
  var localTime: String { LocalTime.text("%Y-%m-%d %H:%M:%S", ofNanoseconds: timeNs) }
}
