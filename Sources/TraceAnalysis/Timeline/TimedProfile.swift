// SPDX-License-Identifier: Apache-2.0

public import TraceReading

/// A profile, and when its events happened.
public struct TimedProfile: Sendable {
  /// The sums of the run.
  public var profile: Profile
  /// Nil if it was not requested, or where only saved reports were read, which hold sums.
  public var timeline: Timeline?

  /// Makes a profile with a timeline.
  public init(profile: Profile, timeline: Timeline? = nil) {
    self.profile = profile
    self.timeline = timeline
  }

  /// Reads traces and logs to their ends, once for both.
  ///
  /// - Parameters:
  ///   - paths: traces and logs.
  ///   - filter: which events they are of.
  ///   - isTimed: whether the timeline is wanted.
  ///   - progress: called now and then.
  /// - Throws: `TraceReadingError` where an input cannot be read at all.
  public init(
    reading paths: [String], filter: EventFilter = EventFilter(), isTimed: Bool = true,
    progress: (ReadingProgress) -> Void = { _ in }
  ) throws {
    var builder = ProfileBuilder(filter, isTimed: isTimed)
    let report = try builder.read(paths, progress: progress)
    self = builder.timedProfile(of: report)
    profile.selection = filter.words
  }
}
