// SPDX-License-Identifier: Apache-2.0

import Glibc
import QueryPlans
import TraceAnalysis
import TraceRendering

/// One block of text, or one line of JSON, per interval.
final class TopLines: TopView {
  enum Form { case text, json }

  private let form: Form
  private let order: TopOrder
  private let top: Int
  let staysAfterEnd = false

  init(_ form: Form, order: TopOrder, top: Int) {
    (self.form, self.order, self.top) = (form, order, top)
  }

  func begin() {}
  func end() {}

  func show(_ frame: TopFrame) {
    var frame = frame
    frame.order = order
    switch form {
    case .text:
      Output.print(Document(frame, time: Self.time, top: top).text(.ofStandardOutput))
    case .json:
      guard let line = try? JSONText.line(TopV1(frame, top: top)) else { return }
      Output.print(line)
    }
  }

  func wait(milliseconds: Int32) -> TopRequest? {
    _ = Key.wait(on: -1, milliseconds: milliseconds)
    return nil
  }

  /// The time of day, such as `14:12:28`.
  private static var time: String { LocalTime.text("%H:%M:%S") }
}

/// A terminal's screen, with its keys.
final class TopTerminal: TopView {
  private let keys: Int32
  private let isColored: Bool
  private var order: TopOrder
  private var isPaused = false
  private var selection: SQLFingerprint?
  private var frame: TopFrame?
  let staysAfterEnd = true

  /// Nil if standard output is not a terminal, or no key can be read.
  init?(order: TopOrder, isColored: Bool) {
    guard Output.isTerminal(STDOUT_FILENO) else { return nil }
    keys = Output.isTerminal(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC)
    guard keys >= 0 else { return nil }
    self.order = order
    self.isColored = isColored
  }

  func begin() {
    Signals.catchTerminal()
    _ = TerminalScreen.enter(keys: keys)
    TerminalScreen.show(["trace-report top: waiting for the first second"])
  }

  func end() { TerminalScreen.leave() }

  func show(_ frame: TopFrame) {
    if isPaused { return }
    self.frame = frame
    draw()
  }

  private func draw() {
    guard var frame else { return }
    frame.order = order
    frame.selection = selection
    if isPaused { frame.state = .paused }
    let size = TerminalScreen.size
    TerminalScreen.show(
      frame.screen(columns: size.columns, rows: size.rows, isColored: isColored))
  }

  func wait(milliseconds: Int32) -> TopRequest? {
    let pressed = Key.wait(on: keys, milliseconds: milliseconds)
    if Signals.consumeSuspension() { suspend() }
    if Signals.consumeResize() { draw() }
    for key in pressed {
      switch key {
      case .character("q"): return .quit
      case .character("r"): return .reset
      case .character("s"): order = order.next
      case .character("p"), .character(" "): isPaused.toggle()
      case .up: select(by: -1)
      case .down: select(by: 1)
      case .escape: selection = nil
      case .character: continue
      }
      draw()
    }
    return nil
  }

  /// Moves the selection; moving up from the first statement removes it.
  private func select(by step: Int) {
    guard var frame else { return }
    frame.order = order
    let statements = frame.statements.map(\.group.fingerprint)
    let index = selection.flatMap { statements.firstIndex(of: $0) } ?? -1
    let next = min(index + step, statements.count - 1)
    selection = next >= 0 ? statements[next] : nil
  }

  /// Restores the terminal, stops the process as Ctrl-Z does, and continues when resumed.
  private func suspend() {
    TerminalScreen.leave()
    raise(SIGSTOP)
    _ = TerminalScreen.enter(keys: keys)
    draw()
  }
}
