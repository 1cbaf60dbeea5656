// SPDX-License-Identifier: Apache-2.0

extension Instruments {
  /// The instruments that the environment asks for: tracepoints, and with `STORE_SQL_DEBUG` the
  /// debug log.
  public static func fromEnvironment() -> Instruments {
    Instruments(observers: [Tracepoints()], intervals: .timed)
  }
}
