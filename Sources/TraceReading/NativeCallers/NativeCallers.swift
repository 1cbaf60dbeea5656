// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Finds the line of the application for the return addresses of native callers.
///
/// The files that the program had loaded must be on this host, unchanged. Addresses that cannot be
/// resolved are counted, and the report states why.
final class NativeCallers {
  /// In the order in which a reader can do most about them.
  private enum Obstacle: Hashable {
    case noSymbolizer
    case changed(module: String)
    case missing(module: String)
    case otherHost(String)
    case tooMany
  }

  private lazy var symbolizer = Symbolizer()
  private var images: [String: ModuleImage?] = [:]
  private var lines: [NativeFrame: [SymbolizedLine]] = [:]
  private var obstacles: [Obstacle: Int] = [:]
  private let host = HostName.current
  // 50,000 is arbitrary: at about 50 µs each, they take seconds. A program has a few hundred.
  private static let maxAddresses = 50_000

  /// Passes a record on: a native caller with its file and its line, if they are found.
  @inline(__always)
  func pass(_ record: EventRecord, to body: (EventRecord) throws -> Void) rethrows {
    if case .caller = record.event { try body(resolve(record)) } else { try body(record) }
  }

  func resolve(_ record: EventRecord) -> EventRecord {
    guard case .caller(var caller) = record.event, caller.file.isEmpty, !caller.frames.isEmpty
    else { return record }
    let frames = NativeFrame.frames(caller.frames)
    // The function is that of the first frame: one of a driver is no location of the program.
    if let first = frames.first, first.isFromSharedLibrary || first.isFromInterpreter {
      caller.function = ""
    } else if caller.function.hasPrefix("_cgo_") {
      // Go makes one for each function of C that is called.
      caller.function = ""
    }
    if ["", host].contains(record.process.host) {
      let own = frames.filter { !$0.isFromSystem && !$0.isFromInterpreter }
      if let (line, module) = line(of: own, at: record.timestamp) {
        caller.file = line.file.path(besideProgram: module)
        caller.line = line.line
        caller.function = line.function
      }
    } else {
      obstacles[.otherHost(record.process.host), default: 0] += 1
    }
    var record = record
    record.event = .caller(caller)
    return record
  }

  /// The first line of the application; else the first one of a library.
  private func line(
    of frames: [NativeFrame], at time: Nanoseconds
  ) -> (SymbolizedLine, module: String)? {
    var ofLibrary: (SymbolizedLine, module: String)?
    var obstacle: Obstacle?
    for frame in frames {
      let found = lines(at: frame, time, &obstacle)
      if let line = found.first(where: \.isFromApplication) { return (line, frame.module) }
      if found.contains(where: \.isFromCgo) {
        // Its caller is a helper of the driver, which is the same for each caller as well.
        ofLibrary = nil
      } else if ofLibrary == nil, let line = found.first(where: \.isFromProgram) {
        ofLibrary = (line, frame.module)
      }
    }
    if ofLibrary == nil, let obstacle { obstacles[obstacle, default: 0] += 1 }
    return ofLibrary
  }

  private func lines(
    at frame: NativeFrame, _ time: Nanoseconds, _ obstacle: inout Obstacle?
  ) -> [SymbolizedLine] {
    if let known = lines[frame] { return known }
    guard let image = image(frame.module) else {
      obstacle = obstacle ?? .missing(module: frame.module)
      return []
    }
    guard image.modified <= time else {
      obstacle = obstacle ?? .changed(module: frame.module)
      return []
    }
    guard let symbolizer else {
      obstacle = .noSymbolizer
      return []
    }
    guard lines.count < Self.maxAddresses else {
      obstacle = .tooMany
      return []
    }
    let (address, overflow) = image.base.addingReportingOverflow(frame.offset)
    let found = overflow ? [] : symbolizer.lines(at: address, in: frame.module)
    lines[frame] = found
    return found
  }

  private func image(_ module: String) -> ModuleImage? {
    if let known = images[module] { return known }
    // 1,000 is arbitrary: a program and its libraries.
    guard images.count < 1000 else { return nil }
    let image = ModuleImage(path: module)
    images[module] = .some(image)
    return image
  }

  /// The reasons why lines are not known, one sentence each.
  var remarks: [String] {
    func callers(_ count: Int) -> String {
      count == 1 ? "1 native caller" : "\(count) native callers"
    }
    let sentences = obstacles.map { obstacle, count in
      switch obstacle {
      case .noSymbolizer:
        "The lines of \(callers(count)) are not known: neither llvm-symbolizer nor addr2line is in PATH. "
          + "Install binutils, or llvm for Swift and Rust."
      case .changed(let module):
        "The lines of \(callers(count)) are not known: \(LogText.escaped(module)) was changed after it ran. "
          + "Record the program again."
      case .missing(let module):
        "The lines of \(callers(count)) are not known: \(LogText.escaped(module)) no longer exists here."
      case .otherHost(let name):
        "The lines of \(callers(count)) are not known: they ran on the host \(LogText.escaped(name)). "
          + "Read the trace there."
      case .tooMany:
        "The lines of \(callers(count)) are not known: they have more than 50,000 addresses."
      }
    }
    return sentences.sorted()
  }
}
