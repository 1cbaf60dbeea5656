// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import PhotosModel

@main
struct Photos: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photos",
    abstract: "Lists and searches photos that are kept in three ways.",
    discussion: """
      Make the photos, then see what each version costs:

        photos generate
        photos list --version 1
        photos list --version 2 --click 7 --click 7
        photos list --version 2 --scroll --before
        photos list --version 2 --scroll --after
        photos search rom --before

      To see the SQL of a step, set STORE_SQL_DEBUG=1, or run it under
      'trace-report record -o t --'.
      """,
    subcommands: [Generate.self, List.self, Search.self])
}

/// The path of the photos.
struct FolderOption: ParsableArguments {
  @Option(help: "The folder of photos-1.sqlite, photos-2.sqlite and photos-3.sqlite.")
  var folder = "."
}

struct VersionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "1: the bytes in the listed row. 2: in an entity of their own. 3: with thumbnails and tags.",
      valueName: "1|2|3"))
  var version = PhotoVersion.third
}

extension PhotoVersion: ExpressibleByArgument {}
extension Manner: EnumerableFlag {}
extension TagSearch: ExpressibleByArgument {}

extension Duration {
  /// `0.412 ms`.
  var milliseconds: String {
    formatted(.units(allowed: [.milliseconds], width: .narrow, fractionalPart: .show(length: 3)))
      .replacing("ms", with: " ms")
  }
}
