// SPDX-License-Identifier: Apache-2.0

/// Ends the program with a sentence where the caller has erred.
///
/// In a release build too, where `precondition` prints nothing.
@usableFromInline
func require(
  _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !condition { fatalError(message(), file: file, line: line) }
}
