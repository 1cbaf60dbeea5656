// SPDX-License-Identifier: Apache-2.0

/// The keys of rows that were written in one way.
enum RowKeys: Sendable {
  case range(first: Int64, count: Int)
  case list(KeyList)

  var count: Int {
    switch self {
    case .range(_, let count): count
    case .list(let keys): keys.count
    }
  }

  /// The keys below a key, and the others.
  func parted(at key: Int64) -> (RowKeys, RowKeys) {
    guard case .list(let keys) = self else { return (.range(first: 0, count: 0), self) }
    let all = keys[0..<keys.count]
    return (.list(KeyList(all.filter { $0 < key })), .list(KeyList(all.filter { $0 >= key })))
  }

  subscript(index: Int) -> Int64 {
    switch self {
    case .range(let first, _): first + Int64(index)
    case .list(let keys): keys[index]
    }
  }
}
