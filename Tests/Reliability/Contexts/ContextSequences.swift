// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Random steps in random contexts, as many times as wanted.
package enum ContextSequences {
  package struct Failure: Error, CustomStringConvertible {
    let seed: UInt64
    let problem: String
    let steps: [String]

    package var description: String {
      "seed \(seed): \(problem)\nafter\n"
        + steps.map { "  " + $0 }.joined(separator: "\n")
    }
  }

  /// Does so many steps.
  ///
  /// - Throws: ``Failure`` with the fewest steps found that fail likewise.
  package static func run(seed: UInt64, steps count: Int = 60) throws {
    var random = SeededGenerator(seed: seed)
    var steps = ContextStep.random(count, using: &random)
    guard var (problem, index) = problem(steps, seed) else { return }
    steps = Array(steps[...min(index, steps.count - 1)])
    // Halves first, then smaller pieces, then each step alone.
    var size = max(steps.count / 2, 1)
    while true {
      var start = 0
      var isShorter = false
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if let (found, _) = self.problem(fewer, seed) {
          (steps, problem, isShorter) = (fewer, found, true)
        } else {
          start += size
        }
      }
      if size == 1, !isShorter { break }
      if !isShorter { size = max(size / 2, 1) }
    }
    index = steps.count
    throw Failure(seed: seed, problem: problem, steps: steps.map(\.description))
  }

  /// The problem after one of the steps, and the step; after the last one, the problem of the final
  /// state.
  private static func problem(
    _ steps: [ContextStep], _ seed: UInt64
  ) -> (String, Int)? {
    var index = 0
    do {
      let run = try ContextRun(seed: seed)
      while index < steps.count {
        try run.run(steps[index])
        index += 1
      }
      try run.finish()
      return nil
    } catch {
      return ("\(error)", index)
    }
  }
}
