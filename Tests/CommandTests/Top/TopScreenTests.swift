// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StoreEvents
import TestSupport
import Testing

/// `top` on a terminal: the real program, its keys, and the resulting screen.
@Suite struct TopScreenTests {
  private let log: GrowingLog
  init() throws { log = try GrowingLog() }

  private func top(
    _ options: String..., environment: [String: String] = [:], columns: Int = 80, rows: Int = 24
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      [Program("trace-report").path, "top", log.path, "--interval", "100ms"] + options,
      environment: environment, columns: columns, rows: rows)
  }

  @Test func showsNewEventsOfTheLog() async throws {
    let terminal = try top()
    #expect(try await terminal.waits { $0.contains("no statement has run yet") })
    #expect(terminal.screen.isAlternate && !terminal.screen.isCursorVisible)
    try log.append { for _ in 1...4 { $0.fetch(GrowingLog.sql, rows: 15) } }
    #expect(try await terminal.waits { $0.contains("4 fetches, 60 rows, 0 faults") })
    #expect(terminal.screen.lines[0].hasPrefix("transit[2367]"))
    #expect(terminal.screen.contains("FROM ZSTOP t0 WHERE  t0.ZNAME = ?"))
    #expect(terminal.screen.lines[23] == "q quit  s sort  p pause  r reset  ↑↓ statement")
    try log.append {
      $0.fault()
      $0.fetch(GrowingLog.sql, rows: 1)
    }
    #expect(try await terminal.waits { $0.contains("5 fetches, 61 rows, 1 fault, 1 miss") })
    #expect(terminal.screen.contains("Stop at transit/Search.swift:42"))
    terminal.press("q")
    #expect(try await terminal.end() == 0)
    #expect(!terminal.screen.isAlternate && terminal.screen.isCursorVisible)
    #expect(terminal.isAsShellsWant)
    #expect(terminal.screen.unknown == [])
    #expect(!terminal.screen.hasOverflowed)
  }

  @Test func keysSortSelectPauseAndReset() async throws {
    try log.append {
      $0.fetch(GrowingLog.sql, total: 9000)
      $0.fetch("SELECT 0, t0.Z_PK FROM ZLINE t0", total: 1000)
    }
    let terminal = try top()
    #expect(try await terminal.waits { $0.contains("2 fetches") })
    #expect(terminal.screen.lines[0].hasSuffix("by now"))
    terminal.press("s")
    #expect(try await terminal.waits { $0.lines[0].hasSuffix("by total") })
    terminal.press("\u{1b}[B")
    #expect(try await terminal.waits { $0.contains("▸ FROM ZSTOP t0") || $0.contains("▸ SELECT") })
    #expect(terminal.screen.contains(" · transit/Search.swift:42 ×1"))
    terminal.press("\u{1b}[B")
    #expect(
      try await terminal.waits {
        $0.lines.contains { $0.contains("▸") && $0.contains("ZLINE") }
      })
    terminal.press("\u{1b}[A\u{1b}[A")
    #expect(try await terminal.waits { !$0.contains("▸") })
    terminal.press("p")
    #expect(try await terminal.waits { $0.lines[0].hasSuffix("paused") })
    try log.append { $0.fetch(GrowingLog.sql) }
    try await Task.sleep(for: .milliseconds(300))
    #expect(try await terminal.waits { $0.contains("2 fetches") })
    terminal.press("p")
    #expect(try await terminal.waits { $0.contains("3 fetches") })
    terminal.press("r")
    #expect(try await terminal.waits { $0.contains("0 fetches, 0 rows") })
    terminal.press("q")
    #expect(try await terminal.end() == 0)
  }

  @Test(arguments: [(30, 8), (10, 3), (1, 1), (200, 60)])
  func fitsTheTerminalAfterAResize(columns: Int, rows: Int) async throws {
    try log.append { for _ in 1...30 { $0.fetch("SELECT 0 FROM Z漢字 t0 WHERE t0.Z漢 = '🚇'") } }
    let terminal = try top()
    #expect(try await terminal.waits { $0.contains("30 fetches") })
    terminal.resize(columns: columns, rows: rows)
    // The screen is drawn again in the new size.
    #expect(try await terminal.waits { $0.lines.contains { !$0.isEmpty } })
    try await Task.sleep(for: .milliseconds(250))
    #expect(try await terminal.waits { $0.lines[0].hasPrefix("t") || columns == 1 })
    #expect(!terminal.screen.hasOverflowed)
    terminal.press("q")
    #expect(try await terminal.end() == 0)
    #expect(terminal.screen.unknown == [])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalsRestoreTheTerminal(signal: Int32)
    async throws
  {
    let terminal = try top()
    #expect(try await terminal.waits { $0.isAlternate && $0.contains("fetches/s") })
    #expect(!terminal.isAsShellsWant)
    kill(terminal.process, signal)
    #expect(try await terminal.end() == 0)
    #expect(!terminal.screen.isAlternate && terminal.screen.isCursorVisible)
    #expect(terminal.isAsShellsWant)
  }

  @Test(arguments: [SIGSEGV, SIGILL, SIGABRT]) func crashesRestoreTheTerminal(signal: Int32)
    async throws
  {
    let terminal = try top()
    #expect(try await terminal.waits { $0.isAlternate && $0.contains("fetches/s") })
    kill(terminal.process, signal)
    #expect(try await terminal.end() == 128 + signal)
    #expect(!terminal.screen.isAlternate && terminal.screen.isCursorVisible)
    #expect(terminal.isAsShellsWant)
  }

  @Test func interruptKeyEndsTop() async throws {
    let terminal = try top()
    #expect(try await terminal.waits { $0.contains("fetches/s") })
    terminal.press("\u{3}")
    #expect(try await terminal.end() == 0)
    #expect(terminal.isAsShellsWant)
  }

  @Test func colorsAreLeftOutIfNotWanted() async throws {
    for (environment, hasColors) in [
      ([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
    ] {
      let terminal = try top(environment: environment)
      #expect(try await terminal.waits { $0.contains("no statement has run yet") })
      #expect(terminal.screen.colors.isEmpty != hasColors)
      terminal.press("q")
      #expect(try await terminal.end() == 0)
    }
  }

  @Test func dataCannotMoveTheCursor() async throws {
    try log.append {
      $0.fetch("SELECT '\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}5A' FROM ZSTOP t0", at: .search)
    }
    let terminal = try top()
    #expect(try await terminal.waits { $0.contains("1 fetch") })
    terminal.press("\u{1b}[B")
    #expect(try await terminal.waits { $0.contains("▸") })
    #expect(terminal.screen.contains("u{1b}"))
    #expect(terminal.screen.unknown == [])
    terminal.press("q")
    #expect(try await terminal.end() == 0)
  }
}
