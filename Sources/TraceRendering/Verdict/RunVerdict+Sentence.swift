// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

extension RunVerdict {
  /// The number of findings, the time that can be saved, and the worst finding.
  ///
  ///     14 warnings and 3 notes: up to 2.31 s of 3.02 s can be saved. Worst: a query in a loop on
  ///     'loan' at app.py:42.
  public var sentence: String {
    guard !isEmpty else { return "There are no events, so there is nothing to judge." }
    guard let worst else {
      // The first screen lists them.
      let failed = errors > 0 ? ", \(errors.counted("error"))" : ""
      return gaps.isEmpty
        ? "No findings\(failed)." : "No findings\(failed), but data is missing: this is not a pass."
    }
    return "\(numbers)\(savings). Worst: \(worst.phrase)."
  }

  /// `14 warnings and 3 notes`.
  private var numbers: String {
    guard warnings > 0 else { return "No warnings, \(notes.counted("note"))" }
    return warnings.counted("warning") + (notes > 0 ? " and \(notes.counted("note"))" : "")
  }

  private var savings: String {
    guard let savesAtMost else { return "" }
    let whole = time.map { " of \(Cell.duration($0).text)" } ?? ""
    return ": up to \(Cell.duration(savesAtMost).text)\(whole) can be saved"
  }

  /// Green where nothing was found, nothing failed and nothing is missing.
  var tone: Document.Tone {
    if isClean { return errors > 0 ? .plain : .good }
    return warnings > 0 || count == 0 && !gaps.isEmpty ? .bad : .plain
  }
}

extension RunVerdict.Worst {
  /// `a full scan on 'loan' at app.py:42`.
  var phrase: String {
    finding.phrase(problem, culprit) + (finding.caller.text.map { " at \($0)" } ?? "")
  }
}

extension Finding {
  /// `a full scan on 'loan'`; `an unused index 'loan_due'` of a schema.
  func phrase(_ problem: String, _ culprit: String) -> String {
    guard !culprit.isEmpty else { return problem }
    // 40 is arbitrary: the names of tables are shorter.
    let culprit = culprit.count > 40 ? culprit.prefix(39) + "…" : culprit
    return problem + (statement == nil ? " '\(culprit)'" : " on '\(culprit)'")
  }
}
