// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PhotosModel

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the list, then pictures by clicking or scrolling, and prints what each costs.",
    discussion: """
      --before fetches all photos at once and each picture when it is shown; --after fetches in \
      batches, and prefetches the pictures when it scrolls.
      """)

  @OptionGroup var version: VersionOption

  @Option(
    help: ArgumentHelp("Show the picture of a photo, from 1; may be repeated.", valueName: "n"))
  var click: [Int] = []

  @Flag(help: "Scroll through the whole list, showing every picture.")
  var scroll = false

  @Flag(help: "List with the naive or the optimized version.")
  var manner = Manner.before

  @OptionGroup var folder: FolderOption

  func run() throws {
    let store = try PhotoStore(in: folder.folder, version.version)
    let steps = [.launch] + click.map(TableStep.click) + (scroll ? [.scroll] : [])
    for report in try store.list(steps, manner) { print(report.text) }
  }
}

extension StepReport {
  /// `launch: 10 of 184 photos shown, 1 fetch, 0 faults, 0 cache misses, 36.3 MB read, 41.204 ms`.
  var text: String {
    let read = bytesRead.map { ", \(Self.megabytes($0)) MB read" } ?? ""
    func counted(_ count: UInt64, _ one: String, _ many: String) -> String {
      "\(count) \(count == 1 ? one : many)"
    }
    return
      "\(title), \(counted(fetches, "fetch", "fetches")), \(counted(faults, "fault", "faults")), "
      + "\(counted(cacheMisses, "cache miss", "cache misses"))\(read), \(duration.milliseconds)"
  }

  private var title: String {
    let size = "\(Self.megabytes(bytesShown)) MB"
    return switch step {
    case .launch: "launch: \(shown) of \(count) photos shown"
    case .click(let number): "click on photo \(number): \(size) shown"
    case .scroll: "scroll: \(shown) pictures, \(size) shown"
    }
  }

  /// `36.30` for 36,300,000 bytes.
  private static func megabytes(_ bytes: Int) -> String {
    let hundredths = (bytes + 5_000) / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
