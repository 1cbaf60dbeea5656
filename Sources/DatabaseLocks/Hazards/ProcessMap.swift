// SPDX-License-Identifier: Apache-2.0

/// The memory of a process, as `/proc/PID/maps` lists it.
///
///     7f0693673000-7f069367b000 rw-s 00000000 fe:00 16228430      /srv/app.db-shm
///     7ffc0a5e2000-7ffc0a603000 rw-p 00000000 00:00 0             [stack]
struct ProcessMap {
  struct Region: Hashable {
    var start: UInt64
    var end: UInt64
    var offset: UInt64
    var isExecutable: Bool
    /// The file, with " (deleted)" where it has been removed; `[stack]` and similar; or empty.
    var name: String
  }

  var regions: [Region]

  /// - Returns: nil if the memory of the process may not be listed.
  init?(pid: Int32) {
    guard let text = ProcFile.text("/proc/\(pid)/maps") else { return nil }
    self.init(text)
  }

  init(_ text: String) {
    regions = text.split(separator: "\n").compactMap(Self.region)
  }

  private static func region(_ line: Substring) -> Region? {
    let fields = line.split(separator: " ", maxSplits: 5)
    let range = fields.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
    guard fields.count >= 5, range.count == 2, let offset = UInt64(fields[2], radix: 16) else {
      return nil
    }
    let name = fields.count > 5 ? fields[5].drop { $0 == " " } : ""
    return Region(
      start: range[0], end: range[1], offset: offset,
      isExecutable: fields[1].contains("x"), name: String(name))
  }

  /// The addresses at which the beginning of a file is mapped.
  func addresses(of names: Set<String>) -> Set<UInt64> {
    Set(regions.filter { $0.offset == 0 && names.contains($0.name) }.map(\.start))
  }

  /// Files with code, each once.
  var images: [String] {
    var seen: Set<String> = []
    return regions.filter { $0.isExecutable && $0.name.hasPrefix("/") }.map(\.name)
      .filter { seen.insert($0).inserted }
  }

  /// Whether both processes run the same start of a program: one of them is a fork of the other.
  ///
  /// The kernel chooses these addresses at random when a program starts.
  func isFork(of other: ProcessMap) -> Bool {
    guard let own = layout, let others = other.layout else { return false }
    return own == others
  }

  private var layout: [UInt64]? {
    let stack = regions.first { $0.name == "[stack]" }?.end
    let code = regions.first { $0.name == "[vdso]" }?.start
    guard let stack, let code else { return nil }
    return [stack, code]
  }
}
