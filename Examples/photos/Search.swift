// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PhotosModel

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds the photos with a tag that begins with a text.",
    discussion: """
      --before searches with MATCHES; --after fetches the tags first and follows the relationship; \
      --form begins finds photos whose tag begins with it.
      """)

  @Argument(help: "How the tag begins; case and marks do not count.")
  var text: String

  @OptionGroup var version: VersionOption

  @Flag(help: "Search with the naive or the optimized version.")
  var manner = Manner.after

  @Option(help: "One form, instead of those of --before and --after.")
  var form: TagSearch?

  @OptionGroup var folder: FolderOption

  func run() throws {
    let store = try PhotoStore(in: folder.folder, version.version)
    let form = form ?? (manner == .before ? .matches : .related)
    let report = try store.search(text, form)
    for label in report.labels { print("  \(label)") }
    print("\(form.rawValue): \(report.labels.count) photos, \(report.duration.milliseconds)")
  }
}
