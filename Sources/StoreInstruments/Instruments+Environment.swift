// SPDX-License-Identifier: Apache-2.0

extension Instruments {
  /// The instruments that the environment configures: tracepoints and, with `STORE_SQL_DEBUG`, the
  /// debug log; with `STORE_TRACE_VALUES=1`, the values that statements bind are recorded as well.
  ///
  /// - Parameters:
  ///   - debugLog: Takes the place of the environment's.
  ///   - observers: Are notified as well.
  public static func fromEnvironment(
    debugLog: DebugLog? = nil, adding others: any StoreObserver...
  ) -> Instruments {
    var observers: [any StoreObserver] = [Tracepoints()]
    if let log = debugLog ?? DebugLog.fromEnvironment { observers.append(log) }
    observers += others
    let instruments = Instruments(
      observers: observers, intervals: .timed, recordsValues: ValueRecorder.isEnabledByEnvironment)
    LastSamples.register(instruments)
    return instruments
  }
}
