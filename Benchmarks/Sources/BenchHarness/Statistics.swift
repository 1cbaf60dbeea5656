// SPDX-License-Identifier: Apache-2.0

import Foundation

package enum Statistics {
  package static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The 95% interval of a median from its order statistics: the ranks at n/2 ± 1.96·√n/2.
  ///
  /// Campbell and Gardner, "Calculating confidence intervals for some non-parametric analyses",
  /// BMJ 296 (1988). Under nine values it is the whole range.
  package static func medianInterval(_ values: [Double]) -> (low: Double, high: Double) {
    let sorted = values.sorted()
    let count = Double(sorted.count)
    let margin = 1.96 * count.squareRoot() / 2
    let low = max(0, Int((count / 2 - margin).rounded()) - 1)
    let high = min(sorted.count - 1, Int((1 + count / 2 + margin).rounded()) - 1)
    return (sorted[low], sorted[high])
  }
}
