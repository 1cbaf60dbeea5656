// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DatabaseLocks

@Suite struct SQLiteImageTests {
  private static let source =
    "\u{0}2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3alt1\u{0}"

  private static func image(_ text: String) -> SQLiteImage? {
    Array(text.utf8).withUnsafeBytes { SQLiteImage(path: "/lib/x.so", $0) }
  }

  @Test func isFoundByTheIDOfItsSource() {
    let image = Self.image("ELF 12:30 \(Self.source)abc\u{0}3.40.1\u{0}")
    #expect(image?.version == "3.40.1")
    #expect(image?.date == "2022-12-28")
  }

  @Test(arguments: [
    "3.40.1\u{0}", "2022-12-28 14:03:47 and no hash of forty digits follows, but text instead",
    "SQLite format 3\u{0}",
  ])
  func isNotFoundInOtherFiles(text: String) { #expect(Self.image(text) == nil) }

  @Test func twoVersionsAreNone() {
    #expect(Self.image("\(Self.source)3.40.1\u{0}3.11.7\u{0}")?.version == nil)
  }

  @Test(arguments: [
    ("3.7.0", false), ("3.40.1", false), ("3.44.5", false), ("3.44.6", true), ("3.45.3", false),
    ("3.50.6", false), ("3.50.7", true), ("3.51.2", false), ("3.51.3", true), ("3.52.0", true),
  ])
  func theFixOfTheReset(version: String, isThere: Bool) {
    #expect(Self.image("\(Self.source)\(version)\u{0}")?.hasResetFix == isThere)
  }

  @Test func theRegionsOfAProcessAreRead() {
    let map = ProcessMap(
      """
      5581a3400000-5581a3410000 r-xp 00001000 fe:00 4711                       /usr/bin/a program
      7f0693673000-7f069367b000 rw-s 00000000 fe:00 16228430                   /srv/app.db-shm
      7f069367b000-7f0693683000 rw-s 00008000 fe:00 16228430                   /srv/app.db-shm
      7ffc0a5e2000-7ffc0a603000 rw-p 00000000 00:00 0                          [stack]
      7ffc0a7f3000-7ffc0a7f5000 r-xp 00000000 00:00 0                          [vdso]
      """)
    #expect(map.images == ["/usr/bin/a program"])
    #expect(map.addresses(of: ["/srv/app.db-shm"]) == [0x7f06_9367_3000])
    #expect(map.isFork(of: map))
  }
}
