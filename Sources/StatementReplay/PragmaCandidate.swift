// SPDX-License-Identifier: Apache-2.0

/// A setting that is often recommended, to be tried on a program's own load.
public struct PragmaCandidate: Hashable, Sendable {
  public var name: String
  public var value: String
  /// The protection or the resource that it costs; "" for none.
  public var price = ""

  /// See <https://www.sqlite.org/pragma.html>.
  public static let usual = [
    Self(
      name: "journal_mode", value: "WAL",
      price: "a log and an index beside the file; all processes must be on one host"),
    Self(
      name: "synchronous", value: "NORMAL",
      price: """
        a power failure may lose the last commits in WAL mode; in the other modes it may, rarely, damage the \
        database
        """),
    Self(name: "cache_size", value: "-64000", price: "64 MB of memory for each connection"),
    Self(
      name: "mmap_size", value: "268435456",
      price: "an I/O error of the disk ends the process with a signal"),
    Self(name: "temp_store", value: "MEMORY", price: "temporary tables and sorts are in memory"),
    Self(name: "page_size", value: "8192", price: "the file must be rebuilt once, by VACUUM"),
    Self(
      name: "wal_autocheckpoint", value: "10000", price: "the write-ahead log grows to 40 MB"),
  ]
}
