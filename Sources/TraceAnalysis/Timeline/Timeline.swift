// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The course of a trace over time: equal intervals with their counts, and the longest events one
/// by one.
///
/// Its size has a limit, however long the trace is: the stretches grow wider with it.
public struct Timeline: Sendable {
  /// The first event, in nanoseconds since 1970-01-01 00:00 UTC.
  public var start: Nanoseconds = 0
  /// The width of a bucket.
  public var bucketWidth: Nanoseconds = 1
  /// The buckets, without gaps.
  public var buckets: [Bucket] = []
  /// The tracks, one of each kind.
  public var tracks: [Track] = []
  /// Whether it has statements of the probe, and no event of an object store.
  public var isObserved = false
  /// The counts and times that its events have.
  public var measures = Measures.all
  /// Processes with their contexts, or with the connections that the probe observes.
  public var lanes: [Lane] = []
  /// The statements and lines of code that ``Bucket/runs`` counts, by its keys.
  public var runs: [Run] = []
  /// By the keys of ``Bucket/faults``.
  public var faults: [FaultProfile.Origin] = []
  /// By the keys of ``Bucket/saves``.
  public var saves: [SourceLocation] = []
  /// By start time.
  public var slices: [Slice] = []
  /// Reads that pinned a write-ahead log, longest first.
  public var pins: [Pin] = []
  /// The number of events that can be slices; ``slices`` may have only the longest.
  public var sliceable: UInt64 = 0

  /// The events that ended in a time span.
  public struct Bucket: Hashable, Sendable {
    /// The totals of the bucket.
    public var totals = Profile.Totals()
    /// The runs by statement and line of code.
    public var runs = LimitedSums<RunSum>()
    /// The faults by origin.
    public var faults = LimitedSums<FaultSum>()
    /// The saves by line of code.
    public var saves = LimitedSums<SaveSum>()
  }

  /// One kind of event over time.
  public struct Track: Hashable, Sendable {
    /// The kind of a track.
    public enum Kind: Int, CaseIterable, Hashable, Sendable {
      /// Slices of this kind.
      case fetches, faults, cacheMisses, saves, lockWaits, checkpoints
      /// Transactions, for the time that they blocked other writers; they are not slices.
      case writeLocks
      /// The size of the largest write-ahead log: the counts are bytes.
      case logSize
      /// Reads during which others committed often, so that no checkpoint could pass them.
      case pinnedLog
    }

    /// The kind.
    public var kind: Kind
    /// Events by the bucket in which they ended.
    public var counts: [UInt64]
    /// Nanoseconds of their work in each bucket.
    public var busy: [Nanoseconds]
  }

  /// The work of one context of a process, over time.
  public struct Lane: Hashable, Sendable {
    /// The name of the thread.
    public var name: String
    /// Nanoseconds of its work in each bucket.
    public var busy: [Nanoseconds]
  }

  /// One line of code running one statement.
  public struct Run: Hashable, Sendable {
    /// The statement's id.
    public var statement: StatementID
    /// The line of code.
    public var caller: SourceLocation
  }

  /// A read that pinned a write-ahead log.
  public struct Pin: Hashable, Sendable {
    /// The program.
    public var process: String
    /// The line of code that reads.
    public var location: SourceLocation
    /// How long it was open.
    public var duration: Nanoseconds
  }

  /// One event, its times from ``Timeline/start``.
  public struct Slice: Hashable, Sendable {
    /// The kind.
    public var kind: Track.Kind
    /// The time of its begin, after the start of the trace.
    public var begin: Nanoseconds
    /// Its duration.
    public var duration: Nanoseconds
    /// Its index in ``Timeline/lanes``.
    public var lane: Int
    /// Its index in ``Timeline/runs``, ``Timeline/faults`` or ``Timeline/saves``; nil for waits.
    public var subject: Int?
    /// Rows returned.
    public var rows: UInt64
    /// The number of slices of its lane that contain it.
    public var depth = 0

    var end: Nanoseconds { begin &+ duration }
  }
}
