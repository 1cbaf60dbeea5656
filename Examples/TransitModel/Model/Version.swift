// SPDX-License-Identifier: Apache-2.0

/// The two ways to store and to search the same stops: naive and optimized.
public enum Version: String, Hashable, Sendable, CaseIterable {
  /// No index on the coordinates; the subquery first; searches on displayed names.
  case before
  /// An index on longitude and latitude together; cheap terms first; normalized names.
  case after

  /// The version that a model being built on this task is for: it decides the indexes.
  @TaskLocal static var ofModel = Version.after
}
