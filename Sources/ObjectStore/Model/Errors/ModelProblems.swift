// SPDX-License-Identifier: Apache-2.0

/// The errors of a model, collected so that all are reported at once.
struct ModelProblems {
  private var errors: [ModelError] = []

  mutating func add(_ error: ModelError) {
    if !errors.contains(error) { errors.append(error) }
  }

  /// Runs a check and keeps its error.
  mutating func collect(_ check: () throws -> Void) throws {
    do {
      try check()
    } catch ModelError.several(let errors) {
      for error in errors { add(error) }
    } catch let error as ModelError {
      add(error)
    }
  }

  /// - Throws: the error, or ``ModelError/several(_:)``.
  func check() throws {
    guard let first = errors.first else { return }
    throw errors.count == 1 ? first : ModelError.several(errors)
  }
}
