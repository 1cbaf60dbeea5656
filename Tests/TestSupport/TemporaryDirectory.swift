// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A folder that goes when its last user goes.
public final class TemporaryDirectory: Sendable {
  public let url: URL

  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in the folder; the file need not exist.
  public func path(_ name: String) -> String { url.appending(path: name).path }
}
