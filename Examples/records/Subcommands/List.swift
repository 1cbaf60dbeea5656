// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import RecordsModel

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists all records in order, in sections by their initials.",
    discussion: """
      Example: records list --before --repeat 20

      --before sorts by the value, localized and without regard to case, which SQLite repeats for \
      each fetch. --after sorts by the stored index value, which an index has in order.
      """)

  @Flag(help: "List with the naive or the optimized version.")
  var version = Version.after

  @Flag(help: "List every value, and not only the first of each section.")
  var all = false

  @Option(help: ArgumentHelp("How many times to fetch the list.", valueName: "n"))
  var `repeat` = 1

  @OptionGroup var store: StoreOption

  func validate() throws {
    guard `repeat` > 0 else {
      throw ValidationError("--repeat takes a number from 1 up, not \(`repeat`).")
    }
  }

  func run() throws {
    let list = try RecordStore(path: store.path).list(version, times: `repeat`)
    print(ListReport(list, showsAll: all).text)
  }
}

extension Version: EnumerableFlag {}
