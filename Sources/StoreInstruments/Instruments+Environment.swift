// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Instruments {
  /// The instruments that the environment configures: tracepoints and, with `STORE_SQL_DEBUG`, the
  /// debug log; with `STORE_TRACE_VALUES=1`, the values that statements bind are recorded as well, and
  /// with `STORE_TRACE_IO=1` what they read, write and sync.
  ///
  /// - Parameters:
  ///   - debugLog: Overrides the environment's.
  ///   - observers: Are notified as well.
  public static func fromEnvironment(
    debugLog: DebugLog? = nil, adding others: any StoreObserver...
  ) -> Instruments {
    var observers: [any StoreObserver] = [Tracepoints()]
    if let log = debugLog ?? DebugLog.fromEnvironment { observers.append(log) }
    observers += others
    let instruments = Instruments(
      observers: observers, intervals: .timed, recordsValues: ValueRecorder.isEnabledByEnvironment,
      recordsIO: isIOEnabled)
    LastSamples.register(instruments)
    return instruments
  }

  /// `STORE_TRACE_IO=1`.
  private static var isIOEnabled: Bool {
    guard let setting = getenv("STORE_TRACE_IO").map({ String(cString: $0) }) else { return false }
    return !setting.isEmpty && setting != "0"
  }
}
