// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The files of a GTFS feed, in a folder or in a zip archive; no file is loaded whole.
public struct GTFSFeed: Sendable {
  /// The folder or the archive.
  public let path: String
  /// The archive's members by their last path component; nil for a folder.
  private let members: [String: String]?

  /// Finds a feed.
  ///
  /// - Throws: ``GTFSError`` if the feed does not exist, or the archive cannot be listed.
  public init(path: String) async throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw GTFSError.notFound(path: path)
    }
    self.path = path
    members = isFolder.boolValue ? nil : try await Self.members(ofArchive: path)
  }

  /// Reads one file in pieces.
  ///
  /// - Throws: ``GTFSError`` if the feed has no such file or it cannot be read, and whatever
  ///   `body` throws.
  func read(
    _ file: String, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) async throws {
    guard let members else { return try readFile(named: file, body) }
    guard let member = members[file] else { throw GTFSError.missingFile(file, feed: path) }
    try await readMember(member, body)
  }

  // MARK: - Folder

  private func readFile(
    named file: String, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let name = FilePath(path).appending(file)
    guard FileManager.default.fileExists(atPath: name.string) else {
      throw GTFSError.missingFile(file, feed: path)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 1)
    defer { buffer.deallocate() }
    do {
      let descriptor = try FileDescriptor.open(name, .readOnly)
      defer { try? descriptor.close() }
      while case let count = try descriptor.read(into: buffer), count > 0 {
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch let error as Errno {
      throw GTFSError.unreadable(path: name.string, reason: error.description)
    }
  }

  // MARK: - Archive

  /// Feeds are zipped with a folder around them at times, so the last component counts.
  private static func members(ofArchive path: String) async throws -> [String: String] {
    // A gigabyte of member names is not a feed.
    let listing = try await unzip(["-Z1", "--", path], archive: path) {
      try await Subprocess.run(
        .name("unzip"), arguments: $0, output: .string(limit: 1 << 24), error: .string(limit: 4096))
    }
    try check(listing.terminationStatus, listing.standardError, archive: path)
    var members: [String: String] = [:]
    for member in listing.standardOutput.split(separator: "\n").map(String.init) {
      guard let name = member.split(separator: "/").last, !member.hasSuffix("/") else { continue }
      let known = members[String(name)]
      if known.map({ member.count < $0.count }) ?? true { members[String(name)] = member }
    }
    return members
  }

  private func readMember(
    _ member: String, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) async throws {
    // unzip takes a member's name for a pattern.
    let pattern = member.reduce(into: "") { pattern, character in
      if "*?[\\".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
    let result = try await Self.unzip(["-p", "--", path, pattern], archive: path) {
      try await Subprocess.run(
        .name("unzip"), arguments: $0, input: .none, output: .sequence,
        error: .string(limit: 4096)
      ) { execution in
        for try await piece in execution.standardOutput {
          try piece.withUnsafeBytes { try body($0) }
        }
      }
    }
    try Self.check(result.terminationStatus, result.standardError, archive: path)
  }

  private static func unzip<Result>(
    _ arguments: [String], archive: String, run: (Arguments) async throws -> Result
  ) async throws -> Result {
    do {
      return try await run(Arguments(arguments))
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw GTFSError.noUnzip
    }
  }

  private static func check(
    _ status: TerminationStatus, _ complaint: String, archive: String
  ) throws {
    guard !status.isSuccess else { return }
    // unzip prints the file's name first, in brackets.
    let lines = complaint.split(whereSeparator: \.isNewline)
      .map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty && $0.first != "[" }
    let reason = lines.first ?? "it ended with \(status)"
    throw GTFSError.badArchive(path: archive, reason: String(reason))
  }
}
