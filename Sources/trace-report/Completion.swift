// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis

extension CompletionKind {
  static var rules: CompletionKind { .list(Rules.all.map { type(of: $0).name }) }
}
