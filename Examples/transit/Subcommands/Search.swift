// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import TransitModel

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Searches stops: around a point, with a departure soon, or by name.",
    discussion: """
      Example: transit search --geo --departures --at 08:30 --text "u gorli" --before --repeat 20
               transit search --text "widerst berl" --form terms --form contains

      --before drops the index on the coordinates and --after makes it again: the store is written \
      to. Departures are searched in the twenty minutes from --at on.
      """)

  @Flag(help: "Search the stops around the point.")
  var geo = false

  @Flag(help: "Search the stops around the point from which something leaves soon.")
  var departures = false

  @Option(help: "Search the stops by this text.")
  var text: String?

  @Option(
    help: ArgumentHelp(
      "How to search by --text; may be given several times.",
      discussion: """
        begins: name BEGINSWITH[cd] TEXT, the form of --before. normalized: normalizedName \
        BEGINSWITH TEXT, the form of --after. terms: a search term for each word. contains: name \
        CONTAINS[cd] TEXT.
        """))
  var form: [TextForm] = []

  @Flag(help: "Search with the naive or the optimized version.")
  var version = Version.after

  @Option(help: ArgumentHelp("How many times to run each search.", valueName: "n"))
  var `repeat` = 1

  @Option(help: "Degrees, north positive.")
  var latitude = Coordinate.goerlitzerBahnhof.latitude

  @Option(help: "Degrees, east positive; write --longitude=-85.3 for west.")
  var longitude = Coordinate.goerlitzerBahnhof.longitude

  @Option(help: "Metres around the point.")
  var radius = 80.0

  @Option(help: ArgumentHelp("The time on the clock; now by default.", valueName: "HH:MM"))
  var at: ServiceTime?

  @OptionGroup var store: StoreOption

  func validate() throws {
    guard geo || departures || text != nil else {
      throw ValidationError("Nothing to search for; pass --geo, --departures or --text TEXT.")
    }
    guard form.isEmpty || text != nil else {
      throw ValidationError("--form selects how --text searches; pass --text as well.")
    }
    guard `repeat` > 0 else {
      throw ValidationError("--repeat takes a number from 1 up, not \(`repeat`).")
    }
    guard Coordinate(latitude: latitude, longitude: longitude).isValid else {
      throw ValidationError(
        "\(latitude), \(longitude) is not a valid point: latitudes go from -90 to 90, longitudes from -180 to 180."
      )
    }
    guard radius > 0, radius <= 1_000_000 else {
      throw ValidationError("--radius takes metres, more than 0 and up to 1000000, not \(radius).")
    }
    if let at, at.seconds >= ServiceTime.day {
      throw ValidationError("--at takes a time on the clock, 00:00 to 23:59, not \(at).")
    }
  }

  func run() throws {
    let stops = try StopStore(path: store.path, version: version)
    for change in stops.indexChanges { FileHandle.standardError.print(change) }
    for search in searches {
      print(SearchReport(try stops.run(search, times: `repeat`)).text)
    }
  }

  private var searches: [StopSearch] {
    let area = StopSearch.Area(
      center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
    return (geo ? [.nearby(area)] : [])
      + (departures ? [.departures(area, after: at ?? .now, minutes: 20)] : [])
      + (text.map(searches(by:)) ?? [])
  }

  private func searches(by text: String) -> [StopSearch] {
    form.isEmpty ? [.named(text)] : form.map { .named(text, form: $0) }
  }
}

extension Version: EnumerableFlag {}

extension TextForm: ExpressibleByArgument {}

extension ServiceTime: ExpressibleByArgument {
  /// Reads `HH:MM` or `HH:MM:SS`.
  public init?(argument: String) { self.init(argument) }

  /// The time on this machine's clock.
  static var now: ServiceTime {
    let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: Date())
    return ServiceTime(
      seconds: Int64((parts.hour ?? 0) * 3600 + (parts.minute ?? 0) * 60 + (parts.second ?? 0)))
  }
}
