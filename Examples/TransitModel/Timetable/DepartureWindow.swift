// SPDX-License-Identifier: Apache-2.0

/// A span of service times, both ends included.
public struct DepartureWindow: Hashable, Sendable {
  /// The first time in it.
  public var from: ServiceTime
  /// The last time in it.
  public var until: ServiceTime
  /// Seconds to add to a service time in this window for the clock's time, counted from the
  /// midnight before the search: 0 for today's service, a day less for yesterday's, a day more for
  /// tomorrow's.
  public var clockOffset: Int64

  /// Finds the service times that leave in the minutes after a time on the clock.
  ///
  /// At night one clock time belongs to two service days: at 00:10, rides of today at 00:10 and
  /// rides of yesterday at 24:10 depart at the same time. At 23:50 the window extends into
  /// tomorrow, which starts again at 00:00. The window is therefore one span by day and two around
  /// midnight:
  ///
  ///     23:50 + 20 min   23:50:00–24:10:00 today, 00:00:00–00:10:00 tomorrow
  ///     00:10 + 20 min   00:10:00–00:30:00 today, 24:10:00–24:30:00 yesterday
  ///     08:30 + 20 min   08:30:00–08:50:00 today
  ///
  /// The timetable is taken to be the same every day: the store keeps no calendar.
  ///
  /// - Parameters:
  ///   - clock: the time on the clock, 00:00:00 to 23:59:59.
  ///   - minutes: the length of the window, up to a day.
  public static func departures(after clock: ServiceTime, minutes: Int) -> [DepartureWindow] {
    let start = clock.seconds % ServiceTime.day
    let end = start + Int64(min(max(minutes, 0), 24 * 60)) * 60
    var windows = [DepartureWindow(start, end, clockOffset: 0)]
    if start + ServiceTime.day <= ServiceTime.latest.seconds {
      windows.append(
        DepartureWindow(
          start + ServiceTime.day, end + ServiceTime.day, clockOffset: -ServiceTime.day))
    }
    if end >= ServiceTime.day {
      windows.append(DepartureWindow(0, end - ServiceTime.day, clockOffset: ServiceTime.day))
    }
    return windows
  }

  private init(_ from: Int64, _ until: Int64, clockOffset: Int64) {
    self.from = ServiceTime(seconds: from)
    self.until = ServiceTime(seconds: until)
    self.clockOffset = clockOffset
  }

  /// Whether a service time is in the window.
  public func contains(_ time: ServiceTime) -> Bool { from <= time && time <= until }
}
