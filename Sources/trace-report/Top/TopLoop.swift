// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

/// Reads events and shows a frame each interval, until the end is requested.
struct TopLoop {
  let source: TopSource
  let view: any TopView
  let interval: Duration
  /// The number of frames to show; nil for no limit.
  let count: Int?

  private var profile = LiveProfile()
  private var began = ContinuousClock.now
  private var intervalBegan = ContinuousClock.now
  private var frames = 0

  init(_ source: TopSource, view: any TopView, interval: Duration, count: Int?) {
    (self.source, self.view, self.interval, self.count) = (source, view, interval, count)
  }

  // 100 ms is arbitrary: keys are handled quickly, and polling stays cheap.
  private static let pause: Int32 = 100

  /// - Throws: ``Failure``, or ``ArgumentParser/ExitCode``.
  mutating func run() throws {
    view.begin()
    defer { view.end() }
    var isEnded = false
    while Signals.end == nil {
      // A program that emits many events must not prevent frames from being shown.
      try source.read(until: .now + .milliseconds(200)) { profile.add($0) }
      // Not the events that were read before the program ended: the last ones came after them.
      let isLast = isEnded && source.isDrained
      isEnded = source.ending != nil
      if isLast || .now - intervalBegan >= interval {
        show()
        if count.map({ frames >= $0 }) ?? false { return }
        if isLast, !view.staysAfterEnd { return }
      }
      switch view.wait(milliseconds: min(Self.pause, untilNextFrame)) {
      case .quit: return
      case .reset: reset()
      case nil: break
      }
    }
  }

  private var untilNextFrame: Int32 {
    let left = interval - (.now - intervalBegan)
    return Int32(clamping: max(1, Int64(left.nanoseconds / 1_000_000)))
  }

  private mutating func show() {
    let now = ContinuousClock.now
    let elapsed = (now - intervalBegan).nanoseconds
    let interval = profile.endInterval(lasting: elapsed, source.reader.report)
    var frame = TopFrame(interval, source: source.name, elapsed: (now - began).nanoseconds)
    if let ending = source.ending { frame.state = .ended(ending) }
    intervalBegan = now
    frames += 1
    view.show(frame)
  }

  private mutating func reset() {
    profile.reset()
    began = .now
    intervalBegan = .now
  }
}

extension Duration {
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// A request of a view to the loop.
enum TopRequest { case quit, reset }

/// The output for frames.
protocol TopView: AnyObject {
  /// Whether the last frame stays until a key is pressed.
  var staysAfterEnd: Bool { get }
  func begin()
  func show(_ frame: TopFrame)
  /// Waits for keys, or for the time.
  func wait(milliseconds: Int32) -> TopRequest?
  func end()
}
