// SPDX-License-Identifier: Apache-2.0

extension Instruments {
  /// The instruments that the environment asks for: tracepoints and, with `STORE_SQL_DEBUG`, the
  /// debug log.
  ///
  /// - Parameter debugLog: Takes the place of the environment's.
  public static func fromEnvironment(debugLog: DebugLog? = nil) -> Instruments {
    var observers: [any StoreObserver] = [Tracepoints()]
    if let log = debugLog ?? DebugLog.fromEnvironment { observers.append(log) }
    let instruments = Instruments(observers: observers, intervals: .timed)
    LastSamples.register(instruments)
    return instruments
  }
}
