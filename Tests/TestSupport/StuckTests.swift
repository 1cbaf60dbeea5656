// SPDX-License-Identifier: Apache-2.0

public import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that is stuck.
  ///
  /// It counts from the start of the run, for tests wait for each other.
  public static var endsWhenStuck: Self { .timeLimit(.minutes(60)) }
}
