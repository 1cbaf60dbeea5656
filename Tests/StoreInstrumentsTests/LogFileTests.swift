// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import StoreInstruments

/// Which symbolic links the file of a log may be behind.
@Suite struct LogFileTests {
  private let folder: TemporaryDirectory
  private var target: String { folder.path("target.txt") }

  init() throws { folder = try TemporaryDirectory() }

  /// Makes a folder with a link to the target.
  private func link(in name: String, mode: Int) throws -> String {
    let path = folder.path(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: path + "/log.txt", withDestinationPath: target)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path + "/log.txt"
  }

  @Test(arguments: [0o777, 0o1777, 0o775])
  func aLinkInAFolderThatOthersMayWriteIsNotFollowed(mode: Int) throws {
    let descriptor = LogFile.open(try link(in: "shared", mode: mode))
    #expect(descriptor < 0 && errno == ELOOP)
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test func aLinkInAFolderOfOurOwnIsFollowed() throws {
    let descriptor = LogFile.open(try link(in: "own", mode: 0o755))
    #expect(descriptor >= 0)
    close(descriptor)
    #expect(FileManager.default.fileExists(atPath: target))
  }

  @Test func aFileInAFolderThatOthersMayWriteIsAppendedTo() throws {
    let path = folder.path("shared")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: path)
    for line in ["one\n", "two\n"] {
      let descriptor = LogFile.open(path + "/log.txt")
      #expect(descriptor >= 0)
      #expect(write(descriptor, line, 4) == 4)
      close(descriptor)
    }
    #expect(try String(contentsOfFile: path + "/log.txt", encoding: .utf8) == "one\ntwo\n")
  }

  @Test func linksThatLeadToEachOtherAreAnError() throws {
    let path = folder.path("loop.txt")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    #expect(LogFile.open(path) < 0 && errno == ELOOP)
  }

  @Test func aMissingFolderIsAnError() {
    #expect(LogFile.open(folder.path("none/log.txt")) < 0 && errno == ENOENT)
  }
}
