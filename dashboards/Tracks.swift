// SPDX-License-Identifier: Apache-2.0

extension Dashboards {
  /// The tracks over time as they stand without scripts, and what the scripts draw them from.
  public struct Tracks: Sendable {
    public var ticks: [String]
    var tracks: [Track]
    var lanes: [Lane]
    public var remark: [String] = []
    /// JSON without `<`: it stands in a script element.
    var json: String

    public init(ticks: [String], tracks: [Track], lanes: [Lane], json: String) {
      // In a buffer: there may be megabytes, which `utf8` takes one by one.
      var json = json
      let isSafe = json.withUTF8 { !$0.contains(UInt8(ascii: "<")) }
      precondition(isSafe, "JSON that could end its element")
      self.ticks = ticks
      self.tracks = tracks
      self.lanes = lanes
      self.json = json
    }
  }

  public struct Track: Sendable {
    /// `fetches`, `faults`, `misses`, `saves`, `waits`, `checkpoints`, `locks`, `log` or `pins`.
    var code: String
    var name: String
    var text: String
    /// Of an SVG, 1000 units wide and 46 high: letters and numbers, which need no escape.
    var path: String

    public init(code: String, name: String, text: String, path: String) {
      self.code = code
      self.name = name
      self.text = text
      self.path = path
    }
  }

  public struct Lane: Sendable {
    var number: Int
    var name: String
    /// 1000 units wide and 24 high.
    var path: String
    var slices: [Slices]

    public init(number: Int, name: String, path: String, slices: [Slices]) {
      self.number = number
      self.name = name
      self.path = path
      self.slices = slices
    }
  }

  /// The slices of one kind in a lane.
  public struct Slices: Sendable {
    var code: String
    var path: String

    public init(code: String, path: String) {
      self.code = code
      self.path = path
    }
  }
}
