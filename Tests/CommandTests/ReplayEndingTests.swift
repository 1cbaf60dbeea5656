// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// However a replay ends, the original, its folder and TMPDIR are as they were.
@Suite struct ReplayEndingTests {
  private let sample: RecordedLoans
  init() throws { sample = try RecordedLoans() }

  private func makeFolder() throws -> String {
    let path = sample.folder.path("tmp")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
  }

  @Test(arguments: [("KILL", 137), ("INT", 130), ("TERM", 130)])
  func aSignalLeavesNothing(signal: String, status: Int) async throws {
    try sample.makeDatabase()
    try await sample.record(
      """
      db = sqlite3.connect("app.db")
      for i in range(200): db.execute("SELECT count(*) FROM loan a, loan b WHERE a.id < 300 AND a.day < b.day").fetchone()

      """)
    let other = try TemporaryDirectory()
    let temporary = other.url.path
    let before = try FolderSnapshot(sample.folder.url)
    let run = try await BuiltTool("trace-report").run(
      through: [
        "bash", "-c",
        """
        # Job control: a shell starts a job in the background with SIGINT ignored otherwise.
        set -m
        TMPDIR='\(temporary)' "$0" "$@" &
        until [ "$(ls '\(temporary)'/storescope-*/1.sqlite 2>/dev/null | wc -l)" = 2 ]; do sleep 0.05; done
        kill -\(signal) $!
        wait $!
        status=$?
        # A process of its own removes the copies.
        for i in $(seq 600); do [ -z "$(ls '\(temporary)')" ] && break; sleep 0.05; done
        exit $status
        """,
      ], ["replay", sample.trace])
    #expect(run.status == Int32(status), "\(run.errorOutput)")
    #expect(try FolderSnapshot(sample.folder.url) == before)
    #expect(try FolderSnapshot(other.url).names.isEmpty)
  }

  /// A real file system of 1 MB, in a namespace of its own.
  @Test func aFullDiskIsNamed() async throws {
    try sample.makeDatabase()
    try await sample.record(
      """
      db = sqlite3.connect("app.db")
      for i in range(60):
          with db: db.execute("INSERT INTO loan(book, day) VALUES (?, ?)", (i, "x" * 40000))

      """)
    let temporary = try makeFolder()
    let mount = """
      mount -t tmpfs -o size=1m tmpfs '\(temporary)' || exit 77
      TMPDIR='\(temporary)' "$0" "$@"
      status=$?
      ls -A '\(temporary)' >&2
      exit $status
      """
    let before = try FolderSnapshot(sample.folder.url)
    let run = try await BuiltTool("trace-report").run(
      through: ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount],
      ["replay", sample.trace])
    // 77 and unshare's own failure: no namespaces here.
    if run.status == 77 || run.errorOutput.contains("unshare") {
      print("skipped aFullDiskIsNamed: \(run.errorOutput)")
      return
    }
    #expect(run.status == 1, "\(run.output)\(run.errorOutput)")
    #expect(run.errorOutput.contains("a copy cannot be written: "), "\(run.errorOutput)")
    #expect(run.errorOutput.split(separator: "\n").count == 1, "\(run.errorOutput)")
    #expect(try FolderSnapshot(sample.folder.url) == before)
  }

  @Test func aDiskWithoutRoomForTheCopiesIsNamedBefore() async throws {
    try sample.makeDatabase(mode: "DELETE", "CREATE TABLE filler AS SELECT zeroblob(2000000)")
    try await sample.record(RecordedLoans.program)
    let temporary = try makeFolder()
    let mount = """
      mount -t tmpfs -o size=1m tmpfs '\(temporary)' || exit 77
      TMPDIR='\(temporary)' "$0" "$@"
      """
    let run = try await BuiltTool("trace-report").run(
      through: ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount],
      ["replay", sample.trace])
    if run.status == 77 || run.errorOutput.contains("unshare") {
      print("skipped aDiskWithoutRoomForTheCopiesIsNamedBefore: \(run.errorOutput)")
      return
    }
    #expect(run.status == 1 && run.errorOutput.contains("are needed in"), "\(run.errorOutput)")
  }
}
