// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The recordings that a relay daemon keeps, found by the names of their folders.
public enum RelayFolder {
  // A relay daemon groups by host, by session, or not at all.
  private static let maxDepth = 3

  /// The recordings beneath a folder, sorted by path; empty if it is not a relay's folder.
  public static func recordings(beneath path: String) -> [String] {
    guard !isRecording(path) else { return [] }
    let found = folders(beneath: path, depth: 0).filter(holdsTrace)
    guard !found.isEmpty, let traces = try? InputKind.traceFolders(beneath: path) else { return [] }
    let areAllRelayed = traces.allSatisfy {
      $0.dropFirst(path.count).split(separator: "/").contains(where: RelayedRecording.isName)
    }
    return areAllRelayed ? found : []
  }

  /// The inputs that are read together: recordings of one host that have equal labels, and all others.
  ///
  /// Hosts lock no file of each other, and their clocks differ.
  public static func groups(of inputs: [String]) -> [[String]] {
    var groups: [(key: String, inputs: [String])] = []
    for input in inputs {
      let key = group(of: input)
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].inputs.append(input)
      } else {
        groups.append((key, [input]))
      }
    }
    return groups.map(\.inputs)
  }

  private static func group(of input: String) -> String {
    guard isRecording(input) else { return "" }
    let host = input.split(separator: "/").dropLast().joined(separator: "/")
    let labels = labels(of: input).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return ([host] + labels).joined(separator: "\n")
  }

  /// Whether the name of a folder is that of a recording.
  static func isRecording(_ path: String) -> Bool {
    RelayedRecording.isName(name(of: path))
  }

  /// The labels of a recording; none for another folder.
  static func labels(of recording: String) -> [String: String] {
    var labels: [String: String] = [:]
    var path = recording
    while isRecording(recording),
      let (folder, label) = names(in: path).lazy.compactMap({ name in
        RelayedRecording.label(ofFolder: name).map { (name, $0) }
      }).first
    {
      guard labels.updateValue(label.value, forKey: label.name) == nil else { break }
      path += "/\(folder)"
    }
    return labels
  }

  /// Whether a relayed recording is complete; false for another folder.
  public static func hasEnded(_ path: String) -> Bool {
    isRecording(path) && end(of: path) != nil
  }

  /// How a recording ended; nil while it runs, and if its relay was lost.
  static func end(of recording: String) -> RelayedRecording.End? {
    let own = names(in: "\(recording)/\(RelayedRecording.endFolder)")
    if let end = own.lazy.compactMap(RelayedRecording.end).first { return end }
    // If the relay groups by session, the end is next to the streams, in a folder with another
    // date.
    let parts = recording.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return nil }
    let session = parts.dropLast(2).joined(separator: "/")
    for other in names(in: session) {
      let folder = "\(session)/\(other)/\(parts[parts.count - 1])/\(RelayedRecording.endFolder)"
      if let end = names(in: folder).lazy.compactMap(RelayedRecording.end).first { return end }
    }
    return nil
  }

  private static func folders(beneath path: String, depth: Int) -> [String] {
    let names = names(in: path)
    // LTTng's own folder in a trace.
    guard !names.contains("ust") else { return [] }
    return names.flatMap { name -> [String] in
      let folder = "\(path)/\(name)"
      if RelayedRecording.isName(name) { return [folder] }
      return depth + 1 < maxDepth ? folders(beneath: folder, depth: depth + 1) : []
    }
  }

  /// A recording of which only the end is here has its streams in another folder.
  private static func holdsTrace(_ recording: String) -> Bool {
    let names = names(in: recording)
    return names != [RelayedRecording.endFolder]
  }

  private static func name(of path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }

  /// The folders in a folder, sorted; none if it cannot be read, which its reader reports.
  private static func names(in path: String) -> [String] {
    (InputKind.folderEntries(path) ?? []).filter(\.isFolder).map(\.name)
  }
}
