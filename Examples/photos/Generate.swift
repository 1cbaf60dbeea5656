// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PhotosModel

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Invents photos, and keeps them in all three versions.")

  @Option(help: "How many photos.")
  var photos = 184

  @Option(help: "Pixels along each side of a photo; 256 take 197 KB.")
  var pixels = 256

  @Option(help: "Seed of everything random: the same seed makes the same photos.")
  var seed: UInt64 = 1

  @Flag(help: "Replace the files if they exist.")
  var force = false

  @OptionGroup var folder: FolderOption

  func validate() throws {
    guard photos > 0 else {
      throw ValidationError("--photos takes a number from 1 up, not \(photos).")
    }
    guard (1...4096).contains(pixels) else {
      throw ValidationError("--pixels takes a number from 1 to 4096, not \(pixels).")
    }
  }

  func run() throws {
    let album = Album(count: photos, side: pixels, seed: seed)
    try PhotoStore.make(in: folder.folder, album, replacing: force)
    for version in PhotoVersion.allCases {
      print("made \(PhotoStore.path(in: folder.folder, version)): \(photos) photos, seed \(seed)")
    }
  }
}
