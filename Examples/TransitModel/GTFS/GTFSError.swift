// SPDX-License-Identifier: Apache-2.0

/// The reason why a feed cannot be read at all; single bad rows are ``GTFSRemarks``.
public enum GTFSError: Error, Hashable {
  case notFound(path: String)
  case unreadable(path: String, reason: String)
  case missingFile(String, feed: String)
  case emptyFile(String)
  case missingColumn(String, file: String, found: [String])
  case notCSV(file: String, line: Int, reason: String)
  case noUnzip
  case badArchive(path: String, reason: String)
  case sameIdentifier(String, String)
}

extension GTFSError: CustomStringConvertible {
  /// One sentence: the fact, then what to do.
  public var description: String {
    switch self {
    case .notFound(let path):
      "no feed at '\(path)'; --gtfs wants a folder or a .zip with stops.txt and stop_times.txt"
    case .unreadable(let path, let reason): "cannot read '\(path)': \(reason)"
    case .missingFile(let file, let feed):
      "no \(file) in '\(feed)'; a GTFS feed has stops.txt and stop_times.txt"
    case .emptyFile(let file): "\(file) is empty; its first line names the columns"
    case .missingColumn(let column, let file, let found):
      "no column '\(column)' in \(file), whose first line has \(found.joined(separator: ", "))"
    case .notCSV(let file, let line, let reason): "\(file):\(line): \(reason)"
    case .noUnzip:
      "a zipped feed needs the program unzip; install it, or unpack the feed and name its folder"
    case .badArchive(let path, let reason): "unzip cannot read '\(path)': \(reason)"
    case .sameIdentifier(let first, let second):
      "the stop ids '\(first)' and '\(second)' have the same number; rename one of them in the feed"
    }
  }
}
